use std::collections::HashMap;
use std::fs::File;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use countersign_contract::{ProviderKind, Settings, Tab};
use serde_json::json;
use thirtyfour::{Capabilities, WebDriver, WindowHandle};

use crate::display::{Desktop, artefacts, photograph, target};
use crate::model_server::ModelServer;
use crate::wait::{gone, until};
use crate::{Approval, Hand, Home, LedgerWindow, Panel, Process, Record, Shop, descendants};

/// How the app is started.
#[derive(Default)]
pub struct Options {
    /// The account it runs in; a new one when there is none.
    pub home: Option<Home>,
    /// Settings stored by an earlier run; none at a first start.
    pub settings: Option<Settings>,
    /// Use the keyring of the session; keys are kept in memory otherwise.
    pub keyring: bool,
    /// Let the browser show its window.
    pub headed: bool,
    /// More of the environment.
    pub env: Vec<(&'static str, String)>,
}

impl Options {
    /// A model on an OpenAI-compatible server, picked by the person earlier.
    pub fn openai(url: &str, model: &str) -> Self {
        Self::with(Settings {
            provider: ProviderKind::OpenaiCompatible,
            provider_chosen: true,
            openai_compatible_url: url.into(),
            openai_compatible_model: model.into(),
            ..Settings::default()
        })
    }

    /// The scripted model over the OpenAI wire, picked by the person earlier.
    pub fn model(server: &ModelServer) -> Self {
        Self::openai(&server.openai_url(), "scripted")
    }

    /// Ollama at this address, and nothing picked by the person yet.
    pub fn ollama_at(url: &str) -> Self {
        Self::with(Settings {
            ollama_url: url.into(),
            ..Settings::default()
        })
    }

    /// A first start on a machine without Ollama, whatever runs on this one.
    pub fn no_model() -> Self {
        Self::ollama_at("http://127.0.0.1:9")
    }

    /// These settings.
    pub fn with(settings: Settings) -> Self {
        Self {
            settings: Some(settings),
            ..Self::default()
        }
    }

