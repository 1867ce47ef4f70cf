use std::net::SocketAddr;

use tokio::io::AsyncBufReadExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::rig::within_patience;

/// What is sent: nothing but what a test gives it.
pub struct Ask<'a> {
    pub method: &'a str,
    pub target: &'a str,
    pub headers: Vec<(&'a str, &'a str)>,
    pub body: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// What most checks are about.
    pub fn says(&self) -> (u16, &str) {
        (self.status, &self.body)
    }
}

async fn send(address: SocketAddr, ask: &Ask<'_>) -> BufReader<TcpStream> {
    let mut stream = BufReader::new(TcpStream::connect(address).await.unwrap());
    send_on(&mut stream, address, ask, "close").await;
    stream
}

async fn send_on(stream: &mut BufReader<TcpStream>, address: SocketAddr, ask: &Ask<'_>, connection: &str) {
    let mut head = format!("{} {} HTTP/1.1\r\n", ask.method, ask.target);
    if !ask.headers.iter().any(|(name, _)| *name == "host") {
        head += &format!("host: {address}\r\n");
    }
    for (name, value) in &ask.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("connection: {connection}\r\ncontent-length: {}\r\n\r\n", ask.body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    // The other side may hang up in the middle of it.
    let _ = stream.write_all(ask.body.as_bytes()).await;
}

async fn head(stream: &mut BufReader<TcpStream>) -> Option<Answer> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        match stream.read_line(&mut line).await {
            Ok(0) | Err(_) => return None,
            Ok(_) if line == "\r\n" => break,
            Ok(_) => lines.push(line.trim_end().to_owned()),
        }
    }
    let (status, headers) = lines.split_first()?;
    let header = |line: &String| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_lowercase(), value.trim().to_owned())
    };
    Some(Answer {
        status: status.split(' ').nth(1)?.parse().ok()?,
        headers: headers.iter().map(header).collect(),
        body: String::new(),
    })
}

/// The answer, or `None` when the connection ended without one.
pub async fn ask(address: SocketAddr, ask: Ask<'_>) -> Option<Answer> {
    within_patience("an answer", async {
        let mut stream = send(address, &ask).await;
        let mut answer = head(&mut stream).await?;
        let mut body = Vec::new();
        let _ = stream.read_to_end(&mut body).await;
        answer.body = String::from_utf8(body).unwrap();
        Some(answer)
    })
    .await
}

/// One after the other over the same connection.
pub async fn ask_both(address: SocketAddr, asks: [Ask<'_>; 2]) -> [Option<Answer>; 2] {
    within_patience("two answers", async {
        let mut stream = BufReader::new(TcpStream::connect(address).await.unwrap());
        let mut answers = [None, None];
        for (ask, answer) in asks.iter().zip(&mut answers) {
            send_on(&mut stream, address, ask, "keep-alive").await;
            *answer = head(&mut stream).await;
            let Some(answer) = answer else { break };
            let length = answer
                .header("content-length")
                .map_or(0, |length| length.parse().unwrap());
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await.unwrap();
            answer.body = String::from_utf8(body).unwrap();
        }
        answers
    })
    .await
}

/// An event stream, read as bytes.
#[derive(Debug)]
pub struct EventStream {
    pub head: Answer,
    stream: BufReader<TcpStream>,
    read: String,
}

impl EventStream {
    /// Opens one; what is answered instead when it is none.
    pub async fn open(address: SocketAddr, ask: Ask<'_>) -> Result<Self, Answer> {
        within_patience("an event stream", async {
            let mut stream = send(address, &ask).await;
            let mut head = head(&mut stream).await.expect("an answer");
            if head.status == 200 {
                return Ok(Self {
                    head,
                    stream,
                    read: String::new(),
                });
            }
            let mut body = Vec::new();
            let _ = stream.read_to_end(&mut body).await;
            head.body = String::from_utf8(body).unwrap();
            Err(head)
        })
        .await
    }

    /// The next event as it stands, up to its empty line; `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<String> {
        within_patience("an event", async {
            loop {
                if let Some(end) = self.read.find("\n\n") {
                    let event = self.read[..end].to_owned();
                    self.read.drain(..end + 2);
                    return Some(event);
                }
                let chunk = self.chunk().await?;
                self.read += &chunk;
            }
        })
        .await
    }

    /// The next message, whatever pings come before it.
    pub async fn message(&mut self) -> String {
        loop {
            let event = self.next().await.expect("an event");
            match event.strip_prefix("data: ") {
                Some(message) => return message.to_owned(),
                None => assert_eq!(event, ": ping"),
            }
        }
    }

    async fn chunk(&mut self) -> Option<String> {
        let mut size = String::new();
        if self.stream.read_line(&mut size).await.ok()? == 0 {
            return None;
        }
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).await.ok()?;
        chunk.truncate(size);
        (size > 0).then(|| String::from_utf8(chunk).unwrap())
    }
}
