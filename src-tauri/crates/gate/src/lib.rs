//! The life of a write, as a pure state machine. Time comes in as [`At`]; nothing here reads a clock, a disk or a network.
//!
//! A write goes `propose` → `recorded` → (`set_preview`, `window`, `shown`) → `press` → `recheck` → `release` → `settle`;
//! at each step before `release` it can be refused, edited, set aside, withdrawn, or lose its page. Every step that the
//! ledger must know of hands back a [`countersign_contract::RowDraft`]; the two that must be durable first (`recorded` and
//! `release`) ask for the [`countersign_ledger::DurableRow`] as proof.
//!
//! Leave to run comes from here alone. A [`Ticket`] cannot be made outside:
//!
//! ```compile_fail,E0451
//! use countersign_contract::ProposalId;
//! use countersign_gate::{Target, Ticket};
//! fn forge(proposal: ProposalId, target: Target) -> Ticket {
//!     Ticket { proposal, target, nonce: String::new(), row: 1 }
//! }
//! ```
//!
//! and cannot be copied, so that it runs one thing once:
//!
//! ```compile_fail,E0277
//! fn copies<T: Clone>() {}
//! copies::<countersign_gate::Ticket>();
//! ```
//!
//! The same holds for leave to read, which is made only for tools that say they read:
//!
//! ```compile_fail,E0451
//! use countersign_contract::Tool;
//! use countersign_gate::ReadPass;
//! fn forge(tool: Tool) -> ReadPass {
//!     ReadPass { tool, arguments: String::new() }
//! }
//! ```
#![forbid(unsafe_code)]

mod arming;
mod ask;
mod at;
mod clients;
mod companion;
mod cost;
mod decimal;
mod descriptor;
mod diff;
mod digest;
mod entry;
mod error;
mod gate;
mod governor;
mod invisible;
mod moved;
mod pass;
mod photograph;
mod preview;
mod quote;
mod risks;
mod rows;
mod rules;
mod words;

pub use ask::*;
pub use at::At;
pub use clients::PairDraft;
pub use companion::*;
pub use descriptor::{Descriptor, DescriptorFaults};
pub use digest::definition_digest;
pub use error::GateError;
pub use gate::*;
pub use pass::*;
pub use photograph::Shot;
pub use preview::read_preview;
pub use quote::{fault_of, filled, read_quote};
pub use rules::Recall;
