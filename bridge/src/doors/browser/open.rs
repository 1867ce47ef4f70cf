use std::sync::Arc;
use std::time::Duration;

use countersign_contract::DoorState;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::Inner;
use super::find::find_browser;
use super::later::Later;
use super::launch::{Exit, launch};
use super::pipe::CommandError;
use super::scripts::Names;
use super::sent::{Waited, unknown};
use super::state::{Browser, Held, State};
use crate::{DoorError, DoorEvent, Executed};

/// How long a browser may take to answer its first question.
const START: Duration = Duration::from_secs(30);
/// How long a browser may take to close by itself.
const CLOSE: Duration = Duration::from_secs(5);

impl Inner {
    pub async fn open(self: &Arc<Self>, url: &str) -> Result<String, DoorError> {
        self.start().await?;
        // A page that is on its way while the browser loads an extension is stopped. What is wrong with the extension is said to
        // whoever asks for a read.
        let loaded = self.state().sockets_agree("");
        if let Some(loaded) = loaded {
            let _ = loaded.await;
        }
        let Some((pipe, first)) = ({
            let mut state = self.state();
            state.opening += 1;
            let first = state.tabs.is_empty();
            state.pipe().map(|pipe| (pipe, first))
        }) else {
            return Err(DoorError::BrowserGone(
                "The browser has gone. Open the page again to start it.".into(),
            ));
        };
        let target = |window: bool| json!({ "url": url, "newWindow": window });
        let mut opened = pipe.call(None, "Target.createTarget", &target(first)).await;
        if !first && matches!(opened, Err(CommandError::Refused(_))) {
            // The last tab was closed meanwhile, and its window with it.
            opened = pipe.call(None, "Target.createTarget", &target(true)).await;
        }
        self.state().opening -= 1;
        match opened {
            Ok(result) => {
                pipe.send(
                    None,
                    "Target.activateTarget",
                    &json!({ "targetId": result["targetId"] }),
                );
                Ok(result["targetId"].as_str().unwrap_or_default().to_owned())
            }
            Err(CommandError::Refused(message)) => {
                Err(DoorError::Page(format!("The browser could not open {url}: {message}.")))
            }
            Err(CommandError::Gone) => Err(DoorError::BrowserGone(
                "The browser has gone. Open the page again to start it.".into(),
            )),
        }
    }

    async fn start(self: &Arc<Self>) -> Result<(), DoorError> {
        let _starting = self.starting.lock().await;
        if self.state().browser.is_some() {
            return Ok(());
        }
        let program = find_browser(self.config.program.as_deref()).inspect_err(|error| {
            self.state().report(DoorEvent::Status(DoorState::NoBrowser {
                message: error.to_string(),
            }));
        })?;
        self.state().report(DoorEvent::Status(DoorState::Starting));
        let failed = |message: String| {
            self.state().report(DoorEvent::Status(DoorState::Crashed {
                message: message.clone(),
            }));
            DoorError::BrowserGone(message)
        };
        std::fs::create_dir_all(&self.config.profile_dir).map_err(|error| {
            let profile = self.config.profile_dir.display();
            failed(format!("The browser's profile {profile} could not be made: {error}."))
        })?;
        let extension = super::extension::write(&self.config.profile_dir).map_err(|error| {
            let profile = self.config.profile_dir.display();
            failed(format!(
                "The browser's extension could not be written to {profile}: {error}."
            ))
        })?;
        super::profile::prepare(&self.config.profile_dir).map_err(|error| {
            let profile = self.config.profile_dir.display();
            failed(format!(
                "The browser's profile {profile} could not be prepared: {error}."
            ))
        })?;
        let (on_event, on_exit) = (Arc::downgrade(self), Arc::downgrade(self));
        self.state().exited_early = None;
        let launched = launch(
            &program,
            &self.config,
            move |message| {
                if let Some(inner) = on_event.upgrade() {
                    inner.state().event(message);
                }
            },
            move |exit| {
                if let Some(inner) = on_exit.upgrade() {
                    inner.state().exited(exit);
                }
            },
        )
        .await
        .map_err(|error| {
            failed(format!(
                "The browser {} could not be started: {error}.",
                program.display()
            ))
        })?;

        let pipe = launched.pipe.clone();
        let mut ended = {
            let (ended, watched) = watch::channel(false);
            let mut state = self.state();
            state.names = Names::new();
            state.browser = Some(Browser {
                pipe: launched.pipe,
                process: launched.process.clone(),
                later: Later::Runtime(Handle::current()),
                headless: self.config.headless,
                closing: false,
                ended,
            });
            // The network hold covers what comes up after it, so it is first.
            state.send(None, "Fetch.enable", &json!({ "patterns": [{ "urlPattern": "*" }] }));
            state.send(None, "Target.setDiscoverTargets", &json!({ "discover": true }));
            state.auto_attach(None);
            state.load_extension_from(extension);
            if let Some(exit) = state.exited_early.take() {
                state.exited(exit);
            }
            watched
        };
        match tokio::time::timeout(START, pipe.call(None, "Browser.getVersion", &json!({}))).await {
            Ok(Ok(version)) => {
                let product = version["product"]
                    .as_str()
                    .unwrap_or("a Chromium-family browser")
                    .to_owned();
                self.state().report(DoorEvent::Status(DoorState::Open { product }));
                Ok(())
            }
            Ok(Err(error)) => {
                let _ = tokio::time::timeout(START, ended.wait_for(|ended| *ended)).await;
                let words = self.state().last_exit.take().unwrap_or_else(|| {
                    format!("The browser ended while it was being started ({error}). Open the page again to start it.")
                });
                Err(DoorError::BrowserGone(words))
            }
            Err(_) => {
                launched.process.kill();
                let _ = tokio::time::timeout(CLOSE, ended.wait_for(|ended| *ended)).await;
                Err(DoorError::BrowserGone(
                    "The browser did not answer after it was started, and was ended.".into(),
                ))
            }
        }
    }

