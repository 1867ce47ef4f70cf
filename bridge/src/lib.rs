//! The doors to the page.
#![forbid(unsafe_code)]

mod door;
mod doors;
mod gates;
pub mod local;
pub mod mcp;

pub use door::*;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub use doors::browser::fuzzing;
pub use doors::browser::{BROWSER_VARIABLE, BrowserConfig, BrowserDoor, find_browser};
pub use doors::mcp_b::{MCP_B_PORT, McpBConfig, McpBDoor, McpBError, McpBOn, McpBStatus, RefusedOrigin};
pub use doors::relay::{
    RELAY_PORT, RelayClock, RelayConfig, RelayDoor, RelayError, RelayInvitation, RelayOn, RelayStatus, RelayToken,
    SecondPage,
};
pub use gates::{GateSays, Gatekeeper, OwnGate, own_gate};
