//! The program's end of the local socket: seats at a desk in another process, which may end and come back.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_contract::{ProposalId, ToolKey};
use serde_json::Value;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::seat::{Asked, Came, Lobby, Seat, Standing, Surface, Told};
use super::wire::{FromApp, FromProgram};
use crate::local::{Frames, Hello, Role, Sender, connect};

const LOST: &str = "The connection to Countersign was lost before it answered, so what became of this call is not known: a write may be held, and may \
still be released. Do not call it again. When Countersign answers again, list_proposals and check_proposal say how it stands.";

const SILENT: &str = "Countersign has not answered yet.";

/// How long a call waits for an app that is just being started.
const PATIENCE: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Starts the app, or says why it cannot be started.
pub type StartApp = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Shows clients to their seats in the app whose data is in one folder. Each keeps a connection of its own, and makes a new one when the
/// app comes back.
pub struct RemoteLobby {
    folder: PathBuf,
    start: StartApp,
    seats: Mutex<HashMap<(String, String), Arc<RemoteSeat>>>,
}

impl RemoteLobby {
    /// A lobby of the app whose data is in `folder`. `start` is called when nobody answers there.
    pub fn new(folder: PathBuf, start: StartApp) -> Self {
        Self {
            folder,
            start,
            seats: Mutex::default(),
        }
    }
}

impl RemoteLobby {
    fn at(&self, name: &str, version: &str) -> Arc<RemoteSeat> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let seat = seats.entry((name.into(), version.into())).or_insert_with(|| {
            let introduction = (name.to_owned(), version.to_owned());
            RemoteSeat::open(self.folder.clone(), introduction, self.start.clone())
        });
        seat.clone()
    }
}

#[async_trait]
impl Lobby for RemoteLobby {
    async fn seat(&self, name: &str, version: &str, _: &Came) -> Result<Arc<dyn Seat>, String> {
        let seat = self.at(name, version);
        // A client that asks at once, and perhaps only once, is not to be told that nobody has answered yet.
        let mut surface = seat.line.surface.subscribe();
        let heard = surface.wait_for(|surface| **surface != Surface::away(SILENT));
        let _ = tokio::time::timeout(PATIENCE, heard).await;
        Ok(seat)
    }
}

struct RemoteSeat {
    line: Arc<Line>,
    _closes: DropGuard,
}

/// One connection after another, and the questions that are open on the present one.
struct Line {
    surface: watch::Sender<Arc<Surface>>,
    /// The present connection; none while there is no app.
    sender: watch::Sender<Option<Sender>>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last: u64,
    questions: HashMap<u64, oneshot::Sender<FromApp>>,
}

impl RemoteSeat {
    fn open(folder: PathBuf, introduction: (String, String), start: StartApp) -> Arc<Self> {
        let (surface, _) = watch::channel(Arc::new(Surface::away(SILENT)));
        let (sender, _) = watch::channel(None);
        let line = Arc::new(Line {
            surface,
            sender,
            open: Mutex::default(),
        });
        let closed = CancellationToken::new();
        let keeps = keep(line.clone(), folder, introduction, start);
        tokio::spawn(closed.clone().run_until_cancelled_owned(keeps));
        Arc::new(Self {
            line,
            _closes: closed.drop_guard(),
        })
    }

    /// Asks the app and waits for its answer. `None` when it ended before it answered.
    async fn question(&self, sender: &Sender, about: impl FnOnce(u64) -> FromProgram) -> Option<FromApp> {
        let (id, answer) = self.line.open_question();
        let forget = Forget { line: &self.line, id };
        sender.send(&about(id)).await.ok()?;
        let answer = answer.await.ok();
        drop(forget);
        answer
    }

    /// The connection, as soon as there is one; an app that is being started is waited for.
    async fn sender(&self) -> Option<Sender> {
        let mut sender = self.line.sender.subscribe();
        let there = tokio::time::timeout(PATIENCE, sender.wait_for(Option::is_some)).await;
        there.ok()?.ok()?.clone()
    }

    fn why_away(&self) -> String {
        match &self.line.surface.borrow().standing {
            Standing::Away { why } => why.clone(),
            Standing::Here => LOST.to_owned(),
        }
    }
}

/// A question nobody waits for any more is forgotten.
struct Forget<'a> {
    line: &'a Line,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.line.open().questions.remove(&self.id);
    }
}

impl Line {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_question(&self) -> (u64, oneshot::Receiver<FromApp>) {
        let (answer, receiver) = oneshot::channel();
        let mut open = self.open();
        open.last += 1;
        let id = open.last;
        open.questions.insert(id, answer);
        (id, receiver)
    }

