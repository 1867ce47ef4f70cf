use std::process::{Child, Command as Program};
use std::sync::{OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;

use super::super::BrowserConfig;
use super::super::later::{Later, Waiting};
use super::super::launch::{Exit, Process};
use super::super::pipe::Pipe;
use super::super::protocol::Message;
use super::super::scripts::Names;
use super::super::state::Browser;
use super::super::tools::GRACE;
use super::rules::Rules;
use crate::{BrowserDoor, DoorEvent};

/// A command that the door sent.
#[derive(Debug)]
pub(super) struct Command {
    pub id: u64,
    pub session: Option<String>,
    pub method: String,
    pub params: Value,
}

/// A door whose pipe ends here: what it says is checked against the rules, command by command, as it says it.
pub(super) struct Wired {
    pub door: BrowserDoor,
    pub rules: Rules,
    /// Commands nobody has answered yet.
    pub open: Vec<Command>,
    /// What it reported, in order.
    pub reports: Vec<DoorEvent>,
    pipe: Pipe,
    sent: mpsc::Receiver<Vec<u8>>,
    reported: UnboundedReceiver<DoorEvent>,
    later: Waiting,
}

impl Wired {
    pub fn new(guard_after_read: Duration) -> Self {
        let mut config = BrowserConfig::new(Default::default());
        config.guard_after_read = guard_after_read;
        let (door, reported) = BrowserDoor::new(config);
        let (outgoing, sent) = mpsc::channel();
        let pipe = Pipe::over(outgoing);
        let later = Waiting::default();
        let (ended, _) = watch::channel(false);
        {
            let mut state = door.inner.state();
            state.names = Names::fixed();
            state.browser = Some(Browser {
                pipe: pipe.clone(),
                process: process(),
                later: Later::ByHand(later.clone()),
                headless: true,
                closing: false,
                ended,
            });
        }
        Self {
            door,
            rules: Rules::default(),
            open: Vec::new(),
            reports: Vec::new(),
            pipe,
            sent,
            reported,
            later,
        }
    }

    /// The browser says something.
    pub fn hear(&mut self, message: Message) {
        self.rules.heard(&message);
        let inner = self.door.inner.clone();
        self.pipe.take(message, &mut |message| inner.state().event(message));
        self.check();
    }

    /// Everything that waits for its time has its time.
    pub fn time_passes(&mut self) {
        {
            let mut state = self.door.inner.state();
            let long_ago = |at: Instant| at.checked_sub(GRACE).unwrap_or(at);
            for listed in state.frames.values_mut().flat_map(|frame| frame.listed.values_mut()) {
                listed.since = long_ago(listed.since);
            }
        }
        let waiting = std::mem::take(&mut *self.later.lock().unwrap_or_else(PoisonError::into_inner));
        for then in waiting {
            then();
        }
        self.check();
    }

    /// The browser's process ends, and its pipe with it.
    pub fn end(&mut self) {
        self.pipe.read(&b""[..], |_| {});
        let words = String::from("exit status: 0");
        self.door.inner.state().exited(Exit { clean: true, words });
        self.check();
    }

    /// Looks at what has been sent and reported since the last time.
    pub fn check(&mut self) {
        while let Ok(report) = self.reported.try_recv() {
            self.rules.reported(&report);
            self.reports.push(report);
        }
        while let Ok(bytes) = self.sent.try_recv() {
            let command = read(&bytes);
            self.rules.sent(&command);
            self.open.push(command);
        }
    }
}

fn read(bytes: &[u8]) -> Command {
    let (zero, text) = bytes.split_last().expect("a command is not empty");
    assert_eq!((*zero, text.contains(&0)), (0, false), "one zero byte, at the end");
    let mut command: Value = serde_json::from_slice(text).expect("a command is JSON");
    Command {
        id: command["id"].as_u64().expect("a command has a number"),
        session: command["sessionId"].as_str().map(str::to_owned),
        method: command["method"].as_str().unwrap_or_default().to_owned(),
        params: command["params"].take(),
    }
}

/// A process that ended long ago stands for the browser's.
fn process() -> Process {
    static ENDED: OnceLock<Process> = OnceLock::new();
    let ended = || -> Child {
        let mut child = Program::new("true")
            .spawn()
            .expect("there is a program that does nothing");
        let _ = child.wait();
        child
    };
    ENDED.get_or_init(|| Process::of(ended())).clone()
}
