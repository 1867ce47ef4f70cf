//! The program that a browser starts for the extension, between a browser's pipes and the app's real socket.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use countersign_bridge::local::{Frames, Hello, Listener, Role, Sender};
use countersign_bridge::native_host::{EXTENSION_ID, FromHost, ToHost};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(30);

/// The program, started as a browser starts it.
struct Host {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Host {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign-bridge"))
            .arg(format!("chrome-extension://{EXTENSION_ID}/"))
            .env("COUNTERSIGN_DATA", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = child.stdout.take().unwrap();
        Self { child, input, output }
    }

    fn say(&mut self, message: &ToHost) {
        let text = serde_json::to_vec(message).unwrap();
        let input = self.input.as_mut().unwrap();
        input
            .write_all(&u32::try_from(text.len()).unwrap().to_ne_bytes())
            .unwrap();
        input.write_all(&text).unwrap();
    }

    fn hear(&mut self) -> FromHost {
        let mut length = [0; 4];
        self.output.read_exact(&mut length).unwrap();
        let mut text = vec![0; u32::from_ne_bytes(length) as usize];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn joined(listener: &mut Listener) -> (Frames, Sender) {
    let peer = tokio::time::timeout(PATIENCE, listener.accept())
        .await
        .unwrap()
        .unwrap();
    let (mut frames, sender) = Frames::of(peer.stream);
    let hello: Option<Hello> = frames.next().await.unwrap();
    assert_eq!(hello, Some(Hello::of(Role::Extension)));
    (frames, sender)
}

#[tokio::test]
async fn it_carries_both_ways_says_when_the_app_is_away_and_finds_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Host::start(folder.path());
    assert!(matches!(host.hear(), FromHost::NoApp { .. }));
    let message = json!({ "text": "ä" });
    host.say(&ToHost::App {
        number: 7,
        message: message.clone(),
    });
    let FromHost::NotSent { number, text } = host.hear() else {
        panic!("nobody was there to hear it")
    };
    assert_eq!(number, Some(7));
    assert!(text.contains("not running"), "{text}");

    for _ in 0..2 {
        let mut listener = Listener::bind(folder.path()).await.unwrap();
        let (mut frames, sender) = joined(&mut listener).await;
        host.say(&ToHost::App {
            number: 8,
            message: message.clone(),
        });
        assert_eq!(frames.next::<Value>().await.unwrap(), Some(message.clone()));
        sender.send(&message).await.unwrap();
        assert_eq!(
            host.hear(),
            FromHost::App {
                message: message.clone()
            }
        );
        drop((listener, frames, sender));
        assert!(matches!(host.hear(), FromHost::NoApp { .. }));
    }
}

#[test]
fn it_ends_with_its_browser() {
    let folder = tempfile::tempdir().unwrap();
    let mut host = Host::start(folder.path());
    host.input = None;
    assert!(host.child.wait().unwrap().success());
}

#[test]
fn it_serves_no_other_extension() {
    for arguments in [
        vec!["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"],
        vec!["native-host", "https://shop.example/"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign-bridge"));
        let refused = command.args(arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!(refused.status.code(), Some(2));
        let words = String::from_utf8(refused.stderr).unwrap();
        assert!(words.contains("is not Countersign's extension"), "{words}");
        assert!(refused.stdout.is_empty());
    }
}
