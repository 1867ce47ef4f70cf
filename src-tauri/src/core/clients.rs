use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use countersign_bridge::local::{self, Frames, Hello, Listener, Peer, Role};
use countersign_bridge::mcp::{self, Came, HttpServer, Lobby, Seat};
use countersign_contract::{
    ClientDoors, ClientSettings, ClientToken, ClientTokenParams, ClientWay, ClientWho, Code, ErrorView, NewClientToken,
    SetClientsParams, Settings, UnpairParams,
};
use countersign_desk::Desk;
use tokio::sync::Semaphore;

use super::{Core, lock};

/// A program that connects says soon what it wants to be.
const GREETING: Duration = Duration::from_secs(5);
/// A client over HTTP has no connection that could end: it has left when it was silent for this long.
const SILENCE: Duration = Duration::from_secs(15 * 60);
const MOST_TOKENS: usize = 50;
/// More programs than this at once are not taken in.
const MOST_PROGRAMS: usize = 64;
/// More clients than this over HTTP have no seat at once: whoever was silent longest gives up theirs.
const MOST_SEATS: usize = 64;

/// The ways in for MCP clients, and what is told about them.
#[derive(Default)]
pub struct Clients {
    doors: Mutex<ClientDoors>,
    http: Mutex<Option<HttpServer>>,
    /// Held while HTTP is turned on or off.
    turning: tokio::sync::Mutex<()>,
}

impl Clients {
    pub fn doors(&self) -> ClientDoors {
        lock(&self.doors).clone()
    }
}

impl Core {
    /// Takes in programs of this account that join over the local socket in `folder`, from now on.
    pub async fn listen_for_programs(&self, folder: &Path) {
        self.tell_doors(|doors| doors.program = program());
        let listener = Listener::bind(folder).await;
        match listener {
            Ok(listener) => drop(tokio::spawn(take_in(listener, Arc::downgrade(&self.inner)))),
            Err(error) => {
                let problem = format!("Other programs cannot join: the local socket could not be opened ({error}).");
                self.tell_doors(|doors| doors.problem = Some(problem));
            }
        }
    }

    /// Lets clients come over HTTP again if they could when the app ended. Why they cannot is said in the settings.
    pub async fn restore_clients(&self) {
        let ClientSettings { keep, http, port, .. } = self.settings().clients;
        self.inner.desk.keep_for_clients_that_leave(keep);
        let _turning = self.inner.clients.turning.lock().await;
        if let Some(problem) = self.turn_http(http, port).await.err() {
            self.tell_doors(|doors| doors.http_problem = Some(problem.message));
        }
    }

    /// Sets what clients may do, and returns the settings as they are to be stored.
    ///
    /// # Errors
    /// When the port cannot be had; then nothing of it was set.
    pub async fn set_clients(&self, params: SetClientsParams) -> Result<Settings, ErrorView> {
        let SetClientsParams { keep, http, port } = params;
        let _turning = self.inner.clients.turning.lock().await;
        let now = self.settings().clients;
        let as_it_is = (now.http, now.port) == (http, port) && lock(&self.inner.clients.http).is_some() == http;
        // Turning it anew would end the sessions of whoever is there.
        if !as_it_is {
            self.turn_http(http, port).await?;
        }
        self.inner.desk.keep_for_clients_that_leave(keep);
        let settings = self.keep_clients(|clients| {
            *clients = ClientSettings {
                keep,
                http,
                port,
                tokens: std::mem::take(&mut clients.tokens),
            };
        });
        Ok(settings)
    }

    /// Makes a token that lets a client come over HTTP. Returns the settings as they are to be stored, and the token.
    ///
    /// # Errors
    /// When it has no name, or there are too many.
    pub async fn make_client_token(&self, params: ClientTokenParams) -> Result<(Settings, NewClientToken), ErrorView> {
        let name: String = params.name.trim().chars().take(60).collect();
        let tokens = self.settings().clients.tokens;
        let refused = |message: &str| Err(ErrorView::new(Code::Settings, message));
        if name.is_empty() {
            return refused("Give the token a name, such as the program that is to use it.");
        }
        if tokens.len() >= MOST_TOKENS && tokens.iter().all(|token| token.name != name) {
            return refused("There can be at most 50 tokens. Remove one first.");
        }
        self.forget_token(&name).await;
        let (token, digest) = mcp::new_token();
        let settings = self.keep_clients(|clients| clients.tokens.push(ClientToken { name, digest }));
        Ok((settings, NewClientToken { token }))
    }

    /// Removes a token: whoever has it is let in no more, and what it asked for and is held is taken back. Returns the settings as they
    /// are to be stored.
    pub async fn remove_client_token(&self, params: ClientTokenParams) -> Settings {
        self.forget_token(&params.name).await;
        self.settings()
    }

    async fn forget_token(&self, name: &str) {
        self.keep_clients(|clients| clients.tokens.retain(|token| token.name != name));
        if let Some(server) = &*lock(&self.inner.clients.http) {
            server.end(name);
        }
        let clients = self.inner.desk.state().clients;
        for client in clients
            .into_iter()
            .filter(|client| client.who.token.as_deref() == Some(name))
        {
            if let Err(error) = self.inner.desk.unpair(&UnpairParams { client: client.id }).await {
                tracing::info!(%error, "a client left before its token was removed");
            }
        }
    }

