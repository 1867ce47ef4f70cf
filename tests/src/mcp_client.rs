use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::{Home, Process, descendants, program, until};

/// An MCP client in a few lines: it starts the bridge as any client does, and says on its standard input what it wants. The official
/// clients are tried in `tests/clients`; this one is for what is seen in the windows.
pub struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl McpClient {
    /// Starts the bridge in an account and begins as clients did until 2025-11-25.
    ///
    /// # Panics
    /// When it does not answer.
    pub fn start(home: &Home, name: &str) -> Self {
        Self::start_with(home, name, &[])
    }

    /// The same, with more in the environment.
    ///
    /// # Panics
    /// When it does not answer.
    pub fn start_with(home: &Home, name: &str, environment: &[(&str, String)]) -> Self {
        let mut child = Command::new(program("countersign-bridge"))
            .arg("mcp")
            .envs(home.environment())
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the bridge can be started");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let last = 0;
        let mut client = Self {
            child,
            input,
            output,
            last,
        };
        let who = json!({ "name": name, "version": "1.0" });
        client.ask(
            "initialize",
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who }),
        );
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// The names of all tools.
    ///
    /// # Panics
    /// When it does not answer.
    pub fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["tools"].as_array().expect("a list of tools");
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    /// Waits until there is such a tool.
    pub async fn has_tool(&mut self, name: &str) {
        until(&format!("the client should see {name}"), async || {
            self.tools().iter().any(|tool| tool == name).then_some(())
        })
        .await;
    }

    /// Calls a tool, and returns its result.
    ///
    /// # Panics
    /// When it does not answer.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The process of the bridge.
    ///
    /// # Panics
    /// When it has ended.
    pub fn process(&self) -> Process {
        Process::find(self.child.id()).expect("the bridge runs")
    }

    /// The app, when the bridge has started it.
    pub fn started_app(&self) -> Option<Process> {
        let app = program("countersign").canonicalize().ok()?;
        let mut started = descendants(self.child.id()).into_iter();
        started.find(|process| process.program().as_ref() == Some(&app))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("the bridge can be read");
            let said: Value = serde_json::from_str(&line).expect("the bridge says JSON");
            if said["id"] == id {
                assert!(said["error"].is_null(), "{method} was refused: {}", said["error"]);
                return said["result"].clone();
            }
        }
    }

    fn say(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("its input is open");
        writeln!(input, "{message}").expect("the bridge listens");
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
