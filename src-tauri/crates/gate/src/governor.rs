//! Keeps a source that asks without end from wearing out whoever decides: it is slowed, then stopped. What it asked before
//! still waits.

use std::collections::HashMap;

use countersign_contract::{Caller, ClientId, Ingress, Pause, ResumeParams};

use crate::{At, Policy};

/// Who asks, as far as stopping goes: one origin's tools, through one way in. Each MCP client is a source of its own, so that none
/// can silence another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub origin: String,
    pub ingress: Ingress,
    pub client: Option<ClientId>,
}

impl Source {
    pub fn of(origin: &str, caller: &Caller) -> Self {
        Self {
            origin: origin.to_owned(),
            ingress: caller.ingress,
            client: caller.client.clone(),
        }
    }
}

impl From<&ResumeParams> for Source {
    fn from(params: &ResumeParams) -> Self {
        let ResumeParams {
            origin,
            ingress,
            client,
        } = params.clone();
        Self {
            origin,
            ingress,
            client,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Governor {
    sources: HashMap<Source, Asking>,
}

#[derive(Debug)]
struct Asking {
    /// Asks it may still make at once, in thousandths.
    left: u64,
    seen_ms: u64,
    stopped: Option<Stopped>,
}

#[derive(Debug)]
struct Stopped {
    caller: String,
    since: String,
    why: String,
    turned_away: u32,
}

/// What the governor says to an ask.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may be heard.
    Heard,
    /// This was one too many: the source is stopped from here on.
    Stops {
        /// Why, as a whole sentence.
        why: String,
    },
    /// The source is stopped already.
    Stopped {
        /// Why, as a whole sentence.
        why: String,
    },
}

const WHOLE: u64 = 1000;
/// More sources than this at once are not remembered one by one; those that are quiet are forgotten first.
const MAX_SOURCES: usize = 512;
const STEP_MS: u64 = 250;

impl Governor {
    /// An ask has come.
    pub fn asks(&mut self, source: &Source, caller: &Caller, policy: &Policy, at: &At) -> Verdict {
        self.forget_quiet(policy, at);
        let asking = self.asking(source, policy, at);
        if let Some(stopped) = &mut asking.stopped {
            stopped.turned_away = stopped.turned_away.saturating_add(1);
            return Verdict::Stopped {
                why: stopped.why.clone(),
            };
        }
        if asking.left >= WHOLE {
            asking.left -= WHOLE;
            return Verdict::Heard;
        }
        let why = format!(
            "{} asked for more than {} writes of {} faster than one in {} seconds.",
            caller.name,
            policy.burst,
            source.origin,
            policy.refill_ms.div_ceil(1000),
        );
        asking.stopped = Some(Stopped {
            caller: caller.name.clone(),
            since: at.utc.clone(),
            why: why.clone(),
            turned_away: 1,
        });
        Verdict::Stops { why }
    }

    /// How long a caller that asks fast is kept waiting before its next ask is taken, in milliseconds.
    pub fn slows(&mut self, source: &Source, policy: &Policy, at: &At) -> u64 {
        let half = u64::from(policy.burst) * WHOLE / 2;
        let asking = self.asking(source, policy, at);
        if asking.stopped.is_some() {
            return 0;
        }
        half.saturating_sub(asking.left).div_ceil(WHOLE) * STEP_MS
    }

    /// Hears a stopped source again, from a full measure. How many of its asks were turned away; `None` when it was not stopped.
    pub fn resume(&mut self, source: &Source) -> Option<u32> {
        self.sources.get(source)?.stopped.as_ref()?;
        self.sources.remove(source)?.stopped.map(|stopped| stopped.turned_away)
    }

    /// Everybody who is stopped, in the order of their origins. `waiting` counts what still waits of a source.
    pub fn paused(&self, waiting: impl Fn(&Source) -> u32) -> Vec<Pause> {
        let mut paused: Vec<_> = self
            .sources
            .iter()
            .filter_map(|(source, asking)| {
                let stopped = asking.stopped.as_ref()?;
                Some(Pause {
                    origin: source.origin.clone(),
                    ingress: source.ingress,
                    client: source.client.clone(),
                    caller: stopped.caller.clone(),
                    waiting: waiting(source),
                    turned_away: stopped.turned_away,
                    since: stopped.since.clone(),
                    why: stopped.why.clone(),
                })
            })
            .collect();
        paused.sort_by(|one, other| (&one.origin, &one.since).cmp(&(&other.origin, &other.since)));
        paused
    }

    fn asking(&mut self, source: &Source, policy: &Policy, at: &At) -> &mut Asking {
        let full = u64::from(policy.burst) * WHOLE;
        let asking = self.sources.entry(source.clone()).or_insert(Asking {
            left: full,
            seen_ms: at.ms,
            stopped: None,
        });
        let back = at.ms.saturating_sub(asking.seen_ms).saturating_mul(WHOLE) / policy.refill_ms.max(1);
        asking.left = asking.left.saturating_add(back).min(full);
        if back > 0 || asking.left == full {
            asking.seen_ms = at.ms;
        }
        asking
    }

    fn forget_quiet(&mut self, policy: &Policy, at: &At) {
        if self.sources.len() > MAX_SOURCES {
            let whole = u64::from(policy.burst) * policy.refill_ms;
            self.sources
                .retain(|_, asking| asking.stopped.is_some() || at.ms.saturating_sub(asking.seen_ms) < whole);
        }
    }
}
