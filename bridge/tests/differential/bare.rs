use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use command_fds::{CommandFdExt, FdMapping};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::Transcripts;
use crate::held::PATIENCE;
use crate::site::{Call, FromPage, Site};

/// A browser with nothing of ours in it, started with the flags of the door's browser and driven by the shortest client there
/// can be.
pub struct Bare {
    child: Child,
    to: std::io::PipeWriter,
    messages: UnboundedReceiver<Value>,
    site: Site,
    from_pages: UnboundedReceiver<FromPage>,
    pages: usize,
    session: String,
    next: u64,
    /// The frame of every listed tool, by name.
    tools: HashMap<String, String>,
    /// Calls of tools that are not listed yet.
    waiting: Vec<Call>,
    /// Calls the browser has not named yet, by command.
    sent: HashMap<u64, Call>,
    /// Calls that run, by invocation.
    running: HashMap<String, Call>,
    /// Ends that came before the name.
    ended: HashMap<String, String>,
    _profile: tempfile::TempDir,
}

enum Heard {
    Browser(Value),
    Page(FromPage),
}

impl Bare {
    /// Starts a browser as `like` was started.
    pub async fn start(pages: &[String], like: u32) -> Self {
        let site = Site::start().await;
        let from_pages = site.show(pages);
        let profile = tempfile::tempdir().unwrap();
        let (browser_reads, to) = std::io::pipe().unwrap();
        let (from, browser_writes) = std::io::pipe().unwrap();
        let mut command = command_of(like, profile.path());
        let child_ends = [(browser_reads.into(), 3), (browser_writes.into(), 4)];
        let mappings = child_ends.map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd });
        command.fd_mappings(mappings.into()).unwrap();
        let child = command.spawn().unwrap();
        drop(command);
        let (read, messages) = unbounded_channel();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut bytes = Vec::new();
            while from.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
                bytes.pop();
                if let Ok(message) = serde_json::from_slice(&bytes) {
                    let _ = read.send(message);
                }
                bytes.clear();
            }
        });
        Self {
            child,
            to,
            messages,
            site,
            from_pages,
            pages: pages.len(),
            session: String::new(),
            next: 1,
            tools: HashMap::new(),
            waiting: Vec::new(),
            sent: HashMap::new(),
            running: HashMap::new(),
            ended: HashMap::new(),
            _profile: profile,
        }
    }

    /// Shows every page in turn and gives what they wrote down.
    pub async fn transcripts(mut self) -> Transcripts {
        let url = self.site.url("/next");
        let target = self
            .ask(
                "Target.createTarget",
                json!({ "url": "about:blank", "newWindow": true }),
            )
            .await;
        let params = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self.ask("Target.attachToTarget", params).await;
        self.session = attached["sessionId"].as_str().unwrap().to_owned();
        self.ask("WebMCP.enable", json!({})).await;
        self.send("Page.navigate", json!({ "url": url }));
        let mut transcripts = Transcripts::new();
        while transcripts.len() < self.pages {
            let heard = tokio::time::timeout(PATIENCE, async {
                tokio::select! {
                    message = self.messages.recv() => Heard::Browser(message.expect("the browser runs")),
                    said = self.from_pages.recv() => Heard::Page(said.expect("the site is there")),
                }
            });
            match heard
                .await
                .unwrap_or_else(|_| panic!("bare, after {:?}", transcripts.keys()))
            {
                Heard::Page(FromPage::Transcript { page, lines }) => {
                    transcripts.insert(page, lines);
                    self.waiting.clear();
                    self.tools.clear();
                }
                Heard::Page(FromPage::Call(call)) => self.waiting.push(call),
                Heard::Browser(message) => self.heard(&message),
            }
            self.call_what_is_listed();
        }
        self.send("Browser.close", json!({}));
        let mut child = self.child;
        tokio::task::spawn_blocking(move || child.wait())
            .await
            .unwrap()
            .unwrap();
        transcripts
    }

    fn heard(&mut self, message: &Value) {
        let params = &message["params"];
        let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str() {
            Some("WebMCP.toolsAdded") => {
                for tool in params["tools"].as_array().into_iter().flatten() {
                    let word = |key: &str| tool[key].as_str().unwrap_or_default().to_owned();
                    self.tools.insert(word("name"), word("frameId"));
                }
            }
            Some("WebMCP.toolResponded") => {
                let (invocation, how) = (text("invocationId"), ended(params));
                match self.running.remove(&invocation) {
                    Some(call) => drop(call.answer.send(how)),
                    None => drop(self.ended.insert(invocation, how)),
                }
            }
            None => {
                let sent = message["id"].as_u64().and_then(|id| self.sent.remove(&id));
                if let Some(call) = sent {
                    self.named(call, message);
                }
            }
            Some(_) => {}
        }
    }

    /// The browser has given a call its name, or does not know the tool.
    fn named(&mut self, call: Call, message: &Value) {
        match message["result"]["invocationId"].as_str() {
            Some(invocation) => match self.ended.remove(invocation) {
                Some(how) => drop(call.answer.send(how)),
                None => drop(self.running.insert(invocation.to_owned(), call)),
            },
            None => {
                self.tools.remove(&call.tool);
                self.waiting.push(call);
            }
        }
    }

    fn call_what_is_listed(&mut self) {
        for call in std::mem::take(&mut self.waiting) {
            let Some(frame) = self.tools.get(&call.tool) else {
                self.waiting.push(call);
                continue;
            };
            let input: Value = serde_json::from_str(&call.input).expect("a page asks with JSON");
            let params = json!({ "frameId": frame, "toolName": call.tool, "input": input });
            let id = self.send("WebMCP.invokeTool", params);
            self.sent.insert(id, call);
        }
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let mut message = self.messages.recv().await.expect("the browser runs");
            if message["id"] == id {
                return message["result"].take();
            }
            self.heard(&message);
        }
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() && method != "Browser.close" {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        id
    }
}

/// What the caller of a tool is told.
fn ended(responded: &Value) -> String {
    if responded["status"] == "Completed" {
        return match &responded["output"] {
            Value::String(text) => format!("-> {text}"),
            Value::Null => "-> ".into(),
            other => format!("-> {other}"),
        };
    }
    let thrown = &responded["exception"];
    let words = thrown["description"]
        .as_str()
        .or_else(|| thrown["value"].as_str())
        .unwrap_or_default();
    let words = words.lines().take_while(|line| !line.trim_start().starts_with("at "));
    let words = words.collect::<Vec<_>>().join("\n");
    let error = responded["errorText"].as_str().unwrap_or_default();
    format!("! {}", if words.is_empty() { error } else { &words })
}

/// The command line of a running browser, with another profile.
fn command_of(process: u32, profile: &std::path::Path) -> Command {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap();
    let line = String::from_utf8(line).unwrap();
    let mut words = line.split('\0').filter(|word| !word.is_empty());
    let mut command = Command::new(words.next().unwrap());
    for word in words {
        if word.starts_with("--user-data-dir=") {
            command.arg(format!("--user-data-dir={}", profile.display()));
        } else {
            command.arg(word);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
