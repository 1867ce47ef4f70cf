//! The app without its windows: the real core, the real local socket, a real browser, and a hand that decides what it is told to. For
//! tests and measurements that need a desk and no display. `desk_rig FOLDER [PORT]`; one command as JSON a line on standard input, one
//! answer a line on standard output. With a port, clients may come over HTTP.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use countersign_bridge::{BrowserConfig, BrowserDoor};
use countersign_contract::{
    ClientStanding, ClientTokenParams, ExampleName, Fingerprint, McpBOnParams, PairParams, ProposalId, RefuseParams,
    ReleaseParams, SetClientsParams, Settings, ShownClientParams, ShownParams, TurnAwayParams, UnpairParams,
};
use countersign_shell::core::{Core, CoreConfig};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

/// Longer than a card has to be in view.
const LOOK: Duration = Duration::from_millis(520);

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", tag = "do")]
enum Command {
    /// Opens an example in the browser.
    Example { name: String },
    /// Lets in a client that calls itself so, as soon as it asks.
    Pair { name: String },
    /// Does not let it in.
    TurnAway { name: String },
    /// Ends its pairing.
    Unpair { name: String },
    /// Releases a held write, every risk of it ticked.
    Release { proposal: String },
    /// Refuses it.
    Refuse { proposal: String, reason: String },
    /// Withdraws every write from agents, or gives them back.
    Writes { revoked: bool },
    /// Closes every tab of the browser.
    CloseBrowser,
    /// Makes a token for HTTP.
    Token { name: String },
    /// Keeps what clients that leave have asked for.
    Keep { keep: bool },
    /// Listens for pages of one origin with the mcp-b widget, at any port, and says where.
    McpB { origin: String },
    /// Everything the windows draw.
    State,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("desk_rig needs a folder")?);
    let port: u16 = match arguments.next() {
        Some(port) => port.to_string_lossy().parse()?,
        None => 0,
    };
    let config = CoreConfig {
        ledger: folder.join("ledger"),
        version: "rig".into(),
        settings: Settings::default(),
    };
    let core = Core::open(config).await?;
    let (door, events) = BrowserDoor::new(BrowserConfig {
        headless: true,
        ..BrowserConfig::new(folder.join("browser-profile"))
    });
    core.desk().add_door(Arc::new(door), events);
    if port != 0 {
        let clients = SetClientsParams {
            keep: true,
            http: true,
            port,
        };
        core.set_clients(clients).await.map_err(|error| error.message)?;
    }
    core.listen_for_programs(&folder).await;
    println!("{}", json!({ "ready": core.panel_state().await.client_doors }));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let answer = match carry_out(&core, serde_json::from_str(&line)?).await {
            Ok(answer) => json!({ "ok": answer }),
            Err(message) => json!({ "error": message }),
        };
        println!("{answer}");
    }
    core.close().await;
    Ok(())
}

async fn carry_out(core: &Core, command: Command) -> Result<Value, String> {
    let desk = core.desk();
    match command {
        Command::Example { name } => {
            let name: ExampleName = name.parse().map_err(|_| "there is no such example")?;
            core.open_example(name).await.map_err(|error| error.message)?;
            let mut changes = desk.changes();
            while desk.state().tabs.iter().all(|tab| tab.tools.is_empty()) {
                changes.changed().await.map_err(|error| error.to_string())?;
            }
            Ok(Value::Null)
        }
        Command::Pair { name } => pair(core, &name).await,
        Command::TurnAway { name } => {
            let client = asking(core, &name).await.id;
            let turned = desk.turn_client_away(&TurnAwayParams { client }).await;
            turned.map(|()| Value::Null).map_err(|error| error.to_string())
        }
        Command::Unpair { name } => {
            let clients = desk.state().clients.into_iter();
            let client = clients
                .filter(|one| one.who.name == name)
                .map(|one| one.id)
                .next()
                .ok_or("there is no such client")?;
            let unpaired = desk.unpair(&UnpairParams { client }).await;
            unpaired.map(|()| Value::Null).map_err(|error| error.to_string())
        }
        Command::Release { proposal } => release(core, ProposalId(proposal)).await,
        Command::Refuse { proposal, reason } => {
            let refused = desk.refuse(RefuseParams {
                proposal: ProposalId(proposal),
                digest: String::new(),
                reason,
                fingerprint: Fingerprint::default(),
                rule: None,
            });
            refused.await.map(|()| Value::Null).map_err(|error| error.to_string())
        }
        Command::Writes { revoked } => {
            desk.revoke_writes(revoked).await;
            Ok(Value::Null)
        }
        Command::CloseBrowser => core
            .close_browser()
            .await
            .map(|()| Value::Null)
            .map_err(|error| error.message),
        Command::Token { name } => {
            let made = core.make_client_token(ClientTokenParams { name }).await;
            made.map(|(_, token)| json!(token.token)).map_err(|error| error.message)
        }
        Command::Keep { keep } => {
            desk.keep_for_clients_that_leave(keep);
            Ok(Value::Null)
        }
        Command::McpB { origin } => {
            let params = McpBOnParams {
                origins: vec![origin],
                widgets: Vec::new(),
                port: 0,
            };
            core.turn_mcp_b_on(params).await.map_err(|error| error.message)?;
            Ok(json!(core.panel_state().await.mcp_b.on))
        }
        Command::State => Ok(json!(desk.state())),
    }
}

async fn asking(core: &Core, name: &str) -> countersign_contract::Client {
    let mut changes = core.desk().changes();
    loop {
        changes.borrow_and_update();
        let asks = |client: &countersign_contract::Client| {
            client.who.name == name && matches!(client.standing, ClientStanding::Asking { .. })
        };
        if let Some(client) = core.desk().state().clients.into_iter().find(asks) {
            return client;
        }
        let _ = changes.changed().await;
    }
}

async fn pair(core: &Core, name: &str) -> Result<Value, String> {
    let client = asking(core, name).await;
    let shown = ShownClientParams {
        client: client.id.clone(),
        digest: client.digest.clone(),
    };
    core.desk().window(true, true);
    core.desk().client_shown(&shown);
    tokio::time::sleep(LOOK).await;
    let paired = core.desk().pair(PairParams {
        client: shown.client,
        digest: shown.digest,
        fingerprint: Fingerprint::default(),
    });
    paired.await.map(|()| json!(client)).map_err(|error| error.to_string())
}

async fn release(core: &Core, proposal: ProposalId) -> Result<Value, String> {
    let desk = core.desk();
    let mut changes = desk.changes();
    let card = loop {
        changes.borrow_and_update();
        let card = desk.state().proposals.into_iter().find(|card| card.id == proposal);
        let card = card.ok_or_else(|| format!("there is no {proposal}"))?;
        if card.preview != countersign_contract::Preview::Pending {
            break card;
        }
        changes.changed().await.map_err(|error| error.to_string())?;
    };
    desk.window(true, true);
    desk.shown(&ShownParams {
        proposal: proposal.clone(),
        digest: card.digest.clone(),
    });
    tokio::time::sleep(LOOK).await;
    let released = desk.release(ReleaseParams {
        proposal,
        digest: card.digest,
        acknowledged: card.risks.into_iter().map(|risk| risk.id).collect(),
        fingerprint: Fingerprint::default(),
        rule: None,
    });
    released.await.map(|()| Value::Null).map_err(|error| error.to_string())
}
