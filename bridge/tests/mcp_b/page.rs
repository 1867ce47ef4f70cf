use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::rig::{ORIGIN, Rig, within_patience};

/// The end of a connection that a widget would have.
pub struct Page {
    socket: WebSocketStream<TcpStream>,
    /// The protocol that was agreed on.
    pub protocol: String,
    pub greeting: Value,
}

impl Page {
    /// Connects with these headers besides those that every WebSocket has, and reads the greeting; an error has the HTTP status.
    pub async fn connect(rig: &Rig, headers: &[(&'static str, &str)]) -> Result<Self, u16> {
        let mut request = format!("ws://{}/", rig.address()).into_client_request().unwrap();
        for (name, value) in headers {
            // `Host` is there already.
            if *name == "host" {
                request.headers_mut().insert(*name, value.parse().unwrap());
            } else {
                request.headers_mut().append(*name, value.parse().unwrap());
            }
        }
        let stream = TcpStream::connect(rig.address()).await.unwrap();
        let connected = within_patience("an answer", client_async(request, stream)).await;
        let (socket, response) = match connected {
            Ok(connected) => connected,
            Err(Error::Http(response)) => return Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        };
        let protocol = response.headers().get("sec-websocket-protocol");
        let mut page = Self {
            socket,
            protocol: protocol
                .map(|protocol| protocol.to_str().unwrap().to_owned())
                .unwrap_or_default(),
            greeting: Value::Null,
        };
        page.greeting = page.hear().await;
        Ok(page)
    }

    /// As the widget comes, when its page serves it itself.
    pub async fn come(rig: &Rig) -> Self {
        let headers = [
            ("origin", ORIGIN),
            ("sec-websocket-protocol", "webmcp-discovery.v1, webmcp.v1"),
        ];
        Self::connect(rig, &headers).await.expect("it may come")
    }

    /// The same, introduced and with these tools.
    pub async fn with_tools(rig: &mut Rig, tab: &str, tools: Value) -> Self {
        let mut page = Self::come(rig).await;
        page.say(&hello(tab, ORIGIN)).await;
        page.say(&json!({ "type": "tools/list", "tools": tools })).await;
        let tab = format!("mcp-b:{tab}");
        rig.tabs_when("its tools", |tabs| {
            tabs.iter()
                .any(|one| one.id == tab && one.state == countersign_contract::TabState::Ready)
        })
        .await;
        page
    }

    pub async fn say(&mut self, message: &Value) {
        self.send(Message::text(message.to_string())).await;
    }

    pub async fn send(&mut self, message: Message) {
        // The door may have closed already; what matters is what it answers.
        let _ = self.socket.send(message).await;
    }

    /// The next message.
    pub async fn hear(&mut self) -> Value {
        match within_patience("a message", self.socket.next()).await {
            Some(Ok(Message::Text(text))) => serde_json::from_str(text.as_str()).unwrap(),
            other => panic!("no message: {other:?}"),
        }
    }

    /// The next call, as its number, the tool's name and the bytes of the whole message.
    pub async fn called(&mut self) -> (String, String) {
        loop {
            let message = self.hear().await;
            if message["type"] == "invoke" {
                let call = message["callId"].as_str().unwrap().to_owned();
                return (call, message.to_string());
            }
        }
    }

    pub async fn answer(&mut self, call: &str, result: Value) {
        self.say(&json!({ "type": "result", "callId": call, "result": result }))
            .await;
    }

    /// Waits until the door closes the connection, and says why: the code and the reason, or nothing when it just ended.
    pub async fn closed(&mut self) -> Option<(u16, String)> {
        within_patience("the end", async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Close(frame))) => {
                        return frame.map(|frame| (frame.code.into(), frame.reason.as_str().to_owned()));
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                }
            }
        })
        .await
    }
}

pub fn hello(tab: &str, origin: &str) -> Value {
    json!({ "type": "hello", "tabId": tab, "origin": origin, "title": "Room", "url": format!("{origin}/room") })
}

pub fn words(words: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": words }] })
}

pub fn failure(text: &str) -> Value {
    let mut result = words(text);
    result["isError"] = true.into();
    result
}
