use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use countersign_ledger::sha256_hex;
use tokio::net::{UnixListener, UnixStream};

use super::{Peer, Stream};

/// A socket's address has room for about a hundred bytes; the folder of the data can be longer than that.
const LONGEST: usize = 100;

pub struct Listener {
    socket: UnixListener,
    path: PathBuf,
    /// The account that may connect.
    account: u32,
}

impl Listener {
    pub async fn bind(folder: &Path) -> io::Result<Self> {
        let path = path(folder)?;
        make_private_folder_of(&path)?;
        if UnixStream::connect(&path).await.is_ok() {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let socket = UnixListener::bind(&path)?;
        let account = std::fs::symlink_metadata(&path)?.uid();
        let listener = Self { socket, path, account };
        std::fs::set_permissions(&listener.path, std::fs::Permissions::from_mode(0o600))?;
        // In somebody else's folder it could be replaced by theirs.
        let folder = std::fs::symlink_metadata(parent(&listener.path))?;
        if folder.is_dir() && folder.uid() == account {
            Ok(listener)
        } else {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    pub async fn accept(&mut self) -> io::Result<Peer> {
        loop {
            let (stream, _) = self.socket.accept().await?;
            let who = stream.peer_cred()?;
            if who.uid() != self.account {
                tracing::warn!(account = who.uid(), "a program of another account was turned away");
                continue;
            }
            let process = who.pid().and_then(|pid| u32::try_from(pid).ok());
            return Ok(Peer {
                stream: Box::new(stream),
                process,
            });
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

pub async fn connect(folder: &Path) -> io::Result<Box<dyn Stream>> {
    let stream = UnixStream::connect(path(folder)?).await?;
    Ok(Box::new(stream))
}

/// In the data folder, or, where its path is too long for a socket, in the folder of the account's run.
fn path(folder: &Path) -> io::Result<PathBuf> {
    let here = folder.join("desk.sock");
    if here.as_os_str().len() <= LONGEST {
        return Ok(here);
    }
    let short = &sha256_hex(folder.as_os_str().as_encoded_bytes())[..16];
    let run = std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let path = run.join(format!("countersign-{short}")).join("desk.sock");
    if path.as_os_str().len() <= LONGEST {
        Ok(path)
    } else {
        Err(io::ErrorKind::InvalidFilename.into())
    }
}

fn make_private_folder_of(path: &Path) -> io::Result<()> {
    let folder = parent(path);
    if folder.exists() {
        return Ok(());
    }
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}
