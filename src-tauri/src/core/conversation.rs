use std::sync::Mutex;

use countersign_contract::{ChatEntry, ChatItem, Conversation};
use countersign_model::Message;
use tokio::sync::watch;

use super::lock;

/// The conversation as the panel shows it, and as the model is sent it.
pub struct ConversationStore {
    shown: Mutex<Conversation>,
    history: Mutex<Vec<Message>>,
    last: Mutex<u64>,
    cleared: Mutex<u64>,
    changes: watch::Sender<u64>,
}

impl ConversationStore {
    pub fn new(changes: watch::Sender<u64>) -> Self {
        Self {
            shown: Mutex::default(),
            history: Mutex::default(),
            last: Mutex::new(0),
            cleared: Mutex::new(0),
            changes,
        }
    }

    pub fn snapshot(&self) -> Conversation {
        lock(&self.shown).clone()
    }

    pub fn push(&self, item: ChatItem) -> u64 {
        let id = {
            let mut last = lock(&self.last);
            *last += 1;
            *last
        };
        self.change(|shown| shown.entries.push(ChatEntry { id, item }));
        id
    }

    /// Replaces an entry; one that was cleared away meanwhile stays away.
    pub fn update(&self, id: u64, item: ChatItem) {
        self.change(|shown| {
            if let Some(entry) = shown.entries.iter_mut().find(|entry| entry.id == id) {
                entry.item = item;
            }
        });
    }

    pub fn set_running(&self, running: bool) {
        self.change(|shown| shown.running = running);
    }

    pub fn clear(&self) {
        *lock(&self.cleared) += 1;
        lock(&self.history).clear();
        self.change(|shown| shown.entries.clear());
    }

    /// The name of the task this conversation is.
    pub fn task(&self) -> String {
        format!("conversation {}", *lock(&self.cleared) + 1)
    }

    /// What the model is to be sent, and the conversation it belongs to.
    pub fn take_history(&self) -> (u64, Vec<Message>) {
        (*lock(&self.cleared), std::mem::take(&mut lock(&self.history)))
    }

    /// Puts the history back, unless its conversation has been cleared away meanwhile.
    pub fn put_history(&self, conversation: u64, history: Vec<Message>) {
        if *lock(&self.cleared) == conversation {
            *lock(&self.history) = history;
        }
    }

    fn change(&self, change: impl FnOnce(&mut Conversation)) {
        change(&mut lock(&self.shown));
        self.changes.send_modify(|revision| *revision += 1);
    }
}
