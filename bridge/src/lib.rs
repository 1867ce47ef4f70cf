//! The doors to the page.
#![forbid(unsafe_code)]

mod door;
mod doors;

pub use door::*;
pub use doors::browser::{BROWSER_VARIABLE, BrowserConfig, BrowserDoor, find_browser};
