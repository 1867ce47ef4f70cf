use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, ReadHalf, WriteHalf};
use tokio::sync::Mutex;

use super::Stream;

/// A line is at most this long.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Who does not read a message within this time has gone, as far as can be told.
const TAKEN: Duration = Duration::from_secs(30);

/// Why nothing more can be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The connection failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is too long, or not the JSON that was expected.
    #[error("what came is not a message: {0}")]
    Malformed(String),
}

/// What comes on a connection, one JSON value a line.
pub struct Frames {
    reader: BufReader<ReadHalf<Box<dyn Stream>>>,
}

/// What goes out on a connection. Clones write to the same one.
#[derive(Clone)]
pub struct Sender {
    /// Nothing, once something could not be sent whole.
    writer: Writer,
}

type Writer = Arc<Mutex<Option<WriteHalf<Box<dyn Stream>>>>>;

impl Frames {
    /// Both ends of a connection.
    pub fn of(stream: Box<dyn Stream>) -> (Self, Sender) {
        let (reader, writer) = tokio::io::split(stream);
        let frames = Self {
            reader: BufReader::new(reader),
        };
        let sender = Sender {
            writer: Arc::new(Mutex::new(Some(writer))),
        };
        (frames, sender)
    }

    /// The next message; `None` when the other end has closed. Wait for it to the end: what is given up in the middle is lost.
    ///
    /// # Errors
    /// When the connection fails, or what comes is not such a message. Nothing more can be read then.
    pub async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let Some(line) = line(&mut self.reader).await? else {
            return Ok(None);
        };
        let message = serde_json::from_slice(&line);
        message
            .map(Some)
            .map_err(|error| FrameError::Malformed(error.to_string()))
    }
}

async fn line(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Vec<u8>>, FrameError> {
    let mut line = Vec::new();
    let read = AsyncReadExt::take(reader, LONGEST).read_until(b'\n', &mut line).await?;
    match (read, line.last()) {
        (0, _) => Ok(None),
        (_, Some(b'\n')) => Ok(Some(line)),
        (read, _) if read as u64 == LONGEST => Err(FrameError::Malformed(format!("it is longer than {LONGEST} bytes"))),
        // The other end died in the middle of a line: what it wanted to say is not known.
        _ => Ok(None),
    }
}

impl Sender {
    /// Sends a message whole.
    ///
    /// # Errors
    /// When the other end is gone, or has not read for half a minute: nothing more is sent to it then. [`io::ErrorKind::FileTooLarge`], with
    /// nothing sent, when the other end would not take it.
    pub async fn send(&self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        if line.len() as u64 >= LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let writer = self.writer.clone();
        // Whoever gives up waiting leaves no half of a line behind.
        tokio::spawn(whole(writer, line)).await.map_err(io::Error::other)?
    }
}

async fn whole(writer: Writer, line: Vec<u8>) -> io::Result<()> {
    let mut writer = writer.lock().await;
    let Some(mut open) = writer.take() else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let sends = async {
        open.write_all(&line).await?;
        open.flush().await
    };
    tokio::time::timeout(TAKEN, sends).await??;
    *writer = Some(open);
    Ok(())
}
