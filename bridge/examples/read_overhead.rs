//! What the door adds to a read: `cargo run -p countersign-bridge --example read_overhead -- [rounds]`.
//!
//! Three browsers show one page: one the door started; one bare, with nothing of ours in it and driven by the shortest possible
//! client; and one driven by the same client that has the interceptor in it, which tells what the interceptor alone costs. Reads
//! are made in turn, one in flight, and the time from the call to its text is compared. The first read of a run pays for the
//! guard of the sockets; it is measured apart, with a socket open in the page's own document.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::Html;
use axum::routing::get;
use command_fds::{CommandFdExt, FdMapping};
use countersign_bridge::{BrowserConfig, BrowserDoor, Door, DoorEvent, find_browser};
use countersign_contract::Tool;
use countersign_gate::{Gate, Policy};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// How long a run of reads is guarded after its last one.
const GUARD: Duration = Duration::from_millis(200);
const RUNS: usize = 60;

const PAGE: &str = r#"<!doctype html><title>Bench</title><script>
const socket = new WebSocket("ws://" + location.host + "/socket");
document.modelContext.registerTool({ name: "look", description: "Looks", annotations: { readOnlyHint: true },
  execute: ({ at }) => ({ at, pots: ["red", "blue"] }) });
</script>"#;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(2000);
    match run(rounds).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(rounds: usize) -> Result<(), Failure> {
    let program = find_browser(None)?;
    let folder = tempfile::tempdir()?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let talk = |upgrade: WebSocketUpgrade| async {
        upgrade.on_upgrade(|mut socket| async move { while socket.recv().await.is_some() {} })
    };
    let router = Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/socket", get(talk));
    tokio::spawn(async move { axum::serve(listener, router).await });

    let mut config = BrowserConfig::new(folder.path().join("door"));
    config.headless = true;
    config.guard_after_read = GUARD;
    let (door, mut events) = BrowserDoor::new(config);
    door.open(&url).await?;
    let tool = loop {
        if let DoorEvent::Tabs(tabs) = events.recv().await.ok_or("the door closed")?
            && let Some(tool) = tabs.into_iter().flat_map(|tab| tab.tools).next()
        {
            break tool;
        }
    };
    let mut bare = Bare::start(&program, &folder.path().join("bare"), &url, false)?;
    let mut held = Bare::start(&program, &folder.path().join("held"), &url, true)?;

    let gate = Gate::new(Policy::default(), 0);
    let (mut through, mut direct, mut wrapped) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds + 100 {
        let (one, other) = (read(&door, &gate, &tool, round).await?, bare.read(round)?);
        let with_interceptor = held.read(round)?;
        // The first hundred warm both up.
        if round >= 100 {
            through.push(one);
            direct.push(other);
            wrapped.push(with_interceptor);
        }
    }
    let mut firsts = Vec::new();
    for round in 0..RUNS {
        tokio::time::sleep(GUARD * 2).await;
        firsts.push(read(&door, &gate, &tool, round).await?);
    }
    door.close().await;
    bare.close();
    held.close();
    let wrapped = Spread::of(wrapped);
    let firsts = Spread::of(firsts);
    let (through, direct) = (Spread::of(through), Spread::of(direct));
    println!("reads: {rounds} each, in turn");
    println!("bare WebMCP.invokeTool  {direct}");
    println!("with the interceptor    {wrapped}");
    println!("through the door        {through}");
    println!("first of a run of reads {firsts}");
    println!(
        "added by the interceptor p50 {} us, p99 {} us",
        wrapped.p50 - direct.p50,
        wrapped.p99 - direct.p99
    );
    println!(
        "added by the whole door  p50 {} us, p99 {} us",
        through.p50 - direct.p50,
        through.p99 - direct.p99
    );
    Ok(())
}

async fn read(door: &BrowserDoor, gate: &Gate, tool: &Tool, round: usize) -> Result<Duration, Failure> {
    let pass = gate
        .read(tool, &json!({ "at": round }))
        .map_err(|error| error.to_string())?;
    let began = Instant::now();
    let text = door.read(pass, CancellationToken::new()).await?;
    let took = began.elapsed();
    if text.contains(&round.to_string()) {
        Ok(took)
    } else {
        Err(format!("not an answer to {round}: {text}").into())
    }
}

/// Percentiles in microseconds.
struct Spread {
    p50: i128,
    p99: i128,
}

