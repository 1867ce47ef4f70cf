//! The loop: prompt, model, tools, gate, ledger.
//!
//! [`run_turn`] takes one prompt to its end over a [`Host`], which is the desk, and a [`countersign_model::Provider`]. The
//! loop decides nothing: whether a call is a read or a held write is the host's answer to the ask.
#![forbid(unsafe_code)]

mod by_hand;
mod call;
mod fence;
mod history;
mod host;
mod offer;
mod prompt;
mod saying;
mod turn;

pub use by_hand::{BY_HAND, call_by_hand};
pub use host::*;
pub use turn::{Limits, TurnEnd, run_turn};
