use std::collections::BTreeSet;

use countersign_contract::{Code, ErrorView, ExampleName, NamedBy};
use countersign_gate::{Descriptor, DescriptorFaults};

use super::Core;

/// One for each tool a person may want described; the settings are sent whole with every change of a window.
const MOST: usize = 200;

macro_rules! of {
    ($example:ident, $file:literal) => {
        (
            ExampleName::$example,
            include_str!(concat!("../../descriptors/", $file, ".json")),
        )
    };
}

/// Those of the examples. They leave out the origin: its port is a new one each time.
const OF_THE_EXAMPLES: [(ExampleName, &str); 18] = [
    of!(Shop, "shop/add_to_basket"),
    of!(Shop, "shop/close_account"),
    of!(Shop, "shop/place_order"),
    of!(Shop, "shop/set_delivery_note"),
    of!(Room, "room/add_artefact"),
    of!(Room, "room/commit_to_round"),
    of!(Room, "room/ratify"),
    of!(Room, "room/reveal_in_round"),
    of!(Board, "board/add_item"),
    of!(Board, "board/delete_item"),
    of!(Board, "board/edit_item"),
    of!(Board, "board/request_removal"),
    of!(Portfolio, "portfolio/sell"),
    of!(Portfolio, "portfolio/swap"),
    of!(Access, "access/change_grant"),
    of!(Access, "access/remove_role"),
    of!(Access, "access/revoke_key"),
    of!(Access, "access/rotate_key"),
];

/// The person's own descriptors, as they are in the settings.
///
/// # Errors
/// Every fault of the first that has any, and when two are for the same tool.
pub fn read(texts: &[String]) -> Result<Vec<Descriptor>, ErrorView> {
    if texts.len() > MOST {
        return Err(refused(format!("There can be at most {MOST} descriptors.")));
    }
    let mut known = BTreeSet::new();
    texts
        .iter()
        .zip(1..)
        .map(|(text, number)| {
            let read = Descriptor::parse(text).map_err(|DescriptorFaults(faults)| {
                refused(format!("Descriptor {number} was not taken:\n{}", faults.join("\n")))
            })?;
            if known.insert((read.origin().to_owned(), read.tool().to_owned())) {
                Ok(read)
            } else {
                let (tool, origin) = (read.tool(), read.origin());
                Err(refused(format!("There are two descriptors for {tool} of {origin}.")))
            }
        })
        .collect()
}

/// Those that can be read. A stored one that cannot must not keep the app from starting.
pub fn readable(texts: &[String]) -> Vec<Descriptor> {
    let read = |text: &String| {
        Descriptor::parse(text)
            .inspect_err(|faults| tracing::warn!(%faults, "a stored descriptor is left out"))
            .ok()
    };
    texts.iter().filter_map(read).collect()
}

fn refused(message: String) -> ErrorView {
    ErrorView::new(Code::Settings, message)
}

impl Core {
    /// Makes cards readable by these, and by those of each example once it is served.
    pub(super) fn describe(&self, person: Vec<Descriptor>) {
        let mut all: Vec<_> = person.into_iter().map(|read| (NamedBy::Person, read)).collect();
        for (example, origin) in self.inner.examples.origins() {
            let its = OF_THE_EXAMPLES.iter().filter(|(of, _)| *of == example);
            let ours = its.filter_map(|(_, text)| Descriptor::parse_for(text, &origin).ok());
            all.extend(ours.map(|read| (NamedBy::Countersign, read)));
        }
        self.inner.desk.describe(all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_can_be_read() {
        for (_, text) in OF_THE_EXAMPLES {
            let read = Descriptor::parse_for(text, "http://127.0.0.1:1");
            assert!(read.is_ok(), "{text}\n{}", read.unwrap_err());
        }
    }

    #[test]
    fn a_descriptor_with_a_fault_is_refused_and_the_fault_is_named() {
        let good = r#"{"descriptor":1,"origin":"https://a.example","tool":"t","arguments":{"/x":{"label":"X"}}}"#;
        let bad = good.replace("label", "lable");
        assert_eq!(read(&[good.into()]).map(|read| read.len()), Ok(1));
        let error = read(&[good.into(), bad.clone()]).unwrap_err();
        assert!(error.message.contains("Descriptor 2"), "{}", error.message);
        assert!(
            error.message.contains("/arguments/~1x/label is missing"),
            "{}",
            error.message
        );
        assert!(read(&[good.into(), good.into()]).is_err(), "two for one tool");
        assert_eq!(readable(&[bad, good.into()]).len(), 1);
    }
}
