//! Answers to calls, in words for a model and as data for a program.

use countersign_contract::Verdict;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::seat::{Standing, Surface, Told};

/// How a write stands. That it is held, refused or expired is an answer and no error: what answers with an error is tried again.
pub(super) fn told(told: &Told) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(told.text.clone())]);
    result.structured_content = Some(data(told));
    result
}

pub(super) fn list(all: &[Told]) -> CallToolResult {
    let text = if all.is_empty() {
        "You have asked for no write since Countersign was started.".to_owned()
    } else {
        all.iter()
            .map(|told| told.text.as_str())
            .collect::<Vec<_>>()
            .join("\n\n")
    };
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(json!({ "proposals": all.iter().map(data).collect::<Vec<_>>() }));
    result
}

pub(super) fn pages(surface: &Surface) -> CallToolResult {
    if let Standing::Away { why } = &surface.standing {
        return error(why);
    }
    let pages: Vec<_> = surface
        .pages
        .iter()
        .map(|page| json!({ "handle": page.handle, "title": page.title, "url": page.url, "tools": page.tools.len() }))
        .collect();
    let text = if pages.is_empty() {
        "No page is open in Countersign.".to_owned()
    } else {
        serde_json::to_string_pretty(&pages).unwrap_or_default()
    };
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(json!({ "pages": pages }));
    result
}

pub(super) fn error(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// Adds what became of earlier writes, as a text of its own after the answer.
pub(super) fn with_news(mut result: CallToolResult, news: &[Told]) -> CallToolResult {
    if !news.is_empty() {
        let texts: Vec<_> = news.iter().map(|told| told.text.as_str()).collect();
        let text = format!(
            "Since your last call, what you asked for before was decided. {}",
            texts.join(" ")
        );
        result.content.push(ContentBlock::text(text));
    }
    result
}

fn data(told: &Told) -> Value {
    json!({
        "proposal": told.proposal,
        "tool": told.tool,
        "status": told.verdict,
        "settled": told.settled,
        "changed": changed(told.verdict),
    })
}

/// What has changed, as far as it is known.
fn changed(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Held | Verdict::Repriced => "nothing yet",
        Verdict::Refused | Verdict::Expired | Verdict::Withdrawn | Verdict::PageGone | Verdict::Granted => "nothing",
        Verdict::Committed => "as the page reports",
        Verdict::Released | Verdict::Failed | Verdict::PageWaits | Verdict::PageDeclined | Verdict::Unknown => {
            "not known"
        }
    }
}
