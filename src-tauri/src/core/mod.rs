//! The app without its windows: the desk, the conversation, the settings, the keys. Nothing in here knows tauri, so the tests
//! run it with no display.

mod beside;
mod client_setups;
mod clients;
mod conversation;
mod descriptors;
mod host;
mod keys;
mod mcp_b;
mod pages;
mod provider;
mod relay;
mod setup;
mod turns;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_contract::{Code, ErrorView, PanelState, Settings};
use countersign_desk::{Desk, DeskConfig, SystemClock};
use countersign_gate::Policy;
use countersign_ledger::LedgerError;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::examples::Examples;
use clients::Clients;
use conversation::ConversationStore;
use keys::Keys;
use mcp_b::McpB;
use relay::Relay;

/// How the core is set up.
pub struct CoreConfig {
    /// The folder of the ledger.
    pub ledger: PathBuf,
    /// The app's version.
    pub version: String,
    /// What the person chose.
    pub settings: Settings,
}

/// A handle to the core; clones are the same core.
#[derive(Clone)]
pub struct Core {
    inner: Arc<Inner>,
}

struct Inner {
    desk: Desk,
    conversation: ConversationStore,
    settings: Mutex<Settings>,
    keys: Keys,
    turn: Mutex<Option<CancellationToken>>,
    examples: Examples,
    relay: Relay,
    mcp_b: McpB,
    clients: Clients,
    changes: watch::Sender<u64>,
}

impl Core {
    /// Opens the ledger and starts the desk.
    ///
    /// # Errors
    /// When the ledger is in use by another process, or cannot be read.
    pub async fn open(config: CoreConfig) -> Result<Self, LedgerError> {
        let hold_ms = u64::from(config.settings.hold_minutes.max(1)) * 60_000;
        let desk = Desk::open(
            DeskConfig {
                ledger: config.ledger,
                policy: Policy {
                    hold_ms,
                    // Only the tests' own builds may be driven, and the ledger says of each release that it was.
                    refuse_automated: !cfg!(debug_assertions),
                    ..Policy::default()
                },
                version: config.version,
            },
            Arc::new(SystemClock::new()),
        )
        .await?;
        desk.set_sites(&config.settings.sites);
        desk.mark_reads(&config.settings.marked_reads);
        let (changes, _) = watch::channel(1);
        let (relay, relay_events) = Relay::new();
        let (mcp_b, mcp_b_events) = McpB::new();
        let core = Self {
            inner: Arc::new(Inner {
                desk,
                conversation: ConversationStore::new(changes.clone()),
                settings: Mutex::new(config.settings),
                keys: Keys::new(),
                turn: Mutex::new(None),
                examples: Examples::default(),
                relay,
                mcp_b,
                clients: Clients::default(),
                changes,
            }),
        };
        core.describe(descriptors::readable(&core.settings().descriptors));
        core.inner.desk.set_beside(&core.settings().beside);
        core.follow_desk();
        core.open_relay(relay_events);
        core.open_mcp_b(mcp_b_events);
        core.open_keys();
        Ok(core)
    }

    /// The one queue.
    pub fn desk(&self) -> &Desk {
        &self.inner.desk
    }

    /// A number that grows with every change of [`Core::panel_state`].
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// Everything the panel draws.
    pub async fn panel_state(&self) -> PanelState {
        PanelState {
            desk: self.inner.desk.state(),
            conversation: self.inner.conversation.snapshot(),
            settings: self.settings(),
            provider: self.provider_status(),
            relay: self.inner.relay.state(),
            mcp_b: self.inner.mcp_b.state(),
            client_doors: self.inner.clients.doors(),
        }
    }

    /// What the person chose.
    pub fn settings(&self) -> Settings {
        lock(&self.inner.settings).clone()
    }

    /// Takes over new settings, and returns them as they are to be stored. The doors for pages that connect by themselves and the tools that were marked as reads stay as
    /// they are: they have commands of their own, which check more.
    ///
    /// # Errors
    /// When an address cannot be one, or a descriptor cannot be read.
    pub fn set_settings(&self, mut settings: Settings) -> Result<Settings, ErrorView> {
        for url in [&settings.ollama_url, &settings.openai_compatible_url] {
            if !url.is_empty() && !url.starts_with("http://") && !url.starts_with("https://") {
                let message = format!("`{url}` is not an address of a server: it must begin with http:// or https://.");
                return Err(ErrorView::new(Code::Settings, message));
            }
        }
        if let Some(site) = settings.sites.iter().find(|site| !site.is_readable()) {
            let message = format!(
                "`{}` does not name a site: it must be like https://shop.example, https://*.shop.example, or *.",
                site.origin
            );
            return Err(ErrorView::new(Code::Settings, message));
        }
        let descriptors = descriptors::read(&settings.descriptors)?;
        settings.round_limit = settings.round_limit.clamp(1, 100);
        settings.hold_minutes = settings.hold_minutes.clamp(1, 7 * 24 * 60);
        settings.provider_chosen = true;
        {
            // What has a command of its own stays: a window's draft of the settings may be older than it.
            let mut kept = lock(&self.inner.settings);
            settings.relay = kept.relay.clone();
            settings.mcp_b = kept.mcp_b.clone();
            settings.marked_reads.clone_from(&kept.marked_reads);
            settings.beside.clone_from(&kept.beside);
            settings.clients.clone_from(&kept.clients);
            *kept = settings.clone();
        }
        self.inner.desk.set_hold_minutes(settings.hold_minutes);
        self.inner.desk.set_sites(&settings.sites);
        self.describe(descriptors);
        self.changed();
        Ok(settings)
    }

    /// Takes back what the conversation still waits for, fails everything held in the browser, and closes every door.
    pub async fn close(&self) {
        self.cancel_turn();
        self.inner.desk.close().await;
    }

    fn changed(&self) {
        self.inner.changes.send_modify(|revision| *revision += 1);
    }

    fn follow_desk(&self) {
        let core = self.clone();
        tokio::spawn(async move {
            let mut desk = core.inner.desk.changes();
            while desk.changed().await.is_ok() {
                core.changed();
            }
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
