//! A desk and a model that do as they are told.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use countersign_agent::{Asked, Host, Limits, TurnEnd, run_turn};
use countersign_contract::{
    Annotations, Answer, CallState, ChatItem, DoorKind, PageRef, ProposalId, Tool, ToolCall, ToolKey, ToolSource,
    Verdict,
};
use countersign_model::{Delta, Message, ModelCall, ModelError, ModelInfo, Provider, Stop, TurnReply, TurnRequest};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What the desk does with an ask.
#[derive(Clone, Debug)]
pub enum Does {
    /// Answers at once.
    Answers(Asked),
    /// A read that runs until it is cancelled.
    Runs,
}

/// The desk.
pub struct Desk {
    pub tools: Mutex<Vec<Tool>>,
    does: Mutex<VecDeque<Does>>,
    asks: Mutex<Vec<(String, Value)>>,
    answers: Mutex<HashMap<ProposalId, Answer>>,
    withdrawn: Mutex<Vec<String>>,
    entries: Mutex<Vec<ChatItem>>,
    /// A write cannot be taken back: it was released already.
    pub released: bool,
    /// Grows with everything that happens here.
    version: watch::Sender<u64>,
    /// Tools to offer after the next ask.
    pub next_tools: Mutex<Option<Vec<Tool>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no test panics inside")
}

impl Desk {
    pub fn new(tools: Vec<Tool>, does: Vec<Does>) -> Self {
        Self {
            tools: Mutex::new(tools),
            does: Mutex::new(does.into()),
            asks: Mutex::default(),
            answers: Mutex::default(),
            withdrawn: Mutex::default(),
            entries: Mutex::default(),
            released: false,
            version: watch::Sender::new(0),
            next_tools: Mutex::default(),
        }
    }

    fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// Waits until the conversation is as the test expects.
    pub async fn until(&self, expected: impl Fn(&[ChatItem]) -> bool) {
        let mut version = self.version.subscribe();
        let seen = version.wait_for(|_| expected(&lock(&self.entries))).await;
        assert!(seen.is_ok(), "the desk outlives its test");
    }

    pub fn settle(&self, proposal: &str, verdict: Verdict, text: &str) {
        lock(&self.answers).insert(
            ProposalId(proposal.into()),
            Answer {
                verdict,
                text: text.into(),
                by_rule: None,
            },
        );
        self.changed();
    }

    pub fn conversation(&self) -> Vec<ChatItem> {
        lock(&self.entries).clone()
    }

    /// The asks so far: key and arguments.
    pub fn asks(&self) -> Vec<(String, Value)> {
        lock(&self.asks).clone()
    }

    pub fn withdrawn(&self) -> Vec<String> {
        lock(&self.withdrawn).clone()
    }
}

#[async_trait]
impl Host for Desk {
    async fn tools(&self) -> Vec<Tool> {
        lock(&self.tools).clone()
    }

    async fn ask(&self, tool: &ToolKey, arguments: Value, caller: &str, cancel: CancellationToken) -> Asked {
        assert_eq!(caller, "the model");
        lock(&self.asks).push((tool.0.clone(), arguments));
        if let Some(tools) = lock(&self.next_tools).take() {
            *lock(&self.tools) = tools;
        }
        self.changed();
        let does = lock(&self.does).pop_front();
        match does.expect("an ask the test did not expect") {
            Does::Answers(asked) => asked,
            Does::Runs => {
                cancel.cancelled().await;
                Asked::Failed {
                    message: "cancelled".into(),
                }
            }
        }
    }

    async fn settled(&self, proposal: &ProposalId) -> Answer {
        let mut version = self.version.subscribe();
        let _ = version.wait_for(|_| lock(&self.answers).contains_key(proposal)).await;
        lock(&self.answers)[proposal].clone()
    }

    async fn withdraw(&self, proposal: &ProposalId) {
        lock(&self.withdrawn).push(proposal.0.clone());
        if !self.released {
            let answer = Answer {
                verdict: Verdict::Withdrawn,
                text: "Taken back. Nothing ran.".into(),
                by_rule: None,
            };
            lock(&self.answers).entry(proposal.clone()).or_insert(answer);
        }
        self.changed();
    }

    fn push(&self, item: ChatItem) -> u64 {
        let mut entries = lock(&self.entries);
        entries.push(still(item));
        let entry = entries.len() as u64;
        drop(entries);
        self.changed();
        entry
    }

    fn update(&self, entry: u64, item: ChatItem) {
        let at = usize::try_from(entry).expect("a small number") - 1;
        lock(&self.entries)[at] = still(item);
        self.changed();
    }
}

/// The time a call took differs from run to run; that it is there is compared.
fn still(item: ChatItem) -> ChatItem {
    match item {
        ChatItem::Call(call) => ChatItem::Call(ToolCall {
            duration_ms: call.duration_ms.map(|_| 0),
            ..call
        }),
        item => item,
    }
}

