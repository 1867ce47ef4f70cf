//! What a caller is told about its write. Each text says what happened, whether anything changed, and what to do, so that a
//! model takes it neither for a bug nor for an invitation to try again.

use countersign_contract::{Act, Answer, Moved, PageGate, ProposalState, Verdict};

use crate::entry::{Entry, Phase};

/// The whole answer for the caller of `entry`.
pub(crate) fn answer(entry: &Entry) -> Answer {
    let what = subject(entry);
    let id = &entry.id;
    let (verdict, text) = match &entry.phase {
        Phase::Held { .. } if !entry.moved.is_empty() => (
            Verdict::Repriced,
            format!(
                "{what} is held again and has not run: release was pressed, but something moved between what was shown and \
                 the press ({}). Nothing has changed. This is neither success nor failure. Do not call it again; wait for \
                 the decision, or check proposal {id} later.",
                moved(&entry.moved)
            ),
        ),
        Phase::Held { .. } => (
            Verdict::Held,
            format!(
                "{what} is held and has not run: it waits for a decision in Countersign's approval window. Nothing has \
                 changed. This is neither success nor failure. Do not call it again; wait for the decision, or check \
                 proposal {id} later."
            ),
        ),
        Phase::Rechecking { .. } | Phase::Writing { .. } => (
            Verdict::Held,
            format!(
                "{what} is still held and has not run: release was pressed and is being checked against the page. Do not \
                 call it again; check proposal {id} again in a moment."
            ),
        ),
        Phase::Released => (
            Verdict::Released,
            format!(
                "{what} was released and has been sent; how it ended is not known yet.{} Something may have changed \
                 already. Do not call it again; check proposal {id} for the outcome.",
                edited(entry)
            ),
        ),
        Phase::NotRun { message } => (
            Verdict::Failed,
            format!(
                "{what} was released but certainly did not run: {}. Nothing has changed. It will not be tried again by \
                 itself. List the page's tools again, and ask for it anew only if it is still wanted.",
                clause(message)
            ),
        ),
        Phase::Ended(state) => ended(entry, &what, state),
    };
    Answer {
        verdict,
        text,
        by_rule: entry.by_rule.clone(),
    }
}

fn ended(entry: &Entry, what: &str, state: &ProposalState) -> (Verdict, String) {
    match state {
        ProposalState::Committed { result, .. } => (
            Verdict::Committed,
            format!(
                "{what} was released and ran once; {} reported success.{} It is done: do not call it again.{}",
                reporter(entry),
                edited(entry),
                said(result)
            ),
        ),
        ProposalState::Failed { message, .. } => (
            Verdict::Failed,
            format!(
                "{what} was released and sent once, and {} reported failure: {}.{} Whether something changed all the same is \
                 not known. Do not call it again by yourself: read how things stand, then ask the person how to go on.",
                reporter(entry),
                clause(message),
                edited(entry)
            ),
        ),
        ProposalState::PageGate { gate, result, .. } => page_gate(entry, what, gate, result),
        ProposalState::Unknown { message } => (
            Verdict::Unknown,
            format!(
                "{what} was released, and nobody saw how it ended: {}.{} It may have run and it may not. It will not be run \
                 again by itself. Do not call it again: read how things stand, and tell the person what you find.",
                clause(message),
                edited(entry)
            ),
        ),
        ProposalState::Granted { .. } => (
            Verdict::Granted,
            format!(
                "One use of {what} was granted, for exactly these arguments: {}. It has not run and nothing has changed. Call \
                 the tool once, with exactly them; then it is gone again.",
                entry.canonical
            ),
        ),
        ProposalState::Refused { reason } => {
            let reason = match clause(reason) {
                "" => "No reason was given.".to_owned(),
                reason => format!("The reason: {reason}."),
            };
            (
                Verdict::Refused,
                format!(
                    "{what} was refused in Countersign's approval window. It did not run and nothing has changed. {reason} \
                     This is a decision and not an error: do not try it again, and do not reach for the same effect another \
                     way. Ask the person how to go on."
                ),
            )
        }
        ProposalState::Expired { message } => (
            Verdict::Expired,
            format!(
                "{what} expired without a decision: {}. It did not run and nothing has changed. Nobody refused it. Do not try \
                 it again by yourself: tell the person, and ask again only if they want it.",
                clause(message)
            ),
        ),
        ProposalState::Withdrawn => (
            Verdict::Withdrawn,
            format!(
                "{what} was taken back by its caller before it was decided. It did not run and nothing has changed. There is \
                 nothing to do."
            ),
        ),
        ProposalState::PageGone { message } => (
            Verdict::PageGone,
            format!(
                "{what} cannot run any more: the page or the tool it was for is gone ({}). It did not run and nothing has \
                 changed. Do not retry it as it is: list the tools again, and ask anew only if it is still wanted.",
                clause(message)
            ),
        ),
        ProposalState::Held { .. } | ProposalState::Releasing | ProposalState::Released => (
            Verdict::Held,
            format!(
                "{what} has no end yet. Do not call it again; check proposal {} later.",
                entry.id
            ),
        ),
    }
}

