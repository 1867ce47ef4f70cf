//! Starting and ending: where things are kept, and what happens when the ledger cannot be opened.

use std::path::PathBuf;

use countersign_bridge::{BrowserConfig, BrowserDoor};
use countersign_contract::{Code, ErrorView, ExampleName, Settings, UnknownExample};
use tauri::{AppHandle, Manager, Runtime};
use tauri_plugin_store::StoreExt;

use crate::core::{Core, CoreConfig};
use crate::{push, windows};

const SETTINGS_FILE: &str = "settings.json";
const SETTINGS_KEY: &str = "settings";

/// The core, or why there is none. The panel shows the reason in place of everything else.
pub struct Started(Result<Core, ErrorView>);

impl Started {
    /// No core, and why.
    #[cfg(test)]
    pub(crate) fn failed(error: ErrorView) -> Self {
        Self(Err(error))
    }

    /// The core.
    ///
    /// # Errors
    /// Why it could not be started.
    pub fn core(&self) -> Result<Core, ErrorView> {
        self.0.clone()
    }
}

/// The example that `COUNTERSIGN_EXAMPLE` names; `None` when it is not set.
///
/// # Errors
/// When there is no such example; the message lists them.
pub fn example_asked_for() -> Result<Option<ExampleName>, UnknownExample> {
    let name = std::env::var("COUNTERSIGN_EXAMPLE").unwrap_or_default();
    if name.is_empty() {
        Ok(None)
    } else {
        name.parse().map(Some)
    }
}

/// Opens the ledger and starts the core, and then the example, if there is one to begin with.
///
/// # Errors
/// When the system gives no folder to keep things in.
pub fn start<R: Runtime>(app: &AppHandle<R>, example: Option<ExampleName>) -> tauri::Result<()> {
    let folder = app.path().app_data_dir()?;
    let settings = load_settings(app);
    let beside = windows::beside_the_panel(app)?;
    let started = tauri::async_runtime::block_on(open(folder, settings, beside));
    if let Ok(core) = &started {
        push::follow(app.clone(), core.clone());
        begin_with(core.clone(), example);
    }
    app.manage(Started(started));
    Ok(())
}

/// A browser that is missing or does not start says so in the panel.
fn begin_with(core: Core, example: Option<ExampleName>) {
    let Some(example) = example else { return };
    tauri::async_runtime::spawn(async move {
        if let Err(error) = core.open_example(example).await {
            tracing::error!(%error, "the example could not be opened");
        }
    });
}

/// Fails everything held, and closes every door.
pub async fn close<R: Runtime>(app: &AppHandle<R>) {
    if let Ok(core) = crate::core(app) {
        core.close().await;
    }
}

async fn open(folder: PathBuf, settings: Settings, beside: Vec<String>) -> Result<Core, ErrorView> {
    let config = CoreConfig {
        ledger: folder.join("ledger"),
        version: env!("CARGO_PKG_VERSION").into(),
        settings,
    };
    let program = (!config.settings.browser_path.is_empty()).then(|| PathBuf::from(&config.settings.browser_path));
    let core = Core::open(config).await.map_err(|error| {
        ErrorView::new(
            Code::LedgerReadOnly,
            format!("The ledger could not be opened, so nothing can be held or released. {error}"),
        )
    })?;
    let (door, events) = BrowserDoor::new(BrowserConfig {
        program,
        extra_args: beside,
        headless: std::env::var_os("COUNTERSIGN_HEADLESS").is_some(),
        ..BrowserConfig::new(folder.join("browser-profile"))
    });
    core.desk().add_door(std::sync::Arc::new(door), events);
    core.restore_relay().await;
    core.restore_mcp_b().await;
    core.restore_clients().await;
    core.listen_for_programs(&folder).await;
    core.look_for_ollama();
    Ok(core)
}

fn load_settings<R: Runtime>(app: &AppHandle<R>) -> Settings {
    let stored = app.store(SETTINGS_FILE).ok().and_then(|store| store.get(SETTINGS_KEY));
    stored
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default()
}

/// Writes the settings to disk. There are no keys in them.
///
/// # Errors
/// When they cannot be written.
pub fn store_settings<R: Runtime>(app: &AppHandle<R>, settings: &Settings) -> Result<(), ErrorView> {
    let failed = |error: String| {
        ErrorView::new(
            Code::Settings,
            format!("The settings hold for this run only; they could not be stored: {error}"),
        )
    };
    let store = app.store(SETTINGS_FILE).map_err(|error| failed(error.to_string()))?;
    let value = serde_json::to_value(settings).map_err(|error| failed(error.to_string()))?;
    store.set(SETTINGS_KEY, value);
    store.save().map_err(|error| failed(error.to_string()))
}
