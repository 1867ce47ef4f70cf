//! The browser door against a real Chromium and a server that keeps an access log.

mod rig;
mod site;

mod asks;
mod changed_forms;
mod changes;
mod ends;
mod forms;
mod frames;
mod gets;
mod hand;
mod heads;
mod network;
mod reads;
mod scope;
mod sockets;
mod tricks;
mod turns;
mod workers;
mod writes;
