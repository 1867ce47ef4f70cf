use countersign_contract::Tool;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::rig::Rig;

/// What a rig's browser must be started with to have a hand.
pub const HAND: &str = "--remote-debugging-port=0";

impl Rig {
    /// Clicks in the middle of a tab, as a person would: the browser takes the event for a trusted one. It comes in through a
    /// debugging port that only such a test opens.
    pub async fn click(&self, tool: &Tool) {
        let told = self.folder.path().join("profile").join("DevToolsActivePort");
        let port = std::fs::read_to_string(told).unwrap();
        let port = port.lines().next().unwrap().parse::<u16>().unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let upgrade = format!(
            "GET /devtools/page/{} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            tool.page.tab
        );
        stream.write_all(upgrade.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(stream.read_u8().await.unwrap());
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"));
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({ "type": kind, "x": 100, "y": 100, "button": "left", "clickCount": 1 });
            let message = json!({ "id": 1, "method": "Input.dispatchMouseEvent", "params": params });
            stream.write_all(&frame(&message)).await.unwrap();
            let mut answered = [0; 64];
            let _ = stream.read(&mut answered).await.unwrap();
        }
    }
}

/// A text frame, masked with zeros.
fn frame(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    let length = u16::try_from(text.len()).unwrap().to_be_bytes();
    let mut frame = vec![0x81, 0x80 | 126, length[0], length[1], 0, 0, 0, 0];
    frame.extend(text.bytes());
    frame
}
