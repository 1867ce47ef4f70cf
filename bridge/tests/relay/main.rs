//! The relay door over real HTTP, as a page made for Take Five's bridge sees it, and with such a page in a real Chromium.

mod clock;
mod gatehouse;
mod logs;
mod rig;
mod site;
mod wire;

mod calls;
mod late;
mod one_page;
mod quiet;
mod real_page;
mod routes;
mod stream;
mod tools;
