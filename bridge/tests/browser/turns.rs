//! Reads and released writes in turn: each waits until the guard is as it has to be for it.

use countersign_bridge::{Door, DoorError, Executed};
use countersign_contract::Tool;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

const TURNS: usize = 25;
/// The browser's rule names each tab that is spared, so that with many of them it takes a while to be changed.
const TABS: usize = 20;

/// Both say what became of their sockets. The read does not wait for its request, which is held.
const PAGE: &str = r#"<script>
const opened = (path) => new Promise((done) => {
  const socket = new WebSocket("ws://" + location.host + path);
  socket.onopen = () => { done("opened"); socket.close(); };
  socket.onclose = () => done("refused");
});
const post = (path, body) => fetch(path, { method: "POST", body });
tools.registerTool({ name: "look", description: "Looks", annotations: { readOnlyHint: true }, execute: ({ turn }) => {
  post("/read", turn).catch(() => {});
  return opened("/read-socket");
} });
tools.registerTool({ name: "glance", description: "Looks", annotations: { readOnlyHint: true }, execute: () => { fetch("/glanced"); return "seen"; } });
tools.registerTool({ name: "pay", description: "Pays", execute: async ({ turn }) => {
  const first = await opened("/write-socket");
  await post("/write", turn);
  return first + ", " + (await opened("/write-socket"));
} });
</script>"#;

#[tokio::test]
async fn the_guard_is_on_before_a_read_runs_and_off_before_a_released_write_does() {
    let mut rig = Rig::with_page(PAGE).await;
    let (look, pay) = (rig.tool("look").await, rig.tool("pay").await);
    for _ in 0..TABS {
        rig.door.open("about:blank").await.unwrap();
    }
    let mut turns = Vec::new();
    for turn in 0..TURNS {
        let turn = turn.to_string();
        let read = rig.read(&look, json!({ "turn": turn })).await;
        assert_eq!(read, Ok("refused".into()), "the socket of read {turn}");
        let (held, tool, request) = rig.network().await;
        let seen = (tool.name.as_str(), request.body.as_deref());
        assert_eq!(seen, ("look", Some(turn.as_str())));
        rig.door.answer(&held, "Refused.").await;
        rig.pays(&pay, &turn, false).await;
        // The browser has only just been asked for the guard of a read that is given up.
        rig.pays(&pay, &turn, true).await;
        turns.extend([turn.clone(), turn]);
    }
    assert_eq!(rig.site.posts("/write"), turns);
    assert_eq!(rig.site.posts("/read"), Vec::<String>::new());
    assert_eq!(rig.site.opened("/read-socket"), 0);
}

impl Rig {
    /// Releases the write, right after a read of the same page that was given up.
    async fn pays(&mut self, pay: &Tool, turn: &str, after_a_read: bool) {
        let ticket = self.call_ticket(pay, json!({ "turn": turn })).await;
        let glances = self.site.gets("/glanced");
        if after_a_read {
            let given_up = CancellationToken::new();
            given_up.cancel();
            let glance = self.tool("glance").await;
            let read = self.door.read(self.pass(&glance, json!({})), given_up).await;
            assert_eq!(read, Err(DoorError::Cancelled));
        }
        let Executed::Committed { result } = self.execute(ticket).await else {
            panic!("write {turn} was released")
        };
        // A read that had begun before it was given up goes on being guarded.
        let had_begun = self.site.gets("/glanced") > glances;
        assert!(
            result == "opened, opened" || had_begun,
            "the sockets of write {turn} were {result}"
        );
        assert!(!self.has_held(), "write {turn} was held");
    }
}
