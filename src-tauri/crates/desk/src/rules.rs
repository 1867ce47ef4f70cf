use countersign_contract::{
    Caller, Fingerprint, GrantOnceParams, HideToolParams, Ingress, ProposalId, RefuseAllParams, RefuseParams,
    ResumeParams, RevokeRuleParams,
};
use countersign_gate::{Ask, AskedAct, GateError, RuleDraft};

use crate::{Desk, DeskError};

/// Rules, and what takes power away from agents.
impl Desk {
    /// Lets a rule that covers the proposal release it. What no rule may release waits for a person.
    pub(crate) async fn release_by_rule(&self, proposal: &ProposalId) {
        let at = self.inner.clock.now();
        let press = self.gate().press_by_rule(proposal, &at);
        self.changed();
        let Some(press) = press else { return };
        if let Err(error) = self.carry_out(press).await {
            tracing::info!(%proposal, %error, "a rule could not release it; it waits for a person");
        }
        self.changed();
    }

    /// Makes the rule that was asked for along with a decision. The decision stands whether or not that works out.
    pub(crate) async fn make_rule_along_with(&self, proposal: &ProposalId) {
        let at = self.inner.clock.now();
        let draft = self.gate().rule_along_with(proposal, &at);
        if let Some(draft) = draft
            && let Err(error) = self.enforce(draft).await
        {
            tracing::error!(%proposal, %error, "the rule could not be recorded, so it is not in force");
        }
    }

    async fn enforce(&self, draft: RuleDraft) -> Result<(), DeskError> {
        let durable = self.inner.ledger.append(draft.row().clone()).await?;
        self.gate().enforce(draft, &durable)?;
        self.changed();
        Ok(())
    }

    /// Ends a rule, or all that allow and refuse. They are out of force before this returns.
    ///
    /// # Errors
    /// When there is no such rule.
    pub async fn revoke_rule(&self, params: &RevokeRuleParams) -> Result<(), DeskError> {
        let at = self.inner.clock.now();
        let rows = self.gate().revoke(params, &at)?;
        self.changed();
        for row in rows {
            self.record(row).await;
        }
        Ok(())
    }

    /// Withdraws every write tool from every agent, or restores them.
    pub async fn revoke_writes(&self, revoked: bool) {
        let at = self.inner.clock.now();
        let row = self.gate().revoke_writes(revoked, &at);
        self.changed();
        if let Some(row) = row {
            self.record(row).await;
        }
    }

    /// Hides a tool from agents.
    ///
    /// # Errors
    /// When there is no such tool, or the ledger cannot be written.
    pub async fn hide_tool(&self, params: &HideToolParams) -> Result<(), DeskError> {
        let tool = self.world().tool(&params.tool).ok_or(DeskError::NoTool)?;
        let at = self.inner.clock.now();
        let draft = self.gate().hide(&tool, &at);
        match draft {
            Some(draft) => self.enforce(draft).await,
            None => Ok(()),
        }
    }

    /// Puts one exact call of a tool on the desk, so that the approval window can grant one use of it.
    ///
    /// # Errors
    /// When there is no such tool, the arguments cannot be shown exactly, or the ledger cannot be written.
    pub async fn grant_once(&self, params: GrantOnceParams) -> Result<ProposalId, DeskError> {
        let tool = self.world().tool(&params.tool).ok_or(DeskError::NoTool)?;
        let ask = Ask {
            caller: Caller::new(Ingress::PanelHand, "the panel, by hand"),
            page: tool.page.clone(),
            act: AskedAct::Grant {
                tool: Box::new(tool),
                arguments: params.arguments,
            },
            fingerprint: Fingerprint::default(),
            task: String::new(),
        };
        self.hold(ask).await
    }

    /// Hears a source again that was stopped for asking without end.
    pub async fn resume(&self, params: &ResumeParams) {
        let row = self.gate().resume(params);
        self.changed();
        if let Some(row) = row {
            self.record(row).await;
        }
    }

    /// Refuses several proposals with one reason. Those that are decided already are left alone.
    pub async fn refuse_all(&self, params: &RefuseAllParams) {
        for proposal in &params.proposals {
            let one = RefuseParams {
                proposal: proposal.clone(),
                digest: String::new(),
                reason: params.reason.clone(),
                fingerprint: params.fingerprint.clone(),
                rule: None,
            };
            if let Err(error) = self.refuse(one).await {
                tracing::info!(%proposal, %error, "one of several was not refused");
            }
        }
    }

    /// A task is over: the rules that were made for it are, too.
    pub fn end_task(&self, task: &str) {
        self.gate().end_task(task);
        self.changed();
    }

    /// Records what has to be recorded of an ask that was not taken.
    pub(crate) async fn turned_away(&self, error: GateError) -> DeskError {
        match error {
            GateError::TurnedAway { why, row } => {
                if let Some(row) = row {
                    self.record(*row).await;
                }
                self.changed();
                GateError::TurnedAway { why, row: None }.into()
            }
            error => error.into(),
        }
    }
}
