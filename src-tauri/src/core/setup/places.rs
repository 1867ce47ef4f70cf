//! Where the clients keep what their person set up. `docs/clients.md` has the sources.

use std::path::{Path, PathBuf};

use countersign_contract::SetupClient;

use super::format::Format;
use super::json::Lenience;

/// The system, as far as it matters for where files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux and its like.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// The folders of one account that clients look in.
#[derive(Clone, Debug)]
pub struct Places {
    /// The home folder. Nothing outside of it is written.
    pub home: PathBuf,
    system: System,
    /// `$XDG_CONFIG_HOME`, `~/Library/Application Support` or `%APPDATA%`.
    config: PathBuf,
    /// `%LOCALAPPDATA%`.
    local: PathBuf,
    /// `$XDG_CONFIG_HOME`, on macOS as well.
    xdg: PathBuf,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
    goose: Option<PathBuf>,
}

/// One client's file, and how it is written.
pub(super) struct Place {
    /// Absent when it is not known which one the client reads; then why.
    pub file: Result<PathBuf, String>,
    pub installed: bool,
    pub format: Format,
    /// The member that holds the entries.
    pub container: &'static str,
}

impl Places {
    /// The usual folders below a home.
    pub fn below(home: impl Into<PathBuf>, system: System) -> Self {
        let home = home.into();
        let xdg = home.join(".config");
        Self {
            config: match system {
                System::Linux => xdg.clone(),
                System::MacOs => home.join("Library/Application Support"),
                System::Windows => home.join("AppData/Roaming"),
            },
            local: home.join("AppData/Local"),
            xdg,
            home,
            system,
            claude: None,
            codex: None,
            goose: None,
        }
    }

    /// Those of the account that runs this, with what its environment says otherwise. Absent when it has no home folder.
    pub fn of_this_account() -> Option<Self> {
        let named = |name| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let usual = Self::below(dirs::home_dir()?, System::here());
        Some(Self {
            config: dirs::config_dir().unwrap_or(usual.config),
            local: dirs::data_local_dir().unwrap_or(usual.local),
            xdg: named("XDG_CONFIG_HOME").unwrap_or(usual.xdg),
            claude: named("CLAUDE_CONFIG_DIR"),
            codex: named("CODEX_HOME"),
            goose: named("GOOSE_PATH_ROOT"),
            ..usual
        })
    }

    pub(super) fn of(&self, client: SetupClient) -> Place {
        let strict = Format::Json(Lenience {
            comments: false,
            trailing_commas: false,
        });
        let at = |file: PathBuf, folder: &Path, format, container| Place {
            file: Ok(file),
            installed: folder.is_dir(),
            format,
            container,
        };
        match client {
            SetupClient::ClaudeDesktop => {
                let folder = self.claude_desktop();
                Place {
                    installed: folder.as_ref().map_or(true, |folder| folder.is_dir()),
                    file: folder.map(|folder| folder.join("claude_desktop_config.json")),
                    format: strict,
                    container: "mcpServers",
                }
            }
            SetupClient::ClaudeCode => {
                let file = self.claude.as_ref().unwrap_or(&self.home).join(".claude.json");
                let folder = self.claude.clone().unwrap_or_else(|| self.home.join(".claude"));
                let mut place = at(file.clone(), &folder, strict, "mcpServers");
                place.installed |= file.is_file();
                place
            }
            SetupClient::Codex => {
                let folder = self.codex.clone().unwrap_or_else(|| self.home.join(".codex"));
                at(folder.join("config.toml"), &folder, Format::Toml, "mcp_servers")
            }
            SetupClient::VsCode => {
                let folder = self.config.join("Code");
                let format = Format::Json(Lenience {
                    comments: true,
                    trailing_commas: true,
                });
                at(folder.join("User").join("mcp.json"), &folder, format, "servers")
            }
            SetupClient::Cursor => {
                let folder = self.home.join(".cursor");
                let format = Format::Json(Lenience {
                    comments: true,
                    trailing_commas: false,
                });
                at(folder.join("mcp.json"), &folder, format, "mcpServers")
            }
            SetupClient::Goose => {
                let folder = match (&self.goose, self.system) {
                    (Some(root), _) => root.join("config"),
                    (None, System::Windows) => self.config.join("Block").join("goose").join("config"),
                    (None, _) => self.xdg.join("goose"),
                };
                at(folder.join("config.yaml"), &folder, Format::Yaml, "extensions")
            }
        }
    }

    /// An app from a package reads another folder on Windows than the one it is documented to read.
    fn claude_desktop(&self) -> Result<PathBuf, String> {
        if self.system != System::Windows {
            return Ok(self.config.join("Claude"));
        }
        let packages = std::fs::read_dir(self.local.join("Packages"))
            .into_iter()
            .flatten()
            .flatten();
        let mut packages: Vec<_> = packages
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("Claude_"))
            .map(|entry| entry.path().join("LocalCache").join("Roaming").join("Claude"))
            .collect();
        match packages.len() {
            0 => Ok(self.config.join("Claude")),
            1 => Ok(packages.remove(0)),
            _ => Err(
                "Claude Desktop is installed from more than one package, and which of them runs is not known.".into(),
            ),
        }
    }
}
