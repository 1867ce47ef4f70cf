//! The whole app as a person meets it: the real window driven over WebDriver, a real Chromium, real servers on the other side.
//! The scenarios in `tests/` speak in the words of the domain; how a window is found, filled and pressed stands here.
#![forbid(unsafe_code)]

mod app;
mod approval;
mod cards;
mod display;
mod hand;
mod home;
mod ledger;
mod mcp_client;
pub mod model_server;
mod pages;
mod panel;
mod process;
mod screen;
mod shop;
mod wait;

pub use app::{App, Options, program};
pub use approval::Approval;
pub use cards::CallCard;
pub use display::{Desktop, activate, photograph};
pub use hand::Hand;
pub use home::Home;
pub use ledger::{LedgerWindow, Record, Verified};
pub use mcp_client::McpClient;
pub use pages::{Hit, Site};
pub use panel::Panel;
pub use process::{Process, descendants};
pub use screen::Screen;
pub use shop::Shop;
pub use wait::{PATIENCE, gone, until, until_within};
