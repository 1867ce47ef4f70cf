use super::*;
use SetupClient::{ClaudeCode, Goose};

#[test]
fn an_entry_that_starts_it_otherwise_is_another_program() {
    for (ours, line) in [
        (r#""args": []"#, ""),
        (r#""args": ["mcp", "--x"]"#, " mcp --x"),
        (r#""args": [["mcp"]]"#, ""),
        (r#""type": "http", "args": ["mcp"]"#, " mcp"),
    ] {
        let entry = format!(r#"{{"command": "{PROGRAM}", {ours}}}"#);
        let account = Account::with(ClaudeCode, &format!(r#"{{"mcpServers": {{"countersign": {entry}}}}}"#));
        let program = format!("{PROGRAM}{line}");
        assert_eq!(
            account.look(ClaudeCode).standing,
            SetupState::Other { program },
            "{ours}"
        );
    }
}

#[test]
fn an_entry_that_names_no_program_is_another() {
    for ours in [
        "{}",
        "null",
        "\"x\"",
        r#"{"url": "http://127.0.0.1:7350"}"#,
        r#"{"command": ["x"]}"#,
    ] {
        let account = Account::with(ClaudeCode, &format!(r#"{{"mcpServers": {{"countersign": {ours}}}}}"#));
        let program = String::new();
        assert_eq!(
            account.look(ClaudeCode).standing,
            SetupState::Other { program },
            "{ours}"
        );
        account.add(ClaudeCode);
        assert_eq!(account.look(ClaudeCode).standing, SetupState::Same);
    }
}

#[test]
fn what_is_set_up_can_only_be_removed_and_what_is_not_can_only_be_added() {
    let account = Account::new();
    for client in SetupClient::ALL {
        let look = account.look(client);
        assert!(look.add.is_some() && look.remove.is_none());
        account.add(client);
        let look = account.look(client);
        assert!(look.add.is_none() && look.remove.is_some());
    }
}

#[test]
fn an_entry_of_a_name_like_ours_is_not_ours() {
    let before = "extensions:\n  countersign-old:\n    cmd: /x\n  Countersign:\n    cmd: /y\n";
    let account = Account::with(Goose, before);
    assert_eq!(account.look(Goose).standing, SetupState::Absent);
    assert!(account.add(Goose).ends_with(&before["extensions:\n".len()..]));
}
