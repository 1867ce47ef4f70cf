use super::*;

fn files(home: &Path, system: System) -> Vec<String> {
    let listed = client_setups(&Places::below(home, system), PROGRAM).into_iter();
    let below = |file: String| {
        file.replace('\\', "/")
            .replace(&home.to_string_lossy().replace('\\', "/"), "~")
    };
    listed.map(|one| below(one.file.expect("one file"))).collect()
}

#[test]
fn each_system_has_its_own_places() {
    let home = tempfile::tempdir().expect("a folder");
    let same = ["~/.claude.json", "~/.codex/config.toml"];
    let expect = |desktop: &str, code: &str, goose: &str| {
        [desktop, same[0], same[1], code, "~/.cursor/mcp.json", goose].map(str::to_owned)
    };
    assert_eq!(
        files(home.path(), System::Linux),
        expect(
            "~/.config/Claude/claude_desktop_config.json",
            "~/.config/Code/User/mcp.json",
            "~/.config/goose/config.yaml"
        )
    );
    let support = "~/Library/Application Support";
    assert_eq!(
        files(home.path(), System::MacOs),
        expect(
            &format!("{support}/Claude/claude_desktop_config.json"),
            &format!("{support}/Code/User/mcp.json"),
            "~/.config/goose/config.yaml"
        )
    );
    let roaming = "~/AppData/Roaming";
    assert_eq!(
        files(home.path(), System::Windows),
        expect(
            &format!("{roaming}/Claude/claude_desktop_config.json"),
            &format!("{roaming}/Code/User/mcp.json"),
            &format!("{roaming}/Block/goose/config/config.yaml")
        )
    );
}

#[test]
fn claude_desktop_from_a_package_reads_the_packages_folder() {
    let home = tempfile::tempdir().expect("a folder");
    let packages = home.path().join("AppData/Local/Packages");
    std::fs::create_dir_all(packages.join("Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude")).expect("folders");
    let file = files(home.path(), System::Windows).remove(0);
    assert_eq!(
        file,
        "~/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json"
    );
    std::fs::create_dir_all(packages.join("Claude_other")).expect("a folder");
    let look = client_setups(&Places::below(home.path(), System::Windows), PROGRAM).remove(0);
    assert!(look.file.is_none() && look.add.is_none(), "{look:?}");
    assert!(matches!(look.standing, SetupState::Unreadable { why } if why.contains("more than one package")));
}

#[test]
fn a_client_is_installed_where_its_folder_is() {
    let account = Account::new();
    let installed = || {
        client_setups(&account.places, PROGRAM)
            .into_iter()
            .filter(|one| one.installed)
            .map(|one| one.client)
    };
    assert_eq!(installed().count(), 0);
    for folder in [
        ".config/Claude",
        ".claude",
        ".codex",
        ".config/Code",
        ".cursor",
        ".config/goose",
    ] {
        std::fs::create_dir_all(account.home.path().join(folder)).expect("a folder");
    }
    assert_eq!(installed().collect::<Vec<_>>(), SetupClient::ALL);
}
