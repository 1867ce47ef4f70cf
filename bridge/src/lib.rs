//! The doors to the page.
#![forbid(unsafe_code)]

mod door;
mod doors;

pub use door::*;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub use doors::browser::fuzzing;
pub use doors::browser::{BROWSER_VARIABLE, BrowserConfig, BrowserDoor, find_browser};
