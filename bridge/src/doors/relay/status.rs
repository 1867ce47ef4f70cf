use std::fmt;
use std::net::SocketAddr;

/// What a person has to be told about the relay, as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelayStatus {
    /// The relay, while it is turned on.
    pub on: Option<RelayOn>,
    /// Whether a page is attached: its event stream is open.
    pub attached: bool,
    /// A second page that was refused since the attached one came, or the last one that was.
    pub refused: Option<SecondPage>,
    /// How many connections are open that have said nothing for a second: what a browser leaves that waits for its person's leave, or
    /// was refused it.
    pub silent: u32,
}

/// A relay that is turned on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelayOn {
    /// Where it listens; always on loopback.
    pub address: SocketAddr,
    /// The one origin it serves.
    pub origin: String,
    /// The first 8 characters of its token.
    pub fingerprint: String,
}

/// A second page that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondPage {
    /// What that page was told.
    pub reason: String,
    /// How many of its requests were refused.
    pub times: u32,
}

/// What the person needs to attach a page.
#[derive(Clone)]
pub struct RelayInvitation {
    /// The relay.
    pub on: RelayOn,
    url: String,
}

impl RelayInvitation {
    pub(super) fn new(on: RelayOn, token: &str) -> Self {
        let url = format!(
            "{}/?bridge=http://127.0.0.1:{}&token={token}",
            on.origin,
            on.address.port()
        );
        Self { on, url }
    }

    /// The address to open in the browser. It holds the token: it is for the person's eyes, and for no log and no row.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl fmt::Debug for RelayInvitation {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("RelayInvitation")
            .field("on", &self.on)
            .finish_non_exhaustive()
    }
}
