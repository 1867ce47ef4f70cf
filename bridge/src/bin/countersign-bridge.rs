//! The command line beside the app: `ledger verify` and `ledger export` need neither the app nor a window.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use countersign_bridge::local::data_folder;
use countersign_bridge::mcp::{RemoteLobby, serve_stdio};
use countersign_bridge::native_host::{EXTENSION_ID, is_ours, serve};
use countersign_contract::{Fault, Row, TakeFiveLedger, VerifyReport};
use countersign_ledger::{Depth, GENESIS, LedgerError, log_file, looks_like_take_five, read_take_five, scan_file};

const USAGE: &str = "\
usage: countersign-bridge mcp
       countersign-bridge native-host ORIGIN
       countersign-bridge ledger verify FILE [--head HASH]
       countersign-bridge ledger export FILE

  mcp      serves MCP on standard input and output, for the client that starts it: the tools of the pages that are open in
           Countersign. The app is started when it does not run. Every write is held there.
  native-host
           carries messages between Countersign and its extension; the browser that has the extension starts it
  verify   checks every row of a ledger and prints how many there are, the head, and the first fault
           --head HASH   also checks that a head you remember is still in the chain
  export   prints the rows as JSON, one a line, up to the first fault

  FILE is a ledger's log, or the folder it is in; for verify also the ledger of a Take Five room, as JSON.
  Exit codes: 0 no fault, 1 a fault, 2 wrong usage or a file that cannot be read.";

const BOUNDARY: &str = "This finds rows that were edited, dropped, added or moved. It cannot see rows cut from the end, or a chain \
                        rewritten to the end, unless you give it a head you remember (--head).";

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// `Ok(false)` for a fault in what was checked, `Err` for what could not be done.
fn run(arguments: impl Iterator<Item = OsString>) -> Result<bool, String> {
    let arguments: Vec<OsString> = arguments.collect();
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or_default()).collect();
    match words.as_slice() {
        ["ledger", "verify", rest @ ..] => {
            let (file, head) = verify_arguments(&arguments[2..], rest)?;
            verify(&file, head)
        }
        ["ledger", "export", _] => export(Path::new(&arguments[2])),
        ["mcp"] => mcp(),
        ["native-host", origin, ..] => native_host(origin),
        // Browsers take no arguments for a host; they give the extension's origin as the first one.
        [origin, ..] if origin.starts_with("chrome-extension://") => native_host(origin),
        ["--version" | "-V"] => print(concat!("countersign-bridge ", env!("CARGO_PKG_VERSION"))),
        ["help" | "--help" | "-h"] => print(USAGE),
        _ => Err(USAGE.to_owned()),
    }
}

/// Serves the client that started this program until it closes its end.
fn mcp() -> Result<bool, String> {
    let folder =
        data_folder().ok_or("This account has no folder for data, so there is nowhere to look for Countersign.")?;
    let lobby = RemoteLobby::new(folder, Arc::new(start_app));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("The server could not be started: {error}"))?;
    runtime.block_on(serve_stdio(Arc::new(lobby))).map(|()| true)
}

/// Serves the extension of the browser that started this program, until the browser ends it.
fn native_host(origin: &str) -> Result<bool, String> {
    if !is_ours(origin) {
        return Err(format!(
            "`{origin}` is not Countersign's extension. Only a browser starts this, for chrome-extension://{EXTENSION_ID}/."
        ));
    }
    let folder =
        data_folder().ok_or("This account has no folder for data, so there is nowhere to look for Countersign.")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("The host could not be started: {error}"))?;
    let served = runtime.block_on(serve(io::stdin(), io::stdout(), folder, start_app));
    served
        .map(|()| true)
        .map_err(|error| format!("The browser could not be told: {error}"))
}

/// Starts the app that is beside this program, or the one that `COUNTERSIGN_APP` names; it outlives this program.
fn start_app() -> Result<(), String> {
    let named = std::env::var_os("COUNTERSIGN_APP").filter(|named| !named.is_empty());
    let beside = || {
        let this = std::env::current_exe().ok()?;
        Some(this.with_file_name(format!("countersign{}", std::env::consts::EXE_SUFFIX)))
    };
    let app = named.map(PathBuf::from).or_else(beside).filter(|app| app.is_file());
    let app = app.ok_or("it is not beside countersign-bridge. Start it yourself.")?;
    let mut command = Command::new(&app);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = command.spawn();
    started
        .map(drop)
        .map_err(|error| format!("{} could not be started ({error}). Start it yourself.", app.display()))?;
    eprintln!("Countersign was not running and is being started.");
    Ok(())
}

