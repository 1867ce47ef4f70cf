//! Sockets, which the browser does not pause. While a guard is on no new one opens, and what is sent on one that was open before
//! is held in its own realm. Both are confirmed before a read runs, and taken off again before a released write does.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use countersign_contract::Tool;
use countersign_contract::wire::ToPage;
use tokio::sync::oneshot;

use super::extension::{Extension, Rule};
use super::state::State;

/// How long a page may take to confirm that it is guarded.
const CONFIRMED: Duration = Duration::from_secs(5);

const NOT_CONFIRMED: &str = "The browser, or a page or worker in it, did not answer, so it could not be made sure that nothing is \
                             sent while the tool reads. The tool was not run. Load the page again, then ask again.";

/// A realm that can have sockets: the session and isolated context of a document, or a worker's session and 0.
pub(super) type Place = (String, i64);

/// What is known of the sockets of the browser.
#[derive(Default)]
pub(super) struct Sockets {
    pub extension: Extension,
    realms: BTreeMap<Place, Realm>,
    waiting: Vec<Waiter>,
    /// Somebody will look when the next guard ends.
    watching: bool,
}

struct Realm {
    /// `None` for a worker that belongs to no one tab.
    tab: Option<String>,
    is_worker: bool,
    /// It has made a socket.
    opened: bool,
    /// What it has confirmed.
    guarded: Option<bool>,
    /// What it has been told and has not confirmed.
    telling: Option<bool>,
}

type Then = Box<dyn FnOnce(&mut State, Result<(), String>) + Send>;

struct Waiter {
    number: u64,
    tab: String,
    then: Then,
}

impl State {
    /// A document is there. It keeps what it is to send until it is told whether it is guarded.
    pub fn document_realm(&mut self, place: Place, tab: String) {
        let mut realm = Realm::new(Some(tab), false, None);
        // A frame's first, empty document and the one that follows may share a window.
        realm.opened = self.sockets.realms.get(&place).is_some_and(|before| before.opened);
        self.sockets.realms.insert(place, realm);
        self.align_sockets();
    }

    /// A worker is being given its wrapper, which starts with what is so now.
    pub fn worker_realm(&mut self, session: &str, tab: Option<String>) -> bool {
        let guarded = self.guarding_sockets(tab.as_deref()).is_some();
        let realm = Realm::new(tab, true, Some(guarded));
        self.sockets.realms.insert((session.to_owned(), 0), realm);
        guarded
    }

    /// A realm has done what it was told.
    pub fn realm_confirmed(&mut self, place: &Place) {
        if let Some(realm) = self.sockets.realms.get_mut(place) {
            realm.guarded = realm.telling.take().or(realm.guarded);
            self.align_sockets();
        }
    }

    /// A realm is about to make its first socket.
    pub fn realm_opened(&mut self, place: &Place) {
        if let Some(realm) = self.sockets.realms.get_mut(place) {
            realm.opened = true;
        }
    }

    pub fn realm_gone(&mut self, place: &Place) {
        if self.sockets.realms.remove(place).is_some() {
            self.wake();
        }
    }

    /// The read that sockets of this tab are held for; of any tab, for what belongs to none. Windows that opened one another can
    /// use each other's sockets.
    pub fn guarding_sockets(&self, tab: Option<&str>) -> Option<&Tool> {
        let Some(tab) = tab else { return self.guarding(None) };
        let related = self.related(tab);
        related.into_iter().find_map(|tab| self.guarding(Some(tab)))
    }

    /// Brings the browser and every realm to what the guards ask for, and lets go of whoever waited for that.
    pub fn align_sockets(&mut self) {
        if self.browser.is_none() {
            return;
        }
        self.align_rule(self.wanted_rule());
        self.align_realms();
        self.wake();
    }

    fn wanted_rule(&self) -> Rule {
        if self.guarding(None).is_none() {
            return Rule::Off;
        }
        // A tab that has crashed sends nothing, and the browser does not answer for it.
        let spare = self.tabs.iter().filter(|tab| !tab.crashed).map(|tab| &tab.id);
        Rule::On {
            spare: spare
                .filter(|tab| self.guarding_sockets(Some(tab)).is_none())
                .cloned()
                .collect(),
        }
    }

    fn align_realms(&mut self) {
        let differing = self.sockets.realms.iter().filter_map(|(place, realm)| {
            let wanted = self.guarding_sockets(realm.tab.as_deref()).is_some();
            (realm.telling.is_none() && realm.guarded != Some(wanted)).then(|| (place.clone(), wanted))
        });
        for (place, on) in differing.collect::<Vec<_>>() {
            if let Some(realm) = self.sockets.realms.get_mut(&place) {
                realm.telling = Some(on);
            }
            let (session, context) = place.clone();
            self.tell(
                &session,
                context,
                &ToPage::Guard { on },
                move |state, outcome| match outcome {
                    // A document that runs no scripts does not take it, and goes on keeping what it is to send.
                    Some(_) => state.realm_confirmed(&place),
                    None => state.realm_gone(&place),
                },
            );
        }
    }