fn page_gate(entry: &Entry, what: &str, gate: &PageGate, result: &str) -> (Verdict, String) {
    let sent = format!(
        "{what} was released and sent once.{} It has neither succeeded nor failed: the page has a gate of its own, and",
        edited(entry)
    );
    let (verdict, how) = match gate {
        PageGate::Waiting { reference } => {
            let name = reference
                .as_deref()
                .map(|name| format!(" as {name}"))
                .unwrap_or_default();
            let how = format!(
                "it waits there{name} for somebody at the page. Nothing has changed yet, as the page says, and it may still \
                 run. Do not call it again: tell the person that it waits at the page, and read how things stand later."
            );
            (Verdict::PageWaits, how)
        }
        PageGate::Declined { reason } => {
            let reason = reason.as_deref().map(clause).unwrap_or_default();
            let reason = if reason.is_empty() {
                String::new()
            } else {
                format!(" ({reason})")
            };
            let how = format!(
                "it was declined there{reason}. As the page says, it did not run and nothing has changed. This is a decision \
                 and not an error: do not try it again, and do not reach for the same effect another way. Ask the person how \
                 to go on."
            );
            (Verdict::PageDeclined, how)
        }
        PageGate::Expired => (Verdict::PageDeclined, unasked("nobody decided there in time")),
        PageGate::NotAsked => (Verdict::PageDeclined, unasked("nobody there could be asked")),
    };
    (verdict, format!("{sent} {how}{}", said(result)))
}

fn unasked(why: &str) -> String {
    format!(
        "{why}. As the page says, it did not run and nothing has changed. Nobody declined it. Do not try it again by yourself: \
         tell the person, and ask again only if they want it."
    )
}

fn subject(entry: &Entry) -> String {
    match &entry.act {
        Act::Tool { tool, .. } => format!(
            "The write `{}` on {} (proposal {})",
            tool.name, entry.page.origin, entry.id
        ),
        Act::Network { request } => format!(
            "The {} request to {} (proposal {})",
            request.method, request.url, entry.id
        ),
    }
}

fn reporter(entry: &Entry) -> &'static str {
    if entry.tool().is_some() {
        "the page"
    } else {
        "the browser"
    }
}

fn edited(entry: &Entry) -> String {
    if entry.edits.is_empty() {
        return String::new();
    }
    format!(
        " Its arguments were edited before the release; what was released is not what you asked for, but: {}",
        entry.canonical
    )
}

fn said(result: &str) -> String {
    if result.is_empty() {
        " The page answered nothing.".into()
    } else {
        format!(" What it answered:\n{result}")
    }
}

fn moved(moved: &[Moved]) -> String {
    let words: Vec<_> = moved
        .iter()
        .take(3)
        .map(|moved| format!("{}: {} is now {}", moved.what, moved.before, moved.after))
        .collect();
    let more = if moved.len() > words.len() { "; and more" } else { "" };
    format!("{}{more}", words.join("; "))
}

/// A message as part of a sentence.
fn clause(message: &str) -> &str {
    message.trim().trim_end_matches('.')
}