    async fn turn_http(&self, on: bool, port: u16) -> Result<(), ErrorView> {
        let clients = &self.inner.clients;
        // The port that is given up may be the one that is wanted.
        *lock(&clients.http) = None;
        self.tell_doors(|doors| (doors.http, doors.http_problem) = (None, None));
        if !on {
            return Ok(());
        }
        let server = HttpServer::listen(port, Arc::new(HttpLobby::new(self.desk().clone())), self.tokens()).await;
        let server = server.map_err(|error| {
            let message = format!("Port {port} on this computer cannot be had ({error}). Choose another one.");
            ErrorView::new(Code::Settings, message)
        })?;
        self.tell_doors(|doors| doors.http = Some(server.url()));
        *lock(&clients.http) = Some(server);
        Ok(())
    }

    fn tokens(&self) -> mcp::Tokens {
        let inner = Arc::downgrade(&self.inner);
        Arc::new(move || {
            let Some(inner) = inner.upgrade() else {
                return Vec::new();
            };
            let tokens = lock(&inner.settings).clients.tokens.clone();
            let known = |ClientToken { name, digest }| mcp::Token { name, digest };
            tokens.into_iter().map(known).collect()
        })
    }

    fn tell_doors(&self, change: impl FnOnce(&mut ClientDoors)) {
        change(&mut lock(&self.inner.clients.doors));
        self.changed();
    }

    fn keep_clients(&self, change: impl FnOnce(&mut ClientSettings)) -> Settings {
        let settings = {
            let mut settings = lock(&self.inner.settings);
            change(&mut settings.clients);
            settings.clone()
        };
        self.changed();
        settings
    }
}

/// The bridge, where it stands beside the app.
pub(super) fn program() -> Option<String> {
    let app = std::env::current_exe().ok()?;
    let bridge = app.with_file_name(format!("countersign-bridge{}", std::env::consts::EXE_SUFFIX));
    bridge.is_file().then(|| bridge.to_string_lossy().into_owned())
}

async fn take_in(mut listener: Listener, inner: Weak<super::Inner>) {
    let room = Arc::new(Semaphore::new(MOST_PROGRAMS));
    loop {
        match listener.accept().await {
            Ok(peer) => {
                let Some(inner) = inner.upgrade() else { return };
                let Ok(place) = room.clone().try_acquire_owned() else {
                    tracing::warn!("too many programs are connected: one was turned away");
                    continue;
                };
                let desk = inner.desk.clone();
                tokio::spawn(async move {
                    serve(peer, desk).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a program could not be taken in");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn serve(Peer { stream, process }: Peer, desk: Desk) {
    // Before it says anything: what it says, it could say and then become another program.
    let behind = process.map(local::behind).unwrap_or_default();
    let (mut frames, sender) = Frames::of(stream);
    let hello = tokio::time::timeout(GREETING, frames.next::<Hello>()).await;
    match hello {
        Ok(Ok(Some(hello))) if hello == Hello::of(Role::Mcp) => {
            let seat = async |name, version| {
                let who = ClientWho {
                    name,
                    version,
                    way: ClientWay::Stdio,
                    program: behind.program,
                    process: behind.number,
                    token: None,
                };
                desk.seat(who).map_err(|error| error.to_string())
            };
            mcp::host(frames, sender, seat).await;
        }
        hello => tracing::warn!(?hello, "a program said nothing that is understood, and was turned away"),
    }
}

/// Shows clients that come over HTTP to their seats, and keeps those for as long as they are used.
struct HttpLobby {
    desk: Desk,
    seats: Arc<Mutex<Seats>>,
}

type Seats = HashMap<(Option<String>, String, String), (Arc<dyn Seat>, Instant)>;

impl HttpLobby {
    fn new(desk: Desk) -> Self {
        let seats = Arc::<Mutex<Seats>>::default();
        tokio::spawn(sweep(Arc::downgrade(&seats)));
        Self { desk, seats }
    }
}

async fn sweep(seats: Weak<Mutex<Seats>>) {
    loop {
        tokio::time::sleep(SILENCE / 15).await;
        let Some(seats) = seats.upgrade() else { return };
        lock(&seats).retain(|_, (_, used)| used.elapsed() < SILENCE);
    }
}

#[async_trait]
impl Lobby for HttpLobby {
    async fn seat(&self, name: &str, version: &str, came: &Came) -> Result<Arc<dyn Seat>, String> {
        if came.token.is_none() {
            return Err("Nobody comes over HTTP without a token.".into());
        }
        let key = (came.token.clone(), name.to_owned(), version.to_owned());
        let mut seats = lock(&self.seats);
        if let Some((seat, used)) = seats.get_mut(&key) {
            *used = Instant::now();
            return Ok(seat.clone());
        }
        let who = ClientWho {
            name: name.to_owned(),
            version: version.to_owned(),
            way: ClientWay::Http,
            program: None,
            process: None,
            token: came.token.clone(),
        };
        let seat = self.desk.seat(who).map_err(|error| error.to_string())?;
        if seats.len() >= MOST_SEATS {
            let longest = seats.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(longest) = longest.map(|(key, _)| key.clone()) {
                seats.remove(&longest);
            }
        }
        seats.insert(key, (seat.clone(), Instant::now()));
        Ok(seat)
    }
}
