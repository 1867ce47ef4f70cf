use std::sync::Arc;
use std::time::Duration;

use countersign_contract::KeyStore;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::{Keyring, Memory, SecretStore, Sensitive, VaultError};

/// Where the keys of the person's providers are kept.
#[derive(Clone)]
pub struct Vault {
    place: Arc<dyn SecretStore>,
    kept: KeyStore,
    limit: Duration,
}

/// A locked keyring may show a dialog of the system's; long enough to type a password, short enough to start.
const PROBE_LIMIT: Duration = Duration::from_secs(20);
/// Later the person has asked for it, and waits.
const USE_LIMIT: Duration = Duration::from_secs(120);
const PROBE: &str = "probe";
const CHOICE: &str = "COUNTERSIGN_KEYRING";

impl Vault {
    /// Opens the keyring's secrets of one service. Proved by storing and deleting a probe, because a keyring without a
    /// collection says it is fine. When it cannot be used, secrets live in memory for the run and
    /// [`Vault::store`] says why. `COUNTERSIGN_KEYRING=memory` asks for that.
    pub async fn open(service: &str) -> Self {
        Self::choose(service, std::env::var(CHOICE).ok().as_deref()).await
    }

    async fn choose(service: &str, choice: Option<&str>) -> Self {
        match choice {
            Some("memory") => Self::in_memory(format!("{CHOICE}=memory is set, which asks for it")),
            _ => Self::probe(Arc::new(Keyring::new(service)), PROBE_LIMIT).await,
        }
    }

    /// Uses a place if it passes the probe within the limit, and memory if not.
    pub async fn probe(place: Arc<dyn SecretStore>, limit: Duration) -> Self {
        let probe = |place: &dyn SecretStore| {
            place.set(PROBE, &Sensitive::new(PROBE.to_owned()))?;
            let found = place.get(PROBE)?;
            place.delete(PROBE)?;
            match found.as_ref().map(|secret| secret.expose().as_str()) {
                Some(PROBE) => Ok(()),
                _ => Err("it forgets what it is given".to_owned()),
            }
        };
        match on_thread(&place, limit, probe).await {
            Ok(()) => Self {
                place,
                kept: KeyStore::Keyring,
                limit: USE_LIMIT,
            },
            Err(why) => {
                tracing::info!(%why, "the keyring cannot be used; keys stay in memory");
                Self::in_memory(format!("the keyring cannot be used: {why}"))
            }
        }
    }

    /// Keeps secrets in memory, and says why in words that follow "because".
    pub fn in_memory(why: impl Into<String>) -> Self {
        Self {
            place: Arc::new(Memory::default()),
            kept: KeyStore::Memory { why: why.into() },
            limit: USE_LIMIT,
        }
    }

    /// Where secrets are kept.
    pub fn store(&self) -> KeyStore {
        self.kept.clone()
    }

    /// The secret under this name, if there is one.
    ///
    /// # Errors
    /// [`VaultError::Keyring`] when the keyring does not answer.
    pub async fn get(&self, account: &str) -> Result<Option<Sensitive<String>>, VaultError> {
        let account = account.to_owned();
        self.call(move |place| place.get(&account)).await
    }

    /// Stores a secret, over any other of this name.
    ///
    /// # Errors
    /// [`VaultError::Keyring`] when the keyring does not take it.
    pub async fn set(&self, account: &str, secret: Sensitive<String>) -> Result<(), VaultError> {
        let account = account.to_owned();
        self.call(move |place| place.set(&account, &secret)).await
    }

    /// Forgets a secret, if there is one.
    ///
    /// # Errors
    /// [`VaultError::Keyring`] when the keyring does not answer.
    pub async fn delete(&self, account: &str) -> Result<(), VaultError> {
        let account = account.to_owned();
        self.call(move |place| place.delete(&account)).await
    }

    async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SecretStore) -> Result<T, String> + Send + 'static,
    ) -> Result<T, VaultError> {
        on_thread(&self.place, self.limit, work)
            .await
            .map_err(|why| VaultError::Keyring { why })
    }
}

