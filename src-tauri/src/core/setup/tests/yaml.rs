use super::*;
use SetupClient::Goose;

fn block(indent: usize) -> String {
    let lines = [
        "countersign:",
        "  enabled: true",
        "  type: stdio",
        "  name: countersign",
        "  description: \"Tools of web pages; every write is held until you release it\"",
        "  cmd: \"/opt/countersign/countersign-bridge\"",
        "  args: [\"mcp\"]",
        "  timeout: 300",
    ];
    lines.map(|line| format!("{}{line}\n", " ".repeat(indent))).concat()
}

#[test]
fn the_entry_goes_first_and_the_comments_stay() {
    let head = "# Model\nGOOSE_MODE: \"smart_approve\" # ask\nextensions: # all of them\n";
    let tail = "    # by goose\n    developer:\n        bundled: true\n        type: builtin\n\n# last\nslash_commands:\n- command: \"run\"\n  recipe_path: |+\n    /a\n\n";
    assert_eq!(
        added(Goose, &format!("{head}{tail}")),
        format!("{head}{}{tail}", block(4))
    );
}

#[test]
fn an_empty_mapping_is_filled_and_comes_back() {
    let after = added(Goose, "extensions: {} # none\nGOOSE_MODE: auto\n");
    assert_eq!(after, format!("extensions: # none\n{}GOOSE_MODE: auto\n", block(2)));
}

#[test]
fn where_there_were_no_extensions_an_empty_mapping_stays() {
    for (before, after) in [
        ("GOOSE_MODE: auto\n", "GOOSE_MODE: auto\nextensions: {}\n"),
        ("GOOSE_MODE: auto", "GOOSE_MODE: auto\nextensions: {}"),
        ("", "extensions: {}\n"),
        ("# nothing yet\n", "# nothing yet\nextensions: {}\n"),
        ("extensions:\n", "extensions: {}\n"),
        ("extensions: # none\nx: 1\n", "extensions: {} # none\nx: 1\n"),
        ("extensions:", "extensions: {}"),
    ] {
        let account = Account::with(Goose, before);
        assert!(
            account.add(Goose).contains("  countersign:\n    enabled: true\n"),
            "{before:?}"
        );
        assert_eq!(account.look(Goose).standing, SetupState::Same);
        assert_eq!(account.remove(Goose), after, "of {before:?}");
    }
}

#[test]
fn an_entry_as_goose_writes_it_is_known_and_goes_alone() {
    let (head, tail) = (
        "extensions:\n  memory:\n    type: builtin\n",
        "# below\n  zed:\n    type: builtin\n",
    );
    let ours = "  countersign:\n    enabled: true\n    type: stdio\n    name: countersign\n    description: held\n    cmd: /opt/countersign/countersign-bridge\n    args:\n    - mcp\n    envs: {}\n    env_keys: []\n    timeout: 300\n    bundled: null\n    available_tools: []\n";
    let account = Account::with(Goose, &format!("{head}{ours}{tail}"));
    assert_eq!(account.look(Goose).standing, SetupState::Same);
    assert_eq!(account.remove(Goose), format!("{head}{tail}"));
}

#[test]
fn an_entry_for_another_program_is_replaced_and_only_it() {
    let (head, tail) = ("extensions:\n  a:\n    cmd: é\n", "\n  b:\n    cmd: b");
    let account = Account::with(Goose, &format!("{head}  countersign:\n    cmd: |\n      old\n{tail}"));
    assert_eq!(account.add(Goose), format!("{head}{}{tail}", block(2)));
    let last = Account::with(Goose, &format!("{head}  countersign:\n    cmd: old"));
    assert_eq!(last.add(Goose), format!("{head}{}", block(2).trim_end()));
}

#[test]
fn what_is_written_in_another_way_is_left() {
    for text in [
        "extensions: { developer: { type: builtin } }\n",
        "{ extensions: {} }\n",
        "extensions: []\n",
        "extensions: &all\n  a: 1\n",
        "extensions: *all\n",
        "a: &x\n  b: 1\n---\nextensions: {}\n",
        "extensions:\n  a: 1\n  a: 2\n",
        "extensions:\n\ta: 1\n",
        "- extensions\n",
        "last: |+\n  text",
        "last:\n- >\n  text",
        "x: 1\n...\n",
        "base: &base\n  x: 1\nextensions:\n  <<: *base\n  countersign: &ours\n    cmd: old\n  other: *ours\n",
    ] {
        let account = Account::with(Goose, text);
        let look = account.look(Goose);
        assert!(look.add.is_none(), "{text} would be changed: {look:?}");
        assert!(look.by_hand.contains(PROGRAM));
        assert_eq!(
            account.write(Goose, false).map_err(|error| error.code),
            Err(Code::Settings),
            "{text}"
        );
        assert_eq!(account.text(Goose), text);
    }
}

#[test]
fn a_text_before_the_last_entry_keeps_its_line_break() {
    let account = Account::with(
        Goose,
        "extensions:\n  a:\n    cmd: |\n      x\n  countersign:\n    cmd: old",
    );
    assert_eq!(account.remove(Goose), "extensions:\n  a:\n    cmd: |\n      x\n");
}

#[test]
fn names_for_other_parts_of_the_file_are_kept() {
    let before = "base: &base\n  timeout: 300\nextensions:\n  a:\n    <<: *base\n    type: builtin\n";
    assert!(added(Goose, before).contains("<<: *base"));
}
