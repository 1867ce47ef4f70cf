//! Pressing release, in every way a case may want to, and how that ends.

use countersign_contract::{Arming, Code, Proposal, ProposalState};
use countersign_desk::DeskError;

use crate::stage::{Fault, Seen, Stage, shortened, wrong};

pub async fn step(stage: &mut Stage<'_>, word: &str, rest: &str) -> Seen {
    match word {
        "release" => {
            let card = settled_card(stage).await?;
            let digest = stage.rig.show(&card);
            let rule = stage.along.take();
            let pressed = stage.rig.pressing(&card, &digest, rule).await;
            ended(stage, pressed, rest).await
        }
        "press" => {
            let card = settled_card(stage).await?;
            let digest = stage.rig.show(&card);
            press_apart(stage, card, digest);
            Ok(())
        }
        "pressed" => {
            let Some(pressing) = stage.pressing.pop() else {
                return wrong("nothing was pressed");
            };
            let pressed = tokio::time::timeout(stage.patience, pressing).await;
            match pressed {
                Ok(Ok(pressed)) => ended(stage, pressed, rest).await,
                _ => wrong("the press came to no end"),
            }
        }
        "shown" => {
            let card = settled_card(stage).await?;
            stage.rig.show(&card);
            Ok(())
        }
        // Whether or not the page has been asked what would change.
        "press-now" => {
            let card = stage.card()?;
            let digest = stage.rig.show(&card);
            let pressed = stage.rig.press(&card, &digest).await;
            ended(stage, pressed, rest).await
        }
        // The card that was in view has changed since.
        "press-as-shown" => {
            let card = stage.card()?;
            let digest = stage.shown.clone();
            let pressed = stage.rig.press(&card, &digest).await;
            ended(stage, pressed, rest).await
        }
        "press-unseen" => {
            let card = settled_card(stage).await?;
            stage.rig.desk.window(false, false);
            let pressed = stage.rig.press(&card, &card.digest.clone()).await;
            ended(stage, pressed, rest).await
        }
        "press-twice" => press_twice(stage).await,
        _ => by_itself(stage, rest).await,
    }
}

/// The card, once the page has been asked what would change.
async fn settled_card(stage: &mut Stage<'_>) -> Seen<Proposal> {
    let id = stage.card()?.id;
    let card = stage
        .until("the card to be ready", |state| {
            let card = state.proposals.iter().find(|card| card.id == id)?;
            let waits = matches!(&card.arming, Arming::Dead { why } if why.contains("still being asked"));
            (!waits).then(|| card.clone())
        })
        .await?;
    stage.shown.clone_from(&card.digest);
    Ok(card)
}

fn press_apart(stage: &mut Stage<'_>, card: Proposal, digest: String) {
    let rig = stage.rig;
    let press = rig.pressing(&card, &digest, stage.along.take());
    stage.pressing.push(tokio::spawn(press));
}

async fn press_twice(stage: &mut Stage<'_>) -> Seen {
    let card = settled_card(stage).await?;
    let digest = stage.rig.show(&card);
    let (one, other) = tokio::join!(stage.rig.press(&card, &digest), stage.rig.press(&card, &digest));
    if one.is_ok() && other.is_ok() {
        return Err(Fault::Breach("two presses of one card were both taken".into()));
    }
    let pressed = if one.is_ok() { one } else { other };
    ended(stage, pressed, "committed").await
}

/// Whether a press ended as `wanted` says.
async fn ended(stage: &mut Stage<'_>, pressed: Result<(), DeskError>, wanted: &str) -> Seen {
    let words = match &pressed {
        Ok(()) => return outcome(stage, wanted).await,
        Err(error) => error.to_string(),
    };
    let turned = match pressed.map_err(|error| (error.code(), error)) {
        Err((Code::Moved, _)) => "moved",
        Err((_, DeskError::Gone)) => "gone",
        Err(_) => "turned-away",
        Ok(()) => "",
    };
    if is_one_of(turned, wanted) {
        Ok(())
    } else {
        wrong(format!("the press was {turned}: {}", shortened(&words)))
    }
}

async fn outcome(stage: &mut Stage<'_>, wanted: &str) -> Seen {
    let id = stage.card()?.id;
    let (how, words) = stage
        .until(&format!("the release to end as {wanted}"), |state| {
            let card = state.proposals.iter().find(|card| card.id == id)?;
            how(&card.state)
        })
        .await?;
    if is_one_of(how, wanted) {
        return Ok(());
    }
    wrong(format!("the release ended as {how} ({})", shortened(&words)))
}

fn is_one_of(how: &str, wanted: &str) -> bool {
    wanted.split(" or ").any(|wanted| wanted == how)
}

fn how(state: &ProposalState) -> Option<(&'static str, String)> {
    Some(match state {
        ProposalState::Committed { result, .. } => ("committed", result.clone()),
        ProposalState::Failed { ran: true, message } => ("failed", message.clone()),
        ProposalState::Failed { ran: false, message } => ("not-run", message.clone()),
        ProposalState::PageGate { result, .. } => ("page-gate", result.clone()),
        ProposalState::Unknown { message } => ("unknown", message.clone()),
        ProposalState::Granted { rule } => ("granted", rule.to_string()),
        ProposalState::Refused { reason } => ("refused", reason.clone()),
        ProposalState::Expired { message } => ("expired", message.clone()),
        ProposalState::Withdrawn => ("withdrawn", String::new()),
        ProposalState::PageGone { message } => ("page-gone", message.clone()),
        ProposalState::Held { .. } | ProposalState::Releasing | ProposalState::Released => return None,
    })
}

async fn by_itself(stage: &mut Stage<'_>, wanted: &str) -> Seen {
    if wanted == "expired" {
        // Whoever looks for what is late looks when something happens.
        stage.rig.desk.window(false, false);
    }
    outcome(stage, wanted).await
}