/// Runs blocking work on a thread of its own. Not on the runtime's pool: a keyring that never answers would keep the
/// runtime, and with it the app, from ending.
async fn on_thread<T: Send + 'static>(
    place: &Arc<dyn SecretStore>,
    limit: Duration,
    work: impl FnOnce(&dyn SecretStore) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (tell, told) = oneshot::channel();
    let place = Arc::clone(place);
    let thread = std::thread::Builder::new().name("keyring".into());
    thread
        .spawn(move || drop(tell.send(work(place.as_ref()))))
        .map_err(|error| format!("no thread for it ({error})"))?;
    match timeout(limit, told).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err("its service failed".into()),
        Err(_) => Err(format!(
            "it did not answer within {} seconds; it may be waiting to be unlocked",
            limit.as_secs()
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use countersign_contract::KeyStore;

    use super::Vault;
    use crate::{Memory, SecretStore, Sensitive, VaultError};

    const LONG: Duration = Duration::from_secs(60);

    /// A keyring that fails in one of its calls.
    #[derive(Default)]
    struct Broken {
        memory: Memory,
        set: Option<&'static str>,
        forgetful: bool,
        silent: Option<Mutex<Receiver<()>>>,
    }

    impl SecretStore for Broken {
        fn get(&self, account: &str) -> Result<Option<Sensitive<String>>, String> {
            if self.forgetful {
                Ok(None)
            } else {
                self.memory.get(account)
            }
        }
        fn set(&self, account: &str, secret: &Sensitive<String>) -> Result<(), String> {
            if let Some(silent) = &self.silent {
                let _ = silent.lock().expect("one caller").recv();
            }
            self.set
                .map_or_else(|| self.memory.set(account, secret), |why| Err(why.to_owned()))
        }
        fn delete(&self, account: &str) -> Result<(), String> {
            self.memory.delete(account)
        }
    }

    async fn keep_one(vault: &Vault) {
        vault
            .set("openai", Sensitive::new("sk-1".into()))
            .await
            .expect("stored");
        vault
            .set("openai", Sensitive::new("sk-2".into()))
            .await
            .expect("stored over");
        assert_eq!(
            vault.get("openai").await.expect("read").map(Sensitive::into_inner),
            Some("sk-2".into())
        );
        assert!(vault.get("other").await.expect("read").is_none());
        vault.delete("openai").await.expect("forgotten");
        vault.delete("openai").await.expect("forgetting twice is fine");
        assert!(vault.get("openai").await.expect("read").is_none());
    }

    #[tokio::test]
    async fn a_keyring_that_passes_the_probe_is_used_and_left_clean() {
        let keyring = Arc::new(Broken::default());
        let vault = Vault::probe(keyring.clone(), LONG).await;
        assert_eq!(vault.store(), KeyStore::Keyring);
        assert!(
            keyring.memory.get("probe").expect("read").is_none(),
            "the probe must not stay"
        );
        keep_one(&vault).await;
    }

    #[tokio::test]
    async fn a_keyring_that_fails_or_forgets_leaves_memory_and_the_reason() {
        let locked = Broken {
            set: Some("it is locked"),
            ..Broken::default()
        };
        let forgetful = Broken {
            forgetful: true,
            ..Broken::default()
        };
        for (keyring, why) in [(locked, "it is locked"), (forgetful, "it forgets what it is given")] {
            let vault = Vault::probe(Arc::new(keyring), LONG).await;
            assert_eq!(
                vault.store(),
                KeyStore::Memory {
                    why: format!("the keyring cannot be used: {why}")
                }
            );
            keep_one(&vault).await;
        }
    }

    #[tokio::test]
    async fn a_keyring_that_never_answers_leaves_memory() {
        let (_keep_it_silent, silent) = channel();
        let keyring = Broken {
            silent: Some(Mutex::new(silent)),
            ..Broken::default()
        };
        let vault = Vault::probe(Arc::new(keyring), Duration::from_millis(1)).await;
        let KeyStore::Memory { why } = vault.store() else {
            panic!("a silent keyring must not be used")
        };
        assert!(why.contains("did not answer"), "{why}");
        keep_one(&vault).await;
    }

    #[tokio::test]
    async fn memory_can_be_asked_for() {
        let vault = Vault::choose("countersign-test", Some("memory")).await;
        let why = "COUNTERSIGN_KEYRING=memory is set, which asks for it".to_owned();
        assert_eq!(vault.store(), KeyStore::Memory { why });
        keep_one(&vault).await;
    }

    #[tokio::test]
    async fn a_keyring_that_fails_later_says_so_and_keeps_nothing_elsewhere() {
        let locked = Broken {
            set: Some("it is locked"),
            ..Broken::default()
        };
        let vault = Vault {
            place: Arc::new(locked),
            kept: KeyStore::Keyring,
            limit: LONG,
        };
        let error = vault
            .set("openai", Sensitive::new("sk-1".into()))
            .await
            .expect_err("it is locked");
        assert_eq!(
            error,
            VaultError::Keyring {
                why: "it is locked".into()
            }
        );
        assert!(vault.get("openai").await.expect("read").is_none());
    }
}
