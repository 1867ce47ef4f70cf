//! The desktop shell: windows, commands and what the core asks of the desktop. It decides nothing.

pub mod app;
mod automation;
mod commands;
pub mod core;
mod examples;
mod push;
#[cfg(test)]
mod who_may_decide;
mod windows;

use countersign_contract::ExampleName;
use tauri::Manager;
use tracing_subscriber::EnvFilter;

/// Starts the app and returns when its last window is closed.
pub fn run() {
    let filter = EnvFilter::try_from_env("COUNTERSIGN_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let example = match app::example_asked_for() {
        Ok(example) => example,
        Err(unknown) => {
            eprintln!("Countersign could not start: {unknown}");
            std::process::exit(1);
        }
    };
    let app = builder(tauri::Builder::default(), example).build(context());
    match app {
        Ok(app) => app.run(|handle, event| {
            if let tauri::RunEvent::ExitRequested { .. } = event {
                tauri::async_runtime::block_on(app::close(handle));
            }
        }),
        Err(error) => {
            eprintln!("Countersign could not start: {error}");
            std::process::exit(1);
        }
    }
}

/// The app's configuration and its windows' capabilities.
pub fn context<R: tauri::Runtime>() -> tauri::Context<R> {
    tauri::generate_context!()
}

/// The app, on any runtime. It opens an example at once when it is given one.
pub fn builder<R: tauri::Runtime>(builder: tauri::Builder<R>, example: Option<ExampleName>) -> tauri::Builder<R> {
    with_commands(builder)
        .on_window_event(windows::on_event)
        .setup(move |app| {
            app::start(app.handle(), example)?;
            windows::open_panel(app.handle())?;
            Ok(())
        })
}

/// The commands and what they need, with no window and no core yet.
fn with_commands<R: tauri::Runtime>(builder: tauri::Builder<R>) -> tauri::Builder<R> {
    builder
        .plugin(tauri_plugin_store::Builder::new().build())
        .plugin(tauri_plugin_opener::init())
        .invoke_handler(commands::handler())
}

/// The core, if it could be started.
pub(crate) fn core<R: tauri::Runtime>(
    app: &tauri::AppHandle<R>,
) -> Result<core::Core, countersign_contract::ErrorView> {
    app.state::<app::Started>().core()
}
