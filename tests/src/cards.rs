use serde::Deserialize;
use serde_json::json;

use crate::Screen;

/// A call as the panel's conversation shows it.
#[derive(Clone, Debug, Deserialize)]
pub struct CallCard {
    /// The tool's name.
    pub tool: String,
    /// The word on its chip: `Read`, `Held`, `Done`…
    pub word: String,
    /// Everything on the card that is not folded away.
    pub text: String,
}

const READ: &str = "return [...document.querySelectorAll('article[aria-label^=\"Call of \"]')].map((card) => ({
    tool: card.getAttribute('aria-label').slice('Call of '.length),
    word: card.querySelector('.chip')?.textContent.trim() ?? '',
    text: card.textContent,
}))";

// What is folded away is drawn only when it is unfolded.
const UNFOLD: &str = "const done = arguments[0];
    const folds = [...document.querySelectorAll('article[aria-label^=\"Call of \"] details')];
    const look = () => {
        for (const fold of folds) fold.open = true;
        if (folds.every((fold) => fold.childElementCount > 1)) done(true);
        else setTimeout(look, 20);
    };
    look();";

/// The cards of the conversation, oldest first.
pub(crate) async fn read(panel: &Screen<'_>) -> Vec<CallCard> {
    panel.script(READ, json!([])).await
}

/// Unfolds every card.
pub(crate) async fn unfold(panel: &Screen<'_>) {
    panel.later::<bool>(UNFOLD, json!([])).await;
}
