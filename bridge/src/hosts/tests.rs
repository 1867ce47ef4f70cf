use tempfile::TempDir;

use super::*;

const ID: &str = "abcdefghijklmnopabcdefghijklmnop";
const PROGRAM: &str = "/usr/bin/countersign-bridge";

fn home(system: System) -> (TempDir, HostPlaces) {
    let folder = tempfile::tempdir().expect("a folder for a home");
    let home = folder.path().join("home");
    let profiles = home.join(match system {
        System::Linux => ".config",
        System::MacOs => "Library/Application Support",
    });
    fs::create_dir_all(&profiles).expect("a home");
    let places = HostPlaces { home, profiles, system };
    (folder, places)
}

fn with_chromium() -> (TempDir, HostPlaces) {
    let (folder, places) = home(System::Linux);
    fs::create_dir_all(places.profile(HostBrowser::Chromium)).expect("a profile");
    (folder, places)
}

fn chromium(places: &HostPlaces) -> ExtensionHost {
    let mut hosts = hosts(places, ID, PROGRAM);
    hosts.retain(|host| host.browser == HostBrowser::Chromium);
    hosts.remove(0)
}

fn put(places: &HostPlaces, text: &str) -> PathBuf {
    let path = PathBuf::from(chromium(places).path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("a file");
    path
}

fn press(places: &HostPlaces, change: Option<SetupChange>, remove: bool, replace: bool) -> Result<(), HostsError> {
    let params = WriteExtensionHostParams {
        browser: HostBrowser::Chromium,
        remove,
        replace,
        digest: change.expect("something to press").digest,
    };
    write_host(places, ID, PROGRAM, &params)
}

#[test]
fn each_browser_has_its_own_file() {
    for (system, expected) in [
        (
            System::Linux,
            [
                "google-chrome",
                "chromium",
                "microsoft-edge",
                "BraveSoftware/Brave-Browser",
            ],
        ),
        (
            System::MacOs,
            [
                "Google/Chrome",
                "Chromium",
                "Microsoft Edge",
                "BraveSoftware/Brave-Browser",
            ],
        ),
    ] {
        let (_folder, places) = home(system);
        let at = |profile: &str| {
            let path = places
                .profiles
                .join(profile)
                .join("NativeMessagingHosts/dev.countersign.desk.json");
            path.display().to_string()
        };
        let paths: Vec<_> = hosts(&places, ID, PROGRAM).into_iter().map(|host| host.path).collect();
        assert_eq!(paths, expected.map(at));
    }
}

#[test]
fn a_browser_that_is_not_there_is_offered_nothing() {
    let (_folder, places) = home(System::Linux);
    for host in hosts(&places, ID, PROGRAM) {
        assert_eq!(
            (host.found, host.standing, host.add, host.remove),
            (false, HostState::None, None, None)
        );
    }
}

#[test]
fn what_is_written_is_what_was_shown_and_names_one_extension() {
    let (_folder, places) = with_chromium();
    let shown = chromium(&places).add.expect("something to write");
    press(&places, Some(shown.clone()), false, false).expect("it is written");
    let now = chromium(&places);
    let text = fs::read_to_string(&now.path).expect("the file");
    assert_eq!(text, shown.after);
    assert_eq!(
        serde_json::from_str::<Value>(&text).expect("JSON"),
        json!({
            "name": "dev.countersign.desk",
            "description": "Countersign holds the writes of agents in this browser until you release them",
            "path": PROGRAM,
            "type": "stdio",
            "allowed_origins": [format!("chrome-extension://{ID}/")],
        })
    );
    assert_eq!((now.standing, now.add), (HostState::Ours, None));
    let folder = Path::new(&now.path).parent().expect("a folder");
    assert_eq!(
        fs::read_dir(folder).expect("the folder").count(),
        1,
        "nothing else is left there"
    );
}

#[test]
fn ours_is_removed_and_the_folder_stays() {
    let (_folder, places) = with_chromium();
    press(&places, chromium(&places).add, false, false).expect("it is written");
    press(&places, chromium(&places).remove, true, false).expect("it is removed");
    let now = chromium(&places);
    assert_eq!((now.standing, now.found), (HostState::None, true));
    assert!(!Path::new(&now.path).exists());
}

#[test]
fn ours_for_another_place_or_another_extension_is_stale_and_renewed() {
    for text in [
        manifest(ID, "/opt/old/countersign-bridge"),
        manifest("p".repeat(32).as_str(), PROGRAM),
    ] {
        let (_folder, places) = with_chromium();
        put(&places, &text);
        assert!(matches!(chromium(&places).standing, HostState::Stale { .. }));
        press(&places, chromium(&places).add, false, false).expect("it is renewed");
        assert_eq!(chromium(&places).standing, HostState::Ours);
    }
}

#[test]
fn another_program_s_manifest_is_replaced_only_when_asked_and_never_removed() {
    let (_folder, places) = with_chromium();
    for text in ["not JSON", r#"{"name":"dev.countersign.desk","path":"/opt/other"}"#] {
        let path = put(&places, text);
        let host = chromium(&places);
        assert!(matches!(host.standing, HostState::Foreign { .. }));
        assert_eq!(host.remove, None);
        assert!(matches!(
            press(&places, host.add.clone(), false, false),
            Err(HostsError::Refused(_))
        ));
        assert!(matches!(
            press(&places, host.add.clone(), true, true),
            Err(HostsError::Refused(_))
        ));
        assert_eq!(fs::read_to_string(&path).expect("the file"), text);
        press(&places, host.add, false, true).expect("it is replaced when that was asked for");
        assert_eq!(chromium(&places).standing, HostState::Ours);
    }
}

#[test]
fn what_has_changed_since_it_was_shown_is_not_written() {
    let (_folder, places) = with_chromium();
    let shown = chromium(&places).add;
    let other = manifest(ID, "/opt/old/countersign-bridge");
    let path = put(&places, &other);
    assert_eq!(press(&places, shown, false, true), Err(HostsError::Stale));
    assert_eq!(fs::read_to_string(path).expect("the file"), other);
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_home() {
    use std::os::unix::fs::symlink;

    let (folder, places) = with_chromium();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    let shown = chromium(&places).add;
    let hosts = places.profile(HostBrowser::Chromium).join("NativeMessagingHosts");
    symlink(&outside, &hosts).expect("a link");
    assert!(matches!(chromium(&places).standing, HostState::Unreadable { .. }));
    assert!(matches!(
        press(&places, shown.clone(), false, true),
        Err(HostsError::Refused(_))
    ));
    assert_eq!(fs::read_dir(&outside).expect("the folder").count(), 0);

    fs::remove_file(&hosts).expect("the link");
    fs::create_dir(&hosts).expect("a folder");
    symlink(outside.join("file"), hosts.join("dev.countersign.desk.json")).expect("a link");
    assert!(matches!(
        press(&places, shown, false, true),
        Err(HostsError::Refused(_))
    ));
    assert_eq!(fs::read_dir(&outside).expect("the folder").count(), 0);
}

#[test]
fn what_is_no_file_is_left_alone() {
    let (_folder, places) = with_chromium();
    fs::create_dir_all(chromium(&places).path).expect("a folder in its place");
    let host = chromium(&places);
    assert!(matches!(host.standing, HostState::Unreadable { .. }));
    assert_eq!((host.add, host.remove), (None, None));
}
