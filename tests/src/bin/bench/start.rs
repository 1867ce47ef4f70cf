use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use countersign_scenarios::{Home, descendants, program};

use crate::{Figure, spread};

const RUNS: usize = 9;

/// A running app, started the way a person starts it.
pub struct Bare {
    child: Child,
    _home: Home,
}

impl Bare {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let below = descendants(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
        below.iter().for_each(countersign_scenarios::Process::kill);
    }
}

/// Starts the app in a new account, and returns it when its panel has painted, with the milliseconds that took.
pub fn painted() -> (Bare, f64) {
    let home = Home::new();
    let begun = Instant::now();
    let mut child = Command::new(program("countersign"))
        .env("COUNTERSIGN_LOG", "warn,countersign_shell=info")
        .env("COUNTERSIGN_KEYRING", "memory")
        .env("NO_COLOR", "1")
        .envs(home.environment())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the app can be started");
    let said = child.stderr.take().expect("its standard error is a pipe");
    let mut lines = BufReader::new(said).lines();
    let line = lines
        .by_ref()
        .map_while(Result::ok)
        .find(|line| line.contains("painted") && line.contains("panel"));
    assert!(line.is_some(), "the app ended before its panel had painted");
    let taken = begun.elapsed().as_secs_f64() * 1000.0;
    // A pipe that nobody reads would stop the app when it is full.
    std::thread::spawn(move || lines.for_each(drop));
    (Bare { child, _home: home }, taken)
}

pub async fn measure() -> Vec<Figure> {
    // The first start reads everything from the disk.
    drop(painted());
    let times: Vec<f64> = (0..RUNS).map(|_| painted().1).collect();
    vec![Figure::new(
        "start to painted panel",
        spread(times, "ms"),
        "process started -> the panel's second animation frame, new account each time",
    )]
}
