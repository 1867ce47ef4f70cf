pub mod browser;
pub mod mcp_b;
pub mod relay;
