use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt, StreamExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::Home;
use crate::wait::{PATIENCE, until, until_done};

/// The program that starts a browser in whose pages a [`Hand`] can act.
pub(crate) fn browser() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("browser-with-a-hand.sh")
}

/// A person's hand and eye in one tab. What it presses is trusted by the browser; it looks from a world that page code does not see.
#[derive(Clone)]
pub struct Hand {
    line: Arc<Mutex<Line>>,
    /// The origin of a frame in the tab; the whole tab when there is none.
    within: Option<String>,
}

struct Line {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    last: u64,
}

impl Hand {
    pub(crate) async fn on(home: &Home, tab: &str) -> Self {
        let told = home.app_data().join("browser-profile/DevToolsActivePort");
        let port = until("the browser should have a port for the hand", async || {
            let told = std::fs::read_to_string(&told).ok()?;
            told.lines().next()?.parse::<u16>().ok()
        })
        .await;
        let url = format!("ws://127.0.0.1:{port}/devtools/page/{tab}");
        let (socket, _) = connect_async(url).await.expect("the browser takes the hand in");
        let hand = Self {
            line: Arc::new(Mutex::new(Line { socket, last: 0 })),
            within: None,
        };
        let size = json!({ "width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        hand.send("Emulation.setDeviceMetricsOverride", size).await;
        hand
    }

    /// The same hand in a frame of the tab, known by its origin.
    pub fn within(&self, origin: &str) -> Self {
        Self {
            line: self.line.clone(),
            within: Some(origin.to_owned()),
        }
    }

    /// The origin of every document in the tab, the top one first, as the browser has it.
    ///
    /// # Panics
    /// When the browser does not answer.
    pub async fn origins(&self) -> Vec<String> {
        let frames = self.frames().await;
        frames.into_iter().map(|(_, origin)| origin).collect()
    }

    /// Presses the first thing at a CSS selector, once it can be pressed.
    ///
    /// # Panics
    /// When it cannot be in time.
    pub async fn press(&self, selector: &str) {
        until_done(
            PATIENCE,
            &format!("`{selector}` should be there to be pressed"),
            async || {
                let (left, top) = self.place_of(selector).await?;
                for kind in ["mousePressed", "mouseReleased"] {
                    let event = json!({ "type": kind, "x": left, "y": top, "button": "left", "clickCount": 1 });
                    self.send("Input.dispatchMouseEvent", event).await;
                }
                Ok(())
            },
        )
        .await;
    }

    /// Types into a field, in place of what stands there.
    ///
    /// # Panics
    /// When there is no such field in time.
    pub async fn fill(&self, selector: &str, text: &str) {
        self.press(selector).await;
        self.run::<()>("(at) => document.querySelector(at).select()", json!([selector]))
            .await;
        self.send("Input.insertText", json!({ "text": text })).await;
    }

    /// What can be read at a CSS selector, with plain blanks; empty when there is nothing.
    ///
    /// # Panics
    /// When the page does not answer.
    pub async fn text(&self, selector: &str) -> String {
        let read = "(at) => (document.querySelector(at)?.innerText ?? '').replaceAll('\\u202f', ' ')";
        self.run(read, json!([selector])).await
    }

    /// Waits until a text can be read at a CSS selector.
    ///
    /// # Panics
    /// When it cannot in time; the message has what stands there.
    pub async fn shows(&self, selector: &str, text: &str) {
        until_done(PATIENCE, &format!("`{selector}` should show `{text}`"), async || {
            let there = self.text(selector).await;
            if there.contains(text) {
                Ok(())
            } else {
                Err(format!("It shows `{there}`"))
            }
        })
        .await;
    }

    /// How many things there are at a CSS selector.
    ///
    /// # Panics
    /// When the page does not answer.
    pub async fn count(&self, selector: &str) -> usize {
        self.run("(at) => document.querySelectorAll(at).length", json!([selector]))
            .await
    }

    /// Writes what the tab shows, 1280 by 800, to a PNG file.
    ///
    /// # Panics
    /// When the browser does not answer.
    pub async fn photograph(&self, path: &Path) {
        let taken = self.send("Page.captureScreenshot", json!({ "format": "png" })).await;
        let bytes = STANDARD.decode(taken["data"].as_str().unwrap_or_default());
        let bytes = bytes.expect("a picture comes in base64");
        std::fs::write(path, bytes).expect("a picture can be written");
    }

    /// The middle of what is at a selector, in pixels of the tab; it is brought into view first.
    async fn place_of(&self, selector: &str) -> Result<(f64, f64), String> {
        let find = "(at) => {
            const found = document.querySelector(at);
            if (!found) return { fault: 'It is not there' };
            if (!found.checkVisibility() || found.disabled) return { fault: 'It is hidden or disabled' };
            found.scrollIntoView({ block: 'center', behavior: 'instant' });
            const { left, top, width, height } = found.getBoundingClientRect();
            const [x, y] = [left + width / 2, top + height / 2];
            const hit = document.elementFromPoint(x, y);
            return found.contains(hit) ? { x, y } : { fault: `${hit?.outerHTML.slice(0, 80)} lies over it` };
        }";
        let found: Value = self.run(find, json!([selector])).await;
        let (Some(left), Some(top)) = (found["x"].as_f64(), found["y"].as_f64()) else {
            return Err(found["fault"].as_str().unwrap_or_default().to_owned());
        };
        // Asked for now: bringing a thing into view moves the frame it is in.
        let (right, down) = self.corner().await;
        Ok((left + right, top + down))
    }

    /// Where the frame begins in the tab.
    async fn corner(&self) -> (f64, f64) {
        let Some(origin) = &self.within else {
            return (0.0, 0.0);
        };
        let whole = Self {
            line: self.line.clone(),
            within: None,
        };
        let corner = "(at) => {
            const frame = document.querySelector(at);
            const { left, top } = frame.getBoundingClientRect();
            return [left + frame.clientLeft, top + frame.clientTop];
        }";
        whole.run(corner, json!([format!("iframe[src^='{origin}']")])).await
    }

