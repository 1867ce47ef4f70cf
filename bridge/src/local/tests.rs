use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

async fn both(folder: &TempDir) -> (Listener, Peer, Box<dyn Stream>) {
    let mut listener = Listener::bind(folder.path()).await.unwrap();
    let (peer, stream) = tokio::join!(listener.accept(), connect(folder.path()));
    (listener, peer.unwrap(), stream.unwrap())
}

#[tokio::test]
async fn what_is_sent_arrives_whole_and_in_order_both_ways() {
    let folder = TempDir::new().unwrap();
    let (_listener, peer, stream) = both(&folder).await;
    #[cfg(target_os = "linux")]
    assert_eq!(peer.process, Some(std::process::id()));
    let (mut app, to_program) = Frames::of(peer.stream);
    let (mut program, to_app) = Frames::of(stream);
    let long = "ä\n".repeat(400_000);
    for message in [json!({ "n": 1 }), json!({ "text": long }), json!(3)] {
        // Neither end takes in a long message at once.
        let (sent, came) = tokio::join!(to_app.send(&message), app.next::<Value>());
        sent.unwrap();
        assert_eq!(came.unwrap(), Some(message.clone()));
        let (sent, came) = tokio::join!(to_program.send(&message), program.next::<Value>());
        sent.unwrap();
        assert_eq!(came.unwrap(), Some(message));
    }
    drop((program, to_app));
    assert_eq!(app.next::<Value>().await.unwrap(), None);
}

#[tokio::test]
async fn a_second_app_is_told_and_a_socket_that_was_left_is_taken_over() {
    let folder = TempDir::new().unwrap();
    let first = Listener::bind(folder.path()).await.unwrap();
    let second = Listener::bind(folder.path()).await.err().unwrap();
    assert_eq!(second.kind(), io::ErrorKind::AddrInUse);
    // As an app that was killed leaves it: the socket's name stays, and nobody answers.
    #[cfg(unix)]
    {
        let left = folder.path().join("left.sock");
        drop(std::os::unix::net::UnixListener::bind(&left).unwrap());
        drop(first);
        std::fs::rename(left, folder.path().join("desk.sock")).unwrap();
        assert!(connect(folder.path()).await.is_err());
        Listener::bind(folder.path()).await.unwrap();
    }
    #[cfg(not(unix))]
    drop(first);
}

#[tokio::test]
async fn without_an_app_there_is_nothing_to_connect_to() {
    let folder = TempDir::new().unwrap();
    let error = connect(folder.path()).await.err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[tokio::test]
async fn what_is_no_message_ends_reading_and_a_line_cut_in_the_middle_is_no_message() {
    let folder = TempDir::new().unwrap();
    let (mut listener, peer, stream) = both(&folder).await;
    let (mut app, _) = Frames::of(peer.stream);
    let (mut reader, mut writer) = tokio::io::split(stream);
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    writer.write_all(b"{\"half\":\n").await.unwrap();
    assert!(matches!(app.next::<Value>().await, Err(FrameError::Malformed(_))));
    drop(app);
    let mut rest = Vec::new();
    let _ = reader.read_to_end(&mut rest).await;
    assert_eq!(rest, b"");
    let (peer, stream) = tokio::join!(listener.accept(), connect(folder.path()));
    let (mut app, _) = Frames::of(peer.unwrap().stream);
    let mut stream = stream.unwrap();
    stream.write_all(b"{\"whole\":1").await.unwrap();
    drop(stream);
    assert_eq!(app.next::<Value>().await.unwrap(), None);
}

#[cfg(unix)]
#[tokio::test]
async fn only_this_account_can_open_the_socket_also_where_the_data_folder_is_deep() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let _listener = Listener::bind(folder.path()).await.unwrap();
    let mode = std::fs::metadata(folder.path().join("desk.sock"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let deep = folder.path().join("a-folder-with-a-long-name/".repeat(6));
    let mut listener = Listener::bind(&deep).await.unwrap();
    let (peer, stream) = tokio::join!(listener.accept(), connect(&deep));
    assert!(peer.is_ok() && stream.is_ok());
}
