//! Examples that are only files. What they load as `/countersign.js` is the library for site authors, as it is built.

use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use countersign_contract::ExampleName;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::Served;
use super::headers::{Neighbour, is_exactly, strict_headers};

/// The path and the bytes of each file of one folder.
type Files = &'static [(&'static str, &'static [u8])];

/// Every folder by its name, as the build found them: an example is one that has a page, and the others are for all of them.
const FOLDERS: &[(&str, Files)] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

const LIBRARY: (&str, &str) = (
    "/countersign.js",
    include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/bridge/page/library/dist/countersign.js"
    )),
);

const PAGE: &str = "/index.html";
/// A page that an example shows within its own, and that comes from another origin.
const PARTNER: &str = "/partner.html";

/// One origin of an example.
struct Place {
    host: String,
    files: Files,
    headers: HeaderMap,
    /// The one file that is not here but at the neighbour's.
    without: Option<&'static str>,
}

/// The files of an example; none when the build found none.
pub(super) fn files_of(example: ExampleName) -> Files {
    folder(example.name()).unwrap_or_default()
}

/// The path and the bytes of each file that every example has besides its own.
pub(super) fn shared_files() -> impl Iterator<Item = (String, &'static [u8])> {
    let shared = FOLDERS.iter().filter(|(_, files)| !has(files, PAGE));
    shared.flat_map(|(folder, files)| {
        files
            .iter()
            .map(move |(path, bytes)| (format!("/{folder}{path}"), *bytes))
    })
}

fn folder(name: &str) -> Option<Files> {
    let (_, files) = FOLDERS.iter().find(|(folder, _)| *folder == name)?;
    Some(files)
}

fn has(files: Files, path: &str) -> bool {
    files.iter().any(|(file, _)| *file == path)
}

/// Serves an example on a free port of 127.0.0.1, and its partner, if it has one, on another. The page is told the partner's origin
/// in its address.
pub(super) async fn serve(example: ExampleName) -> std::io::Result<Served> {
    let files = files_of(example);
    let (listener, host) = listen().await?;
    let url = format!("http://{host}/");
    let alone = Place {
        host,
        files,
        headers: strict_headers(&Neighbour::Nobody),
        without: None,
    };
    if !has(files, PARTNER) {
        let servers = vec![run(listener, alone)];
        return Ok(Served { url, servers });
    }
    let (partners, partner_host) = listen().await?;
    let partner = format!("http://{partner_host}");
    let page = Place {
        headers: strict_headers(&Neighbour::Shows(partner.clone())),
        without: Some(PARTNER),
        ..alone
    };
    let there = Place {
        host: partner_host,
        files,
        headers: strict_headers(&Neighbour::ShownBy(url.trim_end_matches('/').to_owned())),
        without: Some(PAGE),
    };
    Ok(Served {
        url: format!("{url}?partner={partner}"),
        servers: vec![run(listener, page), run(partners, there)],
    })
}

async fn listen() -> std::io::Result<(TcpListener, String)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let host = listener.local_addr()?.to_string();
    Ok((listener, host))
}

fn run(listener: TcpListener, place: Place) -> JoinHandle<()> {
    let place = Arc::new(place);
    let router = Router::new()
        .fallback(get(answer))
        .layer(middleware::from_fn_with_state(place.clone(), at_the_door))
        .with_state(place);
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::warn!(%error, "an example stopped answering; start Countersign again to have it back");
        }
    })
}

async fn at_the_door(State(place): State<Arc<Place>>, request: Request, next: Next) -> Response {
    let mut response = if is_exactly(request.headers(), &header::HOST, &place.host) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "The example answers at its own address only.").into_response()
    };
    response.headers_mut().extend(place.headers.clone());
    response
}

async fn answer(State(place): State<Arc<Place>>, asked: Uri) -> Response {
    let path = if asked.path() == "/" { PAGE } else { asked.path() };
    let typed = |bytes| ([(header::CONTENT_TYPE, media_type(path))], bytes).into_response();
    if path == LIBRARY.0 {
        return typed(LIBRARY.1.as_bytes());
    }
    let found = find(place.files, path).filter(|_| place.without != Some(path));
    let shared = || shared_files().find(|(file, _)| file == path).map(|(_, bytes)| bytes);
    match found.or_else(shared) {
        Some(bytes) => typed(bytes),
        None => (StatusCode::NOT_FOUND, "There is no such file.").into_response(),
    }
}

fn find(files: Files, path: &str) -> Option<&'static [u8]> {
    let (_, bytes) = files.iter().find(|(file, _)| *file == path)?;
    Some(bytes)
}

/// The media type of a file, by its name; with the headers of an example a browser takes none for what it is not.
pub(super) fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
