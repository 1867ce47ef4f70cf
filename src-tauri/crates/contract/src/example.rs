use std::str::FromStr;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A page that comes with the app.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum ExampleName {
    /// A small shop whose state is kept by its server.
    #[default]
    Shop,
    /// A hearing room whose tools come and go, with a partner at another origin.
    Room,
    /// A board of short notices.
    Board,
    /// A portfolio in a simulated market.
    Portfolio,
    /// The access of a small organisation.
    Access,
}

impl ExampleName {
    /// Every example there is.
    pub const ALL: [Self; 5] = [Self::Shop, Self::Room, Self::Board, Self::Portfolio, Self::Access];

    /// Its name: that of its folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shop => "shop",
            Self::Room => "room",
            Self::Board => "board",
            Self::Portfolio => "portfolio",
            Self::Access => "access",
        }
    }
}

impl FromStr for ExampleName {
    type Err = UnknownExample;

    fn from_str(name: &str) -> Result<Self, UnknownExample> {
        let found = Self::ALL.into_iter().find(|example| example.name() == name);
        found.ok_or_else(|| UnknownExample(name.to_owned()))
    }
}

/// A name that no example has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("There is no example `{0}`. There are: {names}.", names = names())]
pub struct UnknownExample(pub String);

fn names() -> String {
    ExampleName::ALL.map(ExampleName::name).join(", ")
}

/// `open_example`: serve an example, and open it in the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct OpenExampleParams {
    /// Which one.
    pub example: ExampleName,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_known_by_the_name_it_has_on_the_wire_and_any_other_is_told_the_list() {
        for example in ExampleName::ALL {
            assert_eq!(example.name().parse(), Ok(example));
            assert_eq!(serde_json::to_value(example).unwrap(), example.name());
        }
        let unknown = "zoo".parse::<ExampleName>().unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "There is no example `zoo`. There are: shop, room, board, portfolio, access."
        );
    }
}
