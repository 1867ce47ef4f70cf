use std::path::{Path, PathBuf};
use std::process::Command;

use countersign_contract::{Row, RowKind};
use serde_json::Value;

use crate::screen::Screen;
use crate::wait::until;
use crate::{App, Home, program};

/// The ledger's file, read as anybody can read it: a hash, a blank and a body on every line.
pub struct Record {
    file: PathBuf,
}

impl Record {
    /// The ledger of an account, whether the app runs or not.
    pub fn of(home: &Home) -> Self {
        Self {
            file: countersign_ledger::log_file(&home.ledger()),
        }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Every row, oldest first.
    ///
    /// # Panics
    /// When a line is not a row.
    pub fn rows(&self) -> Vec<Row> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(row).collect()
    }

    /// The rows of one kind, oldest first.
    pub fn of_kind(&self, kind: RowKind) -> Vec<Row> {
        self.rows().into_iter().filter(|row| row.kind == kind).collect()
    }

    /// The kinds of the rows that belong to a proposal, oldest first.
    pub fn life_of(&self, proposal: &str) -> Vec<RowKind> {
        let rows = self.rows().into_iter();
        rows.filter(|row| row.reference.as_deref() == Some(proposal))
            .map(|row| row.kind)
            .collect()
    }

    /// Waits for the first row of a kind.
    ///
    /// # Panics
    /// When there is none in time.
    pub async fn has(&self, kind: RowKind) -> Row {
        let what = format!("the ledger should have a row of the kind {kind:?}");
        until(&what, async || self.of_kind(kind).into_iter().next()).await
    }

    /// Runs `countersign-bridge ledger verify` on the file.
    ///
    /// # Panics
    /// When the program cannot be run.
    pub fn verify(&self) -> Verified {
        Verified::of(&self.file)
    }
}

/// What `countersign-bridge ledger verify` answered.
#[derive(Debug)]
pub struct Verified {
    /// Its exit code was 0.
    pub intact: bool,
    /// What it printed.
    pub said: String,
}

impl Verified {
    /// Verifies the ledger in that file.
    ///
    /// # Panics
    /// When the program cannot be run.
    pub fn of(file: &Path) -> Self {
        let run = Command::new(program("countersign-bridge"))
            .args(["ledger", "verify"])
            .arg(file)
            .output();
        let output = run.expect("countersign-bridge can be run");
        let said = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat();
        Self {
            intact: output.status.success(),
            said,
        }
    }
}

fn row(line: &str) -> Row {
    let (hash, body) = line.split_once(' ').expect("a line is a hash, a blank and a body");
    let mut body: Value = serde_json::from_str(body).expect("a row's body is JSON");
    body["hash"] = hash.into();
    serde_json::from_value(body).expect("a row has the shape of the contract")
}

/// The ledger window.
pub struct LedgerWindow<'a> {
    app: &'a App,
}

impl<'a> LedgerWindow<'a> {
    pub(crate) const fn new(app: &'a App) -> Self {
        Self { app }
    }

    /// Opens it from the panel.
    ///
    /// # Panics
    /// When it does not open.
    pub async fn open(&self) {
        self.app.panel().screen().press("Ledger").await;
        self.app.forget("ledger.html");
        self.app.switch("ledger.html").await;
    }

    /// What is on it.
    pub const fn screen(&self) -> Screen<'a> {
        Screen::new(self.app, "ledger.html", "Countersign: ledger")
    }
}
