//! The life of a write against a real ledger and a fake clock.

mod answers;
mod arming;
mod clients;
mod deciding;
mod describing;
mod ending;
mod flooding;
mod proposing;
mod random;
mod rechecking;
mod releasing;
mod rules;
mod rules_random;
mod screens;
mod support;
