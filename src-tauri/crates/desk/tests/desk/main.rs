//! The whole desk, with a real gate and a real ledger.

mod common;
mod late;
mod rules;
mod writes;
