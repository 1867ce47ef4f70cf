//! Every type that crosses a boundary of Countersign: between crates, between the core and its windows, and between the
//! app and the page. The TypeScript in `ui/src/gen` and `bridge/page/interceptor/src/gen` is exported from here
//! (`npm run gen`); `npm test` fails when an export is stale.
//!
//! Wire names are camelCase, unions are tagged with `kind` or `state`, times are RFC 3339 UTC with milliseconds, digests
//! are lower-case hex SHA-256.
#![forbid(unsafe_code)]

mod beside;
mod changes;
mod chat;
mod client;
mod cost;
mod desk;
mod error;
mod example;
mod export;
mod grade;
mod ledger;
mod mcp_b;
mod page;
mod photograph;
mod preview;
mod proposal;
mod reading;
mod relay;
mod rule;
mod settings;
mod setup;
mod sites;
mod take_five;
pub mod wire;

pub use beside::*;
pub use changes::*;
pub use chat::*;
pub use client::*;
pub use cost::*;
pub use desk::*;
pub use error::*;
pub use example::*;
pub use export::export_types;
pub use grade::*;
pub use ledger::*;
pub use mcp_b::*;
pub use page::*;
pub use photograph::*;
pub use preview::*;
pub use proposal::*;
pub use reading::*;
pub use relay::*;
pub use rule::*;
pub use settings::*;
pub use setup::*;
pub use sites::*;
pub use take_five::*;
