//! Who may come. A browser names the page's origin in every such request, and no page can name another.

use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, header};

use super::connection::Run;
use super::message::Hello;

/// The protocols of the widget. That of other relays is not spoken: they are not pages.
const SPOKEN: [&str; 2] = ["webmcp-discovery.v1", "webmcp.v1"];

const NOT_A_PAGE: &str =
    "A program connected that names no origin, as a browser would. Only pages in a browser may come.";

/// Why somebody may not come, for the person.
#[derive(Debug)]
pub(super) struct Refusal {
    pub origin: String,
    pub reason: String,
}

impl Run {
    /// The origin that a request names, if it may come.
    pub fn admit(&self, request: &Request) -> Result<String, Refusal> {
        let headers = request.headers();
        let refuse = |origin: &str, reason: String| Refusal {
            origin: origin.chars().take(200).collect(),
            reason,
        };
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let origin = match (origins.next().map(HeaderValue::to_str), origins.next()) {
            (Some(Ok(origin)), None) => origin,
            _ => return Err(refuse("", NOT_A_PAGE.into())),
        };
        let hosts = headers.get_all(header::HOST).iter();
        if !hosts.map(HeaderValue::as_bytes).all(is_loopback) {
            // A name of somebody's site that leads here.
            return Err(refuse(
                origin,
                format!("{origin} came by a name that is not this computer's."),
            ));
        }
        if !self.origins.iter().chain(&self.widgets).any(|listed| listed == origin) {
            let reason = format!("{origin} is not on the list. Add it to the origins if its pages may come.");
            return Err(refuse(origin, reason));
        }
        Ok(origin.to_owned())
    }

    /// The origin of the page that introduces itself over a connection from `came_from`, if it may speak for it.
    pub fn page_origin(&self, came_from: &str, hello: &Hello) -> Result<String, Refusal> {
        let page = hello.origin.as_deref().unwrap_or(came_from);
        let is_listed = self.origins.iter().any(|origin| origin == page);
        if is_listed && (page == came_from || self.widgets.iter().any(|widget| widget == came_from)) {
            return Ok(page.to_owned());
        }
        let page = page.chars().take(200).collect::<String>();
        let reason = if is_listed {
            format!(
                "{came_from} said that it speaks for {page}. Add {came_from} to the places of the widget if {page} takes it from there."
            )
        } else {
            format!("{page} is not on the list. Add it to the origins if its pages may come.")
        };
        Err(Refusal { origin: page, reason })
    }
}

fn is_loopback(host: &[u8]) -> bool {
    let host = std::str::from_utf8(host).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost")
}

/// Speaks the first protocol of the client's that is known.
pub(super) fn agree(request: &Request, mut response: Response) -> Response {
    let offered = request.headers().get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let spoken = offered
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        .find_map(|offer| SPOKEN.into_iter().find(|spoken| *spoken == offer.trim()));
    if let Some(spoken) = spoken {
        response
            .headers_mut()
            .insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(spoken));
    }
    response
}

pub(super) fn forbidden() -> ErrorResponse {
    let mut response = ErrorResponse::new(Some("This origin may not come.".into()));
    *response.status_mut() = StatusCode::FORBIDDEN;
    response
}
