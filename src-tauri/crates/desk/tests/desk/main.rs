//! The whole desk, with a real gate and a real ledger.

mod clients;
mod common;
mod late;
mod page_gate;
mod pages;
mod photographs;
mod quotes;
mod rules;
mod writes;
