use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::LedgerError;

/// Where the writer puts rows. The real one is [`FileStorage`]; tests put faults in between.
pub trait Storage: Send {
    /// Bytes there now.
    ///
    /// # Errors
    /// What the system says.
    fn length(&self) -> io::Result<u64>;

    /// Puts bytes at the end. After an error nobody knows how many of them are there.
    ///
    /// # Errors
    /// What the system says.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Returns once everything appended would survive a power cut.
    ///
    /// # Errors
    /// What the system says. It must not be tried again: a second sync can report success for bytes that are lost.
    fn sync(&mut self) -> io::Result<()>;

    /// Drops everything behind the first `length` bytes.
    ///
    /// # Errors
    /// What the system says.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

/// A file.
#[derive(Debug)]
pub struct FileStorage {
    file: File,
    path: PathBuf,
}

impl FileStorage {
    /// Opens the file, making it (readable by its owner only) when it is not there.
    pub(crate) fn open(path: &Path) -> Result<Self, LedgerError> {
        let new = !path.exists();
        let mut file = private().open(path).map_err(LedgerError::io("open", path))?;
        file.seek(SeekFrom::End(0)).map_err(LedgerError::io("read", path))?;
        if new {
            sync_folder_of(path).map_err(LedgerError::io("sync the folder of", path))?;
        }
        Ok(Self {
            file,
            path: path.to_owned(),
        })
    }
}

impl Storage for FileStorage {
    fn length(&self) -> io::Result<u64> {
        let open = self.file.metadata()?;
        let named = std::fs::metadata(&self.path)?;
        // A file that was moved or removed takes every byte and keeps none of them where anybody would look.
        if is_another(&open, &named) {
            return Err(io::Error::other(format!(
                "{} is not the file that was opened any more",
                self.path.display()
            )));
        }
        Ok(open.len())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::End(0))?;
        self.file.sync_all()
    }
}

#[cfg(unix)]
fn is_another(open: &Metadata, named: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (open.dev(), open.ino()) != (named.dev(), named.ino())
}

/// Elsewhere an open file can be neither moved nor removed.
#[cfg(not(unix))]
fn is_another(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Makes the folder and takes its lock, which lasts as long as the file lives.
pub(crate) fn lock(dir: &Path) -> Result<File, LedgerError> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|folder| !folder.exists()).collect();
    std::fs::create_dir_all(dir).map_err(LedgerError::io("make the folder", dir))?;
    for made in missing {
        sync_folder_of(made).map_err(LedgerError::io("sync the folder of", made))?;
    }
    let path = dir.join("lock");
    let file = private().open(&path).map_err(LedgerError::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LedgerError::InUse { dir: dir.to_owned() }),
        Err(TryLockError::Error(source)) => Err(LedgerError::Io {
            action: "lock",
            path,
            source,
        }),
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A new file's name is durable only once its folder is synced. Windows has no such call and needs none.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let here = folder.as_os_str().is_empty();
        File::open(if here { Path::new(".") } else { folder })?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
