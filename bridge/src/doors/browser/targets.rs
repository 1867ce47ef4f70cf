use std::time::{Duration, Instant};

use serde_json::json;

use super::protocol::{AttachedToTarget, FrameTree, TargetInfo};
use super::state::{Session, State, TabRecord};

/// How long the browser may be without a tab before it is closed.
const WITHOUT_TABS: Duration = Duration::from_millis(400);

impl State {
    /// A target has come up, and waits until it is set up.
    pub fn attached(&mut self, parent: Option<&str>, attached: AttachedToTarget) {
        let AttachedToTarget {
            session_id,
            target_info,
        } = attached;
        match target_info.kind.as_str() {
            "page" => {
                self.tabs.push(TabRecord {
                    id: target_info.target_id.clone(),
                    session: session_id.clone(),
                    title: target_info.title,
                    opener: target_info.opener_id,
                    window: None,
                    opened: Instant::now(),
                    // An empty page may be there before we hear of it, and then nobody says that it has loaded.
                    loading: target_info.url != "about:blank",
                    url: target_info.url,
                    crashed: false,
                });
                self.ask_window(&target_info.target_id);
                self.set_up(session_id, target_info.target_id);
                self.changed();
            }
            "iframe" => {
                let tab = parent
                    .and_then(|session| self.tab_of(session))
                    .or_else(|| Some(self.frames.get(target_info.parent_frame_id.as_ref()?)?.tab.as_str()))
                    .unwrap_or_default()
                    .to_owned();
                self.set_up(session_id, tab);
            }
            kind => {
                if matches!(kind, "service_worker" | "shared_worker") {
                    self.served(&target_info.url);
                }
                self.auto_attach(Some(&session_id));
                let is_worker = kind.ends_with("worker") && !self.extension_attached(&session_id, &target_info.url);
                if is_worker {
                    self.worker_attached(parent, &session_id, target_info.target_id);
                }
                self.send(Some(&session_id), "Runtime.runIfWaitingForDebugger", &json!({}));
            }
        }
    }

    /// Every target a session starts waits for us. The root session also sees the browser itself and the tabs around pages.
    pub fn auto_attach(&self, session: Option<&str>) {
        let mut params = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        if session.is_none() {
            params["filter"] = json!([{ "type": "browser", "exclude": true }, { "type": "tab", "exclude": true }, {}]);
        }
        self.send(session, "Target.setAutoAttach", &params);
    }

    fn set_up(&mut self, session: String, tab: String) {
        self.sessions.insert(
            session.clone(),
            Session {
                tab,
                ..Session::default()
            },
        );
        self.auto_attach(Some(&session));
        let send = |method, params| self.send(Some(&session), method, &params);
        send("Page.enable", json!({}));
        send("Runtime.enable", json!({}));
        let world = &self.names.world;
        send(
            "Runtime.addBinding",
            json!({ "name": self.names.binding, "executionContextName": world }),
        );
        // The isolated world's script comes first: it waits for the port that the other one hands over.
        let isolated = json!({ "source": self.names.isolated(), "worldName": world, "runImmediately": true });
        send("Page.addScriptToEvaluateOnNewDocument", isolated);
        let main = json!({ "source": self.names.main(), "runImmediately": true });
        send("Page.addScriptToEvaluateOnNewDocument", main);
        send("WebMCP.enable", json!({}));
        send("DOMStorage.enable", json!({}));
        let of = session.clone();
        self.then(Some(&session), "Page.getFrameTree", "{}", move |state, outcome| {
            let tree = outcome
                .ok()
                .and_then(|mut result| serde_json::from_value(result["frameTree"].take()).ok());
            if let Some(tree) = tree {
                state.seed(&of, tree);
            }
        });
        self.send(Some(&session), "Runtime.runIfWaitingForDebugger", &json!({}));
    }

