//! Rules, grants and what is taken from agents, asked for as the app's own windows do.

use countersign_contract::{GrantOnceParams, HideToolParams, RevokeRuleParams, Rule};
use countersign_desk::DeskError;

use crate::stage::{Fault, Seen, Stage, wrong};
use crate::steps::{asked, named};

pub async fn step(stage: &mut Stage<'_>, word: &str, rest: &str) -> Seen {
    let desk = &stage.rig.desk;
    let done = match word {
        "along" => {
            let rule = serde_json::from_str(rest);
            stage.along = Some(rule.map_err(|error| Fault::Wrong(format!("`{rest}` is no rule: {error}")))?);
            Ok(())
        }
        "revoke" => {
            let Some(rule) = mine(stage).into_iter().next() else {
                return wrong("no rule of this case is in force");
            };
            desk.revoke_rule(&RevokeRuleParams { rule: Some(rule.id) }).await
        }
        "hide" => {
            let tool = asked(stage, rest, serde_json::json!({})).await?.tool;
            desk.hide_tool(&HideToolParams { tool }).await
        }
        "grant" => {
            let (name, arguments) = named(rest);
            let ask = asked(stage, name, arguments).await?;
            let params = GrantOnceParams {
                tool: ask.tool,
                arguments: ask.arguments,
            };
            let held = desk.grant_once(params).await;
            held.map(|id| stage.taken.push(id))
        }
        _ => {
            desk.revoke_writes(word == "withdraw-writes").await;
            Ok(())
        }
    };
    done.map_err(|error: DeskError| Fault::Wrong(format!("it could not be done: {error}")))
}

/// The rules about the case's pages, newest first.
fn mine(stage: &Stage<'_>) -> Vec<Rule> {
    let host = format!("{}.localhost:", stage.case.slug);
    let mut rules = stage.rig.desk.state().rules;
    rules.retain(|rule| rule.origin.contains(&host));
    rules
}

/// What a case has allowed, hidden or withdrawn is not there for the next one.
pub async fn leave(stage: &Stage<'_>) {
    stage.rig.desk.revoke_writes(false).await;
    for rule in mine(stage) {
        // One that has ended meanwhile is gone anyway.
        let _ = stage
            .rig
            .desk
            .revoke_rule(&RevokeRuleParams { rule: Some(rule.id) })
            .await;
    }
}
