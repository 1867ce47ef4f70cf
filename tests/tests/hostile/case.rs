//! A case: one page that tries to get something past the hold, and what has to be seen from outside.

use std::collections::BTreeMap;
use std::path::Path;

/// How a case has to end. What ran is counted by the server that the page talks to; what was released, in the ledger's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// One act ran for each release, and each is recorded as committed.
    Released,
    /// Nothing was released and nothing ran.
    Never,
    /// It was released and did not run, and the record says so.
    NotRun,
    /// Whether or not it was released, nothing ran, and the record says so.
    Nothing,
    /// It was released and nothing ran; the record says that, or that nobody saw how it ended.
    NothingSeen,
    /// It was released and nobody saw how it ended, and the record says so.
    Unknown,
    /// It ran. The page shows what is not held, and the documents say so.
    NotHeld,
    /// What the page keeps was changed, which cannot be held: it is recorded as changed without being released.
    Changed,
    /// It was released, ran once and failed, and the record says so.
    Failed,
}

impl End {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "released" => Self::Released,
            "never" => Self::Never,
            "not-run" => Self::NotRun,
            "nothing" => Self::Nothing,
            "nothing-seen" => Self::NothingSeen,
            "not-held" => Self::NotHeld,
            "changed" => Self::Changed,
            "unknown" => Self::Unknown,
            "failed" => Self::Failed,
            _ => return None,
        })
    }

    /// In words, for the table.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Released => "held, ran once when released",
            Self::Never => "never ran",
            Self::NotRun => "released, not run, said so",
            Self::Nothing => "never ran, released or not",
            Self::NothingSeen => "released, not run, not said to have run",
            Self::NotHeld => "NOT HELD, as is said",
            Self::Changed => "recorded as changed without being released",
            Self::Unknown => "released, recorded as unknown",
            Self::Failed => "held, ran once, recorded as failed",
        }
    }
}

/// What a page's first comment says about it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file's name without its ending; the page's host is named after it.
    pub slug: String,
    /// The attempt in words.
    pub attempt: String,
    /// What it attacks.
    pub promise: String,
    /// Which defences hold it; each is a key of `tests/hostile/defences.mjs`.
    pub defences: Vec<String>,
    /// How it has to end.
    pub end: End,
    /// What to do and what to see, in order.
    pub steps: Vec<String>,
}

impl Case {
    /// Reads the first comment of a page.
    ///
    /// # Errors
    /// What is missing or wrong in it.
    pub fn read(slug: &str, html: &str) -> Result<Self, String> {
        let comment = html
            .strip_prefix("<!--")
            .and_then(|rest| rest.split_once("-->"))
            .ok_or("the file does not begin with a comment")?
            .0;
        let mut fields = fields(comment)?;
        let mut take = |name: &str| {
            let lines = fields.remove(name).unwrap_or_default();
            if lines.is_empty() {
                Err(format!("it has no `{name}`"))
            } else {
                Ok(lines)
            }
        };
        let end = take("end")?.join(" ");
        let case = Self {
            slug: slug.to_owned(),
            attempt: take("attempt")?.join(" "),
            promise: take("promise")?.join(" "),
            defences: take("defence")?
                .join(" ")
                .split(',')
                .map(|key| key.trim().to_owned())
                .collect(),
            end: End::read(&end).ok_or_else(|| format!("there is no end `{end}`"))?,
            steps: take("steps")?,
        };
        match fields.into_keys().next() {
            None => Ok(case),
            Some(other) => Err(format!("there is no field `{other}`")),
        }
    }
}

fn fields(comment: &str) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = String::new();
    for line in comment.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with(' ') {
            let lines = fields
                .get_mut(&current)
                .ok_or_else(|| format!("`{line}` belongs to nothing"))?;
            lines.push(line.trim().to_owned());
            continue;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| format!("`{line}` is not a field"))?;
        current = name.to_owned();
        let value = value.trim();
        let lines = fields.entry(current.clone()).or_default();
        lines.extend((!value.is_empty()).then(|| value.to_owned()));
    }
    Ok(fields)
}

/// Every case of a folder, in the order of their names.
///
/// # Errors
/// Every fault of every page, one a line.
pub fn all(folder: &Path) -> Result<Vec<Case>, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<_> = files
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        // `slug.part.html` belongs to the case `slug`.
        .filter_map(|name| Some(name.strip_suffix(".html")?.to_owned()).filter(|slug| !slug.contains('.')))
        .collect();
    names.sort_unstable();
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    for slug in names {
        let html = std::fs::read_to_string(folder.join(format!("{slug}.html"))).map_err(|error| error.to_string())?;
        match Case::read(&slug, &html) {
            Ok(case) => cases.push(case),
            Err(fault) => faults.push(format!("{slug}.html: {fault}.")),
        }
    }
    if faults.is_empty() {
        Ok(cases)
    } else {
        Err(faults.join("\n"))
    }
}
