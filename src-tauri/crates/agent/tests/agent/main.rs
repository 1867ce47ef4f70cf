//! The loop over a desk and a model that do as they are told.

mod any_turn;
mod support;
mod turn;
