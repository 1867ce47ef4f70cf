use super::*;
use SetupClient::{ClaudeCode, Codex, Cursor, Goose};

fn why(account: &Account, client: SetupClient) -> String {
    let look = account.look(client);
    assert!(look.add.is_none() && look.remove.is_none(), "{look:?}");
    let error = account.write(client, false).expect_err("nothing is written");
    assert_eq!(error.code, Code::Settings);
    let why = match look.standing {
        SetupState::Unreadable { why } => why,
        _ => look.refused.expect("why it is left"),
    };
    assert_eq!(error.message, why);
    why
}

#[test]
fn a_missing_file_and_its_folder_are_made() {
    let account = Account::new();
    for client in SetupClient::ALL {
        let look = account.look(client);
        assert_eq!((look.standing, look.installed), (SetupState::Absent, false));
        let change = look.add.expect("it can be written");
        assert_eq!((change.line, &*change.before), (1, ""));
        assert_eq!(account.add(client), change.after);
        assert_eq!(account.look(client).standing, SetupState::Same);
    }
}

#[test]
fn the_file_is_kept_as_it_was_before_the_first_change_only() {
    let account = Account::with(Cursor, "{}\n");
    let folder = account.home.path().join(".cursor");
    account.add(Cursor);
    account.remove(Cursor);
    account.put(Cursor, "{ \"x\": 1 }\n");
    account.add(Cursor);
    let kept = std::fs::read_to_string(folder.join("mcp.json.before-countersign"));
    assert_eq!(kept.expect("the copy"), "{}\n");
    assert_eq!(names_in(&folder), ["mcp.json", "mcp.json.before-countersign"]);
}

#[test]
fn what_was_shown_is_what_is_written_or_nothing_is() {
    let account = Account::with(Cursor, "{}\n");
    let shown = account.look(Cursor).add.expect("a change").digest;
    for (what, text) in [
        ("another text", "{ }\n"),
        ("a broken text", "{\n"),
        ("an entry", "{\"mcpServers\": {\"countersign\": {}}}"),
    ] {
        account.put(Cursor, text);
        account.write_what_was(Cursor, false, &shown).expect_err(what);
        assert_eq!(account.text(Cursor), text);
    }
    std::fs::remove_file(account.file(Cursor)).expect("removed");
    let error = account
        .write_what_was(Cursor, false, &shown)
        .expect_err("there is no file");
    assert_eq!(error.code, Code::Stale);
    assert!(!account.file(Cursor).exists());
    account.put(Cursor, "{}\n");
    account
        .write_what_was(Cursor, true, &shown)
        .expect_err("another press was shown");
    account
        .write_what_was(Cursor, false, &shown)
        .expect("it is as it was shown");
    account
        .write_what_was(Cursor, false, &shown)
        .expect_err("it is written once");
}

#[test]
fn a_file_that_changes_between_looking_and_writing_is_left() {
    let account = Account::with(Cursor, "{}\n");
    let home = account.home.path();
    let found = super::super::file::read(&account.file(Cursor), home).expect("the file");
    account.put(Cursor, "{\"new\": true}\n");
    let error = super::super::file::write(&found, "{}").expect_err("it has changed");
    assert!(error.contains("has just changed"), "{error}");
    assert_eq!(account.text(Cursor), "{\"new\": true}\n");
}

#[test]
fn what_is_shown_is_the_lines_that_change_with_those_beside_them() {
    let before = "secret = 1\nb = 2\nc = 3\nd = 4\n";
    let account = Account::with(Codex, before);
    let change = account.look(Codex).add.expect("a change");
    assert_eq!((change.line, &*change.before), (3, "c = 3\nd = 4\n"));
    assert!(
        change.after.starts_with("c = 3\nd = 4\n\n[mcp_servers.countersign]\n"),
        "{}",
        change.after
    );
}

#[test]
fn a_file_that_is_no_text_is_left() {
    let account = Account::with(Codex, "");
    std::fs::write(account.file(Codex), [0xff, 0xfe]).expect("bytes");
    assert!(why(&account, Codex).contains("UTF-8"));
    std::fs::remove_file(account.file(Codex)).expect("removed");
    std::fs::create_dir(account.file(Codex)).expect("a folder in its place");
    assert!(why(&account, Codex).contains("something else than a file"));
    std::fs::write(account.home.path().join(".cursor"), "").expect("a file in the folder's place");
    assert!(why(&account, Cursor).contains("where its folder would be"));
}