    pub async fn close(&self) {
        let (pipe, process, mut ended, requests) = {
            let mut state = self.state();
            let requests = state.held.values().filter_map(|held| match held {
                Held::Request { request_id, .. } => Some(request_id.clone()),
                Held::Call { .. } | Held::Send { .. } => None,
            });
            let requests = requests.collect::<Vec<_>>();
            let Some(browser) = state.browser.as_mut() else { return };
            browser.closing = true;
            (
                browser.pipe.clone(),
                browser.process.clone(),
                browser.ended.subscribe(),
                requests,
            )
        };
        let fail_all = async {
            for request_id in requests {
                let params = json!({ "requestId": request_id, "errorReason": "BlockedByClient" });
                let _ = pipe.call(None, "Fetch.failRequest", &params).await;
            }
            let _ = pipe.call(None, "Browser.close", &json!({})).await;
        };
        let _ = tokio::time::timeout(CLOSE, fail_all).await;
        if tokio::time::timeout(CLOSE, ended.wait_for(|ended| *ended))
            .await
            .is_err()
        {
            process.kill();
            let _ = tokio::time::timeout(CLOSE, ended.wait_for(|ended| *ended)).await;
        }
    }
}

impl State {
    /// The browser's process has ended: everything that depended on it is settled, then the door says how it stands.
    pub fn exited(&mut self, exit: Exit) {
        let Some(browser) = self.browser.take() else {
            self.exited_early = Some(exit);
            return;
        };
        let (words, status) = if browser.closing {
            ("The browser was closed by Countersign.".to_owned(), DoorState::Closed)
        } else if exit.clean {
            let message = "The browser was closed. Open a page to start it again.".to_owned();
            ("The browser was closed.".to_owned(), DoorState::Exited { message })
        } else {
            let message = format!(
                "The browser stopped unexpectedly ({}). Open a page to start it again.",
                exit.words
            );
            (
                "The browser stopped unexpectedly.".to_owned(),
                DoorState::Crashed { message },
            )
        };
        for id in self.frames.keys().cloned().collect::<Vec<_>>() {
            self.remove_frame(&id, &words);
        }
        for number in self.sent.keys().copied().collect::<Vec<_>>() {
            self.settle_sent(number, Waited::Gone { words: words.clone() });
        }
        for id in self.running.keys().cloned().collect::<Vec<_>>() {
            self.settle_running(
                &id,
                Executed::Unknown {
                    message: unknown(&words),
                },
            );
        }
        self.lose_sending(|_, _| true, &words);
        self.withdraw_all();
        self.forget_sockets();
        self.sessions.clear();
        self.tabs.clear();
        self.guards.clear();
        self.storage.clear();
        self.writing.clear();
        self.unclaimed.clear();
        self.foreign_reads.clear();
        self.reading.clear();
        self.foreign_forms.clear();
        if !std::mem::take(&mut self.shown).is_empty() {
            self.report(DoorEvent::Tabs(Vec::new()));
        }
        self.reporting = false;
        self.awaiting = false;
        self.last_exit = match &status {
            DoorState::Crashed { message } | DoorState::Exited { message } => Some(message.clone()),
            _ => None,
        };
        self.report(DoorEvent::Status(status));
        let _ = browser.ended.send(true);
    }
}
