//! The app's end of the local socket: one client's seat, asked from another process.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::seat::{Asked, Seat, Surface};
use super::wire::{FromApp, FromProgram};
use crate::local::{Frames, Sender};

/// A program says soon who its client is.
const GREETING: Duration = Duration::from_secs(5);
/// How long a client that got no seat is kept from asking for one again.
const AGAIN: Duration = Duration::from_secs(10);
/// More questions than this without an answer are too many of one connection.
const MOST_OPEN: usize = 1024;

/// Serves the client of one connection until it ends. `seat` shows it to its seat by what it calls itself, or says why it gets none.
/// What it asked for and has no answer yet is cancelled with the connection: nobody could be told of it.
pub async fn host(
    mut frames: Frames,
    sender: Sender,
    seat: impl AsyncFnOnce(String, String) -> Result<Arc<dyn Seat>, String>,
) {
    let introduced = tokio::time::timeout(GREETING, frames.next()).await;
    let Ok(Ok(Some(FromProgram::Introduce { name, version }))) = introduced else {
        return;
    };
    let seat = match seat(name, version).await {
        Ok(seat) => seat,
        Err(why) => {
            // It is told, and may come again: there may be room by then.
            let _ = sender.send(&FromApp::Surface(Surface::away(why))).await;
            tokio::time::sleep(AGAIN).await;
            return;
        }
    };
    let over = CancellationToken::new();
    let tasks = TaskTracker::new();
    tasks.spawn(
        over.clone()
            .run_until_cancelled_owned(show(seat.clone(), sender.clone())),
    );
    let asks = Asks::default();
    while let Some(Ok(Some(said))) = over.run_until_cancelled(frames.next()).await {
        // In order: a cancel may come right behind its ask.
        let cancel = match said {
            FromProgram::Ask { id, .. } => asks.begin(id, &over),
            FromProgram::Cancel { id } => {
                asks.cancel(id);
                continue;
            }
            _ => over.clone(),
        };
        if tasks.len() > MOST_OPEN {
            tracing::warn!("a program asks without reading its answers: its connection is ended");
            break;
        }
        let (seat, sender, asks, over) = (seat.clone(), sender.clone(), asks.clone(), over.clone());
        tasks.spawn(async move {
            if let Some(answer) = answer(said, &*seat, cancel).await {
                answer.id().inspect(|id| asks.end(*id));
                // Whoever does not take its answers has gone.
                if tell(&sender, answer).await.is_err() {
                    over.cancel();
                }
            }
        });
    }
    over.cancel();
    tasks.close();
    tasks.wait().await;
}

async fn tell(sender: &Sender, answer: FromApp) -> io::Result<()> {
    match (sender.send(&answer).await, answer.id()) {
        (Err(error), Some(id)) if error.kind() == io::ErrorKind::FileTooLarge => {
            let message =
                "The answer is longer than can be passed on. It was a read, and has run: ask for less.".into();
            let asked = Asked::Failed { message };
            sender.send(&FromApp::Asked { id, asked }).await
        }
        (sent, _) => sent,
    }
}

async fn show(seat: Arc<dyn Seat>, sender: Sender) {
    let mut surface = seat.surface();
    loop {
        let now = surface.borrow_and_update().clone();
        if sender.send(&FromApp::Surface((*now).clone())).await.is_err() || surface.changed().await.is_err() {
            return;
        }
    }
}

async fn answer(said: FromProgram, seat: &dyn Seat, cancel: CancellationToken) -> Option<FromApp> {
    match said {
        FromProgram::Ask { id, tool, arguments } => {
            let asked = seat.ask(&tool, arguments, cancel).await;
            Some(FromApp::Asked { id, asked })
        }
        FromProgram::Check { id, proposal } => {
            let told = seat.check(&proposal).await;
            Some(FromApp::Told { id, told })
        }
        FromProgram::Withdraw { id, proposal } => {
            let told = seat.withdraw(&proposal).await;
            Some(FromApp::Told { id, told })
        }
        FromProgram::Settled { id, proposal } => {
            let told = cancel.run_until_cancelled(seat.settled(&proposal)).await?;
            Some(FromApp::Told { id, told })
        }
        FromProgram::List { id } => {
            let list = seat.list().await;
            Some(FromApp::List { id, list })
        }
        FromProgram::Introduce { .. } | FromProgram::Cancel { .. } => None,
    }
}

/// The asks that have no answer yet.
#[derive(Clone, Default)]
struct Asks(Arc<Mutex<HashMap<u64, CancellationToken>>>);

impl Asks {
    fn begin(&self, id: u64, over: &CancellationToken) -> CancellationToken {
        let cancel = over.child_token();
        self.map(|asks| asks.insert(id, cancel.clone()));
        cancel
    }

    fn cancel(&self, id: u64) {
        if let Some(cancel) = self.map(|asks| asks.get(&id).cloned()) {
            cancel.cancel();
        }
    }

    fn end(&self, id: u64) {
        self.map(|asks| asks.remove(&id));
    }

    fn map<T>(&self, with: impl FnOnce(&mut HashMap<u64, CancellationToken>) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
