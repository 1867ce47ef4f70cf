use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::protocol::*;
use super::state::State;

fn read<T: DeserializeOwned>(method: &str, params: Value) -> Option<T> {
    serde_json::from_value(params)
        .inspect_err(|error| tracing::warn!(method, %error, "skipped an event"))
        .ok()
}

impl State {
    /// Takes one event of the browser.
    pub fn event(&mut self, message: Message) {
        let Message {
            method: Some(method),
            session_id,
            params,
            ..
        } = message
        else {
            return;
        };
        let method = method.as_str();
        if method == "Fetch.requestPaused" {
            let id = params["requestId"].as_str().map(str::to_owned);
            match read::<RequestPaused>(method, params) {
                Some(paused) => self.request_paused(paused),
                // Held for good would break the page without a word; failed is what it would have been in a browser that
                // refused it.
                None => {
                    if let Some(id) = id {
                        self.send(
                            None,
                            "Fetch.failRequest",
                            &json!({ "requestId": id, "errorReason": "Failed" }),
                        );
                    }
                }
            }
            return;
        }
        if method.starts_with("Target.") {
            return self.target_event(method, session_id, params);
        }
        let Some(session) = session_id.filter(|id| self.sessions.contains_key(id)) else {
            return;
        };
        self.session_event(method, &session, params);
    }

    fn target_event(&mut self, method: &str, session: Option<String>, params: Value) {
        match method {
            "Target.attachedToTarget" => {
                if let Some(attached) = read(method, params) {
                    self.attached(session.as_deref(), attached);
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(DetachedFromTarget { session_id }) = read(method, params) {
                    self.detached(&session_id);
                }
            }
            "Target.targetInfoChanged" => {
                if let Some(TargetInfoChanged { target_info }) = read(method, params) {
                    self.target_changed(&target_info);
                }
            }
            "Target.targetCrashed" => {
                if let Some(id) = params["targetId"].as_str() {
                    self.crashed(id);
                }
            }
            _ => {}
        }
    }

    fn session_event(&mut self, method: &str, session: &str, params: Value) {
        match method {
            "Page.frameNavigated" => {
                if let Some(FrameNavigated { frame }) = read(method, params) {
                    self.frame_navigated(session, frame);
                }
            }
            "Page.navigatedWithinDocument" => {
                if let Some(navigated) = read(method, params) {
                    self.navigated_within(navigated);
                }
            }
            "Page.frameAttached" => {
                let parent = params["parentFrameId"].as_str().map(str::to_owned);
                if let Some(OfFrame { frame_id }) = read(method, params) {
                    self.frame_attached(session, frame_id, parent);
                }
            }
            "Page.frameDetached" => {
                let swap = params["reason"] == "swap";
                if let Some(OfFrame { frame_id }) = read(method, params) {
                    self.frame_detached(session, &frame_id, swap);
                }
            }
            "Page.frameStartedLoading" => {
                if let Some(OfFrame { frame_id }) = read(method, params) {
                    self.loading(session, Some(&frame_id), true);
                }
            }
            "Page.frameStoppedLoading" => {
                if let Some(OfFrame { frame_id }) = read(method, params) {
                    self.loading(session, Some(&frame_id), false);
                }
            }
            "Page.domContentEventFired" => self.loading(session, None, false),
            "Page.javascriptDialogOpening" => self.dialog(session),
            "Inspector.targetCrashed" => {
                if let Some(tab) = self.tab_of(session).map(str::to_owned) {
                    self.crashed(&tab);
                }
            }
            "Runtime.executionContextCreated" => {
                if let Some(ContextCreated { context }) = read(method, params) {
                    self.context_created(session, context);
                }
            }
            "Runtime.executionContextDestroyed" => {
                if let Some(ContextDestroyed { execution_context_id }) = read(method, params) {
                    self.context_destroyed(session, execution_context_id);
                }
            }
            "Runtime.executionContextsCleared" => self.contexts_cleared(session),
            "Runtime.bindingCalled" => {
                if let Some(called) = read(method, params) {
                    let side = self.sessions.get(session);
                    if side.is_some_and(|side| side.worker.is_some()) {
                        return self.worker_said(session, &called);
                    }
                    if side.is_some_and(|side| side.extension.is_some()) {
                        return self.extension_said(session, &called);
                    }
                    self.binding_called(session, called);
                }
            }
            "WebMCP.toolsAdded" => {
                if let Some(ToolsAdded { tools }) = read(method, params) {
                    self.tools_added(tools);
                }
            }
            "WebMCP.toolsRemoved" => {
                if let Some(ToolsRemoved { tools }) = read(method, params) {
                    self.tools_removed(tools);
                }
            }
            "WebMCP.toolInvoked" => {
                if let Some(invoked) = read(method, params) {
                    self.tool_invoked(invoked);
                }
            }
            "WebMCP.toolResponded" => {
                if let Some(responded) = read(method, params) {
                    self.tool_responded(responded);
                }
            }
            _ => self.storage_event(method, session, params),
        }
    }

    /// With a window, a dialog is the person's to answer. Without one nobody could, and the page would stand still for ever.
    fn dialog(&self, session: &str) {
        if self.browser.as_ref().is_some_and(|browser| browser.headless) {
            self.send(
                Some(session),
                "Page.handleJavaScriptDialog",
                &json!({ "accept": false }),
            );
        }
    }
}
