use super::*;
use SetupClient::{ClaudeCode, ClaudeDesktop, Cursor, VsCode};

#[test]
fn the_entry_goes_first_and_the_rest_stays_as_it_is() {
    let before = r#"{
    "globalShortcut": "",
    "mcpServers": {
        "files": { "command": "npx",   "args": ["-y", "files"] }
    }
}
"#;
    let after = r#"{
    "globalShortcut": "",
    "mcpServers": {
        "countersign": {
            "command": "/opt/countersign/countersign-bridge",
            "args": ["mcp"]
        },
        "files": { "command": "npx",   "args": ["-y", "files"] }
    }
}
"#;
    assert_eq!(added(ClaudeDesktop, before), after);
}

#[test]
fn comments_and_trailing_commas_stay_where_they_are() {
    let before = "// mine\n{\n\t\"inputs\": [], // none\n\t\"servers\": { // all of them\n\t\t// search\n\t\t\"search\": {\n\t\t\t\"type\": \"http\",\n\t\t\t\"url\": \"https://search.example\", /* soon */\n\t\t},\n\t},\n}";
    let after = added(VsCode, before);
    assert!(
        after.contains("{ // all of them\n\t\t\"countersign\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"/opt/countersign/countersign-bridge\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t},\n\t\t// search\n"),
        "{after}"
    );
}

#[test]
fn an_empty_table_of_entries_is_filled() {
    assert_eq!(
        added(ClaudeCode, "{\n  \"mcpServers\": {},\n  \"numStartups\": 34\n}\n"),
        "{\n  \"mcpServers\": {\n    \"countersign\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/countersign/countersign-bridge\",\n      \"args\": [\"mcp\"]\n    }\n  },\n  \"numStartups\": 34\n}\n"
    );
}

#[test]
fn a_file_in_one_line_stays_in_one_line() {
    let after = added(ClaudeCode, r#"{"a":1.50,"mcpServers":{"x":{"command":"x"}}}"#);
    assert!(!after.contains('\n'), "{after}");
    assert!(
        after.starts_with(r#"{"a":1.50,"mcpServers":{"countersign": {"#),
        "{after}"
    );
    let spaced = added(Cursor, r#"{ "mcpServers": { "x": { "command": "x" } } }"#);
    assert!(spaced.contains(r#"{ "countersign": {"command": "#), "{spaced}");
}

#[test]
fn the_line_breaks_of_windows_are_kept() {
    let after = added(Cursor, "{\r\n  \"mcpServers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
}

#[test]
fn a_mark_of_the_byte_order_is_kept() {
    assert!(added(Cursor, "\u{feff}{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n").starts_with('\u{feff}'));
}

#[test]
fn where_there_was_no_table_of_entries_an_empty_one_stays() {
    let account = Account::with(Cursor, "{\n  \"theme\": \"dark\"\n}\n");
    assert!(account.add(Cursor).contains("\"theme\": \"dark\"\n}\n"));
    assert_eq!(
        account.remove(Cursor),
        "{\n  \"mcpServers\": {},\n  \"theme\": \"dark\"\n}\n"
    );
}

#[test]
fn an_entry_for_another_program_is_replaced_and_only_it() {
    let before = r#"{
  "mcpServers": {
    "a": {},
    "countersign": { "command": "/old/countersign-bridge", "args": ["mcp"], "env": { "X": "1" } }, // the desk
    "b": {}
  }
}
"#;
    let account = Account::with(Cursor, before);
    let program = "/old/countersign-bridge mcp".to_owned();
    assert_eq!(account.look(Cursor).standing, SetupState::Other { program });
    let after = account.add(Cursor);
    let ours =
        "{\n      \"command\": \"/opt/countersign/countersign-bridge\",\n      \"args\": [\"mcp\"]\n    }, // the desk";
    assert!(
        after.contains(ours) && after.ends_with("\"b\": {}\n  }\n}\n"),
        "{after}"
    );
    assert_eq!(
        account.remove(Cursor),
        "{\n  \"mcpServers\": {\n    \"a\": {},\n    // the desk\n    \"b\": {}\n  }\n}\n"
    );
}

#[test]
fn the_last_entry_goes_with_the_comma_before_it() {
    let before = "{\"mcpServers\": {\n  \"a\": {}, // first\n  \"countersign\": {\"command\": \"x\"}\n}}";
    let account = Account::with(Cursor, before);
    assert_eq!(account.remove(Cursor), "{\"mcpServers\": {\n  \"a\": {} // first\n}}");
    let one_line = Account::with(ClaudeCode, r#"{"mcpServers":{"a":{},"countersign":{"command":"x"}}}"#);
    assert_eq!(one_line.remove(ClaudeCode), r#"{"mcpServers":{"a":{}}}"#);
}

#[test]
fn what_the_client_itself_cannot_read_is_not_written() {
    for (client, text) in [
        (ClaudeDesktop, "{ // a comment\n}"),
        (ClaudeCode, "{ /* a comment */ }"),
        (Cursor, "{\"mcpServers\": {},}"),
        (VsCode, "{\"servers\": {"),
        (VsCode, "{\"servers\": {} \"inputs\": []}"),
        (VsCode, "[]"),
        (VsCode, "{\"servers\": {\"a\": {}, \"a\": {}}}"),
        (VsCode, "{\"servers\": {}} {}"),
        (ClaudeCode, "{servers: {}}"),
    ] {
        let account = Account::with(client, text);
        let look = account.look(client);
        assert!(
            matches!(look.standing, SetupState::Unreadable { .. }),
            "{text} was taken: {look:?}"
        );
        assert!(look.add.is_none() && look.by_hand.contains(PROGRAM), "{look:?}");
        assert_eq!(
            account.write(client, false).map_err(|error| error.code),
            Err(Code::Settings)
        );
        assert_eq!(account.text(client), text);
    }
}

#[test]
fn a_table_of_entries_that_is_none_is_left() {
    let account = Account::with(VsCode, "{\"servers\": []}");
    let look = account.look(VsCode);
    assert!(
        look.add.is_none()
            && look
                .refused
                .is_some_and(|why| why.contains("`servers` is not an object"))
    );
}

#[test]
fn a_path_of_windows_is_written_so_that_it_is_read_back() {
    let program = r"C:\Program Files\Über \u0041\countersign-bridge.exe";
    let account = Account::with(Cursor, "{}");
    let look = |program| client_setups(&account.places, program).remove(4);
    let digest = look(program).add.expect("a change").digest;
    let params = WriteClientSetupParams {
        client: Cursor,
        remove: false,
        digest,
    };
    write_client_setup(&account.places, program, &params).expect("it is written");
    assert_eq!(look(program).standing, SetupState::Same);
}
