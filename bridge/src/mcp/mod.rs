//! The server for outside MCP clients. What the desk is to it stands in [`Lobby`] and [`Seat`]; the same server runs in the app for
//! clients that come over HTTP, and in `countersign-bridge mcp` for those that come over stdio.

mod answers;
mod gone;
mod hosted;
mod http;
mod listed;
mod names;
mod news;
mod own;
mod remote;
#[cfg(test)]
mod samples;
mod seat;
mod server;
mod stdio;
mod wire;

pub use hosted::host;
pub use http::{HttpServer, Token, Tokens, new_token};
pub use remote::RemoteLobby;
pub use seat::{Asked, Came, Lobby, Offered, Page, Seat, Standing, Surface, Told};
pub use server::Server;
pub use stdio::serve_stdio;
