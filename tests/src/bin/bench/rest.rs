use std::time::Duration;

use countersign_scenarios::{App, Options, Process, descendants};

use crate::{Figure, start::painted};

const SETTLING: Duration = Duration::from_secs(5);
const IDLE: Duration = Duration::from_secs(30);

/// What the app takes while it does nothing: memory of all its processes, and processor time.
pub async fn measure() -> Vec<Figure> {
    let (app, _) = painted();
    tokio::time::sleep(SETTLING).await;
    let processes = || {
        let mut all = descendants(app.pid());
        all.extend(Process::find(app.pid()));
        all
    };
    let memory: u64 = processes().iter().map(Process::proportional_memory).sum();
    let before: u64 = processes().iter().map(Process::ticks).sum();
    tokio::time::sleep(IDLE).await;
    let used = processes()
        .iter()
        .map(Process::ticks)
        .sum::<u64>()
        .saturating_sub(before);
    // A tick is a hundredth of a second on every Linux that Rust runs on.
    let share = used as f64 / IDLE.as_secs_f64();
    vec![
        Figure::new(
            "memory, no page open",
            megabytes(memory),
            format!(
                "proportional set size of {} processes, panel and approval window; no browser",
                processes().len()
            ),
        ),
        Figure::new(
            "processor, no page open",
            format!("{share:.2} %"),
            "of one core, over 30 s",
        ),
    ]
}

/// The same with the example open, the browser counted apart.
pub async fn with_a_page() -> Vec<Figure> {
    let app = App::start(Options::default()).await;
    app.panel().open_example().await;
    tokio::time::sleep(SETTLING).await;
    let browser = app.browser().expect("the browser runs");
    let mut of_browser = descendants(browser.pid);
    of_browser.push(browser);
    let mut own = descendants(app.process().pid);
    own.push(app.process().clone());
    own.retain(|process| !of_browser.contains(process));
    let sum = |all: &[Process]| megabytes(all.iter().map(Process::proportional_memory).sum());
    vec![
        Figure::new(
            "memory, example open",
            sum(&own),
            format!("{} processes of the app", own.len()),
        ),
        Figure::new(
            "memory of the browser",
            sum(&of_browser),
            format!("{} processes of headless Chromium, one tab", of_browser.len()),
        ),
    ]
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1_000_000.0)
}
