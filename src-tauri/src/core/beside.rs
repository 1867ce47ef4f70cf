use countersign_contract::{Beside, Code, ErrorView, Settings};
use countersign_gate::fault_of;

use super::{Core, lock};

const MOST: usize = 200;

impl Core {
    /// Puts reads beside a write, or takes them away when there are none in it. Returns the settings as they are to be stored.
    ///
    /// # Errors
    /// When it cannot be used, or there are too many.
    pub fn set_beside(&self, beside: Beside) -> Result<Settings, ErrorView> {
        if let Some(fault) = fault_of(&beside) {
            return Err(ErrorView::new(Code::Settings, fault));
        }
        let settings = {
            let mut settings = lock(&self.inner.settings);
            settings
                .beside
                .retain(|one| (&one.origin, &one.tool) != (&beside.origin, &beside.tool));
            if beside.quote.is_some() || !beside.photographs.is_empty() {
                if settings.beside.len() == MOST {
                    let message = format!("There can be at most {MOST} of these. Remove one first.");
                    return Err(ErrorView::new(Code::Settings, message));
                }
                settings.beside.push(beside);
            }
            settings.clone()
        };
        self.inner.desk.set_beside(&settings.beside);
        self.changed();
        Ok(settings)
    }
}
