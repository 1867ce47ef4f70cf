use std::time::{SystemTime, UNIX_EPOCH};

use countersign_contract::{CallState, ChatItem, ToolCall, ToolKey};
use countersign_scenarios::{App, Approval, Options, Site, until};
use serde_json::{Value, json};

use crate::{Figure, rest, spread};

// One page may have 50 writes waiting.
const CALLS: usize = 40;
const RELEASES: usize = 12;

/// A page with the smallest read and the smallest write there can be.
const PAGE: &str = "await tool('look', 'Reads nothing', {}, () => 'seen', { readOnlyHint: true });
    await tool('touch', 'Writes nothing', {}, (input) => write('/touch', input));
    await tool('time', 'Times calls of look by the page itself', {}, async () => {
        const times = [];
        for (let i = 0; i < 200; i += 1) {
            const begun = performance.now();
            await call('look', {});
            times.push(performance.now() - begun);
        }
        return times;
    }, { readOnlyHint: true });";

/// Times a call of a tool from the panel until the state in which the call has ended, or is held, has come.
const TIMED: &str = "const [key, wanted, done] = arguments;
    const tauri = window.__TAURI_INTERNALS__;
    const time = async () => {
        const before = (await tauri.invoke('panel_state')).conversation.entries.at(-1)?.id ?? 0;
        let begun = 0;
        let listening = 0;
        const ended = new Promise((resolve) => {
            const hear = ({ payload }) => {
                const last = payload.conversation.entries.at(-1);
                if (last && last.id > before && last.item.state?.state === wanted) resolve(performance.now() - begun);
            };
            const handler = tauri.transformCallback(hear);
            listening = tauri.invoke('plugin:event|listen', { event: 'panel', target: { kind: 'Any' }, handler });
        });
        await listening;
        begun = performance.now();
        await tauri.invoke('run_tool', { params: { tool: key, arguments: {} } });
        const taken = await ended;
        await tauri.invoke('plugin:event|unlisten', { event: 'panel', eventId: await listening });
        return taken;
    };
    time().then(done, (error) => done(String(error.message ?? error)));";

pub async fn measure() -> Vec<Figure> {
    let mut figures = rest::with_a_page().await;
    let site = Site::serve("Bench", PAGE).await;
    let app = App::start(Options::default()).await;
    app.panel().open(site.url()).await;
    app.panel().has_tools(&["look", "touch", "time"]).await;
    let direct = by_the_page(&app).await;
    figures.push(Figure::new(
        "read, called by the page itself",
        spread(direct, "ms"),
        "executeTool -> answer, inside the page, seen and let through by the interceptor",
    ));
    let reads = timed(&app, "look", "read", CALLS).await;
    figures.push(Figure::new(
        "read, through the desk",
        spread(reads, "ms"),
        "panel's command -> panel's state with the answer",
    ));
    figures.push(Figure::new(
        "the same, without its way to the screen",
        spread(of_the_desk(&app, "look").await, "ms"),
        "the call's own duration as its card shows it, in whole milliseconds",
    ));
    figures.push(releases(&app, &site).await);
    let held = timed(&app, "touch", "held", CALLS).await;
    figures.push(Figure::new(
        "held answer",
        spread(held, "ms"),
        "panel's command -> panel's state with the held call; the row is on the disk by then",
    ));
    figures.push(Figure::new(
        "the same, without its way to the screen",
        spread(of_the_desk(&app, "touch").await, "ms"),
        "the call's own duration as its card shows it, in whole milliseconds",
    ));
    figures
}

/// How long the newest calls of a tool took in the app itself.
async fn of_the_desk(app: &App, tool: &str) -> Vec<f64> {
    let entries = app.panel().state().await.conversation.entries.into_iter().rev();
    let calls = entries.filter_map(|entry| match entry.item {
        ChatItem::Call(call) if call.tool == tool => call.duration_ms,
        _ => None,
    });
    calls.take(CALLS).map(|duration| duration as f64).collect()
}

async fn timed(app: &App, tool: &str, wanted: &str, times: usize) -> Vec<f64> {
    let key = key(app, tool).await;
    let mut taken = Vec::new();
    for _ in 0..times {
        taken.push(app.panel().screen().later(TIMED, json!([key, wanted])).await);
    }
    taken
}

/// What a call of the read costs the page itself, with no desk between; a read tells it.
async fn by_the_page(app: &App) -> Vec<f64> {
    let key = key(app, "time").await;
    let asked = app
        .panel()
        .screen()
        .command("run_tool", json!({ "tool": key, "arguments": {} }))
        .await;
    asked.expect("it is asked for");
    until("the page should have timed its own calls", async || {
        let last = app.panel().state().await.conversation.entries.pop()?;
        match last.item {
            ChatItem::Call(ToolCall {
                state: CallState::Read { result },
                ..
            }) => serde_json::from_str(&result).ok(),
            _ => None,
        }
    })
    .await
}

async fn key(app: &App, tool: &str) -> ToolKey {
    let state = app.panel().state().await;
    let tools = state.desk.tabs.into_iter().flat_map(|tab| tab.tools);
    tools
        .into_iter()
        .find(|one| one.name == tool)
        .expect("the page offers it")
        .key
}

/// From the press of Release to the write's arrival at the page's server, on one clock.
async fn releases(app: &App, site: &Site) -> Figure {
    let key = key(app, "touch").await;
    let approval = app.approval();
    let mut taken = Vec::new();
    for run in 0..RELEASES {
        let before = site.writes().len();
        app.panel()
            .screen()
            .command("run_tool", json!({ "tool": key, "arguments": {} }))
            .await
            .expect("it is asked for");
        approval.comes_up().await;
        if run > 0 {
            approval.next().await;
        } else {
            let note =
                "window.pressedAt = 0; addEventListener('click', () => { window.pressedAt = Date.now(); }, true);";
            approval.screen().script::<Value>(note, json!([])).await;
        }
        approval.release().await;
        let arrived = until("the write should arrive", async || site.arrivals().get(before).copied()).await;
        let pressed: f64 = approval.screen().script("return window.pressedAt", json!([])).await;
        taken.push(since_epoch(arrived) - pressed);
        until("the write should end", async || approval.is_empty().await.then_some(())).await;
    }
    let how = format!(
        "press of Release in `{}` -> the page's request at its server; re-check, row and sync between",
        Approval::TITLE
    );
    Figure::new("release to execution", spread(taken, "ms"), how)
}

fn since_epoch(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0.0, |passed| passed.as_secs_f64() * 1000.0)
}
