use countersign_contract::{DeskState, Proposal, RowKind};
use serde_json::Value;

use crate::App;
use crate::display::{activate, close, on_screen};
use crate::screen::Screen;
use crate::wait::until;

const RELEASE: &str =
    "//footer//button[normalize-space(.)='Release this write' or normalize-space(.)='Let this request through']";

/// The approval window: the only one that may decide.
pub struct Approval<'a> {
    app: &'a App,
}

impl<'a> Approval<'a> {
    /// The title in its frame.
    pub const TITLE: &'static str = "Countersign: release or refuse";

    pub(crate) const fn new(app: &'a App) -> Self {
        Self { app }
    }

    /// What is on it.
    pub const fn screen(&self) -> Screen<'a> {
        Screen::new(self.app, "approval.html", Self::TITLE)
    }

    /// The desk as the window sees it.
    ///
    /// # Panics
    /// When the core does not answer.
    pub async fn state(&self) -> DeskState {
        let state = self
            .screen()
            .command("approval_state", Value::Null)
            .await
            .expect("the approval window may ask");
        serde_json::from_value(state).expect("the desk has the shape of the contract")
    }

    /// Waits until the window has come up by itself with something to decide, gives it the focus, and returns what is held.
    ///
    /// # Panics
    /// When it does not come up in time.
    pub async fn comes_up(&self) -> Proposal {
        let held = self.holds().await;
        until("the approval window should come up", async || {
            on_screen(Self::TITLE).then_some(())
        })
        .await;
        activate(Self::TITLE).await;
        held
    }

    /// Leaves what has been decided, and turns to the next that waits. The window never does so by itself.
    ///
    /// # Panics
    /// When nothing more waits.
    pub async fn next(&self) {
        let next = "//footer//button[starts-with(normalize-space(.), 'Next')]";
        self.screen().press_at(next, "the button that turns to the next").await;
    }

    /// Waits until something is held, and returns the first of it.
    ///
    /// # Panics
    /// When nothing is in time.
    pub async fn holds(&self) -> Proposal {
        until("something should be held", async || {
            self.state()
                .await
                .proposals
                .into_iter()
                .find(|proposal| proposal.state.is_open())
        })
        .await
    }

    /// Nothing waits for a decision.
    pub async fn is_empty(&self) -> bool {
        !self
            .state()
            .await
            .proposals
            .iter()
            .any(|proposal| proposal.state.is_open())
    }

    /// The window can be seen.
    pub fn is_on_screen(&self) -> bool {
        on_screen(Self::TITLE)
    }

    /// Brings the window up from the panel, as a person does who had closed it.
    ///
    /// # Panics
    /// When nothing waits.
    pub async fn bring_up(&self) -> Proposal {
        self.app
            .panel()
            .screen()
            .press_at("//button[contains(@class, 'waiting')]", "the number of what waits")
            .await;
        self.comes_up().await
    }

    /// Waits until Pair is alive, and presses it.
    ///
    /// # Panics
    /// When no client asks to be let in.
    pub async fn pair(&self) {
        activate(Self::TITLE).await;
        self.screen().press("Pair").await;
    }

    /// Does not let the client in whose card is in view.
    ///
    /// # Panics
    /// When no client asks to be let in.
    pub async fn turn_away(&self) {
        activate(Self::TITLE).await;
        self.screen().press("Do not pair").await;
    }

    /// Waits until Release is alive, presses it, and waits for its row.
    ///
    /// # Panics
    /// When it does not come alive, or what was pressed is not released.
    pub async fn release(&self) {
        let before = self.app.record().of_kind(RowKind::Released).len();
        self.press_release().await;
        let what = "the ledger should have the release";
        until(what, async || {
            (self.app.record().of_kind(RowKind::Released).len() > before).then_some(())
        })
        .await;
    }

    /// Waits until Release is alive, and presses it.
    ///
    /// # Panics
    /// When it does not come alive.
    pub async fn press_release(&self) {
        activate(Self::TITLE).await;
        self.screen().press_at(RELEASE, "the button that releases").await;
    }

    /// Picks these choices of what is allowed along with the card, releases it, and waits for the rule.
    ///
    /// # Panics
    /// When there is no such choice, or no rule comes of it.
    pub async fn release_and_allow(&self, choices: &[&str]) {
        activate(Self::TITLE).await;
        self.screen().press("Allow more like it…").await;
        for choice in choices {
            let path = format!("//label[starts-with(normalize-space(.), '{choice}')]");
            self.screen().press_at(&path, choice).await;
        }
        self.screen().press("Release and allow").await;
        self.app.record().has(RowKind::RuleMade).await;
    }

    /// Release can be pressed now.
    pub async fn can_release(&self) -> bool {
        match self.screen().all(RELEASE).await.first() {
            Some(button) => button.is_enabled().await.unwrap_or(false),
            None => false,
        }
    }

    /// Refuses with a reason.
    ///
    /// # Panics
    /// When it cannot be refused.
    pub async fn refuse(&self, reason: &str) {
        self.screen().press("Refuse").await;
        self.screen().fill("Why not?", reason).await;
        self.screen().press("Refuse now").await;
    }

    /// Changes arguments in the form and saves them as the next version. Each is `name, what is typed or picked`.
    ///
    /// # Panics
    /// When there is no such argument.
    pub async fn edit(&self, arguments: &[(&str, &str)]) {
        self.screen().press("Edit arguments").await;
        for (name, value) in arguments {
            self.screen().fill(name, value).await;
        }
        self.screen()
            .press_at(
                "//form[@aria-label='Edit arguments']//button[@type='submit']",
                "the button that saves",
            )
            .await;
    }

    /// Ticks every critical risk that is shown, once there is one.
    ///
    /// # Panics
    /// When there is none.
    pub async fn acknowledge(&self) {
        let ticks = "//main//input[@type='checkbox']";
        self.screen().press_at(ticks, "a critical risk's tick").await;
        for tick in self.screen().all(ticks).await.iter().skip(1) {
            tick.click().await.expect("a critical risk can be ticked");
        }
    }

    /// Sets what is shown aside.
    ///
    /// # Panics
    /// When it cannot be.
    pub async fn set_aside(&self) {
        self.screen().press("Set aside").await;
    }

    /// Closes the window by its frame; that sets nothing free.
    pub async fn close(&self) {
        close(Self::TITLE).await;
    }
}