fn print(text: &str) -> Result<bool, String> {
    writeln!(io::stdout(), "{text}").map_err(unwritable)?;
    Ok(true)
}

fn verify_arguments<'a>(arguments: &[OsString], words: &[&'a str]) -> Result<(PathBuf, Option<&'a str>), String> {
    let (file, head) = match words {
        [_] => (&arguments[0], None),
        ["--head", head, _] => (&arguments[2], Some(*head)),
        [_, "--head", head] => (&arguments[0], Some(*head)),
        _ => return Err(USAGE.to_owned()),
    };
    if head.is_some_and(|head| head.len() != 64 || !head.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))) {
        return Err(
            "--head takes the 64 lower-case hexadecimal digits that a verify or the ledger window shows.".to_owned(),
        );
    }
    Ok((log_file(Path::new(file)), head))
}

fn verify(file: &Path, remembered: Option<&str>) -> Result<bool, String> {
    let mut remembered_at = (remembered == Some(GENESIS)).then_some(0);
    let mut seen = |hash: &str, seq| {
        if remembered == Some(hash) {
            remembered_at = Some(seq);
        }
    };
    let report = match take_five(file)? {
        Some(text) => {
            let TakeFiveLedger { entries, report } = read_take_five(&text).map_err(unreadable)?;
            entries.iter().for_each(|entry| seen(&entry.hash, entry.seq));
            print("kind  a ledger of Take Five: what it says is its page's word")?;
            report
        }
        None => scan_file(file, Depth::Deep, |line| seen(line.hash, line.seq)).map_err(unreadable)?,
    };
    let mut out = io::stdout().lock();
    let mut say = |text: String| writeln!(out, "{text}").map_err(unwritable);

    let VerifyReport { rows, head, fault } = report;
    say(format!("file  {}", file.display()))?;
    say(match (rows, &fault) {
        (0, None) => "rows  0 rows: the ledger is empty, so there is nothing that could be checked".to_owned(),
        (_, None) => format!("rows  {rows}, all intact"),
        (_, Some(_)) => format!("rows  {rows} intact before the first fault"),
    })?;
    say(format!("head  {head}"))?;
    if let Some(Fault { line, reason, message }) = &fault {
        let reason = serde_json::to_string(reason).unwrap_or_default();
        say(format!(
            "fault line {line}: {}: {}",
            reason.trim_matches('"'),
            printable(message)
        ))?;
    }
    let found = match (remembered, remembered_at) {
        (None, _) => true,
        (Some(_), Some(at)) => {
            let place = if at == 0 {
                "that of an empty ledger".to_owned()
            } else {
                format!("row {at}")
            };
            let follow = if rows - at == 1 { "row follows" } else { "rows follow" };
            say(format!("The remembered head is {place}; {} {follow} it.", rows - at))?;
            true
        }
        (Some(hash), None) => {
            say(format!(
                "fault The remembered head {hash} is not among the intact rows: rows were cut off or rewritten."
            ))?;
            false
        }
    };
    say(BOUNDARY.to_owned())?;
    Ok(fault.is_none() && found)
}

/// The text of a Take Five ledger, if the file begins like one.
fn take_five(file: &Path) -> Result<Option<String>, String> {
    let unreadable = |source: io::Error| {
        format!(
            "Could not read {}: {source}. Check that it is there and that you may read it.",
            file.display()
        )
    };
    let mut start = Vec::new();
    let opened = File::open(file).map_err(unreadable)?;
    opened.take(256).read_to_end(&mut start).map_err(unreadable)?;
    if looks_like_take_five(&start) {
        std::fs::read_to_string(file).map(Some).map_err(unreadable)
    } else {
        Ok(None)
    }
}

fn export(file: &Path) -> Result<bool, String> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut written = Ok(());
    let report = scan_file(&log_file(file), Depth::Deep, |line| {
        if written.is_ok() {
            written = line.row().map_err(io::Error::other).and_then(|row: Row| {
                serde_json::to_writer(&mut out, &row)?;
                out.write_all(b"\n")
            });
        }
    })
    .map_err(unreadable)?;
    written.and_then(|()| out.flush()).map_err(unwritable)?;
    if let Some(Fault { line, message, .. }) = &report.fault {
        eprintln!("Stopped at line {line}, which does not verify: {}", printable(message));
    }
    Ok(report.fault.is_none())
}

/// A message can quote a forged file, and a terminal obeys control characters.
fn printable(message: &str) -> String {
    message
        .chars()
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

fn unreadable(error: LedgerError) -> String {
    error.to_string()
}

fn unwritable(error: io::Error) -> String {
    format!("Could not write the output: {error}.")
}
