//! The life of a write against a real ledger and a fake clock.

mod answers;
mod arming;
mod deciding;
mod ending;
mod proposing;
mod random;
mod rechecking;
mod releasing;
mod screens;
mod support;
