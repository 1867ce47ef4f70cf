//! The debugging pipe: JSON messages, each ended by a zero byte. Answers and events are handed on in the order they came, by the
//! one thread that reads.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use serde_json::Value;
use tokio::sync::oneshot;

use super::protocol::Message;

/// Why a command has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CommandError {
    /// The browser said no.
    #[error("{0}")]
    Refused(String),
    /// The pipe is closed: the browser has gone.
    #[error("the browser has gone")]
    Gone,
}

pub(super) type Outcome = Result<Value, CommandError>;
type Then = Box<dyn FnOnce(Outcome) + Send>;

/// The sending half, and the commands that wait for an answer.
#[derive(Clone)]
pub(super) struct Pipe(Arc<Shared>);

struct Shared {
    outgoing: mpsc::Sender<Vec<u8>>,
    next: AtomicU64,
    /// `None` once the pipe is closed.
    waiting: Mutex<Option<HashMap<u64, Then>>>,
}

impl Pipe {
    /// A pipe that writes to `to` from a thread of its own, so that no sender ever waits for the browser.
    pub fn new(mut to: impl Write + Send + 'static) -> std::io::Result<Self> {
        let (outgoing, messages) = mpsc::channel::<Vec<u8>>();
        std::thread::Builder::new()
            .name("countersign-pipe".into())
            .spawn(move || {
                for message in messages {
                    if to.write_all(&message).and_then(|()| to.flush()).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self::over(outgoing))
    }

    /// A pipe whose messages go to this channel, each with its zero byte.
    pub fn over(outgoing: mpsc::Sender<Vec<u8>>) -> Self {
        Self(Arc::new(Shared {
            outgoing,
            next: AtomicU64::new(1),
            waiting: Mutex::new(Some(HashMap::new())),
        }))
    }

    /// Sends a command whose answer does not matter.
    pub fn send(&self, session: Option<&str>, method: &'static str, params: &Value) {
        self.then(session, method, &params.to_string(), move |outcome| {
            if let Err(CommandError::Refused(message)) = outcome {
                tracing::debug!(method, message, "the browser refused a command");
            }
        });
    }

    /// Sends a command and waits for its answer.
    pub async fn call(&self, session: Option<&str>, method: &'static str, params: &Value) -> Outcome {
        let (answer, answered) = oneshot::channel();
        self.then(session, method, &params.to_string(), move |outcome| {
            let _ = answer.send(outcome);
        });
        answered.await.unwrap_or(Err(CommandError::Gone))
    }

    /// Sends a command; `then` runs on the reading thread, before any message that comes after the answer, and never before this
    /// returns. It is dropped when the pipe is closed. `params` is JSON text and goes out as it is.
    pub fn then(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: &str,
        then: impl FnOnce(Outcome) + Send + 'static,
    ) {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        match self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(waiting) => waiting.insert(id, Box::new(then)),
            None => return,
        };
        let session = session
            .map(|id| format!(r#","sessionId":{}"#, Value::from(id)))
            .unwrap_or_default();
        let message = format!(r#"{{"id":{id}{session},"method":"{method}","params":{params}}}"#);
        let mut bytes = message.into_bytes();
        bytes.push(0);
        // A closed channel is found by the reader, which then answers everything that waits.
        let _ = self.0.outgoing.send(bytes);
    }

    /// Reads until the pipe ends, then tells everything that waits that the browser has gone.
    pub fn read(&self, from: impl Read, mut event: impl FnMut(Message)) {
        let mut from = BufReader::with_capacity(1 << 16, from);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match from.read_until(0, &mut bytes) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            if bytes.pop() != Some(0) {
                break;
            }
            match serde_json::from_slice::<Message>(&bytes) {
                Ok(message) => self.take(message, &mut event),
                Err(error) => tracing::warn!(%error, length = bytes.len(), "skipped a message that cannot be read"),
            }
        }
        let waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        for then in waiting.into_iter().flatten().map(|(_, then)| then) {
            then(Err(CommandError::Gone));
        }
    }

    /// Takes one message: an answer goes to whoever waits for it, an event to `event`.
    pub fn take(&self, message: Message, event: &mut impl FnMut(Message)) {
        let Some(id) = message.id else { return event(message) };
        let then = self
            .0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_mut()
            .and_then(|waiting| waiting.remove(&id));
        if let Some(then) = then {
            then(match message.error {
                Some(error) => Err(CommandError::Refused(error.message)),
                None => Ok(message.result),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn answers_and_events_come_in_order_and_what_cannot_be_read_is_skipped() {
        let pipe = Pipe::new(Written::default()).unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = seen.clone();
        pipe.then(None, "A.one", "{}", move |outcome| {
            note.lock().unwrap().push(format!("{outcome:?}"))
        });
        let note = seen.clone();
        pipe.then(Some("s"), "A.two", "{}", move |outcome| {
            note.lock().unwrap().push(format!("{outcome:?}"))
        });
        let incoming = b"{\"method\":\"E.first\"}\0not json\0{\"id\":2,\"error\":{\"message\":\"no\"}}\0{\"id\":99}\0\
            {\"method\":\"E.second\",\"params\":7}\0{\"method\":\"E.torn";
        let note = seen.clone();
        pipe.read(&incoming[..], |message| {
            note.lock().unwrap().push(message.method.unwrap_or_default())
        });
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen, ["E.first", r#"Err(Refused("no"))"#, "E.second", "Err(Gone)"]);
    }

    #[tokio::test]
    async fn a_command_after_the_end_finds_the_browser_gone() {
        let pipe = Pipe::new(Written::default()).unwrap();
        pipe.read(&b""[..], |_| {});
        assert_eq!(pipe.call(None, "A.late", &Value::Null).await, Err(CommandError::Gone));
    }
}