#[test]
fn a_file_that_is_nested_without_end_is_left() {
    for (client, text) in [
        (Cursor, format!("{{\"a\": {}", "[".repeat(20_000))),
        (Codex, format!("a = {}", "[".repeat(20_000))),
        (Goose, format!("a: {}", "[".repeat(20_000))),
        (Goose, format!("a: {}1{}", "[".repeat(2_000), "]".repeat(2_000))),
        (Goose, format!("{}x: 1", "? ".repeat(2_000))),
    ] {
        let account = Account::with(client, &text);
        assert!(
            matches!(account.look(client).standing, SetupState::Unreadable { .. }),
            "{client:?}"
        );
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn a_link_out_of_the_home_folder_is_not_followed() {
        let elsewhere = tempfile::tempdir().expect("a folder");
        let outside = elsewhere.path().join("config.toml");
        fs::write(&outside, "a = 1\n").expect("a file");
        let account = Account::with(Codex, "");
        fs::remove_file(account.file(Codex)).expect("removed");
        symlink(&outside, account.file(Codex)).expect("a link");
        assert!(why(&account, Codex).contains("outside of your home folder"));
        assert_eq!(fs::read_to_string(&outside).expect("the file"), "a = 1\n");

        let folder = Account::new();
        symlink(elsewhere.path(), folder.home.path().join(".cursor")).expect("a link");
        assert!(why(&folder, Cursor).contains("outside of your home folder"));
        assert_eq!(names_in(elsewhere.path()), ["config.toml"]);
    }

    #[test]
    fn a_link_within_the_home_folder_stays_a_link() {
        let account = Account::new();
        let real = account.home.path().join("dotfiles.json");
        fs::write(&real, "{}").expect("a file");
        symlink(&real, account.file(ClaudeCode)).expect("a link");
        account.add(ClaudeCode);
        assert!(
            fs::symlink_metadata(account.file(ClaudeCode))
                .expect("the link")
                .is_symlink()
        );
        assert!(fs::read_to_string(&real).expect("the file").contains(PROGRAM));
    }

    #[test]
    fn a_link_to_nothing_is_left() {
        let account = Account::new();
        symlink(account.home.path().join("gone"), account.file(ClaudeCode)).expect("a link");
        assert!(why(&account, ClaudeCode).contains("not there"));
    }

    #[test]
    fn the_permissions_are_kept_and_a_new_file_is_for_its_owner() {
        let account = Account::with(ClaudeCode, "{}");
        for bits in [0o600, 0o640, 0o644] {
            fs::set_permissions(account.file(ClaudeCode), Permissions::from_mode(bits)).expect("permissions");
            account.add(ClaudeCode);
            assert_eq!(mode(&account.file(ClaudeCode)), bits);
            account.remove(ClaudeCode);
        }
        assert_eq!(
            mode(&account.home.path().join(".claude.json.before-countersign")),
            0o600
        );
        account.add(Codex);
        assert_eq!(mode(&account.file(Codex)), 0o600);
    }

    #[test]
    fn what_is_write_protected_is_left() {
        let account = Account::with(Codex, "a = 1\n");
        let folder = account.home.path().join(".codex");
        fs::set_permissions(account.file(Codex), Permissions::from_mode(0o444)).expect("permissions");
        assert!(why(&account, Codex).contains("write-protected"));
        fs::set_permissions(account.file(Codex), Permissions::from_mode(0o644)).expect("permissions");
        fs::set_permissions(&folder, Permissions::from_mode(0o555)).expect("permissions");
        assert!(why(&account, Codex).contains("folder is write-protected"));
        assert_eq!(names_in(&folder), ["config.toml"]);
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("permissions");
        account.add(Codex);
    }

    #[test]
    fn a_file_with_a_second_name_is_left() {
        let account = Account::with(Codex, "a = 1\n");
        fs::hard_link(account.file(Codex), account.home.path().join("other.toml")).expect("a link");
        assert!(why(&account, Codex).contains("second name"));
    }
}
