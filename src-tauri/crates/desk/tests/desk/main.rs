//! The whole desk, with a real gate and a real ledger.

mod common;
mod rules;
mod writes;
