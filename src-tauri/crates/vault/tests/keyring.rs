//! The keyring of the operating system itself. Ignored where none is promised; to run it with a keyring of its own:
//!
//! ```sh
//! dbus-run-session -- sh -c 'printf x | gnome-keyring-daemon --unlock --components=secrets >/dev/null &&
//!   cargo nextest run -p countersign-vault --run-ignored only'
//! ```

use countersign_contract::KeyStore;
use countersign_vault::{Sensitive, Vault};

const SERVICE: &str = "countersign-test";

#[tokio::test]
#[ignore = "needs an unlocked keyring"]
async fn a_key_survives_its_vault_and_can_be_forgotten() {
    let vault = Vault::open(SERVICE).await;
    assert_eq!(vault.store(), KeyStore::Keyring);
    vault
        .set("openai", Sensitive::new("sk-ключ-1".into()))
        .await
        .expect("stored");
    drop(vault);
    let vault = Vault::open(SERVICE).await;
    let found = vault.get("openai").await.expect("read");
    assert_eq!(found.map(Sensitive::into_inner), Some("sk-ключ-1".into()));
    vault.delete("openai").await.expect("forgotten");
    assert!(vault.get("openai").await.expect("read").is_none());
}
