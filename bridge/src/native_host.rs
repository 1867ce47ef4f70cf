//! Stands between the extension in a browser and the app. The browser starts it, talks to it over standard input and output, and
//! ends it; it carries messages to the app's local socket and back, and decides nothing. The app is started only when the person
//! asks for it in the extension.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::local::{self, Frames, Hello, Role, Sender};

/// The extension's id; the `key` in its manifest fixes it.
pub const EXTENSION_ID: &str = "fmphjlokfbpolnihmijglknbfoifhali";

/// What browsers know this program by.
pub const HOST_NAME: &str = "dev.countersign.desk";

/// How long to wait before looking for the app again.
const AGAIN: Duration = Duration::from_millis(500);
/// A browser ends the connection at a message to it that is longer than 1 MiB.
const LONGEST_TO_BROWSER: usize = 1024 * 1024;
/// In base64 and with what stands around it, a part stays below that.
const PART: usize = 600 * 1024;
/// The app's socket takes no longer line; the rest is for what stands around it.
const LONGEST_FROM_BROWSER: usize = 16 * 1024 * 1024 - 1024;

/// From the extension.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "to")]
pub enum ToHost {
    /// To be carried to the app.
    App {
        /// The extension's number of it; what is not carried is named by it.
        number: u64,
        /// It.
        message: Value,
    },
    /// The person wants the app to be started.
    Start,
}

/// To the extension.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "from")]
pub enum FromHost {
    /// From the app.
    App {
        /// What it said.
        message: Value,
    },
    /// A piece of a [`FromHost::App`] that is too long for a browser: base64 of a part of its JSON text. Pieces come in order.
    Part {
        /// The last one.
        last: bool,
        /// The piece.
        base64: String,
    },
    /// The app is not there, or has gone. Nothing can be released now.
    NoApp {
        /// For a person.
        text: String,
    },
    /// A message was not carried.
    NotSent {
        /// Its number; absent when it could not be read.
        number: Option<u64>,
        /// Why, for a person.
        text: String,
    },
}

const NO_APP: &str = "Countersign is not running on this computer, so nothing can be released. Start it and ask again.";

/// Whether a browser started this program for our extension and for nobody else.
pub fn is_ours(origin: &str) -> bool {
    origin
        .strip_prefix("chrome-extension://")
        .and_then(|rest| rest.strip_suffix('/'))
        == Some(EXTENSION_ID)
}

/// Serves the extension until the browser closes its end.
///
/// # Errors
/// When the browser can be told nothing any more.
pub async fn serve(
    input: impl Read + Send + 'static,
    mut output: impl Write,
    folder: PathBuf,
    start: impl Fn() -> Result<(), String>,
) -> io::Result<()> {
    let (told, mut came) = mpsc::channel(64);
    std::thread::spawn(move || hear(input, &told));
    let mut app = None;
    let mut is_away = false;
    loop {
        if app.is_none() {
            app = join(&folder).await;
        }
        if app.is_none() && !is_away {
            is_away = true;
            tell(&mut output, &FromHost::NoApp { text: NO_APP.into() })?;
        }
        let heard = match &mut app {
            Some(App { said, .. }) => tokio::select! {
                heard = came.recv() => Happened::Browser(heard),
                said = said.recv() => Happened::App(said),
            },
            None => tokio::select! {
                heard = came.recv() => Happened::Browser(heard),
                () = tokio::time::sleep(AGAIN) => continue,
            },
        };
        match heard {
            Happened::Browser(None) => return Ok(()),
            Happened::Browser(Some(Err(text))) => tell(&mut output, &FromHost::NotSent { number: None, text })?,
            Happened::Browser(Some(Ok(ToHost::Start))) => {
                if let Err(why) = start() {
                    let text = format!("Countersign could not be started: {why}");
                    tell(&mut output, &FromHost::NotSent { number: None, text })?;
                }
            }
            Happened::Browser(Some(Ok(ToHost::App { number, message }))) => {
                let sent = match &app {
                    Some(app) => app.sender.send(&message).await.map_err(|error| error.to_string()),
                    None => Err(NO_APP.into()),
                };
                if let Err(text) = sent {
                    let number = Some(number);
                    tell(&mut output, &FromHost::NotSent { number, text })?;
                }
            }
            Happened::App(Some(message)) => {
                is_away = false;
                tell(&mut output, &FromHost::App { message })?;
            }
            Happened::App(None) => {
                app = None;
                if !is_away {
                    is_away = true;
                    tell(&mut output, &FromHost::NoApp { text: NO_APP.into() })?;
                }
                // An app that turns this program away at once is not asked without end.
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

enum Happened {
    Browser(Option<Result<ToHost, String>>),
    App(Option<Value>),
}

struct App {
    sender: Sender,
    said: mpsc::Receiver<Value>,
}

async fn join(folder: &Path) -> Option<App> {
    let (mut frames, sender) = Frames::of(local::connect(folder).await.ok()?);
    sender.send(&Hello::of(Role::Extension)).await.ok()?;
    let (tell, said) = mpsc::channel(64);
    // A message that is given up in the middle is lost, so each is waited for to its end.
    tokio::spawn(async move {
        while let Ok(Some(message)) = frames.next().await {
            if tell.send(message).await.is_err() {
                return;
            }
        }
    });
    Some(App { sender, said })
}

/// Passes on what the browser says until it says nothing more.
fn hear(mut input: impl Read, told: &mpsc::Sender<Result<ToHost, String>>) {
    while let Ok(message) = read(&mut input) {
        if told.blocking_send(message).is_err() {
            return;
        }
    }
}

/// One message of the browser. What is too long, or is no message, is passed over and named.
fn read(input: &mut impl Read) -> io::Result<Result<ToHost, String>> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_ne_bytes(length) as usize;
    if length > LONGEST_FROM_BROWSER {
        let passed_over = io::copy(&mut input.take(length as u64), &mut io::sink())?;
        if passed_over < length as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        return Ok(Err(format!(
            "A message of {length} bytes is longer than the {LONGEST_FROM_BROWSER} that can be carried. It was not sent."
        )));
    }
    let mut text = Vec::new();
    input.take(length as u64).read_to_end(&mut text)?;
    if text.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&text).map_err(|error| format!("What came is not a message: {error}. It was not sent.")))
}

fn tell(output: &mut impl Write, message: &FromHost) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    if text.len() <= LONGEST_TO_BROWSER {
        return write(output, &text);
    }
    let mut parts = text.chunks(PART).peekable();
    while let Some(part) = parts.next() {
        let part = FromHost::Part {
            last: parts.peek().is_none(),
            base64: STANDARD.encode(part),
        };
        write(output, &serde_json::to_vec(&part)?)?;
    }
    Ok(())
}

fn write(output: &mut impl Write, text: &[u8]) -> io::Result<()> {
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    output.write_all(&length.to_ne_bytes())?;
    output.write_all(text)?;
    output.flush()
}

#[cfg(test)]
mod tests;
