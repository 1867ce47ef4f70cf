//! Reading and writing a file that belongs to another program.

use std::fs::{self, Metadata};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// More than any such file has; Claude Code keeps its history in its own.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// A file as it was found.
pub(super) struct Found {
    /// Where it really is, links followed.
    pub path: PathBuf,
    /// Absent when there is no file.
    pub text: Option<String>,
    /// Why it is not written, though it can be read.
    pub locked: Option<String>,
}

/// Reads a file below `home`, or finds that there is none.
pub(super) fn read(file: &Path, home: &Path) -> Result<Found, String> {
    let home_at = home
        .canonicalize()
        .map_err(|error| format!("Your home folder cannot be read ({error})."))?;
    let path = resolve(file)?;
    if !path.starts_with(&home_at) {
        return Err(format!(
            "The file is at {}, which is outside of your home folder. Countersign writes nothing there.",
            path.display()
        ));
    }
    let found = match fs::metadata(&path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err("There is a file where its folder would be.".into());
        }
        Err(error) => return Err(cannot_read(&error)),
    };
    let mut locked = folder_locked(&path, &home_at);
    let text = match found {
        None => None,
        Some(metadata) => {
            if !metadata.is_file() {
                return Err("There is something else than a file in its place.".into());
            }
            if metadata.len() > MOST_BYTES {
                return Err("The file is larger than 32 MB.".into());
            }
            locked = file_locked(&metadata, &home_at).or(locked);
            let bytes = fs::read(&path).map_err(|error| cannot_read(&error))?;
            Some(String::from_utf8(bytes).map_err(|_| "The file is not text in UTF-8.".to_owned())?)
        }
    };
    Ok(Found { path, text, locked })
}

/// Where a file is or would be, with every link on the way followed.
fn resolve(file: &Path) -> Result<PathBuf, String> {
    if fs::symlink_metadata(file).is_ok() {
        return file.canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound => "The file is a link to something that is not there.".to_owned(),
            _ => cannot_read(&error),
        });
    }
    let (Some(parent), Some(name)) = (file.parent(), file.file_name()) else {
        return Err("There is no such place.".into());
    };
    Ok(resolve(parent)?.join(name))
}

fn cannot_read(error: &std::io::Error) -> String {
    format!("The file cannot be read ({error}).")
}

fn file_locked(metadata: &Metadata, home: &Path) -> Option<String> {
    if metadata.permissions().readonly() {
        return Some("The file is write-protected.".into());
    }
    of_another(metadata, home)
}

/// Who may write to a folder may put another file in a file's place, so a protected folder is asked as well.
fn folder_locked(path: &Path, home: &Path) -> Option<String> {
    let folder = path.ancestors().skip(1).find_map(|folder| fs::metadata(folder).ok())?;
    if folder.permissions().readonly() {
        return Some("Its folder is write-protected.".into());
    }
    of_another(&folder, home)
}

#[cfg(unix)]
fn of_another(metadata: &Metadata, home: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let owner = fs::metadata(home).ok()?.uid();
    if metadata.uid() != owner {
        return Some("It belongs to another account than your home folder.".into());
    }
    (metadata.is_file() && metadata.nlink() > 1)
        .then(|| "The file has a second name, which would keep the old text.".into())
}

#[cfg(not(unix))]
fn of_another(_: &Metadata, _: &Path) -> Option<String> {
    None
}

/// Puts `after` in the file's place in one step, if it still holds what was found. What it held is kept beside it, once.
pub(super) fn write(found: &Found, after: &str) -> Result<(), String> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: std::io::Error| format!("{what} ({error}). Nothing was changed.")
    };
    let folder = found.path.parent().ok_or("There is no such place.")?;
    fs::create_dir_all(folder).map_err(failed("Its folder could not be made"))?;
    let permissions = fs::metadata(&found.path).ok().map(|metadata| metadata.permissions());
    let beside = |text: &str| {
        let mut file = tempfile::Builder::new().prefix(".countersign-").tempfile_in(folder)?;
        if let Some(permissions) = &permissions {
            file.as_file().set_permissions(permissions.clone())?;
        }
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    if let Some(before) = &found.text {
        let kept = beside(before).map_err(failed("A copy of the file could not be kept"))?;
        match kept.persist_noclobber(copy_of(&found.path)) {
            Ok(_) => {}
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed("A copy of the file could not be kept")(error.error)),
        }
    }
    let file = beside(after).map_err(failed("The file could not be written"))?;
    let now = match fs::read(&found.path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(failed("The file could not be read again")(error)),
    };
    if now.as_deref() != found.text.as_ref().map(String::as_bytes) {
        return Err("Another program has just changed the file. Nothing was written; look again.".into());
    }
    let put = match &found.text {
        Some(_) => file.persist(&found.path),
        None => file.persist_noclobber(&found.path),
    };
    put.map_err(|error| failed("The file could not be written")(error.error))?;
    if let Ok(folder) = fs::File::open(folder) {
        // Some systems sync no folder; the file itself is on the disk.
        drop(folder.sync_all());
    }
    Ok(())
}

/// Where the file is kept as it was before the first change.
pub(super) fn copy_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".before-countersign");
    path.with_file_name(name)
}
