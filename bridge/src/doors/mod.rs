pub mod browser;
pub mod relay;
