//! The words a case is told in. Each line of `steps` is one of these, carried out in order.
//!
//! | step | does, or waits until it is so |
//! |---|---|
//! | `tool NAME` | the page offers it |
//! | `ask NAME {…}` | the desk's own caller asks for a write; it is held |
//! | `declined NAME {…} WORDS` | the same, and the desk does not even take it in |
//! | `read NAME {…}` | the desk begins to run a read |
//! | `read-is TEXT`, `read-fails`, `cancel-read` | how that read ends, or that its caller gives it up |
//! | `held NAME {…}`, `held POST /path BODY` | the next proposal of the case; what it shows is compared in whole |
//! | `held-any NAME` | the same without its arguments |
//! | `release WORD` | shows the card for long enough, presses, waits: `committed`, `failed`, `not-run`, `unknown`, `moved`, `gone`, `turned-away`, also `A or B` |
//! | `press`, `pressed WORD` | the same in two steps |
//! | `press-as-shown WORD`, `press-unseen WORD` | presses with the digest shown last, or with the card not in view |
//! | `shown`, `press-now WORD` | shows the card as it is now; the same, and presses |
//! | `press-twice` | two presses at once; one of them must be turned away |
//! | `refuse`, `refuse-rest`, `withdraw`, `edit {…}`, `late` | a refusal, one of all that is held, its caller's word, other arguments, an hour passing |
//! | `ends WORD` | the proposal ends by itself: `withdrawn`, `page-gone`, `expired` |
//! | `ran TEXT` | the next act that ran, by the page's own mark or by method, path and body |
//! | `nothing-ran`, `nothing-held`, `quiet MS` | nothing has run, nothing waits, nothing runs for so long |
//! | `note TEXT`, `signal NAME` | the page has said so; what waits in the page goes on |
//! | `answered TEXT` | until the page has said so, whatever of it is held is refused |
//! | `shows risk ID`, `shows preview STATE`, `shows moved WORDS`, `shows state WORDS` | what is on the card |
//! | `open /path` | another tab |
//! | `recorded KIND NAME` | the ledger has a row of this kind about that tool |
//! | `along {…}`, `revoke` | the next press makes this rule as well; the case's newest rule ends |
//! | `withdraw-writes`, `restore-writes` | no agent has a write tool any more, or has them again |
//! | `hide NAME`, `grant NAME {…}` | agents do not see it any more; one exact call of it is put on the desk to be granted |

use std::time::Duration;

use countersign_contract::{
    Act, Caller, DoorKind, EditParams, Fingerprint, Ingress, Preview, Proposal, ProposalState, RefuseParams, ToolSource,
};
use countersign_desk::{Asked, CallAsk, DeskError};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::press;
use crate::rules;
use crate::stage::{Fault, Seen, Stage, shortened, wrong};

/// Carries out one line.
pub async fn step(stage: &mut Stage<'_>, line: &str) -> Seen {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "tool" => tool(stage, rest).await,
        "ask" => ask(stage, rest).await,
        "declined" => declined(stage, rest).await,
        "read" => read(stage, rest).await,
        "read-is" | "read-fails" => read_ended(stage, word == "read-is", rest).await,
        "cancel-read" => cancel_read(stage),
        "held" => held(stage, rest, true).await,
        "held-any" => held(stage, rest, false).await,
        "release" | "press" | "pressed" | "press-as-shown" | "press-unseen" | "press-twice" | "press-now" | "shown"
        | "ends" => press::step(stage, word, rest).await,
        "along" | "revoke" | "withdraw-writes" | "restore-writes" | "hide" | "grant" => {
            rules::step(stage, word, rest).await
        }
        "recorded" => recorded(stage, rest).await,
        "refuse" => refuse(stage).await,
        "refuse-rest" => refuse_rest(stage).await,
        "withdraw" => {
            let card = stage.card()?;
            stage.rig.desk.withdraw(&card.id, Ingress::PanelAgent).await;
            Ok(())
        }
        "edit" => edit(stage, rest).await,
        "late" => {
            stage.rig.clock.forward(3_600_000);
            Ok(())
        }
        "ran" => ran(stage, rest).await,
        "nothing-ran" => stage.nothing_got_through(),
        "nothing-held" => {
            let state = stage.rig.desk.state();
            match stage.mine(&state).into_iter().find(|card| card.state.is_open()) {
                None => Ok(()),
                Some(card) => wrong(format!("{} is held", crate::stage::summary(&card))),
            }
        }
        "quiet" => quiet(stage, rest).await,
        "note" => note(stage, rest).await,
        "answered" => answered(stage, rest).await,
        "signal" => {
            stage.rig.site.signal(&stage.case.slug, rest);
            Ok(())
        }
        "shows" => shows(stage, rest).await,
        "open" => open(stage, rest).await,
        _ => wrong(format!("there is no step `{line}`")),
    }
}

