//! Starts the browser's process. One thread spawns it, reads its pipe and sees it end: on Linux the browser is killed when
//! that thread dies, however the app came to its end, and nothing that was held gets out.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::BrowserConfig;
use super::find::program_on_path;
use super::pipe::Pipe;
use super::protocol::Message;

/// A browser that is running.
pub(super) struct Launched {
    pub pipe: Pipe,
    pub process: Process,
}

/// The browser's process, to end it if it does not end by itself.
#[derive(Clone)]
pub(super) struct Process(Arc<Mutex<Child>>);

impl Process {
    #[cfg(any(test, feature = "fuzzing"))]
    pub fn of(child: Child) -> Self {
        Self(Arc::new(Mutex::new(child)))
    }

    /// Ends it at once.
    pub fn kill(&self) {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).id()
    }
}

/// How the browser's process ended.
#[derive(Debug)]
pub(super) struct Exit {
    /// It said itself that all was well.
    pub clean: bool,
    /// How it ended, and its last words.
    pub words: String,
}

/// Starts `program`. `event` gets every event, `exit` is called once, last; both on the browser's own thread.
pub(super) async fn launch(
    program: &Path,
    config: &BrowserConfig,
    event: impl FnMut(Message) + Send + 'static,
    exit: impl FnOnce(Exit) + Send + 'static,
) -> Result<Launched, String> {
    let mut command = command(program, config);
    let (started, starting) = oneshot::channel();
    std::thread::Builder::new()
        .name("countersign-browser".into())
        .spawn(move || run(&mut command, started, event, exit))
        .map_err(|error| error.to_string())?;
    starting.await.unwrap_or_else(|_| Err("its thread ended".into()))
}

#[cfg(unix)]
fn run(
    command: &mut Command,
    started: oneshot::Sender<Result<Launched, String>>,
    event: impl FnMut(Message),
    exit: impl FnOnce(Exit),
) {
    use command_fds::{CommandFdExt, FdMapping};

    let spawned = (|| {
        let (browser_reads, we_write) = std::io::pipe().map_err(|error| error.to_string())?;
        let (we_read, browser_writes) = std::io::pipe().map_err(|error| error.to_string())?;
        command
            .fd_mappings(vec![
                FdMapping {
                    parent_fd: browser_reads.into(),
                    child_fd: 3,
                },
                FdMapping {
                    parent_fd: browser_writes.into(),
                    child_fd: 4,
                },
            ])
            .map_err(|error| error.to_string())?;
        let child = command.spawn().map_err(|error| error.to_string())?;
        let pipe = Pipe::new(we_write).map_err(|error| error.to_string())?;
        Ok((child, pipe, we_read))
    })();
    // The command still owns the browser's ends of both pipes; the read below ends only when they are all closed.
    *command = Command::new("true");
    let (mut child, pipe, we_read) = match spawned {
        Ok(spawned) => spawned,
        Err(error) => {
            let _ = started.send(Err(error));
            return;
        }
    };
    let words = last_words(&mut child);
    let process = Process(Arc::new(Mutex::new(child)));
    let _ = started.send(Ok(Launched {
        pipe: pipe.clone(),
        process: process.clone(),
    }));
    pipe.read(we_read, event);
    let status = process.0.lock().unwrap_or_else(PoisonError::into_inner).wait();
    let words = words
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
        .cloned()
        .collect::<Vec<_>>()
        .join(" / ");
    exit(match status {
        Ok(status) => Exit {
            clean: status.success(),
            // What it wrote before somebody killed it says nothing about that.
            words: if words.is_empty() || status.code().is_none() {
                status.to_string()
            } else {
                format!("{status}; its last words: {words}")
            },
        },
        Err(error) => Exit {
            clean: false,
            words: error.to_string(),
        },
    });
}

#[cfg(not(unix))]
fn run(
    _: &mut Command,
    started: oneshot::Sender<Result<Launched, String>>,
    _: impl FnMut(Message),
    _: impl FnOnce(Exit),
) {
    let _ = started.send(Err("the debugging pipe is not supported on this system yet".into()));
}

/// Keeps the last lines the browser wrote to its error stream: the only place where it says why it does not start.
fn last_words(child: &mut Child) -> Arc<Mutex<VecDeque<String>>> {
    let words = Arc::new(Mutex::new(VecDeque::new()));
    if let Some(stream) = child.stderr.take() {
        let words = words.clone();
        let _ = std::thread::Builder::new()
            .name("countersign-browser-words".into())
            .spawn(move || {
                for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                    let line = String::from_utf8_lossy(&line)
                        .trim()
                        .chars()
                        .take(300)
                        .collect::<String>();
                    if line.is_empty() {
                        continue;
                    }
                    let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
                    if words.len() == 3 {
                        words.pop_front();
                    }
                    words.push_back(line);
                }
            });
    }
    words
}

fn command(program: &Path, config: &BrowserConfig) -> Command {
    let arguments = arguments(config);
    let mut command = match program_on_path("setpriv").filter(|_| cfg!(target_os = "linux")) {
        Some(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "KILL"]).arg(program);
            command
        }
        None => Command::new(program),
    };
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // An interrupt from the terminal is for the app, which then closes the browser with everything held failed first.
        command.process_group(0);
    }
    command
}

fn arguments(config: &BrowserConfig) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = [
        "--remote-debugging-pipe",
        // The first document must not exist before the hold does.
        "--no-startup-window",
        "--enable-features=WebMCP",
        // Some browsers load an extension over the pipe only when they are told that they may.
        "--enable-unsafe-extension-debugging",
        // A page that comes back from the cache lists its tools to nobody, and its interceptor has been forgotten. What the
        // browser itself sends for a page (its reports, and what a sign-in asks of its provider) passes no network hold. A sandboxed
        // frame in a process of its own whose document comes from no server runs before the interceptor is in it.
        "--disable-features=BackForwardCache,Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,\
         FedCm,Reporting,NetworkErrorLogging,IsolateSandboxedIframes",
        // What is sent through these is seen neither by the network hold nor by the interceptor.
        "--disable-blink-features=BackgroundFetch,WebSocketStream,FetchUploadStreaming",
        // The interceptor takes WebRTC from every document; what it could still reach goes by no path of its own.
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--disable-quic",
        // The one that was prepared.
        "--profile-directory=Default",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-search-engine-choice-screen",
        "--hide-crash-restore-bubble",
        // The profile is ours and holds no passwords; without this the browser may ask to unlock a keyring.
        "--password-store=basic",
    ]
    .map(OsString::from)
    .to_vec();
    let mut profile = OsString::from("--user-data-dir=");
    profile.push(&config.profile_dir);
    arguments.push(profile);
    if config.headless {
        arguments.push("--headless=new".into());
    }
    if runs_as_root() {
        // Chromium's sandbox refuses to start for root; without this there would be no browser at all in a container.
        arguments.push("--no-sandbox".into());
    }
    arguments.extend(config.extra_args.iter().map(OsString::from));
    arguments
}

#[cfg(target_os = "linux")]
fn runs_as_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[cfg(not(target_os = "linux"))]
fn runs_as_root() -> bool {
    false
}
