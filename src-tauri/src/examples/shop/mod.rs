//! The example of the first run: a small shop with a server of its own.
//!
//! The shop's state lives here and not in the page. With `COUNTERSIGN_EXAMPLE_LOG=<file>` every request is appended to that
//! file as a JSON line, so that what was really sent can be told from what a page says.

mod door;
mod files;
mod store;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::Served;
use door::at_the_door;
use files::PAGE_FILES;
use store::{Refusal, Shop};

/// How long a request for news waits before it is answered with what there is.
const LONGEST_WAIT: Duration = Duration::from_secs(25);

/// One request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The body as text; empty for none.
    pub body: String,
}

/// What all requests share.
struct Counter {
    host: String,
    origin: String,
    shop: Mutex<Shop>,
    log: Option<PathBuf>,
    revision: watch::Sender<u64>,
}

/// Serves the shop on a free port of 127.0.0.1, and logs to the file that `COUNTERSIGN_EXAMPLE_LOG` names, if it does.
///
/// # Errors
/// When no port can be bound on loopback.
pub(super) async fn serve() -> std::io::Result<Served> {
    serve_logging_to(std::env::var_os("COUNTERSIGN_EXAMPLE_LOG").map(PathBuf::from)).await
}

async fn serve_logging_to(log: Option<PathBuf>) -> std::io::Result<Served> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let host = listener.local_addr()?.to_string();
    let origin = format!("http://{host}");
    let shop = Shop::default();
    let revision = watch::Sender::new(shop.revision);
    let counter = Arc::new(Counter {
        host,
        origin: origin.clone(),
        shop: Mutex::new(shop),
        log,
        revision,
    });
    let router = router(counter);
    let server = tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::warn!(%error, "the example page stopped answering; start Countersign again to have it back");
        }
    });
    Ok(Served {
        url: format!("{origin}/"),
        servers: vec![server],
    })
}

impl Counter {
    fn write_down(&self, hit: &Hit) -> std::io::Result<()> {
        if let Some(path) = &self.log {
            let mut line = serde_json::to_vec(hit)?;
            line.push(b'\n');
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)?
                .write_all(&line)?;
        }
        Ok(())
    }

    /// Changes the shop, tells every open page, and answers what `change` gives.
    fn change<T: Serialize>(&self, change: impl FnOnce(&mut Shop) -> Result<T, Refusal>) -> Answer {
        let mut shop = lock(&self.shop);
        let done = change(&mut shop)?;
        self.revision.send_replace(shop.revision);
        Ok(Json(json!({ "done": done, "state": shop.view() })))
    }
}

/// A poisoned lock is taken all the same: every change of the shop is whole before anything in it can panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Answer = Result<Json<serde_json::Value>, Refusal>;
type Shared = State<Arc<Counter>>;

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (StatusCode::UNPROCESSABLE_ENTITY, Json(self)).into_response()
    }
}

#[derive(Deserialize)]
struct Seen {
    after: Option<u64>,
}

#[derive(Deserialize)]
struct Pieces {
    product: String,
    quantity: i64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OrderParams {
    Pieces(Pieces),
    Basket { basket: bool },
}

#[derive(Deserialize)]
struct NoteParams {
    note: String,
}

#[derive(Deserialize)]
struct SubscribeParams {
    on: bool,
}

#[derive(Deserialize)]
struct TrackParams {
    product: String,
}

#[derive(Deserialize)]
struct PricesParams {
    percent: i64,
}

fn router(counter: Arc<Counter>) -> Router {
    let mut router = Router::new();
    for file in &PAGE_FILES {
        router = router.route(
            file.path,
            get(move || async { ([(header::CONTENT_TYPE, file.media_type)], file.text) }),
        );
    }
    router
        .route("/api/state", get(state))
        .route("/api/quote", get(quote))
        .route(
            "/api/basket",
            post(async |State(at): Shared, Json(p): Json<Pieces>| {
                at.change(|shop| shop.put_in_basket(&p.product, p.quantity))
            }),
        )
        .route("/api/orders", post(order))
        .route(
            "/api/note",
            post(async |State(at): Shared, Json(p): Json<NoteParams>| at.change(|shop| shop.set_note(&p.note))),
        )
        .route(
            "/api/subscribe",
            post(async |State(at): Shared, Json(p): Json<SubscribeParams>| at.change(|shop| shop.set_monthly(p.on))),
        )
        .route(
            "/api/track",
            post(async |State(at): Shared, Json(p): Json<TrackParams>| at.change(|shop| shop.track(&p.product))),
        )
        .route(
            "/api/prices",
            post(async |State(at): Shared, Json(p): Json<PricesParams>| at.change(|shop| shop.raise_prices(p.percent))),
        )
        .route(
            "/api/account/close",
            post(async |State(at): Shared| at.change(Shop::close_account)),
        )
        .route(
            "/api/reset",
            post(async |State(at): Shared| at.change(Shop::start_over)),
        )
        .layer(middleware::from_fn_with_state(counter.clone(), at_the_door))
        .with_state(counter)
}

async fn quote(State(at): Shared, Query(wanted): Query<Pieces>) -> Answer {
    let quote = lock(&at.shop).quote(&wanted.product, wanted.quantity)?;
    Ok(Json(json!(quote)))
}

async fn order(State(at): Shared, Json(params): Json<OrderParams>) -> Answer {
    at.change(|shop| match params {
        OrderParams::Pieces(wanted) => shop.order(&wanted.product, wanted.quantity),
        OrderParams::Basket { basket: true } => shop.order_basket(),
        OrderParams::Basket { basket: false } => Err(Refusal {
            error: "nothing-ordered",
            message: "The order names neither a product nor the basket.".into(),
        }),
    })
}

/// The state. With `?after=N` the answer waits until the revision is past `N`, so that an open page sees every change.
async fn state(State(at): Shared, Query(seen): Query<Seen>) -> Json<serde_json::Value> {
    if let Some(after) = seen.after {
        let mut revisions = at.revision.subscribe();
        let news = revisions.wait_for(|revision| *revision > after);
        // Neither a wait that ran out nor a closed channel is a fault: the page asks again.
        let _ = tokio::time::timeout(LONGEST_WAIT, news).await;
    }
    Json(lock(&at.shop).view())
}