    /// Frames that were there before the session; whatever has navigated since is known better already.
    fn seed(&mut self, session: &str, tree: FrameTree) {
        let known = self
            .frames
            .get(&tree.frame.id)
            .is_some_and(|frame| !frame.document.is_empty());
        if !known {
            self.frame_navigated(session, tree.frame);
        }
        for child in tree.child_frames {
            self.seed(session, child);
        }
    }

    /// A target has gone: its tab was closed, or its frame has moved to another process or is gone.
    pub fn detached(&mut self, session: &str) {
        let side = self.sessions.remove(session);
        if side.as_ref().is_some_and(|side| side.worker.is_some()) {
            return self.worker_detached(session);
        }
        for context in side.into_iter().flat_map(|side| side.contexts.into_keys()) {
            self.realm_gone(&(session.to_owned(), context));
        }
        self.extension_detached(session);
        self.storage_untold(session);
        let closed = self
            .tabs
            .iter()
            .position(|tab| tab.session == session)
            .map(|at| self.tabs.remove(at));
        let words = if closed.is_some() {
            "The tab was closed."
        } else {
            "The frame is gone."
        };
        let gone = |frame: &super::state::Frame| {
            frame.session == session || closed.as_ref().is_some_and(|tab| tab.id == frame.tab)
        };
        let frames = self
            .frames
            .iter()
            .filter(|(_, frame)| gone(frame))
            .map(|(id, _)| id.clone())
            .collect::<Vec<_>>();
        for id in frames {
            self.remove_frame(&id, words);
        }
        if let Some(tab) = closed {
            self.guarded_tab_closed(&tab.id);
            self.align_sockets();
            self.close_when_empty();
        }
        self.changed();
    }

    /// A document's title comes without an event of its own.
    pub fn ask_title(&self, tab: &str) {
        self.ask_window(tab);
        let params = json!({ "targetId": tab }).to_string();
        self.then(None, "Target.getTargetInfo", &params, |state, outcome| {
            let found = outcome
                .ok()
                .and_then(|mut result| serde_json::from_value(result["targetInfo"].take()).ok());
            if let Some(target) = found {
                state.target_changed(&target);
            }
        });
    }

    /// A tab that is moved to another window says nothing of it, so this is asked whenever its document changes.
    pub fn ask_window(&self, tab: &str) {
        let of = tab.to_owned();
        let params = json!({ "targetId": tab }).to_string();
        self.then(None, "Browser.getWindowForTarget", &params, move |state, outcome| {
            let window = outcome.ok().and_then(|result| result["windowId"].as_i64());
            if let Some(tab) = state.tab_mut(&of)
                && window.is_some()
                && tab.window != window
            {
                tab.window = window;
                state.changed();
            }
        });
    }

    pub fn target_changed(&mut self, target: &TargetInfo) {
        let Some(tab) = self.tab_mut(&target.target_id) else {
            return;
        };
        if tab.title != target.title || tab.url != target.url {
            tab.title.clone_from(&target.title);
            tab.url.clone_from(&target.url);
            self.changed();
        }
    }

    /// The renderer of a tab or of a frame has died.
    pub fn crashed(&mut self, target: &str) {
        let tab = target.to_owned();
        if let Some(record) = self.tab_mut(&tab) {
            if record.crashed {
                return;
            }
            record.crashed = true;
            record.loading = false;
        }
        let frames = self.frames.iter().filter(|(id, frame)| frame.tab == tab || **id == tab);
        let frames = frames.map(|(id, _)| id.clone()).collect::<Vec<_>>();
        for id in frames {
            self.document_replaced(&id, "The page crashed.");
        }
        self.changed();
    }

    /// A person who closes the last tab means the browser; started without a window it would stay.
    fn close_when_empty(&self) {
        self.after(WITHOUT_TABS, |state| {
            if state.tabs.is_empty() && state.opening == 0 {
                state.send(None, "Browser.close", &json!({}));
            }
        });
    }
}
