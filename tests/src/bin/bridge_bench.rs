//! Both ends of a measured bridge, with as little to them as can be, so that what is measured is the bridge.
//!
//! `bridge_bench page PORT ORIGIN`: a page with the mcp-b widget, as far as the one who calls it can tell; it answers each call at once
//! and says `ready` once its tools are listed. `bridge_bench client PROGRAM ARGUMENTS…`: an MCP client of that program over stdio; one
//! command as JSON a line on standard input, one answer a line on standard output.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{BufRead, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

const ANSWER: &str = "The answer, which takes no time.";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args().skip(1).collect::<Vec<_>>();
    let arguments = arguments.iter().map(String::as_str).collect::<Vec<_>>();
    match *arguments.as_slice() {
        ["page", port, origin] => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(page(port, origin))
        }
        ["client", program, ref arguments @ ..] => client(program, arguments),
        _ => Err("bridge_bench page PORT ORIGIN, or bridge_bench client PROGRAM ARGUMENTS…".into()),
    }
}

async fn page(port: &str, origin: &str) -> Result<(), Box<dyn Error>> {
    let mut request = format!("ws://127.0.0.1:{port}").into_client_request()?;
    request.headers_mut().insert("origin", origin.parse()?);
    let protocols = "webmcp-discovery.v1, webmcp.v1";
    request
        .headers_mut()
        .insert("sec-websocket-protocol", protocols.parse()?);
    let (mut socket, _) = connect_async(request).await?;
    let tool = json!({
        "name": "look_up",
        "description": "Looks something up.",
        "inputSchema": { "type": "object", "properties": { "number": { "type": "integer" } } },
        "annotations": { "readOnlyHint": true },
    });
    let hello =
        json!({ "type": "hello", "tabId": "bench", "origin": origin, "url": format!("{origin}/"), "title": "Bench" });
    let list = json!({ "type": "tools/list", "tools": [tool] });
    let result = json!({ "content": [{ "type": "text", "text": ANSWER }] });
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        let message = serde_json::from_str::<Value>(text.as_str())?;
        let say = match message["type"].as_str() {
            Some("invoke") => json!({ "type": "result", "callId": message["callId"], "result": result }),
            Some("ping") => json!({ "type": "pong" }),
            Some("server-hello") => {
                socket.send(Message::text(hello.to_string())).await?;
                socket.send(Message::text(list.to_string())).await?;
                println!("ready");
                continue;
            }
            _ => continue,
        };
        socket.send(Message::text(say.to_string())).await?;
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", tag = "do")]
enum Task {
    /// Introduces itself.
    Begin,
    /// Waits until a tool whose name ends so is listed, and calls that one from then on.
    Find { end: String },
    /// Calls it so many times, with so many calls under way.
    Measure { calls: usize, in_flight: usize },
    /// The number of the program's process.
    Process,
}

fn client(program: &str, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut server = Server {
        to: child.stdin.take().ok_or("no standard input")?,
        from: std::io::BufReader::new(child.stdout.take().ok_or("no standard output")?),
        line: String::new(),
        tool: String::new(),
    };
    for task in std::io::stdin().lines() {
        let answer = match serde_json::from_str(&task?)? {
            Task::Begin => server.begin()?,
            Task::Find { end } => server.find(&end)?,
            Task::Measure { calls, in_flight } => server.measure(calls, in_flight)?,
            Task::Process => json!(child.id()),
        };
        println!("{answer}");
    }
    drop(server);
    // The other relay stays when its client has gone.
    child.kill()?;
    child.wait()?;
    Ok(())
}

struct Server {
    to: std::process::ChildStdin,
    from: std::io::BufReader<std::process::ChildStdout>,
    line: String,
    tool: String,
}

impl Server {
    fn say(&mut self, message: &Value) -> Result<(), Box<dyn Error>> {
        Ok(self.to.write_all(format!("{message}\n").as_bytes())?)
    }

    /// The next answer; notices are passed over.
    fn answer(&mut self) -> Result<Value, Box<dyn Error>> {
        loop {
            self.line.clear();
            if self.from.read_line(&mut self.line)? == 0 {
                return Err("the server has ended".into());
            }
            let message = serde_json::from_str::<Value>(&self.line)?;
            if message.get("error").is_some() {
                return Err(message.to_string().into());
            }
            if message.get("id").is_some() {
                return Ok(message);
            }
        }
    }

    fn begin(&mut self) -> Result<Value, Box<dyn Error>> {
        let who = json!({ "name": "bench", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who });
        self.say(&json!({ "jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": params }))?;
        self.answer()?;
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(Value::Null)
    }

    fn find(&mut self, end: &str) -> Result<Value, Box<dyn Error>> {
        loop {
            self.say(&json!({ "jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {} }))?;
            let listed = self.answer()?;
            let names = listed["result"]["tools"].as_array().into_iter().flatten();
            let found = names
                .filter_map(|tool| tool["name"].as_str())
                .find(|name| name.ends_with(end));
            if let Some(found) = found {
                self.tool = found.to_owned();
                return Ok(json!(found));
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    fn call(&mut self, number: usize) -> Result<(), Box<dyn Error>> {
        let params = json!({ "name": self.tool, "arguments": { "number": number } });
        self.say(&json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params }))
    }

    fn measure(&mut self, calls: usize, in_flight: usize) -> Result<Value, Box<dyn Error>> {
        let mut began = vec![Instant::now(); calls];
        let mut times = Vec::with_capacity(calls);
        let start = Instant::now();
        let mut next = 0;
        while times.len() < calls {
            while next < calls && next - times.len() < in_flight {
                began[next] = Instant::now();
                self.call(next)?;
                next += 1;
            }
            let answer = self.answer()?;
            let text = &answer["result"]["content"][0]["text"];
            if text != ANSWER {
                return Err(format!("a call failed: {answer}").into());
            }
            let number = answer["id"].as_u64().ok_or("an answer to nothing")?;
            times.push(began[usize::try_from(number)?].elapsed());
        }
        let seconds = start.elapsed().as_secs_f64();
        times.sort();
        let at = |hundredth: usize| times[times.len() * hundredth / 100].as_secs_f64() * 1000.0;
        Ok(json!({ "rate": calls as f64 / seconds, "p50": at(50), "p95": at(95) }))
    }
}