    /// Runs a function in a world of the hand's own in the document.
    async fn run<T: DeserializeOwned>(&self, function: &str, arguments: Value) -> T {
        let what = format!("the tab should have a document of {:?}", self.within);
        let frame = until(&what, async || {
            let frames = self.frames().await;
            let mut wanted = frames
                .into_iter()
                .filter(|(_, origin)| self.within.as_ref().is_none_or(|within| within == origin));
            wanted.next().map(|(frame, _)| frame)
        })
        .await;
        let world = json!({ "frameId": frame, "worldName": "hand" });
        let world = self.send("Page.createIsolatedWorld", world).await;
        let answer = self
            .send(
                "Runtime.evaluate",
                json!({
                    "expression": format!("({function})(...{arguments})"),
                    "contextId": world["executionContextId"],
                    "returnByValue": true,
                    "awaitPromise": true,
                }),
            )
            .await;
        assert!(answer.get("exceptionDetails").is_none(), "{function} threw: {answer}");
        serde_json::from_value(answer["result"]["value"].clone()).expect("the page answers what was asked for")
    }

    /// Every frame of the tab with the origin of its document, the top one first.
    async fn frames(&self) -> Vec<(String, String)> {
        let tree = self.send("Page.getFrameTree", json!({})).await;
        let mut found = Vec::new();
        let mut next = vec![&tree["frameTree"]];
        while let Some(branch) = next.pop() {
            let word = |name: &str| branch["frame"][name].as_str().unwrap_or_default().to_owned();
            found.push((word("id"), word("securityOrigin")));
            next.extend(branch["childFrames"].as_array().into_iter().flatten());
        }
        found
    }

    async fn send(&self, method: &str, params: Value) -> Value {
        let mut line = self.line.lock().await;
        line.last += 1;
        let id = line.last;
        let request = json!({ "id": id, "method": method, "params": params });
        line.socket
            .send(Message::text(request.to_string()))
            .await
            .expect("the browser listens");
        loop {
            let message = line.socket.next().await.expect("the browser answers");
            let message = message.expect("the browser answers in whole messages");
            let Ok(answer) = serde_json::from_slice::<Value>(&message.into_data()) else {
                continue;
            };
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }
}