    /// The same, with one more variable in the environment.
    #[must_use]
    pub fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// The same, beginning with an example, in a browser in whose pages a [`Hand`] can act.
    #[must_use]
    pub fn example(self, name: &str) -> Self {
        let browser = crate::hand::browser();
        self.env("COUNTERSIGN_EXAMPLE", name)
            .env("COUNTERSIGN_BROWSER", browser.to_string_lossy())
    }
}

/// The running app, and the driver that holds its windows. Everything it started ends with it.
pub struct App {
    driver: Option<WebDriver>,
    native: Child,
    process: Process,
    home: Option<Home>,
    windows: Mutex<HashMap<&'static str, WindowHandle>>,
    name: String,
    _desktop: Desktop,
}

impl App {
    /// Starts the app and waits for its panel.
    ///
    /// # Panics
    /// When it cannot be started; the message says what is missing.
    pub async fn start(options: Options) -> Self {
        let desktop = Desktop::take();
        let home = options.home.unwrap_or_default();
        if let Some(settings) = &options.settings {
            home.write_settings(settings);
        }
        let binary = program("countersign");
        let port = free_port();
        let log = File::options()
            .create(true)
            .append(true)
            .open(home.app_log())
            .expect("the log can be opened");
        let mut command = Command::new("WebKitWebDriver");
        command
            .arg(format!("--port={port}"))
            .arg("--host=127.0.0.1")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file can be opened twice"))
            .stderr(log)
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .envs(home.environment())
            .env("NO_AT_BRIDGE", "1");
        if !options.headed {
            command.env("COUNTERSIGN_HEADLESS", "1");
        }
        if !options.keyring {
            command.env("COUNTERSIGN_KEYRING", "memory");
        }
        command.envs(options.env);
        let native = command.spawn().unwrap_or_else(|error| {
            panic!("WebKitWebDriver could not be started ({error}). `npm run test:e2e` installs it.");
        });
        let native = OnFailure(Some(native));
        until("WebKitWebDriver should listen", async || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()
        })
        .await;
        let mut wanted = Capabilities::new();
        wanted
            .set("webkitgtk:browserOptions", json!({ "binary": binary, "args": [] }))
            .expect("the driver's options are JSON");
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), wanted)
            .await
            .unwrap_or_else(|error| {
                let said = std::fs::read_to_string(home.app_log()).unwrap_or_default();
                panic!("the app could not be started: {error}\n{said}");
            });
        let pid = native.id();
        let process = until("the app's process should be there", async || {
            let binary = binary.canonicalize().ok()?;
            descendants(pid)
                .into_iter()
                .find(|process| process.program().is_some_and(|program| program == binary))
        })
        .await;
        let app = Self {
            driver: Some(driver),
            native: native.keep(),
            process,
            home: Some(home),
            windows: Mutex::default(),
            name: std::thread::current().name().unwrap_or("scenario").replace("::", "-"),
            _desktop: desktop,
        };
        app.panel().screen().shows("Ledger").await;
        app
    }

    /// The panel window.
    pub const fn panel(&self) -> Panel<'_> {
        Panel::new(self)
    }

    /// The approval window.
    pub const fn approval(&self) -> Approval<'_> {
        Approval::new(self)
    }

    /// The ledger window.
    pub const fn ledger(&self) -> LedgerWindow<'_> {
        LedgerWindow::new(self)
    }

    /// The ledger's file, read from the disk.
    pub fn record(&self) -> Record {
        Record::of(self.home())
    }

    /// The example shop, seen from its own server, once its page is open.
    ///
    /// # Panics
    /// When it does not open in time.
    pub async fn shop(&self) -> Shop {
        let tab = until("the example should be open", async || {
            let mut tabs = self.panel().state().await.desk.tabs.into_iter();
            tabs.find(|tab| tab.title.contains("Little Harbour"))
        })
        .await;
        Shop::new(tab.origin.clone(), self.home().shop_log())
    }

    /// The tab of the example the app was started on, once it is there.
    ///
    /// # Panics
    /// When it does not come up in time.
    pub async fn example(&self) -> Tab {
        until("the example should be open", async || {
            let tabs = self.panel().state().await.desk.tabs;
            tabs.into_iter().find(|tab| !tab.tools.is_empty())
        })
        .await
    }

    /// A hand in a tab. The app must have been started for it.
    ///
    /// # Panics
    /// When the browser has no port for it.
    pub async fn hand(&self, tab: &Tab) -> Hand {
        Hand::on(self.home(), &tab.id).await
    }

    /// The account the app runs in.
    pub fn home(&self) -> &Home {
        self.home.as_ref().expect("a running app has a home")
    }

    /// The app's own process.
    pub const fn process(&self) -> &Process {
        &self.process
    }

    /// The browser's main process, if the app has started one.
    pub fn browser(&self) -> Option<Process> {
        descendants(self.process.pid).into_iter().find(|process| {
            let command = process.command();
            command.contains("--remote-debugging-pipe") && !command.contains("--type=")
        })
    }

    /// What the app and its driver have written to their standard error.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.home().app_log()).unwrap_or_default()
    }

    /// Ends the app with SIGKILL, in the middle of whatever it does, and waits until all it started is gone too.
    ///
    /// # Panics
    /// When something outlives it.
    pub async fn kill(mut self) -> Home {
        let children = descendants(self.process.pid);
        self.process.kill();
        gone("the app", std::slice::from_ref(&self.process)).await;
        gone("what the app had started", &children).await;
        self.home.take().expect("a running app has a home")
    }

    /// Closes the panel window, which ends the app in good order.
    ///
    /// # Panics
    /// When something outlives it.
    pub async fn close(mut self) -> Home {
        let children = descendants(self.process.pid);
        crate::display::close(Panel::TITLE).await;
        gone("the app", std::slice::from_ref(&self.process)).await;
        gone("what the app had started", &children).await;
        self.home.take().expect("a running app has a home")
    }

    pub(crate) fn driver(&self) -> &WebDriver {
        self.driver.as_ref().expect("a running app has a driver")
    }

    /// Turns the driver to a window.
    pub(crate) async fn switch(&self, page: &'static str) {
        let known = self
            .windows
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(page)
            .cloned();
        if let Some(handle) = known
            && self.driver().switch_to_window(handle).await.is_ok()
        {
            return;
        }
        let handle = until(&format!("the window {page} should be there"), async || {
            for handle in self.driver().windows().await.ok()? {
                self.driver().switch_to_window(handle.clone()).await.ok()?;
                let url = self.driver().current_url().await.ok()?;
                if url.path().trim_start_matches('/') == page {
                    return Some(handle);
                }
            }
            None
        })
        .await;
        self.windows
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(page, handle);
    }

    /// Forgets a window that has been closed.
    pub(crate) fn forget(&self, page: &'static str) {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner).remove(page);
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let picture = artefacts().join(format!("{}.png", self.name));
            photograph(&picture);
            let log = self
                .home
                .as_ref()
                .map(|home| std::fs::read_to_string(home.app_log()).unwrap_or_default());
            eprintln!(
                "the screen at that moment: {}\nthe app said:\n{}",
                picture.display(),
                log.unwrap_or_default()
            );
        }
        // The session ends with its driver; asking it to end first can wait for a window that is gone.
        if let Some(driver) = self.driver.take() {
            let _ = driver.leak();
        }
        end(&mut self.native);
    }
}

/// A driver that ends if the start of the app fails.
struct OnFailure(Option<Child>);

impl OnFailure {
    fn id(&self) -> u32 {
        self.0.as_ref().map_or(0, Child::id)
    }

    fn keep(mut self) -> Child {
        self.0.take().expect("kept once")
    }
}

impl Drop for OnFailure {
    fn drop(&mut self) {
        if let Some(native) = &mut self.0 {
            end(native);
        }
    }
}

/// Ends the driver and everything below it.
fn end(native: &mut Child) {
    let below = descendants(native.id());
    let _ = native.kill();
    let _ = native.wait();
    for process in below {
        process.kill();
    }
}

/// A program of this repository, built in the debug profile.
///
/// # Panics
/// When it has not been built.
pub fn program(name: &str) -> PathBuf {
    let chosen = if name == "countersign" {
        std::env::var_os("COUNTERSIGN_BIN").map(PathBuf::from)
    } else {
        None
    };
    let path = chosen.unwrap_or_else(|| target().join("debug").join(name));
    assert!(
        path.exists(),
        "{} has not been built. `npm run test:e2e` builds it.",
        path.display()
    );
    path
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("this machine has a loopback port to spare");
    listener.local_addr().expect("a bound listener has an address").port()
}