    fn came(&self, said: FromApp) {
        match said {
            FromApp::Surface(surface) => drop(self.surface.send_replace(Arc::new(surface))),
            answer => {
                let waiting = answer.id().and_then(|id| self.open().questions.remove(&id));
                if let Some(waiting) = waiting {
                    let _ = waiting.send(answer);
                }
            }
        }
    }

    fn lost(&self, why: String) {
        self.sender.send_replace(None);
        self.open().questions.clear();
        self.surface.send_replace(Arc::new(Surface::away(why)));
    }
}

async fn keep(line: Arc<Line>, folder: PathBuf, (name, version): (String, String), start: StartApp) {
    let mut pause = FIRST_PAUSE;
    let mut started = false;
    loop {
        if let Ok(stream) = connect(&folder).await {
            let (mut frames, sender) = Frames::of(stream);
            let introduce = FromProgram::Introduce {
                name: name.clone(),
                version: version.clone(),
            };
            if sender.send(&Hello::of(Role::Mcp)).await.is_ok() && sender.send(&introduce).await.is_ok() {
                // The first word of the app is what is to be seen; before it nothing can be asked sensibly.
                while let Ok(Some(said)) = frames.next().await {
                    line.came(said);
                    if line.sender.borrow().is_none() {
                        line.sender.send_replace(Some(sender.clone()));
                        (pause, started) = (FIRST_PAUSE, true);
                    }
                }
            }
            line.lost("Countersign does not answer: it has ended, or the connection to it was lost. Nothing can be read or asked for until it answers again.".into());
        } else if !started {
            // Once: somebody who ends the app later has ended it.
            started = true;
            line.lost(match start() {
                Ok(()) => "Countersign is being started. Try again in a moment.".into(),
                Err(why) => format!("Countersign does not run and could not be started: {why}"),
            });
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[async_trait]
impl Seat for RemoteSeat {
    fn surface(&self) -> watch::Receiver<Arc<Surface>> {
        self.line.surface.subscribe()
    }

    async fn ask(&self, tool: &ToolKey, arguments: Value, cancel: CancellationToken) -> Asked {
        let lost = |message: String| Asked::Failed { message };
        let Some(sender) = self.sender().await else {
            return lost(self.why_away());
        };
        let (id, mut answer) = self.line.open_question();
        let forget = Forget { line: &self.line, id };
        let tool = tool.clone();
        if sender.send(&FromProgram::Ask { id, tool, arguments }).await.is_err() {
            return lost(LOST.to_owned());
        }
        let answer = tokio::select! {
            answer = &mut answer => answer,
            () = cancel.cancelled() => {
                // The app says how it ended all the same.
                let _ = sender.send(&FromProgram::Cancel { id }).await;
                answer.await
            }
        };
        drop(forget);
        match answer {
            Ok(FromApp::Asked { asked, .. }) => asked,
            _ => lost(LOST.to_owned()),
        }
    }

    async fn check(&self, proposal: &ProposalId) -> Option<Told> {
        let proposal = proposal.clone();
        let sender = self.sender().await?;
        told(self.question(&sender, |id| FromProgram::Check { id, proposal }).await?)
    }

    async fn list(&self) -> Vec<Told> {
        let Some(sender) = self.sender().await else {
            return Vec::new();
        };
        match self.question(&sender, |id| FromProgram::List { id }).await {
            Some(FromApp::List { list, .. }) => list,
            _ => Vec::new(),
        }
    }

    async fn withdraw(&self, proposal: &ProposalId) -> Option<Told> {
        let proposal = proposal.clone();
        let sender = self.sender().await?;
        told(
            self.question(&sender, |id| FromProgram::Withdraw { id, proposal })
                .await?,
        )
    }

    async fn settled(&self, proposal: &ProposalId) -> Option<Told> {
        let mut sender = self.line.sender.subscribe();
        loop {
            // However long it takes: an app that comes back knows from its ledger what became of it.
            let now = sender.wait_for(Option::is_some).await.ok()?.clone()?;
            let proposal = proposal.clone();
            if let Some(answer) = self.question(&now, |id| FromProgram::Settled { id, proposal }).await {
                return told(answer);
            }
            sender.changed().await.ok()?;
        }
    }
}

fn told(answer: FromApp) -> Option<Told> {
    match answer {
        FromApp::Told { told, .. } => told,
        _ => None,
    }
}
