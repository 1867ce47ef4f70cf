use crate::calls::{Calls, Ids};
use crate::fault::Who;
use crate::{Delta, ModelError, Stop, TurnReply, TurnRequest, Usage};

/// Where streamed text goes.
pub(crate) type Sink<'a> = &'a mut (dyn FnMut(Delta) + Send);

/// Reads one wire's reply from its bytes.
pub(crate) trait Decoder: Send {
    /// Takes the next bytes; `true` when nothing more needs to be read.
    fn push(&mut self, bytes: &[u8], sink: Sink<'_>) -> Result<bool, ModelError>;

    /// The reply, once the bytes have ended.
    fn finish(self, sink: Sink<'_>) -> Result<TurnReply, ModelError>;
}

/// More than this is not a reply but a fault or an attack.
const MOST_BYTES: usize = 32 << 20;

/// A reply that is being received.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) who: Who,
    pub(crate) calls: Calls,
    pub(crate) finish: Option<Finish>,
    pub(crate) usage: Option<Usage>,
    text: String,
    ids: Ids,
    bytes: usize,
}

/// Why the server says the reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    Stop,
    Calls,
    Length,
    Filter,
}

impl Draft {
    pub(crate) fn new(who: Who, request: &TurnRequest) -> Self {
        Self {
            who,
            calls: Calls::default(),
            finish: None,
            usage: None,
            text: String::new(),
            ids: Ids::of(request),
            bytes: 0,
        }
    }

    pub(crate) fn count(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > MOST_BYTES {
            Err(self.who.reply("it does not end"))
        } else {
            Ok(())
        }
    }

    pub(crate) fn say(&mut self, text: &str, sink: Sink<'_>) {
        if !text.is_empty() {
            self.text.push_str(text);
            sink(Delta::Text(text.to_owned()));
        }
    }

    /// The reply of a stream that ended cleanly.
    pub(crate) fn close(mut self) -> Result<TurnReply, ModelError> {
        let stop = match self.finish {
            Some(Finish::Length) => Stop::Length,
            Some(Finish::Filter) => Stop::Filter,
            Some(Finish::Calls) if self.calls.is_empty() => {
                return Err(self.who.reply("it says that a tool was called, but holds no call"));
            }
            _ if self.calls.is_empty() => Stop::End,
            _ => Stop::Calls,
        };
        let calls = if stop == Stop::Calls {
            self.calls.finish(&mut self.ids)
        } else {
            Vec::new()
        };
        Ok(TurnReply {
            text: self.text,
            calls,
            stop,
            usage: self.usage,
        })
    }
}
