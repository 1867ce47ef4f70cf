use std::net::SocketAddr;

/// What a person has to be told about the door, as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpBStatus {
    /// The door, while it is turned on.
    pub on: Option<McpBOn>,
    /// How many pages are connected.
    pub pages: usize,
    /// Who was refused last, since the door was turned on.
    pub refused: Option<RefusedOrigin>,
}

/// A door that is turned on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpBOn {
    /// Where it listens; always on loopback.
    pub address: SocketAddr,
}

/// Somebody who may not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedOrigin {
    /// The origin, or what stood in its place.
    pub origin: String,
    /// Why, and what the person can do.
    pub reason: String,
    /// How many were refused since the door was turned on, for whatever reason.
    pub times: u32,
}
