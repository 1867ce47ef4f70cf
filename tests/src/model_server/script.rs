use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// What the model says when. The first rule that fits answers; with none, the reply says so.
#[derive(Clone, Debug)]
pub struct Script {
    /// The models it lists.
    pub models: Vec<String>,
    /// The key the OpenAI wire wants; none when absent.
    pub key: Option<String>,
    /// The rules.
    pub rules: Vec<Rule>,
}

impl Script {
    /// These rules, one model named `scripted`, no key.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        Self {
            models: vec!["scripted".into()],
            key: None,
            rules: rules.into_iter().collect(),
        }
    }

    /// The same, wanting a key on the OpenAI wire.
    #[must_use]
    pub fn with_key(mut self, key: &str) -> Self {
        self.key = Some(key.into());
        self
    }

    pub(super) fn lets_in(&self, authorization: Option<&str>) -> bool {
        self.key
            .as_ref()
            .is_none_or(|key| authorization == Some(format!("Bearer {key}").as_str()))
    }

    pub(super) fn reply(&self, asked: &Asked) -> Reply {
        let fits = self.rules.iter().find(|rule| rule.fits(asked));
        fits.map_or_else(|| Reply::unscripted(asked), |rule| rule.reply.clone())
    }
}

impl<I: IntoIterator<Item = Rule>> From<I> for Script {
    fn from(rules: I) -> Self {
        Self::new(rules)
    }
}

/// When the model says what.
#[derive(Clone, Debug)]
pub struct Rule {
    prompt: String,
    results: Option<usize>,
    told: Option<String>,
    reply: Reply,
}

/// A rule for prompts that hold this text, whatever its case, before any tool was called for them.
pub fn rule(prompt: &str) -> Rule {
    Rule {
        prompt: prompt.to_lowercase(),
        results: Some(0),
        told: None,
        reply: Reply::default(),
    }
}

impl Rule {
    /// After this many results of tools for the prompt.
    #[must_use]
    pub fn after(mut self, results: usize) -> Self {
        self.results = Some(results);
        self
    }

    /// After any number of results.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.results = None;
        self
    }

    /// Only when the last result holds this text; after any number of results.
    #[must_use]
    pub fn told(mut self, text: &str) -> Self {
        self.told = Some(text.into());
        self.always()
    }

    /// Says this.
    #[must_use]
    pub fn says(mut self, text: &str) -> Self {
        self.reply.text = text.into();
        self
    }

    /// Calls a tool: the offered one of this name, else the first offered one whose name holds it (`.` and `_` are the
    /// same), else this name as it is. Can be repeated for several calls in one reply.
    #[must_use]
    pub fn calls(self, tool: &str, arguments: Value) -> Self {
        self.calls_with(tool, &arguments.to_string())
    }

    /// The same with arguments as text, which need not be JSON.
    #[must_use]
    pub fn calls_with(mut self, tool: &str, arguments: &str) -> Self {
        self.reply.calls.push((tool.into(), arguments.into()));
        self
    }

    /// Waits this long between pieces.
    #[must_use]
    pub fn slowly(mut self, between: Duration) -> Self {
        self.reply.between = between;
        self
    }

    /// Stops in the middle of the text until it is let go.
    #[must_use]
    pub fn held_by(mut self, hold: &Hold) -> Self {
        self.reply.hold = Some(hold.clone());
        self
    }

    /// Goes wrong.
    #[must_use]
    pub fn fails(mut self, fault: Fault) -> Self {
        self.reply.fault = Some(fault);
        self
    }

    fn fits(&self, asked: &Asked) -> bool {
        asked.prompt.to_lowercase().contains(&self.prompt)
            && self.results.is_none_or(|results| results == asked.results.len())
            && self
                .told
                .as_ref()
                .is_none_or(|text| asked.results.last().is_some_and(|last| last.contains(text)))
    }
}

/// Keeps a reply in the middle of its text.
#[derive(Clone, Debug)]
pub struct Hold(Arc<Semaphore>);

impl Default for Hold {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }
}

impl Hold {
    /// Lets the reply go on, and every later one.
    pub fn let_go(&self) {
        self.0.close();
    }

    pub(super) async fn wait(&self) {
        let _ = self.0.acquire().await;
    }
}

/// What can go wrong with a reply.
#[derive(Clone, Debug)]
pub enum Fault {
    /// An HTTP status instead of a reply.
    Status {
        /// Such as 429.
        status: u16,
        /// The body, such as `{"error": {"message": "…"}}`.
        body: String,
        /// Seconds for `Retry-After`.
        retry_after: Option<u32>,
    },
    /// Status 200 and nothing else.
    Empty,
    /// The stream ends in the middle, without a reason and without an end mark.
    CutOff,
    /// The reply reaches its length limit.
    Length,
    /// An error after the text, inside the stream.
    InStream {
        /// Its words.
        message: String,
    },
    /// No answer ever, not even a status.
    Silent,
}

/// What a rule answers with.
#[derive(Clone, Debug, Default)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) calls: Vec<(String, String)>,
    pub(super) between: Duration,
    pub(super) hold: Option<Hold>,
    pub(super) fault: Option<Fault>,
}

impl Reply {
    fn unscripted(asked: &Asked) -> Self {
        let text = format!(
            "No rule of the script fits “{}” after {} results.",
            asked.prompt,
            asked.results.len()
        );
        Self {
            text,
            ..Self::default()
        }
    }
}

/// What a request asks, as far as rules look at it.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) prompt: String,
    pub(super) results: Vec<String>,
}

impl Asked {
    pub(super) fn of(body: &Value) -> Self {
        let mut asked = Self {
            prompt: String::new(),
            results: Vec::new(),
        };
        for message in body["messages"].as_array().into_iter().flatten() {
            let text = message["content"].as_str().unwrap_or_default();
            match message["role"].as_str() {
                Some("user") => {
                    asked = Self {
                        prompt: text.into(),
                        results: Vec::new(),
                    }
                }
                Some("tool") => asked.results.push(text.into()),
                _ => {}
            }
        }
        asked
    }
}

/// The offered tool a rule means.
pub(super) fn offered(body: &Value, wanted: &str) -> String {
    let plain = |name: &str| name.replace('.', "_").to_lowercase();
    let names = body["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["function"]["name"].as_str());
    let names: Vec<_> = names.collect();
    let exact = names.iter().find(|name| **name == wanted);
    let near = || names.iter().find(|name| plain(name).contains(&plain(wanted)));
    exact
        .or_else(near)
        .map_or_else(|| wanted.to_owned(), |name| (*name).to_owned())
}

/// Arguments as an object, where a wire wants one.
pub(super) fn object(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments))
}
