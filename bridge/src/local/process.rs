//! What the system tells of a program that has connected.

/// A process: its number and the program it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub number: Option<u32>,
    /// The path of its program.
    pub program: Option<String>,
}

/// Whoever stands behind a connection: the process that started the bridge where it is the bridge that connected, and otherwise the one
/// that connected itself. Nothing is known where the system does not tell.
#[cfg(target_os = "linux")]
pub fn behind(connected: u32) -> Process {
    let itself = of(connected);
    let is_bridge = itself.program.as_deref().is_some_and(|program| {
        std::path::Path::new(program)
            .file_stem()
            .is_some_and(|name| name == "countersign-bridge")
    });
    match parent(connected) {
        Some(parent) if is_bridge => of(parent),
        _ => itself,
    }
}

/// Nothing is known here.
#[cfg(not(target_os = "linux"))]
pub fn behind(connected: u32) -> Process {
    Process {
        number: Some(connected),
        program: None,
    }
}

#[cfg(target_os = "linux")]
fn of(number: u32) -> Process {
    let program = std::fs::read_link(format!("/proc/{number}/exe")).ok();
    Process {
        number: Some(number),
        program: program.map(|path| path.to_string_lossy().into_owned()),
    }
}

#[cfg(target_os = "linux")]
fn parent(number: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{number}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|parent| *parent > 1)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_connects_by_itself_is_told_by_its_own_name() {
        let me = behind(std::process::id());
        let mine = std::env::current_exe().unwrap();
        assert_eq!(me.number, Some(std::process::id()));
        assert_eq!(me.program.as_deref(), mine.to_str());
    }

    #[test]
    fn behind_the_bridge_stands_whoever_started_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let bridge = folder.path().join("countersign-bridge");
        std::fs::copy("/bin/sleep", &bridge).unwrap();
        let mut child = std::process::Command::new(&bridge).arg("30").spawn().unwrap();
        // Until it runs its own program it is still a copy of this one.
        while of(child.id()).program.as_deref() != bridge.to_str() {
            std::thread::yield_now();
        }
        let behind = behind(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(behind, of(std::process::id()));
    }
}
