use std::cell::RefCell;
use std::io::Read;
use std::rc::Rc;
use std::sync::{Arc, Mutex, mpsc};

use super::super::pipe::{CommandError, Pipe};
use super::super::protocol::Message;
use super::draw::Draw;

const COMMANDS: u64 = 4;
const GONE: &str = "gone";

/// Bytes that arrive in pieces.
struct Pieces<'a> {
    bytes: &'a [u8],
    sizes: Draw<'a>,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let size = if self.sizes.is_over() {
            self.bytes.len()
        } else {
            usize::from(self.sizes.byte()) + 1
        };
        let size = size.min(into.len()).min(self.bytes.len());
        let (now, rest) = self.bytes.split_at(size);
        into[..size].copy_from_slice(now);
        self.bytes = rest;
        Ok(size)
    }
}

/// The debugging pipe: however the bytes are cut into pieces, the same messages come out in the same order; every command is
/// answered once; and after the end everything that waited knows.
pub(super) fn framing(data: &[u8]) {
    let (cuts, bytes) = data.split_at(usize::from(data.first().copied().unwrap_or(0)).min(data.len()));
    let whole = read(bytes, &[]);
    assert_eq!(read(bytes, cuts), whole, "pieces made a difference");
    assert_eq!(whole, expected(bytes), "not what stands between the zero bytes");
}

/// What comes out of the pipe, in order.
fn read(bytes: &[u8], cuts: &[u8]) -> Vec<String> {
    let (outgoing, _sent) = mpsc::channel();
    let pipe = Pipe::over(outgoing);
    let seen = Arc::new(Mutex::new(Vec::new()));
    for number in 1..=COMMANDS {
        let seen = seen.clone();
        pipe.then(None, "A.command", "{}", move |outcome| {
            let how = match outcome {
                Ok(result) => format!("{number} ok {result}"),
                Err(CommandError::Refused(message)) => format!("{number} refused {message}"),
                Err(CommandError::Gone) => format!("{GONE} {number}"),
            };
            seen.lock().unwrap().push(how);
        });
    }
    let sizes = Draw::new(cuts);
    let events = Rc::new(RefCell::new(0));
    pipe.read(Pieces { bytes, sizes }, |message| {
        *events.borrow_mut() += 1;
        seen.lock().unwrap().push(event(&message));
    });
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    // Whoever is told of the end is told in no order.
    let answered = seen.iter().take_while(|line| !line.starts_with(GONE)).count();
    seen[answered..].sort();
    seen
}

fn event(message: &Message) -> String {
    format!("{:?} {:?} {}", message.method, message.session_id, message.params)
}

fn expected(bytes: &[u8]) -> Vec<String> {
    let mut expected = Vec::new();
    let mut waiting = (1..=COMMANDS).collect::<Vec<_>>();
    let mut parts = bytes.split(|byte| *byte == 0).collect::<Vec<_>>();
    // What no zero byte ends is torn.
    parts.pop();
    for message in parts
        .into_iter()
        .filter_map(|part| serde_json::from_slice::<Message>(part).ok())
    {
        match message.id {
            None => expected.push(event(&message)),
            Some(id) => {
                if let Some(at) = waiting.iter().position(|waiting| *waiting == id) {
                    waiting.remove(at);
                    expected.push(match message.error {
                        Some(error) => format!("{id} refused {}", error.message),
                        None => format!("{id} ok {}", message.result),
                    });
                }
            }
        }
    }
    expected.extend(waiting.into_iter().map(|number| format!("{GONE} {number}")));
    expected
}
