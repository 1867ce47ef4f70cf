//! What the interceptor in the page and the app say to each other. Page to app: [`FromPage`], through a binding that
//! exists only in an isolated world (or the extension's port). App to page: [`ToPage`].
//!
//! The bytes come from a page: every field is checked, and nothing in them is believed beyond the grade of the page.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::Fingerprint;

/// From the interceptor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "type")]
#[ts(export_to = "page.ts")]
pub enum FromPage {
    /// The interceptor stands in this document, before any page script.
    Hello {
        /// Whether `document.modelContext` exists here.
        webmcp: bool,
        /// The document's address.
        url: String,
    },
    /// A tool is about to be registered. If the browser does not accept it, [`FromPage::Unregistered`] follows.
    Registered {
        /// Numbered from 1 in this document; names this one registration.
        registration: u32,
        /// Its name.
        name: String,
        /// Its title, or empty.
        title: String,
        /// Its description.
        description: String,
        /// Its schema as JSON text, or empty.
        input_schema: String,
        /// `readOnlyHint === true`, strictly.
        read_only: bool,
        /// `consequentialHint` is truthy.
        consequential: bool,
        /// `untrustedContentHint` is truthy.
        untrusted_content: bool,
    },
    /// A person has clicked, or something that the browser takes for one: what is sent in the next moment may be theirs.
    Click {
        /// What the document saw.
        fingerprint: Fingerprint,
    },
    /// A script of this document has written a cookie.
    Cookie {
        /// Its name; empty when it has none, or was not written as text.
        name: String,
    },
    /// A registration ended: its signal was aborted, or the browser did not accept it.
    Unregistered {
        /// Which one.
        registration: u32,
    },
    /// A write, or a read that the page makes itself, is about to run and waits for a [`ToPage::Decide`].
    Ask {
        /// Numbered from 1 in this document.
        call: u32,
        /// The registration whose captured function would run; 0 for a form.
        registration: u32,
        /// The tool's name.
        name: String,
        /// The arguments as JSON text: the one copy, made once, that will run.
        arguments: String,
        /// The ticket the caller showed, if it was sent by the desk; for a form, the one it was armed for.
        #[ts(optional)]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket: Option<String>,
        /// What the document saw of input events just before.
        #[serde(default)]
        fingerprint: Fingerprint,
    },
    /// A held call's own signal was aborted: its caller does not want it any more.
    Withdrawn {
        /// Which call.
        call: u32,
    },
    /// A form is armed, as [`ToPage::Arm`] asked.
    Armed {
        /// The ticket it was armed for.
        ticket: String,
    },
    /// A call that was told to run has ended.
    Ended {
        /// Which call.
        call: u32,
        /// Whether it resolved.
        ok: bool,
        /// The result as the caller gets it, or the error's text.
        text: String,
    },
    /// The page has asked for the head of its own chain to be recorded. Answered with [`ToPage::Head`].
    Head {
        /// Numbered from 1 in this document.
        number: u32,
        /// The head, as the page says it.
        head: Head,
    },
    /// A WebSocket is about to be made in this document or worker. Said once, before the first.
    Opened,
    /// A worker tried to open a connection while it was guarded, and was refused.
    Refused {
        /// Where it would have led.
        url: String,
    },
    /// Something is about to be sent on a WebSocket that was opened before, and waits for a [`ToPage::Decide`]. What follows on
    /// the same socket waits behind it and is told when its turn comes.
    Send {
        /// Numbered with the calls of [`FromPage::Ask`].
        call: u32,
        /// `SEND` for a message, `CLOSE` for a close that carries a code or a reason.
        method: String,
        /// The socket's address.
        url: String,
        /// What would be sent, if it is text and not too long to show; of a close, its code and reason.
        #[ts(optional)]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<String>,
        /// Its length in bytes.
        #[ts(type = "number")]
        bytes: u64,
    },
}

/// To the interceptor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "type")]
#[ts(export_to = "page.ts")]
pub enum ToPage {
    /// What becomes of a held call.
    Decide {
        /// Which call.
        call: u32,
        /// `run` with exactly these arguments, or answer with a text instead.
        decision: PageDecision,
    },
    /// The next submit of this form by an agent is the desk's own released call: it asks with the ticket. Answered with
    /// [`FromPage::Armed`].
    Arm {
        /// The form's tool name.
        name: String,
        /// The ticket it is armed for.
        ticket: String,
    },
    /// The call a form was armed for is over: hold its submits again.
    Disarm {
        /// The ticket it was armed for.
        ticket: String,
    },
    /// What became of a head that the page asked to be recorded.
    Head {
        /// Which one.
        number: u32,
        /// The row it stands in, durable; absent when it was not recorded.
        #[ts(optional)]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        row: Option<Head>,
    },
    /// Whether what is sent on sockets is held here. Until the first of these everything is kept and nothing asked.
    Guard {
        /// It is.
        on: bool,
    },
}

/// The last link of a hash chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "page.ts")]
pub struct Head {
    /// Its number; 0 for an empty chain.
    #[ts(type = "number")]
    pub seq: u64,
    /// SHA-256, 64 lower-case hexadecimal digits.
    pub hash: String,
}

impl Head {
    /// It has the form of one.
    pub fn is_well_formed(&self) -> bool {
        let digits = self
            .hash
            .bytes()
            .filter(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            .count();
        self.seq < 1 << 53 && self.hash.len() == 64 && digits == 64
    }
}

/// What becomes of a held call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", tag = "do")]
#[ts(export_to = "page.ts")]
pub enum PageDecision {
    /// Run the captured function with these arguments (JSON text; the canonical form that was released).
    Run {
        /// JSON text.
        arguments: String,
    },
    /// Do not run. Resolve the call with this text: a thrown error would reach the caller as generic text and be retried.
    Answer {
        /// Complete: what happened, that nothing changed, what to do.
        text: String,
    },
}

/// The answer of a companion preview tool (`<name>.preview`), as a page gives it. Unknown members are ignored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "page.ts")]
pub struct PreviewAnswer {
    /// One line.
    #[ts(optional)]
    pub summary: Option<String>,
    /// Why the write would be refused; absent when it would not.
    #[ts(optional)]
    pub fails: Option<String>,
    /// The state that would change, as it is.
    pub before: Value,
    /// The same, as it would be.
    pub after: Value,
    /// What it would cost.
    #[ts(optional)]
    pub cost: Option<PreviewCost>,
    /// What a person should know.
    pub risks: Vec<PreviewRisk>,
    /// What makes the card readable: a descriptor of this tool (`docs/descriptors.md`).
    #[ts(optional)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<Value>,
}

/// A page's price.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "page.ts")]
pub struct PreviewCost {
    /// The items.
    pub items: Vec<PreviewCostItem>,
    /// When it was priced.
    #[ts(optional)]
    pub as_of: Option<String>,
    /// How far it may move, as a decimal fraction.
    #[ts(optional)]
    pub tolerance: Option<String>,
}

/// One item of a page's price. An item without an amount counts as not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "page.ts")]
pub struct PreviewCostItem {
    /// What it is for.
    pub label: String,
    /// Decimal text.
    #[ts(optional)]
    pub amount: Option<String>,
    /// Its unit.
    pub unit: String,
    /// The denominator.
    #[ts(optional)]
    pub of: Option<String>,
}

/// One risk in a page's words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export_to = "page.ts")]
pub struct PreviewRisk {
    /// `note`, `caution` or `critical`; anything else counts as caution.
    pub level: String,
    /// In words.
    pub text: String,
}