    /// Whether all that can be sent from this tab is as its guard asks; for no tab, whether the extension is there.
    fn agrees(&self, tab: &str) -> bool {
        if tab.is_empty() {
            return self.sockets.extension.applied.is_some();
        }
        let related = self.related(tab);
        let on = self.guarding_sockets(Some(tab)).is_some();
        let Extension { applied, asked, .. } = &self.sockets.extension;
        let fits = |rule: &Rule| match rule {
            Rule::Off => !on,
            Rule::On { spare } => spare.contains(tab) != on,
        };
        if !applied.as_ref().is_some_and(fits) || !asked.as_ref().is_none_or(fits) {
            return false;
        }
        let of = |realm: &&Realm| match &realm.tab {
            Some(tab) => related.contains(&tab.as_str()),
            None => true,
        };
        let documents_have = |realm: &&Realm| !realm.is_worker && realm.opened;
        let any = self
            .sockets
            .realms
            .values()
            .filter(of)
            .any(|realm| documents_have(&realm));
        let mut counting = self
            .sockets
            .realms
            .values()
            .filter(of)
            .filter(|realm| match realm.is_worker {
                // Through its functions a document can use any socket of another.
                false => any,
                // The browser's rule does not reach what belongs to no tab: there the realm itself refuses.
                true => realm.opened || (on && realm.tab.is_none()),
            });
        counting.all(|realm| {
            let wanted = self.guarding_sockets(realm.tab.as_deref()).is_some();
            realm.telling.is_none() && realm.guarded == Some(wanted)
        })
    }

    /// Does something once the sockets of this tab are as its guard asks, at once if they are.
    pub fn once_sockets_agree(&mut self, tab: &str, then: impl FnOnce(&mut Self, Result<(), String>) + Send + 'static) {
        if self.agrees(tab) {
            return then(self, Ok(()));
        }
        let number = self.number();
        self.sockets.waiting.push(Waiter {
            number,
            tab: tab.to_owned(),
            then: Box::new(then),
        });
        self.after(CONFIRMED, move |state| {
            let waiters = state.sockets.waiting.extract_if(.., |waiter| waiter.number == number);
            let waiters = waiters.collect::<Vec<_>>();
            if !waiters.is_empty() {
                state.sockets.extension.give_up_loading();
            }
            for waiter in waiters {
                (waiter.then)(state, Err(NOT_CONFIRMED.into()));
            }
        });
        // What failed before is tried again.
        self.align_sockets();
    }

    /// The same, to be waited for; `None` when they are so already.
    pub fn sockets_agree(&mut self, tab: &str) -> Option<oneshot::Receiver<Result<(), String>>> {
        if self.agrees(tab) {
            return None;
        }
        let (done, agreed) = oneshot::channel();
        self.once_sockets_agree(tab, move |_, result| {
            let _ = done.send(result);
        });
        Some(agreed)
    }

    fn wake(&mut self) {
        let agreeing = self.sockets.waiting.iter().filter(|waiter| self.agrees(&waiter.tab));
        let numbers = agreeing.map(|waiter| waiter.number).collect::<Vec<_>>();
        if numbers.is_empty() {
            return;
        }
        let awake = self
            .sockets
            .waiting
            .extract_if(.., |waiter| numbers.contains(&waiter.number));
        for waiter in awake.collect::<Vec<_>>() {
            (waiter.then)(self, Ok(()));
        }
    }

    /// The browser's rule cannot be brought to what is asked for.
    pub fn sockets_cannot_agree(&mut self, message: &str) {
        tracing::warn!(message, "sockets cannot be guarded");
        for waiter in std::mem::take(&mut self.sockets.waiting) {
            (waiter.then)(self, Err(format!("{message} The tool was not run.")));
        }
    }

    /// Takes the guard off the sockets when the time after a read is over.
    pub fn watch_guards(&mut self) {
        if self.sockets.watching {
            return;
        }
        let Some(end) = self.next_guard_end() else {
            return self.align_sockets();
        };
        let wait = end.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
        self.sockets.watching = self.after(wait, |state| {
            state.sockets.watching = false;
            state.align_sockets();
            if state.next_guard_end().is_some() {
                state.watch_guards();
            }
        });
    }

    pub fn forget_sockets(&mut self) {
        for waiter in std::mem::take(&mut self.sockets).waiting {
            (waiter.then)(self, Err("The browser has gone.".into()));
        }
    }
}

impl Realm {
    fn new(tab: Option<String>, is_worker: bool, telling: Option<bool>) -> Self {
        Self {
            tab,
            is_worker,
            opened: false,
            guarded: None,
            telling,
        }
    }
}
