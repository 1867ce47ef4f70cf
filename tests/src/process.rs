use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

/// A process of this machine, told from a later one with the same number by its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    started: String,
}

impl Process {
    /// The process with this number, if it lives.
    pub fn find(pid: u32) -> Option<Self> {
        let (_, started) = stat(pid)?;
        Some(Self { pid, started })
    }

    /// It is still the same process, and not only a name waiting to be collected.
    pub fn lives(&self) -> bool {
        let zombie = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).is_ok_and(|text| {
            text.rsplit_once(')')
                .is_some_and(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
        });
        !zombie && Self::find(self.pid).as_ref() == Some(self)
    }

    /// The program it runs.
    pub fn program(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/exe", self.pid)).ok()
    }

    /// Its command line, blanks between.
    pub fn command(&self) -> String {
        let bytes = std::fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).replace('\0', " ")
    }

    /// Ends it at once, with no chance to tidy up.
    pub fn kill(&self) {
        if self.lives() {
            let _ = Command::new("kill").args(["-KILL", &self.pid.to_string()]).status();
        }
    }

    /// The TCP ports it listens on, on any address.
    pub fn listens_on(&self) -> Vec<u16> {
        const LISTEN: &str = "0A";
        let sockets: Vec<String> = std::fs::read_dir(format!("/proc/{}/fd", self.pid))
            .into_iter()
            .flatten()
            .filter_map(|file| std::fs::read_link(file.ok()?.path()).ok())
            .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
            .collect();
        let tables = ["tcp", "tcp6"].map(|table| std::fs::read_to_string(format!("/proc/{}/net/{table}", self.pid)));
        let mut ports: Vec<u16> = tables
            .iter()
            .flatten()
            .flat_map(|table| table.lines().skip(1))
            .filter_map(|line| {
                let fields: Vec<_> = line.split_whitespace().collect();
                let own =
                    *fields.get(3)? == LISTEN && sockets.iter().any(|inode| Some(&inode.as_str()) == fields.get(9));
                let (_, port) = fields.get(1)?.rsplit_once(':')?;
                own.then(|| u16::from_str_radix(port, 16).ok()).flatten()
            })
            .collect();
        ports.sort_unstable();
        ports
    }

    /// Memory that it would free by ending, shared pages counted in proportion; in bytes.
    pub fn proportional_memory(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid)).unwrap_or_default();
        let kilobytes = text.lines().find_map(|line| {
            line.strip_prefix("Pss:")?
                .split_whitespace()
                .next()?
                .parse::<u64>()
                .ok()
        });
        kilobytes.unwrap_or(0) * 1024
    }

    /// Processor time used so far, in clock ticks.
    pub fn ticks(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        let Some((_, rest)) = text.rsplit_once(')') else {
            return 0;
        };
        rest.split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<u64>().ok())
            .sum()
    }
}

/// The children of a process, their children, and so on.
pub fn descendants(root: u32) -> Vec<Process> {
    let mut children: HashMap<u32, Vec<Process>> = HashMap::new();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for pid in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        if let Some((parent, started)) = stat(pid) {
            children.entry(parent).or_default().push(Process { pid, started });
        }
    }
    let mut found = Vec::new();
    let mut next = vec![root];
    while let Some(pid) = next.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            next.push(child.pid);
            found.push(child);
        }
    }
    found
}

/// Parent and start of a process. The name, which may hold anything, ends at the last bracket.
fn stat(pid: u32) -> Option<(u32, String)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some((fields.get(1)?.parse().ok()?, (*fields.get(19)?).to_owned()))
}
