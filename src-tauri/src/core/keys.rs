use std::collections::BTreeSet;
use std::sync::Mutex;

use countersign_contract::{Code, ErrorView, KeyStore, ProviderKind, SetKeyParams};
use countersign_vault::{Sensitive, Vault};
use tokio::sync::OnceCell;

use super::{Core, lock};

const SERVICE: &str = "dev.countersign.desk";

/// The keys of the providers. The keyring is asked in the background: a locked one can take its time.
pub struct Keys {
    vault: OnceCell<Vault>,
    stored: Mutex<BTreeSet<ProviderKind>>,
}

impl Keys {
    pub fn new() -> Self {
        Self {
            vault: OnceCell::new(),
            stored: Mutex::default(),
        }
    }

    pub async fn vault(&self) -> &Vault {
        self.vault.get_or_init(|| Vault::open(SERVICE)).await
    }

    pub async fn get(&self, provider: ProviderKind) -> Option<Sensitive<String>> {
        self.vault().await.get(account(provider)).await.ok().flatten()
    }

    pub fn store(&self) -> KeyStore {
        match self.vault.get() {
            Some(vault) => vault.store(),
            None => KeyStore::Memory {
                why: "The keyring is being asked; it has not answered yet.".into(),
            },
        }
    }

    pub fn stored(&self) -> Vec<ProviderKind> {
        lock(&self.stored).iter().copied().collect()
    }
}

impl Core {
    pub(super) fn open_keys(&self) {
        let core = self.clone();
        tokio::spawn(async move {
            for provider in [ProviderKind::Openai, ProviderKind::OpenaiCompatible] {
                if core.inner.keys.get(provider).await.is_some() {
                    lock(&core.inner.keys.stored).insert(provider);
                }
            }
            core.changed();
        });
    }

    /// Stores a key, or forgets it when it is empty.
    ///
    /// # Errors
    /// When the keyring refuses.
    pub async fn set_key(&self, params: SetKeyParams) -> Result<(), ErrorView> {
        let vault = self.inner.keys.vault().await;
        let account = account(params.provider);
        let key = params.key.trim().to_owned();
        let keep = !key.is_empty();
        let stored = if keep {
            vault.set(account, Sensitive::new(key)).await
        } else {
            vault.delete(account).await
        };
        stored.map_err(|error| ErrorView::new(Code::Keyring, error.to_string()))?;
        if keep {
            lock(&self.inner.keys.stored).insert(params.provider);
        } else {
            lock(&self.inner.keys.stored).remove(&params.provider);
        }
        self.changed();
        Ok(())
    }
}

fn account(provider: ProviderKind) -> &'static str {
    match provider {
        ProviderKind::Openai => "openai",
        ProviderKind::OpenaiCompatible => "openai-compatible",
        ProviderKind::Ollama => "ollama",
        ProviderKind::None => "none",
    }
}
