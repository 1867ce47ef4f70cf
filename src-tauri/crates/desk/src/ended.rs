//! What came back from a page, as an end of the write.

use countersign_bridge::{Executed, GateSays, own_gate};
use countersign_contract::PageGate;
use countersign_gate::Ended;

/// The end of a call. Where a gate of the page's own answered in the tool's place, that is neither success nor failure.
pub(crate) fn ended(executed: Executed) -> Ended {
    let words = match &executed {
        Executed::Committed { result } => result,
        Executed::Failed { message } => message,
        Executed::NotRun { .. } | Executed::Unknown { .. } => return taken_at_its_word(executed),
    };
    let gate = match own_gate(words).map(|gate| gate.says) {
        None => return taken_at_its_word(executed),
        Some(GateSays::Failed { reason }) => return Ended::Failed { message: reason },
        Some(GateSays::Waiting { reference }) => PageGate::Waiting { reference },
        Some(GateSays::Declined { reason }) => PageGate::Declined { reason },
        Some(GateSays::Expired) => PageGate::Expired,
        Some(GateSays::NotAsked) => PageGate::NotAsked,
    };
    let result = words.clone();
    Ended::PageGate { gate, result }
}

/// The end as the door tells it.
pub(crate) fn taken_at_its_word(executed: Executed) -> Ended {
    match executed {
        Executed::Committed { result } => Ended::Committed { result },
        Executed::Failed { message } => Ended::Failed { message },
        Executed::NotRun { message } => Ended::NotRun { message },
        Executed::Unknown { message } => Ended::Unknown { message },
    }
}
