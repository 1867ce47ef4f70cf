//! The extension that refuses sockets where the browser makes them. It is ours, it is written into the profile at every start,
//! and it is switched through its worker, which lives as long as the door is attached to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_contract::NetworkRequest;
use serde::Deserialize;
use serde_json::{Value, json};

use super::protocol::BindingCalled;
use super::state::{Session, State};
use crate::DoorEvent;

const FILES: [(&str, &str); 2] = [
    ("manifest.json", include_str!("../../../page/guard/manifest.json")),
    ("guard.js", include_str!("../../../page/guard/guard.js")),
];

/// What the extension's worker calls to be heard.
const REPORT: &str = "report";

/// As in the interceptor: where the sockets lead that a worker gets in place of what it was refused.
const NOWHERE: &str = "wss://127.0.0.1:1/";

const NOT_LOADED: &str =
    "The browser did not take the extension by which Countersign keeps reads from opening connections";

/// Which sockets the browser refuses to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// None.
    Off,
    /// All but those of these tabs. A tab that comes up later is not one of them.
    On { spare: BTreeSet<String> },
}

/// The extension as the door knows it.
#[derive(Default)]
pub(super) struct Extension {
    folder: PathBuf,
    /// The browser's name for it.
    id: Option<String>,
    loading: bool,
    /// Its worker's session, once its script has run.
    session: Option<String>,
    /// What the browser has confirmed; `None` when that is not known.
    pub applied: Option<Rule>,
    /// What it has been asked for.
    pub asked: Option<Rule>,
    /// How often it was told something.
    asks: u64,
    /// How often in a row it did not do as it was told.
    failures: u8,
}

/// What the extension's worker says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Report {
    Ready {
        #[allow(dead_code)]
        ready: bool,
    },
    Refused {
        url: String,
        #[serde(rename = "type")]
        kind: String,
        tab: Option<String>,
    },
}

/// How long it may take to do as it was told.
const ANSWERED: Duration = Duration::from_millis(1500);

/// How often it is loaded again in a row before whoever waits is told.
const FAILURES: u8 = 3;

/// Writes the extension beside the profile's own files.
pub(super) fn write(profile: &Path) -> std::io::Result<PathBuf> {
    let folder = profile.join("countersign-guard");
    std::fs::create_dir_all(&folder)?;
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text)?;
    }
    // The browser wants the whole path.
    folder.canonicalize()
}

impl Extension {
    /// Its worker has not come up in time: the next who asks has it loaded again.
    pub fn give_up_loading(&mut self) {
        if self.session.is_none() {
            self.loading = false;
        }
    }
}

fn id_of(url: &str) -> Option<&str> {
    url.strip_prefix("chrome-extension://")?.strip_suffix("/guard.js")
}

impl State {
    /// Starts to load the extension that was written to this folder.
    pub fn load_extension_from(&mut self, folder: PathBuf) {
        self.sockets.extension = Extension {
            folder,
            ..Extension::default()
        };
        self.load_extension();
    }

    fn load_extension(&mut self) {
        let extension = &mut self.sockets.extension;
        if std::mem::replace(&mut extension.loading, true) {
            return;
        }
        let params = json!({ "path": extension.folder, "enableInIncognito": true }).to_string();
        self.then(
            None,
            "Extensions.loadUnpacked",
            &params,
            |state, outcome| match outcome {
                Ok(result) => {
                    state.sockets.extension.id = result["id"].as_str().map(str::to_owned);
                    state.adopt();
                }
                Err(error) => {
                    state.sockets.extension.loading = false;
                    state.sockets_cannot_agree(&format!("{NOT_LOADED} ({error})."));
                }
            },
        );
    }

    /// Whether a target is the extension's worker; it is then made ready to be heard.
    pub fn extension_attached(&mut self, session: &str, url: &str) -> bool {
        let Some(id) = id_of(url) else { return false };
        let side = Session {
            extension: Some(id.to_owned()),
            ..Session::default()
        };
        self.sessions.insert(session.to_owned(), side);
        self.send(Some(session), "Runtime.addBinding", &json!({ "name": REPORT }));
        true
    }

    pub fn extension_detached(&mut self, session: &str) {
        let extension = &mut self.sockets.extension;
        if extension.session.as_deref() == Some(session) {
            extension.session = None;
            extension.applied = None;
            extension.asked = None;
            self.align_sockets();
        }
    }

    pub fn extension_said(&mut self, session: &str, called: &BindingCalled) {
        match serde_json::from_str(&called.payload) {
            Ok(Report::Ready { .. }) => {
                if let Some(side) = self.sessions.get_mut(session) {
                    side.extension_ready = true;
                }
                self.adopt();
            }
            Ok(Report::Refused { url, kind, tab }) => self.opening_refused(tab.as_deref(), url, &kind),
            Err(error) => tracing::warn!(%error, "skipped a message of the extension"),
        }
    }