impl Spread {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |percent: usize| {
            times
                .get(times.len() * percent / 100)
                .map_or(0, |time| time.as_micros() as i128)
        };
        Self {
            p50: at(50),
            p99: at(99),
        }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "p50 {} us, p99 {} us", self.p50, self.p99)
    }
}

/// The interceptor as the door hands it to a browser, with names that anybody may know.
fn scripts() -> [String; 2] {
    let around = |bundle: &str| {
        let names = json!({ "event": "V", "binding": "B", "entry": "E", "read": MARK });
        format!("(()=>{{const __COUNTERSIGN__={names};{bundle};return __COUNTERSIGN__.hear}})()")
    };
    [
        around(include_str!("../page/interceptor/dist/isolated.js")),
        around(include_str!("../page/interceptor/dist/main.js")),
    ]
}

const MARK: &str = "R";

/// A browser driven by the shortest possible client, with nothing of ours in it but the interceptor, if anything.
struct Bare {
    has_interceptor: bool,
    child: std::process::Child,
    to: std::io::PipeWriter,
    from: BufReader<std::io::PipeReader>,
    session: String,
    frame: String,
    next: u64,
}

impl Bare {
    fn start(program: &Path, profile: &Path, url: &str, has_interceptor: bool) -> Result<Self, Failure> {
        let (browser_reads, to) = std::io::pipe()?;
        let (from, browser_writes) = std::io::pipe()?;
        let mut command = Command::new(program);
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--remote-debugging-pipe",
            "--no-startup-window",
        ]);
        command.args([
            "--enable-features=WebMCP",
            "--no-first-run",
            "--disable-background-networking",
        ]);
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.fd_mappings(vec![
            FdMapping {
                parent_fd: browser_reads.into(),
                child_fd: 3,
            },
            FdMapping {
                parent_fd: browser_writes.into(),
                child_fd: 4,
            },
        ])?;
        let child = command.spawn()?;
        let mut bare = Self {
            has_interceptor,
            child,
            to,
            from: BufReader::new(from),
            session: String::new(),
            frame: String::new(),
            next: 1,
        };
        let target = bare.call(
            "Target.createTarget",
            json!({ "url": "about:blank", "newWindow": true }),
        )?;
        bare.frame = target["targetId"].as_str().unwrap_or_default().to_owned();
        let attached = bare.call(
            "Target.attachToTarget",
            json!({ "targetId": bare.frame, "flatten": true }),
        )?;
        bare.session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        bare.send("Page.enable", json!({}))?;
        bare.send("WebMCP.enable", json!({}))?;
        if has_interceptor {
            let [isolated, main] = scripts();
            bare.send("Runtime.enable", json!({}))?;
            bare.send(
                "Runtime.addBinding",
                json!({ "name": "B", "executionContextName": "W" }),
            )?;
            let isolated = json!({ "source": isolated, "worldName": "W" });
            bare.send("Page.addScriptToEvaluateOnNewDocument", isolated)?;
            bare.send("Page.addScriptToEvaluateOnNewDocument", json!({ "source": main }))?;
        }
        bare.send("Page.navigate", json!({ "url": url }))?;
        loop {
            if bare.next()?["method"] == "WebMCP.toolsAdded" {
                return Ok(bare);
            }
        }
    }

    fn read(&mut self, round: usize) -> Result<Duration, Failure> {
        let mut params = json!({ "frameId": self.frame, "toolName": "look", "input": { "at": round } });
        if self.has_interceptor {
            params["input"]["__countersign"] = json!(MARK);
        }
        let began = Instant::now();
        self.send("WebMCP.invokeTool", params)?;
        loop {
            let message = self.next()?;
            if message["method"] == "WebMCP.toolResponded" {
                let text = message["params"]["output"].to_string();
                let took = began.elapsed();
                return if text.contains(&round.to_string()) {
                    Ok(took)
                } else {
                    Err(text.into())
                };
            }
        }
    }

    fn call(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        let id = self.send(method, params)?;
        loop {
            let mut message = self.next()?;
            if message["id"] == id {
                return Ok(message["result"].take());
            }
        }
    }

    fn send(&mut self, method: &str, params: Value) -> Result<u64, Failure> {
        let id = self.next;
        self.next += 1;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes())?;
        Ok(id)
    }

    fn next(&mut self) -> Result<Value, Failure> {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes)?;
        bytes.pop();
        Ok(serde_json::from_slice(&bytes)?)
    }

    fn close(mut self) {
        let _ = self.send("Browser.close", json!({}));
        let _ = self.child.wait();
    }
}