pub async fn open(stage: &Stage<'_>, path: &str) -> Seen {
    let url = stage.rig.site.url(&stage.case.slug, path);
    let opened = stage.rig.desk.open_page(DoorKind::Browser, &url).await;
    opened.map_err(|error| Fault::Wrong(format!("{url} did not open: {error}")))
}

pub fn named(rest: &str) -> (&str, Value) {
    let (name, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
    (name, serde_json::from_str(arguments).unwrap_or(json!({})))
}

async fn tool(stage: &mut Stage<'_>, rest: &str) -> Seen {
    let (name, source) = rest.split_once(' ').unwrap_or((rest, ""));
    let what = format!("the tool {rest}");
    let is = |is: ToolSource| source.is_empty() || json!(is) == source;
    stage
        .until(&what, |state| stage.tool(state, name).filter(|tool| is(tool.source)))
        .await
        .map(drop)
}

pub async fn asked(stage: &Stage<'_>, name: &str, arguments: Value) -> Seen<CallAsk> {
    // A form is listed as far as it has been parsed: the fields must be there as well.
    let fits = |schema: &Value| {
        let keys = arguments.as_object().into_iter().flat_map(|members| members.keys());
        let mut missing = keys.filter(|key| schema["properties"][key.as_str()].is_null());
        schema["properties"].is_null() || missing.next().is_none()
    };
    let find = |tool: &countersign_contract::Tool| tool.source != ToolSource::Form || fits(&tool.input_schema);
    let tool = stage
        .until(&format!("the tool {name}"), |state| {
            stage.tool(state, name).filter(find)
        })
        .await?;
    // The person makes it the agent's page, wherever it has come to.
    let at = TabRef::from(&tool.page);
    let tabs = stage.rig.desk.state().tabs;
    let origin = tabs
        .into_iter()
        .find(|tab| TabRef::from(tab) == at)
        .map(|tab| tab.origin);
    let origin = origin.unwrap_or_default();
    let pinned = stage.rig.desk.pin_page(&ChoosePageParams { at, origin }).await;
    pinned.map_err(|error| error.to_string())?;
    let caller = Caller::new(Ingress::PanelAgent, "a model");
    Ok(CallAsk {
        caller,
        tool: tool.key,
        arguments,
        fingerprint: Fingerprint::default(),
        task: "a conversation".into(),
    })
}

async fn ask(stage: &mut Stage<'_>, rest: &str) -> Seen {
    ask_again(stage, rest, 3).await
}

async fn ask_again(stage: &mut Stage<'_>, rest: &str, again: u32) -> Seen {
    let (name, arguments) = named(rest);
    let ask = asked(stage, name, arguments.clone()).await?;
    match stage.rig.desk.ask(ask, CancellationToken::new()).await {
        Ok(Asked::Held(id)) => {
            stage.taken.push(id);
            Ok(())
        }
        // The page may be putting another in its place.
        Err(DeskError::NoTool) if again > 0 => Box::pin(ask_again(stage, rest, again - 1)).await,
        Ok(Asked::Read(text)) => Err(Fault::Breach(format!("{name} ran at once: {}", shortened(&text)))),
        Err(error) => wrong(format!("the desk did not take the ask in: {error}")),
    }
}

async fn declined(stage: &mut Stage<'_>, rest: &str) -> Seen {
    let (name, more) = rest.split_once(' ').unwrap_or((rest, ""));
    let (arguments, words) = more.rsplit_once(" : ").unwrap_or((more, ""));
    let ask = asked(stage, name, named(&format!("x {arguments}")).1).await?;
    match stage.rig.desk.ask(ask, CancellationToken::new()).await {
        Err(error) if error.to_string().contains(words) => Ok(()),
        Err(error) => wrong(format!("the desk said `{error}`")),
        Ok(Asked::Held(id)) => {
            stage.taken.push(id);
            wrong("the desk took the ask in")
        }
        Ok(Asked::Read(_)) => Err(Fault::Breach(format!("{name} ran"))),
    }
}

async fn read(stage: &mut Stage<'_>, rest: &str) -> Seen {
    let (name, arguments) = named(rest);
    let ask = asked(stage, name, arguments).await?;
    let cancel = CancellationToken::new();
    let (desk, cancelled) = (stage.rig.desk.clone(), cancel.clone());
    stage
        .reading
        .push((tokio::spawn(async move { desk.ask(ask, cancelled).await }), cancel));
    Ok(())
}

async fn read_ended(stage: &mut Stage<'_>, answered: bool, text: &str) -> Seen {
    let Some((reading, _)) = stage.reading.pop() else {
        return wrong("no read was begun");
    };
    let ended = tokio::time::timeout(stage.patience, reading).await;
    stage.nothing_got_through()?;
    match ended {
        Ok(Ok(Ok(Asked::Read(said)))) if answered && said.contains(text) => Ok(()),
        Ok(Ok(Err(_))) if !answered => Ok(()),
        other => wrong(format!("the read ended as {}", shortened(&format!("{other:?}")))),
    }
}

fn cancel_read(stage: &mut Stage<'_>) -> Seen {
    match stage.reading.last() {
        Some((_, cancel)) => {
            cancel.cancel();
            Ok(())
        }
        None => wrong("no read was begun"),
    }
}

async fn held(stage: &mut Stage<'_>, wanted: &str, exactly: bool) -> Seen {
    let card = stage
        .until(&format!("`{wanted}` to be held"), |state| {
            let mut mine = stage.mine(state).into_iter();
            mine.find(|card| card.state.is_open() && !stage.taken.contains(&card.id))
        })
        .await?;
    stage.taken.push(card.id.clone());
    let (whole, name) = match &card.act {
        Act::Tool { tool, canonical, .. } => (format!("{} {canonical}", tool.name), tool.name.as_str()),
        Act::Network { request } => {
            let path = request
                .url
                .split_once("//")
                .map_or(request.url.as_str(), |(_, rest)| rest);
            let path = path.split_once('/').map(|(_, path)| path).unwrap_or_default();
            let body = request.body.as_deref().unwrap_or_default();
            let whole = format!("{} /{path} {body}", request.method);
            (whole.trim_end().to_owned(), request.method.as_str())
        }
    };
    if whole == wanted || (!exactly && name == wanted) {
        return Ok(());
    }
    let shown = shortened(&whole);
    Err(Fault::Breach(format!("the card shows `{shown}` for `{wanted}`")))
}

async fn refuse(stage: &mut Stage<'_>) -> Seen {
    let card = stage.card()?;
    let params = RefuseParams {
        proposal: card.id.clone(),
        digest: card.digest,
        reason: "not today".into(),
        fingerprint: Fingerprint::default(),
        rule: None,
    };
    let refused = stage.rig.desk.refuse(params).await;
    refused.map_err(|error| Fault::Wrong(format!("it could not be refused: {error}")))
}

async fn edit(stage: &mut Stage<'_>, rest: &str) -> Seen {
    let card = stage.card()?;
    let params = EditParams {
        proposal: card.id.clone(),
        digest: card.digest,
        arguments: named(&format!("x {rest}")).1,
    };
    let edited: Result<(), DeskError> = stage.rig.desk.edit(params).await;
    edited.map_err(|error| Fault::Wrong(format!("it could not be edited: {error}")))
}

async fn ran(stage: &mut Stage<'_>, wanted: &str) -> Seen {
    let what = format!("`{}` to have run", shortened(wanted));
    stage.until(&what, |_| stage.next_is_there().then_some(())).await?;
    match stage.next_act() {
        Some(act) if act.text == wanted => Ok(()),
        act => {
            let act = act.map(|act| shortened(&act.text));
            Err(Fault::Breach(format!(
                "{act:?} ran and `{}` was released",
                shortened(wanted)
            )))
        }
    }
}

async fn quiet(stage: &Stage<'_>, rest: &str) -> Seen {
    let end = std::time::Instant::now() + Duration::from_millis(rest.parse().unwrap_or(500));
    while std::time::Instant::now() < end {
        stage.nothing_got_through()?;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stage.nothing_got_through()
}

async fn note(stage: &mut Stage<'_>, wanted: &str) -> Seen {
    let from = stage.noted;
    let find = |stage: &Stage<'_>| {
        let notes = stage.notes();
        notes.iter().skip(from).position(|note| note.text.contains(wanted))
    };
    let at = stage.until(&format!("the note `{wanted}`"), |_| find(stage)).await?;
    stage.noted = from + at + 1;
    Ok(())
}

async fn recorded(stage: &Stage<'_>, rest: &str) -> Seen {
    let (kind, tool) = rest.split_once(' ').unwrap_or((rest, ""));
    let Ok(kind) = serde_json::from_value(json!(kind)) else {
        return wrong(format!("there is no kind of row `{kind}`"));
    };
    let is_there = |_: &countersign_contract::DeskState| stage.has_row(kind, tool).then_some(());
    stage.until(&format!("the row {rest}"), is_there).await
}

async fn shows(stage: &Stage<'_>, rest: &str) -> Seen {
    let (part, wanted) = rest.split_once(' ').unwrap_or((rest, ""));
    let id = stage.card()?.id;
    let look = |state: &countersign_contract::DeskState| {
        let card = state.proposals.iter().find(|card| card.id == id)?;
        is_shown(card, part, wanted).then_some(())
    };
    match stage.until(&format!("the card to show {rest}"), look).await {
        Err(Fault::Wrong(words)) => {
            let card = stage.card()?;
            let shown = shortened(&format!("{:?} {:?} {:?}", card.preview, card.risks, card.moved));
            Err(Fault::Breach(format!("{words}; it shows {shown}")))
        }
        other => other,
    }
}

fn is_shown(card: &Proposal, part: &str, wanted: &str) -> bool {
    match part {
        "risk" => card.risks.iter().any(|risk| risk.id == wanted),
        "moved" => card
            .moved
            .iter()
            .any(|moved| format!("{}: {} to {}", moved.what, moved.before, moved.after).contains(wanted)),
        "preview" => {
            let state = match card.preview {
                Preview::Pending => "pending",
                Preview::Unavailable { .. } => "unavailable",
                Preview::Quoted { .. } => "quoted",
                Preview::WouldFail { .. } => "would-fail",
                Preview::NoChange { .. } => "no-change",
                Preview::Changes(_) => "changes",
            };
            state == wanted
        }
        "state" => match &card.state {
            ProposalState::Failed { message, .. } | ProposalState::Unknown { message } => message.contains(wanted),
            ProposalState::Committed { result, .. } => result.contains(wanted),
            _ => false,
        },
        _ => false,
    }
}

async fn refuse_rest(stage: &mut Stage<'_>) -> Seen {
    let state = stage.rig.desk.state();
    for card in stage.mine(&state).into_iter().filter(|card| card.state.is_open()) {
        stage.taken.push(card.id.clone());
        if let Err(fault) = refuse(stage).await {
            // Its page may have gone in the very moment.
            let state = stage.rig.desk.state();
            let waits = |other: &Proposal| other.id == card.id && other.state.is_open();
            if stage.mine(&state).iter().any(waits) {
                return Err(fault);
            }
        }
    }
    Ok(())
}

/// Waits for a note, and refuses whatever is held meanwhile.
async fn answered(stage: &mut Stage<'_>, wanted: &str) -> Seen {
    let end = std::time::Instant::now() + stage.patience;
    loop {
        stage.nothing_got_through()?;
        refuse_rest(stage).await?;
        if stage.notes().iter().any(|note| note.text.contains(wanted)) {
            return Ok(());
        }
        if std::time::Instant::now() > end {
            let notes: Vec<_> = stage.notes().iter().map(|note| shortened(&note.text)).collect();
            return wrong(format!("waited in vain for the note `{wanted}`; notes {notes:?}"));
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}
