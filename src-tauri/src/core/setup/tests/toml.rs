use super::*;
use SetupClient::Codex;

const BLOCK: &str = "[mcp_servers.countersign]\ncommand = \"/opt/countersign/countersign-bridge\"\nargs = [\"mcp\"]\n";

#[test]
fn the_entry_is_a_table_at_the_end() {
    let before = "model = \"gpt-5\" # mine\n\n[mcp_servers.docs]\ncommand = 'docs' # literal\nargs = [ ]\n";
    assert_eq!(added(Codex, before), format!("{before}\n{BLOCK}"));
}

#[test]
fn an_empty_file_and_one_without_a_last_line_break_come_back() {
    assert_eq!(added(Codex, ""), BLOCK);
    assert_eq!(
        added(Codex, "model = \"x\""),
        format!("model = \"x\"\n\n{}", BLOCK.trim_end())
    );
    assert_eq!(
        added(Codex, "model = 1\r\n"),
        format!("model = 1\n\n{BLOCK}").replace('\n', "\r\n")
    );
    assert_eq!(added(Codex, "# nothing yet\n"), format!("# nothing yet\n\n{BLOCK}"));
}

#[test]
fn the_tables_of_an_entry_for_another_program_are_replaced_and_only_they() {
    let before = "[mcp_servers.countersign]\ncommand = \"/old\" # where it was\nargs = [\n  \"mcp\",\n]\n\n# mine\n[mcp_servers.docs]\ncommand = \"docs\"\n\n[mcp_servers.countersign.env]\nX = \"1\"\n\n[tui]\ntheme = \"dark\"\n";
    let account = Account::with(Codex, before);
    assert_eq!(
        account.look(Codex).standing,
        SetupState::Other {
            program: "/old mcp".into()
        }
    );
    let rest = "\n# mine\n[mcp_servers.docs]\ncommand = \"docs\"\n";
    let after = account.add(Codex);
    assert!(
        after.starts_with(&format!("{BLOCK}{rest}")) && after.ends_with("[tui]\ntheme = \"dark\"\n"),
        "{after}"
    );
    assert!(!after.contains("X ="), "{after}");
}

#[test]
fn an_entry_in_the_middle_goes_with_one_empty_line() {
    let (head, tail) = ("a = 1\n", "\n[tui]\ntheme = \"dark\" # as it was\n");
    let account = Account::with(Codex, &format!("{head}\n{BLOCK}{tail}"));
    assert_eq!(account.remove(Codex), format!("{head}{tail}"));
}

#[test]
fn what_a_person_added_to_the_entry_does_not_count() {
    let account = Account::with(Codex, &format!("{BLOCK}startup_timeout_sec = 20\n"));
    assert_eq!(account.look(Codex).standing, SetupState::Same);
    assert_eq!(account.remove(Codex), "");
}

#[test]
fn what_is_written_in_another_way_is_left() {
    for text in [
        "mcp_servers = { docs = { command = \"docs\" } }\n",
        "mcp_servers.countersign = { command = \"x\" }\n",
        "[mcp_servers]\ncountersign.command = \"x\"\n",
        "[mcp_servers]\ncountersign = { command = \"x\" }\n",
        "mcp_servers = 1\n",
    ] {
        let account = Account::with(Codex, text);
        let look = account.look(Codex);
        assert!(
            look.add.is_none() && look.refused.is_some(),
            "{text} would be changed: {look:?}"
        );
        assert_eq!(
            account.write(Codex, false).map_err(|error| error.code),
            Err(Code::Settings)
        );
        assert_eq!(account.text(Codex), text);
    }
}

#[test]
fn what_cannot_be_parsed_is_left() {
    for text in ["model = \n", "a = 1\na = 2\n", "[mcp_servers\n"] {
        let look = Account::with(Codex, text).look(Codex);
        assert!(
            matches!(look.standing, SetupState::Unreadable { .. }),
            "{text} was taken: {look:?}"
        );
    }
}
