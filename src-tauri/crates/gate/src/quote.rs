use countersign_contract::wire::{PreviewCost, PreviewCostItem};
use countersign_contract::{Beside, Filled, Preview, Quote};
use serde_json::{Map, Value};

use crate::preview::unwrapped;
use crate::{At, cost};

const MAX_ARGUMENTS: usize = 50;
const MAX_PHOTOGRAPHS: usize = 5;
const MAX_UNIT: usize = 16;
const MAX_NAME: usize = 128;
const MAX_POINTER: usize = 200;
const MAX_BYTES: usize = 256 * 1024;

/// Why this cannot stand beside a write; `None` when it can.
pub fn fault_of(beside: &Beside) -> Option<String> {
    let named = beside
        .photographs
        .iter()
        .all(|one| is_name(&one.read) && can_be_filled(&one.arguments));
    if !named || beside.photographs.len() > MAX_PHOTOGRAPHS {
        return Some(format!(
            "Name at most {MAX_PHOTOGRAPHS} reads to compare, each with arguments that can be filled."
        ));
    }
    let quote = beside.quote.as_ref()?;
    if !is_name(&quote.read) {
        return Some("Name the read that quotes the price.".into());
    }
    if !is_pointer(&quote.amount) {
        return Some(format!(
            "`{}` is not a JSON pointer: it must begin with “/”.",
            quote.amount
        ));
    }
    if quote.unit.trim().is_empty() || quote.unit.chars().count() > MAX_UNIT {
        return Some(format!(
            "Say what the amount is in, in at most {MAX_UNIT} characters, such as EUR."
        ));
    }
    (!can_be_filled(&quote.arguments)).then(|| "The arguments of the read cannot be filled like that.".into())
}

fn is_pointer(text: &str) -> bool {
    text.len() <= MAX_POINTER && (text.is_empty() || text.starts_with('/'))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_NAME
}

fn can_be_filled(arguments: &[Filled]) -> bool {
    arguments.len() <= MAX_ARGUMENTS && arguments.iter().all(|one| is_name(&one.name) && is_pointer(&one.from))
}

/// The arguments a read is called with beside a write with these arguments (canonical form).
pub fn filled(wanted: &[Filled], arguments: &str) -> Value {
    let of_the_write: Value = serde_json::from_str(arguments).unwrap_or_default();
    let filled = wanted
        .iter()
        .filter_map(|one| Some((one.name.clone(), of_the_write.pointer(&one.from)?.clone())));
    filled.collect::<Map<_, _>>().into()
}

/// What the read answered as a price. What is not a number there is not measured, and never zero. `why` says why nobody can tell
/// what would change.
pub fn read_quote(text: &str, quote: &Quote, why: String, at: &At) -> Preview {
    let unreadable = |fault: String| Preview::Unavailable {
        why: format!(
            "{why} The price was asked of “{}”, which you named, and {fault}",
            quote.read
        ),
    };
    if text.len() > MAX_BYTES {
        return unreadable(format!("its answer is longer than {} KiB.", MAX_BYTES / 1024));
    }
    let answer = match unwrapped(text) {
        Ok(answer) => answer,
        Err(fault) => return unreadable(format!("its answer cannot be read: {fault}")),
    };
    let amount = match answer.pointer(&quote.amount) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(_) | None => None,
    };
    let said = PreviewCost {
        items: vec![PreviewCostItem {
            label: format!("Price by {}", quote.read),
            amount,
            unit: quote.unit.clone(),
            of: None,
        }],
        ..PreviewCost::default()
    };
    Preview::Quoted {
        read: quote.read.clone(),
        cost: cost::quoted(Some(said), at),
        why,
        at: at.utc.clone(),
    }
}