/// One reply of the model.
#[derive(Clone, Debug)]
pub enum Says {
    /// Streams these pieces, then ends like this.
    Ends(Vec<&'static str>, Result<TurnReply, ModelError>),
    /// Streams these pieces and says nothing more.
    Hangs(Vec<&'static str>),
}

/// The model.
pub struct Script {
    says: Mutex<VecDeque<Says>>,
    requests: Mutex<Vec<TurnRequest>>,
}

impl Script {
    pub fn new(says: Vec<Says>) -> Self {
        Self {
            says: Mutex::new(says.into()),
            requests: Mutex::default(),
        }
    }

    pub fn requests(&self) -> Vec<TurnRequest> {
        lock(&self.requests).clone()
    }

    /// What the model was told of its calls, in its last request.
    pub fn told(&self) -> Vec<String> {
        let requests = self.requests();
        let results = requests
            .last()
            .expect("the model was asked")
            .messages
            .iter()
            .filter_map(|message| match message {
                Message::ToolResult { text, .. } => Some(text.clone()),
                _ => None,
            });
        results.collect()
    }
}

#[async_trait]
impl Provider for Script {
    fn label(&self) -> String {
        "the model".into()
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        Ok(Vec::new())
    }

    async fn turn(
        &self,
        request: &TurnRequest,
        sink: &mut (dyn FnMut(Delta) + Send),
        _: &CancellationToken,
    ) -> Result<TurnReply, ModelError> {
        lock(&self.requests).push(request.clone());
        let says = lock(&self.says).pop_front();
        let (pieces, end) = match says.expect("a round the test did not expect") {
            Says::Ends(pieces, end) => (pieces, Some(end)),
            Says::Hangs(pieces) => (pieces, None),
        };
        for piece in pieces {
            sink(Delta::Text(piece.to_owned()));
        }
        match end {
            Some(end) => end,
            None => std::future::pending().await,
        }
    }
}

pub fn tool(origin: &str, name: &str, read_only: bool) -> Tool {
    Tool {
        key: ToolKey(format!("{origin}/{name}")),
        page: PageRef {
            door: DoorKind::Browser,
            tab: origin.into(),
            frame: "f".into(),
            document: "d".into(),
            origin: origin.into(),
            url: format!("{origin}/"),
            title: "A page".into(),
        },
        name: name.into(),
        title: String::new(),
        description: format!("Does {name}."),
        input_schema: json!({"type": "object", "properties": {}}),
        annotations: Annotations {
            read_only,
            ..Annotations::default()
        },
        source: ToolSource::Script,
        digest: "0".repeat(64),
    }
}

pub const SHOP: &str = "https://shop.example";

/// A page with a read, `look`, and a write, `cart.add`.
pub fn shop() -> Vec<Tool> {
    vec![tool(SHOP, "look", true), tool(SHOP, "cart.add", false)]
}

pub fn call(id: &str, name: &str, arguments: Value) -> ModelCall {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object")
    };
    ModelCall {
        id: id.into(),
        name: name.into(),
        arguments: Ok(arguments),
    }
}

pub fn says_calls(calls: Vec<ModelCall>) -> Says {
    Says::Ends(
        Vec::new(),
        Ok(TurnReply {
            text: String::new(),
            calls,
            stop: Stop::Calls,
            usage: None,
        }),
    )
}

pub fn says(text: &'static str) -> Says {
    Says::Ends(
        vec![text],
        Ok(TurnReply {
            text: text.into(),
            calls: Vec::new(),
            stop: Stop::End,
            usage: None,
        }),
    )
}

pub fn read(result: &str) -> Does {
    Does::Answers(Asked::Read { result: result.into() })
}

pub fn held(proposal: &str) -> Does {
    Does::Answers(Asked::Held {
        proposal: ProposalId(proposal.into()),
    })
}

pub fn prompt(text: &str) -> ChatItem {
    ChatItem::Prompt { text: text.into() }
}

pub fn text(text: &str) -> ChatItem {
    ChatItem::Text {
        text: text.into(),
        done: true,
    }
}

pub fn shown(tool: &str, arguments: Value, state: CallState) -> ChatItem {
    let timed = matches!(state, CallState::Read { .. })
        || matches!(&state, CallState::Failed { message } if message.starts_with("The page"));
    let duration_ms = timed.then_some(0);
    ChatItem::Call(ToolCall {
        tool: tool.into(),
        origin: SHOP.into(),
        arguments,
        state,
        duration_ms,
    })
}

pub fn decided(proposal: &str, verdict: Verdict, text: &str) -> CallState {
    CallState::Decided {
        proposal: ProposalId(proposal.into()),
        answer: Answer {
            verdict,
            text: text.into(),
            by_rule: None,
        },
    }
}

pub async fn run(desk: &Desk, script: &Script, history: &mut Vec<Message>, cancel: &CancellationToken) -> TurnEnd {
    run_turn(
        desk,
        script,
        history,
        "Please.".into(),
        Limits::default(),
        cancel.clone(),
    )
    .await
}

/// Every call has one result right after it, in order, and prompts and answers take turns.
pub fn assert_valid(history: &[Message]) {
    assert!(
        matches!(history.first(), Some(Message::System(_))),
        "the rules come first"
    );
    let mut rest = &history[1..];
    let mut person = true;
    while let Some((message, more)) = rest.split_first() {
        rest = more;
        match message {
            Message::System(_) => panic!("the rules come once"),
            Message::User(_) => assert!(std::mem::take(&mut person), "two prompts in a row"),
            Message::Assistant { calls, .. } => {
                for call in calls {
                    let Some((Message::ToolResult { call_id, name, .. }, more)) = rest.split_first() else {
                        panic!("{} has no result", call.id)
                    };
                    assert_eq!((call_id, name), (&call.id, &call.name));
                    rest = more;
                }
                person = calls.is_empty();
            }
            Message::ToolResult { call_id, .. } => panic!("{call_id} is a result of nothing"),
        }
    }
    assert!(person, "the last word is the model's");
}
