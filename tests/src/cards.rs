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
    /// Everything on the card, what can be unfolded included.
    pub text: String,
}

// What is folded away is drawn when it is unfolded.
const READ: &str = "const done = arguments[0];
    const cards = () => [...document.querySelectorAll('article[aria-label^=\"Call of \"]')];
    const folds = () => cards().flatMap((card) => [...card.querySelectorAll('details')]);
    const read = () => {
        for (const fold of folds()) fold.open = true;
        if (folds().some((fold) => fold.childElementCount < 2)) return setTimeout(read, 20);
        done(cards().map((card) => ({
            tool: card.getAttribute('aria-label').slice('Call of '.length),
            word: card.querySelector('.chip')?.textContent.trim() ?? '',
            text: card.textContent,
        })));
    };
    read();";

/// The cards of the conversation, oldest first.
pub(crate) async fn read(panel: &Screen<'_>) -> Vec<CallCard> {
    panel.later(READ, json!([])).await
}
