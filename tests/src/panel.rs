use countersign_contract::{CallState, ChatItem, DoorState, PanelState};
use serde_json::Value;

use crate::App;
use crate::cards::{self, CallCard};
use crate::screen::Screen;
use crate::wait::until;

/// The panel window.
pub struct Panel<'a> {
    app: &'a App,
}

impl<'a> Panel<'a> {
    /// The title in its frame.
    pub const TITLE: &'static str = "Countersign";

    pub(crate) const fn new(app: &'a App) -> Self {
        Self { app }
    }

    /// What is on it.
    pub const fn screen(&self) -> Screen<'a> {
        Screen::new(self.app, "panel.html", Self::TITLE)
    }

    /// Everything it draws, as the core gives it.
    ///
    /// # Panics
    /// When the core does not answer.
    pub async fn state(&self) -> PanelState {
        let state = self
            .screen()
            .command("panel_state", Value::Null)
            .await
            .expect("the panel may ask for its state");
        serde_json::from_value(state).expect("the panel's state has the shape of the contract")
    }

    /// Opens the bundled example, as a first-time user does, and waits until its tools are listed.
    ///
    /// # Panics
    /// When the browser does not start, or the page offers no tools.
    pub async fn open_example(&self) {
        self.screen().press("Open the example").await;
        self.has_tools(&[
            "list_products",
            "add_to_basket",
            "place_order",
            "check_stock",
            "close_account",
        ])
        .await;
    }

    /// Opens an address that is typed into the panel.
    ///
    /// # Panics
    /// When there is nowhere to type it.
    pub async fn open(&self, url: &str) {
        let path = "//form[.//button[normalize-space(.)='Open']]";
        let label = "//form[.//button[normalize-space(.)='Open']]//label";
        let labels = self.screen().all(label).await;
        let label = labels
            .first()
            .expect("there is a field for an address")
            .text()
            .await
            .expect("a label has a text");
        self.screen().fill(&label, url).await;
        self.screen().press_at(&format!("{path}//button"), "Open").await;
    }

    /// Waits until pages offer all of these tools.
    ///
    /// # Panics
    /// When they do not in time.
    pub async fn has_tools(&self, names: &[&str]) {
        until(&format!("the open pages should offer {names:?}"), async || {
            let state = self.state().await;
            if let Some(DoorState::NoBrowser { message } | DoorState::Crashed { message }) =
                state.desk.doors.first().map(|door| &door.status)
            {
                panic!("the browser did not start: {message}");
            }
            let listed: Vec<&str> = state
                .desk
                .tabs
                .iter()
                .flat_map(|tab| &tab.tools)
                .map(|tool| tool.name.as_str())
                .collect();
            names.iter().all(|name| listed.contains(name)).then_some(())
        })
        .await;
    }

    /// Types a prompt, sends it, and waits until it stands in the conversation.
    ///
    /// # Panics
    /// When it cannot be sent.
    pub async fn ask(&self, prompt: &str) {
        let before = self.prompts().await;
        self.screen().fill("Prompt", prompt).await;
        self.screen().press("Send").await;
        until("the prompt should stand in the conversation", async || {
            (self.prompts().await > before).then_some(())
        })
        .await;
    }

    async fn prompts(&self) -> usize {
        let entries = self.state().await.conversation.entries;
        entries
            .iter()
            .filter(|entry| matches!(entry.item, ChatItem::Prompt { .. }))
            .count()
    }

    /// Stops the turn that runs.
    ///
    /// # Panics
    /// When none runs.
    pub async fn stop(&self) {
        self.screen().press("Stop").await;
    }

    /// Waits until the newest call of a tool is marked with a word, such as `Held`.
    ///
    /// # Panics
    /// When it is not in time.
    pub async fn call(&self, tool: &str, word: &str) -> CallCard {
        until(
            &format!("the newest call of {tool} should be marked `{word}`"),
            async || {
                let cards = cards::read(&self.screen()).await;
                cards
                    .into_iter()
                    .rev()
                    .find(|card| card.tool == tool)
                    .filter(|card| card.word == word)
            },
        )
        .await
    }

    /// [`Panel::call`], with its arguments and its result unfolded.
    ///
    /// # Panics
    /// When it is not marked so in time.
    pub async fn whole_call(&self, tool: &str, word: &str) -> CallCard {
        self.call(tool, word).await;
        cards::unfold(&self.screen()).await;
        self.call(tool, word).await
    }

    /// Runs a read by hand and returns what it answered, as JSON.
    ///
    /// # Panics
    /// When it does not answer JSON in time.
    pub async fn read_by_hand(&self, tool: &str, fields: &[(&str, &str)]) -> Value {
        let reads = self.reads(tool).await.len();
        self.run_by_hand(tool, fields).await;
        let answer = until(&format!("{tool} should answer"), async || {
            self.reads(tool).await.into_iter().nth(reads)
        })
        .await;
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{tool} answers no JSON ({error}): {answer}"))
    }

    /// What every read of a tool has answered, oldest first.
    async fn reads(&self, tool: &str) -> Vec<String> {
        let entries = self.state().await.conversation.entries;
        let answers = entries.into_iter().filter_map(|entry| match entry.item {
            ChatItem::Call(call) if call.tool == tool => match call.state {
                CallState::Read { result } => Some(result),
                _ => None,
            },
            _ => None,
        });
        answers.collect()
    }

    /// Waits until no page offers any of these tools.
    ///
    /// # Panics
    /// When one still does after a while.
    pub async fn lacks_tools(&self, names: &[&str]) {
        until(&format!("no open page should offer any of {names:?}"), async || {
            let tabs = self.state().await.desk.tabs;
            let mut tools = tabs.iter().flat_map(|tab| &tab.tools);
            (!tools.any(|tool| names.contains(&&*tool.name))).then_some(())
        })
        .await;
    }

    /// Opens the form of a tool, fills it, and asks to run it. Each field is `name, what is typed or picked`.
    ///
    /// # Panics
    /// When there is no such tool or field.
    pub async fn run_by_hand(&self, tool: &str, fields: &[(&str, &str)]) {
        self.screen().press("Tools").await;
        self.screen().press_in(tool, "Run by hand").await;
        for (name, value) in fields {
            let list = format!(
                "//form[@aria-label='Run {tool}']//select[@id=//label[starts-with(normalize-space(.), '{name}')]/@for]"
            );
            if self.screen().all(&list).await.is_empty() {
                self.screen().fill(name, value).await;
            } else {
                self.screen().choose(name, value).await;
            }
        }
        let send = format!("//form[@aria-label='Run {tool}']//button[@type='submit']");
        self.screen().press_at(&send, "the form's button").await;
    }

    /// Waits until no turn runs.
    ///
    /// # Panics
    /// Ends the pairing of a client, in the settings.
    ///
    /// # Panics
    /// When it is not paired.
    pub async fn end_pairing(&self, name: &str) {
        self.screen().press("Settings").await;
        self.screen().press("End pairing…").await;
        let part = format!("End the pairing of {name}");
        self.screen().press_in(&part, "End pairing").await;
    }

    /// When one still does after a while.
    pub async fn rests(&self) {
        until("the turn should end", async || {
            (!self.state().await.conversation.running).then_some(())
        })
        .await;
    }
}
