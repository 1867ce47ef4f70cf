//! The measurements of `docs/performance.md`, on the debug build: start, memory, idle time, and what the desk adds to a call.
//! Run it on a machine that does nothing else: `npm run bench`.
#![forbid(unsafe_code)]

mod calls;
mod machine;
mod rest;
mod start;

use countersign_scenarios::Desktop;

/// One line of the table.
struct Figure {
    what: &'static str,
    value: String,
    how: String,
}

impl Figure {
    fn new(what: &'static str, value: impl Into<String>, how: impl Into<String>) -> Self {
        Self {
            what,
            value: value.into(),
            how: how.into(),
        }
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let mut figures = Vec::new();
    {
        let _desktop = Desktop::take();
        figures.extend(start::measure().await);
        figures.extend(rest::measure().await);
    }
    figures.extend(calls::measure().await);
    machine::print();
    println!("| what | measured | how |\n|---|---|---|");
    for Figure { what, value, how } in figures {
        println!("| {what} | {value} | {how} |");
    }
}

/// The middle, and the value that 99 of 100 stay under.
fn spread(mut values: Vec<f64>, unit: &str) -> String {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let index = ((values.len() as f64 * share).ceil() as usize).clamp(1, values.len());
        values[index - 1]
    };
    format!(
        "p50 {:.1} {unit}, p99 {:.1} {unit}, n = {}",
        at(0.5),
        at(0.99),
        values.len()
    )
}
