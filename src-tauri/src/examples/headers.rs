//! What every answer of an example carries, and what its requests are compared with.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// The page of another origin that an example's page has to do with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Neighbour {
    /// None.
    Nobody,
    /// It shows pages of this origin within its own.
    Shows(String),
    /// It is shown within pages of this origin.
    ShownBy(String),
}

/// Nothing of another origin gets in, but for the one neighbour.
pub(super) fn strict_headers(neighbour: &Neighbour) -> HeaderMap {
    let none = || "'none'".to_owned();
    let (frames, ancestors) = match neighbour {
        Neighbour::Nobody => (none(), none()),
        Neighbour::Shows(origin) => (origin.clone(), none()),
        Neighbour::ShownBy(origin) => (none(), origin.clone()),
    };
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src {frames}; \
         base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
    );
    let policy = HeaderValue::try_from(policy).expect("an origin has no character that a header cannot hold");
    HeaderMap::from_iter([
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin"),
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("same-origin"),
        ),
    ])
}

/// The header is there once, and says this.
pub(super) fn is_exactly(headers: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    let mut given = headers.get_all(name).iter();
    given.next().is_some_and(|value| value == wanted) && given.next().is_none()
}
