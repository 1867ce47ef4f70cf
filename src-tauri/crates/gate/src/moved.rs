use countersign_contract::{Change, Changes, Cost, Moved, Preview, Reading, Risk, Tool};

use crate::cost;
use crate::preview::CUT;

const MAX_NAMED: usize = 10;

/// What differs between a tool as it was shown and as it is now.
pub(crate) fn definition(shown: &Tool, now: &Tool) -> Vec<Moved> {
    let mut moved = Vec::new();
    let parts = [
        ("name", shown.name.clone(), now.name.clone()),
        ("title", shown.title.clone(), now.title.clone()),
        ("description", shown.description.clone(), now.description.clone()),
        ("schema", shown.input_schema.to_string(), now.input_schema.to_string()),
        (
            "hints",
            format!("{:?}", shown.annotations),
            format!("{:?}", now.annotations),
        ),
    ];
    if shown.digest != now.digest {
        let named = parts.into_iter().filter(|(_, before, after)| before != after);
        moved.extend(named.map(|(part, before, after)| moved_to("definition", part, &before, &after)));
        if moved.is_empty() {
            moved.push(moved_to("definition", "digest", &shown.digest, &now.digest));
        }
    }
    if shown.key != now.key || shown.page.document != now.page.document {
        moved.push(moved_to("registration", "tool", &shown.key.0, &now.key.0));
    }
    moved
}

/// What differs between a preview as it was shown and as the page gives it now, prices within their tolerance left out.
pub(crate) fn preview(shown: &Preview, now: &Preview) -> Vec<Moved> {
    match (shown, now) {
        (Preview::Unavailable { .. }, Preview::Unavailable { .. }) => Vec::new(),
        (Preview::WouldFail { message: before, .. }, Preview::WouldFail { message: after, .. }) if before == after => {
            Vec::new()
        }
        (Preview::NoChange { cost: before, .. }, Preview::NoChange { cost: after, .. }) => cost::moved(before, after),
        (Preview::Quoted { cost: before, .. }, Preview::Quoted { cost: after, .. }) => cost::moved(before, after),
        (Preview::Changes(before), Preview::Changes(after)) => changes(before, after),
        _ => vec![Moved {
            what: "preview".into(),
            before: words(shown),
            after: words(now),
        }],
    }
}

/// What a descriptor says otherwise than it did. Only a page's own can: the page is asked again, and may carry another.
pub(crate) fn reading(shown: Option<&Reading>, now: Option<&Reading>) -> Option<Moved> {
    let lines = |reading: Option<&Reading>| -> Vec<String> {
        let Some(reading) = reading else {
            return vec!["no descriptor".into()];
        };
        let members = reading.members.iter().map(|member| {
            let shown = member
                .shown
                .as_deref()
                .map(|shown| format!(", {shown}"))
                .unwrap_or_default();
            format!("{} “{}”{shown}", member.pointer, member.label)
        });
        let changes = reading.changes.iter().map(|change| {
            let sides = [&change.before, &change.after].map(|side| side.as_deref().unwrap_or("as it is"));
            format!("{} “{}”, {} to {}", change.path, change.label, sides[0], sides[1])
        });
        members.chain(changes).chain(reading.misfits.iter().cloned()).collect()
    };
    let (shown, now) = (lines(shown), lines(now));
    let (mut gone, mut come) = (shown.iter(), now.iter());
    loop {
        let (before, after) = (gone.next(), come.next());
        if before.is_none() && after.is_none() {
            return None;
        }
        if before != after {
            let words = |line: Option<&String>| line.cloned().unwrap_or_else(|| "not named".into());
            return Some(Moved {
                what: "description".into(),
                before: words(before),
                after: words(after),
            });
        }
    }
}

fn changes(shown: &Changes, now: &Changes) -> Vec<Moved> {
    let mut moved = effect(shown, now);
    moved.extend(cost::moved(&shown.cost, &now.cost));
    let known = |risk: &Risk| {
        shown
            .risks
            .iter()
            .any(|shown| shown.level == risk.level && shown.text == risk.text)
    };
    for risk in now.risks.iter().filter(|risk| risk.id != CUT && !known(risk)) {
        moved.push(Moved {
            what: "risk".into(),
            before: "not named".into(),
            after: risk.text.clone(),
        });
    }
    moved
}

fn effect(shown: &Changes, now: &Changes) -> Vec<Moved> {
    let named =
        |changes: &Changes, change: &Change| changes.changes.iter().find(|other| other.path == change.path).cloned();
    let gone = shown
        .changes
        .iter()
        .map(|before| (Some(before.clone()), named(now, before)));
    let come = now
        .changes
        .iter()
        .map(|after| (named(shown, after), Some(after.clone())))
        .filter(|(before, _)| before.is_none());
    let mut differs = gone.chain(come).filter(|(before, after)| before != after);
    let mut moved: Vec<_> = differs
        .by_ref()
        .take(MAX_NAMED)
        .map(|(before, after)| Moved {
            what: "effect".into(),
            before: change_words(before),
            after: change_words(after),
        })
        .collect();
    let more = differs.count();
    if more > 0 {
        moved.push(moved_to(
            "effect",
            "more",
            "as shown",
            &format!("{more} other differences"),
        ));
    }
    let cut = [shown, now]
        .iter()
        .any(|changes| changes.risks.iter().any(|risk| risk.id == CUT));
    if moved.is_empty() && cut && (&shown.before, &shown.after) != (&now.before, &now.after) {
        moved.push(moved_to("effect", "beyond the list", "as shown", "different"));
    }
    moved
}

fn change_words(change: Option<Change>) -> String {
    let Some(Change { path, before, after }) = change else {
        return "no change".into();
    };
    match (before, after) {
        (None, Some(after)) => format!("{path}: added {after}"),
        (Some(before), None) => format!("{path}: removed {before}"),
        (Some(before), Some(after)) => format!("{path}: {before} to {after}"),
        (None, None) => path,
    }
}

fn words(preview: &Preview) -> String {
    match preview {
        Preview::Pending => "not answered yet".into(),
        Preview::Unavailable { why } => format!("not measured: {why}"),
        Preview::WouldFail { message, .. } => format!("would fail: {message}"),
        Preview::Quoted { cost, .. } => format!("only a price{}", priced(cost)),
        Preview::NoChange { cost, .. } => format!("no change{}", priced(cost)),
        Preview::Changes(changes) => match changes.changes.len() {
            1 => format!("1 change{}", priced(&changes.cost)),
            more => format!("{more} changes{}", priced(&changes.cost)),
        },
    }
}

fn priced(cost: &Cost) -> String {
    let totals: Vec<_> = cost
        .totals
        .iter()
        .map(|total| format!("{} {}", total.amount, total.unit))
        .collect();
    if totals.is_empty() {
        String::new()
    } else {
        format!(", {}", totals.join(", "))
    }
}

fn moved_to(what: &str, part: &str, before: &str, after: &str) -> Moved {
    Moved {
        what: what.into(),
        before: format!("{part}: {before}"),
        after: format!("{part}: {after}"),
    }
}
