//! The door for mcp-b pages over real sockets, and with the package's own widget in a real Chromium.

#[path = "../relay/clock.rs"]
mod clock;
#[path = "../relay/gatehouse.rs"]
mod gatehouse;
// Its address is asked for by the tests of the relay alone.
#[allow(dead_code)]
#[path = "../relay/site.rs"]
mod site;

mod page;
mod rig;

mod calls;
mod coming;
mod messages;
mod real_widget;