    /// Takes the worker that is ready and bears the name the browser gave to our extension.
    fn adopt(&mut self) {
        let Some(id) = &self.sockets.extension.id else { return };
        let ours = |side: &Session| side.extension_ready && side.extension.as_ref() == Some(id);
        let found = self.sessions.iter().find(|(_, side)| ours(side));
        let Some((session, _)) = found else { return };
        let session = session.clone();
        let extension = &mut self.sockets.extension;
        extension.loading = false;
        if extension.session.as_ref() != Some(&session) {
            extension.session = Some(session);
            extension.applied = None;
            extension.asked = None;
        }
        self.align_sockets();
    }

    /// Brings the browser's rule to what it is to be.
    pub fn align_rule(&mut self, wanted: Rule) {
        let extension = &mut self.sockets.extension;
        if extension.asked.is_some() || extension.applied.as_ref() == Some(&wanted) {
            return;
        }
        let Some(session) = extension.session.clone() else {
            return self.load_extension();
        };
        extension.asked = Some(wanted.clone());
        extension.asks += 1;
        let ask = extension.asks;
        let arguments = match &wanted {
            Rule::Off => json!([false, []]),
            Rule::On { spare } => json!([true, spare]),
        };
        let params = json!({
            "expression": format!("guard(...{arguments})"), "awaitPromise": true, "returnByValue": true,
        });
        let of = session.clone();
        // The browser does not say that the worker's process has died; it just does not answer any more.
        let dead = session.clone();
        self.after(ANSWERED, move |state| {
            let extension = &state.sockets.extension;
            if extension.asked.is_some() && extension.asks == ask {
                state.sessions.remove(&dead);
                state.extension_detached(&dead);
            }
        });
        self.then(
            Some(&session),
            "Runtime.evaluate",
            &params.to_string(),
            move |state, outcome| {
                let extension = &mut state.sockets.extension;
                if extension.session.as_ref() != Some(&of) {
                    return;
                }
                extension.asked = None;
                match outcome {
                    Ok(result) if result["result"]["value"] == true => {
                        extension.applied = Some(wanted);
                        extension.failures = 0;
                    }
                    // Its worker was about to end, or has not run its script yet.
                    _ if extension.failures < FAILURES => {
                        extension.failures += 1;
                        state.sessions.remove(&of);
                        return state.extension_detached(&of);
                    }
                    other => {
                        extension.failures = 0;
                        extension.applied = None;
                        let words = other.map_or_else(|error| error.to_string(), |result| why(&result));
                        return state.sockets_cannot_agree(&format!(
                            "The browser could not be told to refuse connections while a tool reads ({words})."
                        ));
                    }
                }
                state.align_sockets();
            },
        );
    }

    /// The browser has refused to open a socket. When it was a read's doing, that is reported; where another tab is read, a
    /// socket of this one was refused because its tab is not known to be another.
    pub fn opening_refused(&mut self, tab: Option<&str>, url: String, kind: &str) {
        // A worker that was refused has told what it meant to open, and got a socket that leads nowhere.
        if url == NOWHERE {
            return;
        }
        let Some(tool) = self.guarding_sockets(tab).cloned() else {
            return tracing::debug!(url, "refused a socket of a tab that is not read");
        };
        let resource = match kind {
            "webtransport" => "WebTransport",
            _ => "WebSocket",
        };
        let frame = tab.and_then(|tab| Some((tab, self.frames.get(tab)?)));
        let page = frame.map_or_else(|| tool.page.clone(), |(id, frame)| self.page_ref(id, frame));
        let request = NetworkRequest {
            method: "OPEN".into(),
            url,
            body: None,
            body_bytes: 0,
            resource: resource.into(),
            during: Some(tool.name.clone()),
        };
        self.report(DoorEvent::Refused {
            page,
            tool: Box::new(tool),
            request,
        });
    }
}

fn why(result: &Value) -> String {
    let details = &result["exceptionDetails"];
    let said = details["exception"]["description"]
        .as_str()
        .or(details["text"].as_str());
    said.unwrap_or("it did not say why").chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_an_extension_with_the_rule() {
        let folder = tempfile::tempdir().unwrap();
        let written = write(folder.path()).unwrap();
        let manifest = std::fs::read_to_string(written.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        assert_eq!(manifest["background"]["service_worker"], "guard.js");
        assert!(manifest["externally_connectable"].is_null() && manifest["web_accessible_resources"].is_null());
        assert_eq!(id_of("chrome-extension://abc/guard.js"), Some("abc"));
        assert_eq!(id_of("https://abc/guard.js"), None);
    }
}
