use std::fs::read_to_string;

/// Prints what the figures were measured on.
pub fn print() {
    let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "an unnamed processor".into());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory =
        field("/proc/meminfo", "MemTotal").and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "machine: {cpu}, {cores} cores, {} GiB, Linux {}",
        memory.unwrap_or(0) / (1 << 20),
        kernel.trim()
    );
    println!(
        "build:   debug; software drawing under Xvfb; load at the end {}",
        load.split(' ').next().unwrap_or_default()
    );
    println!("command: npm run bench\n");
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = read_to_string(file).ok()?;
    text.lines()
        .find_map(|line| Some(line.strip_prefix(name)?.split_once(':')?.1.trim().to_owned()))
}
