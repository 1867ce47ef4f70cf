//! Whatever a file holds, nothing but our entry changes, and taking it out gives the bytes back where the table of entries was there.

use proptest::prelude::*;

use super::super::format::Format;
use super::super::tree::{Tree, only_ours_differs};
use super::*;

fn word() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_-]{0,7}"
}

fn gap() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\n  ",
        "\n\t",
        " /* c, } */ ",
        " // { c\n",
        "\r\n    ",
    ])
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1.0".to_owned()),
        Just("null".to_owned()),
        word().prop_map(|word| format!("\"{word} // é\\u0000\""))
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..3), gap())
                .prop_map(|(list, gap)| format!("[{}]", list.join(&format!(",{gap}")))),
            object(prop::collection::btree_map(word(), inner, 0..3).boxed()),
        ]
    })
}

fn object(members: BoxedStrategy<std::collections::BTreeMap<String, String>>) -> impl Strategy<Value = String> {
    (members, prop::collection::vec(gap(), 9), any::<bool>()).prop_map(|(members, gaps, comma)| {
        let mut text = format!("{{{}", gaps[0]);
        let last = members.len();
        for (at, (name, value)) in members.into_iter().enumerate() {
            let more = if at + 1 < last || comma { "," } else { "" };
            text += &format!(
                "\"{name}\"{}:{}{value}{}{more}{}",
                gaps[1],
                gaps[2],
                gaps[3 + at],
                gaps[6 + at]
            );
        }
        text + "}"
    })
}

fn json_file() -> impl Strategy<Value = String> {
    let entries = object(prop::collection::btree_map(word(), json_value(), 1..3).boxed());
    (entries, json_value(), gap(), gap(), any::<bool>()).prop_map(|(entries, other, one, two, first)| {
        if first {
            format!("{one}{{{two}\"servers\":{entries}, \"zz\": {other}}}{two}")
        } else {
            format!("{{\"zz\":{two}{other}{one},\"servers\":{one}{entries}{two}}}")
        }
    })
}

fn toml_file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# a comment [x]".to_owned()),
        Just(String::new()),
        word().prop_map(|word| format!("k_{word} = '''{word}\n# no comment'''")),
        word().prop_map(|word| format!("l_{word} = [ 1, # one\n 2, ]  # after")),
        word().prop_map(|word| format!("[mcp_servers.s_{word}]\ncommand = \"{word}\"  # c")),
        word().prop_map(|word| format!("[[list_{word}]]\n \"a b\" = 1979-05-27")),
    ];
    (prop::collection::vec(line, 0..7), any::<bool>(), any::<bool>()).prop_map(|(lines, windows, end)| {
        let text = lines.join("\n") + if end { "\n" } else { "" };
        if windows { text.replace('\n', "\r\n") } else { text }
    })
}

fn yaml_file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# a comment: {}".to_owned()),
        Just(String::new()),
        word().prop_map(|word| format!("k_{word}: \"{word} # no\" # yes")),
        word().prop_map(|word| format!("b_{word}: |\n  {word}: x\n\n  y")),
        word().prop_map(|word| format!("l_{word}:\n- 1\n- {{a: é}}")),
    ];
    let entry = prop_oneof![
        Just("# between".to_owned()),
        Just(String::new()),
        word().prop_map(|word| format!("e_{word}:\n  cmd: '{word}'\n  args:\n  - >-\n    x\n    y")),
        word().prop_map(|word| format!("f_{word}: {{ type: builtin }} # c")),
    ];
    (
        prop::collection::vec(line.clone(), 0..4),
        prop::collection::vec(entry, 0..4),
        prop::collection::vec(line, 0..4),
        1..5_usize,
    )
        .prop_map(|(before, entries, after, indent)| {
            let space = " ".repeat(indent);
            let entries = entries.into_iter().chain(["z_last: {}".to_owned()]).flat_map(|entry| {
                entry
                    .lines()
                    .map(|line| {
                        if line.is_empty() {
                            String::new()
                        } else {
                            format!("{space}{line}")
                        }
                    })
                    .collect::<Vec<_>>()
            });
            let lines = before
                .into_iter()
                .chain(["extensions:".to_owned()])
                .chain(entries)
                .chain(after);
            lines.map(|line| line + "\n").collect()
        })
}

/// Adds and removes, and looks at both. A text that is no file of its kind is none to look at.
fn there_and_back(client: SetupClient, text: &str) -> Result<(), TestCaseError> {
    let place = Places::below("/home/x", System::Linux).of(client);
    let Ok(before) = place.format.tree(text) else {
        return Err(TestCaseError::reject("not a file of its kind"));
    };
    let entry = entry(client, PROGRAM);
    let added = place
        .format
        .changed(text, place.container, Some(&entry))
        .map_err(TestCaseError::fail)?;
    let after = place.format.tree(&added).map_err(TestCaseError::fail)?;
    prop_assert!(
        only_ours_differs(&before, &after, place.container, Some(&entry)),
        "{added}"
    );
    let removed = place
        .format
        .changed(&added, place.container, None)
        .map_err(TestCaseError::fail)?;
    prop_assert_eq!(&removed, text);
    Ok(())
}

proptest! {
    #[test]
    fn any_json_with_comments_comes_back(text in json_file()) {
        there_and_back(SetupClient::VsCode, &text)?;
    }

    #[test]
    fn any_toml_comes_back(text in toml_file()) {
        there_and_back(SetupClient::Codex, &text)?;
    }

    #[test]
    fn any_yaml_comes_back(text in yaml_file()) {
        there_and_back(SetupClient::Goose, &text)?;
    }

    #[test]
    fn an_entry_anywhere_goes_alone(text in json_file(), at in any::<prop::sample::Index>()) {
        let format = Places::below("/home/x", System::Linux).of(SetupClient::VsCode).format;
        let names: Vec<_> = match format.tree(&text).ok().and_then(|tree| tree.get("servers").cloned()) {
            Some(Tree::Members(members)) => members.into_iter().map(|(name, _)| name).collect(),
            _ => return Err(TestCaseError::reject("not a file of its kind")),
        };
        let name = &names[at.index(names.len())];
        let with_ours = text.replacen(&format!("\"{name}\""), "\"countersign\"", 1);
        let Ok(before) = format.tree(&with_ours) else { return Err(TestCaseError::reject("twice")) };
        prop_assume!(before.entry("servers").is_some());
        for entry in [None, Some(entry(SetupClient::VsCode, PROGRAM))] {
            let made = format.changed(&with_ours, "servers", entry.as_ref()).map_err(TestCaseError::fail)?;
            let after = format.tree(&made).map_err(TestCaseError::fail)?;
            prop_assert!(only_ours_differs(&before, &after, "servers", entry.as_ref()), "{}", made);
        }
    }
}

#[test]
fn a_change_beside_ours_is_seen() {
    let tree = |text| Format::Toml.tree(text).expect("a file");
    let (before, entry) = (tree("a = 1\n[t.x]\nb = 1\n"), Tree::members([]));
    for after in [
        "a = 2\n[t.x]\nb = 1\n",
        "[t.x]\nb = 1\n",
        "a = 1\n[t.x]\nb = \"1\"\n",
        "a = 1\n[t.x]\nb = 1\n[t.y]\n",
        "a = 1\n",
    ] {
        assert!(!only_ours_differs(&before, &tree(after), "t", None), "{after}");
    }
    let after = tree("a = 1\n[t.x]\nb = 1\n[t.countersign]\n");
    assert!(only_ours_differs(&before, &after, "t", Some(&entry)) && !only_ours_differs(&before, &after, "t", None));
}
