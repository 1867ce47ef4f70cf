use std::io;
use std::path::Path;

use countersign_ledger::sha256_hex;
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeServer, ServerOptions};

use super::{Peer, Stream};

pub struct Listener {
    name: String,
    next: NamedPipeServer,
}

impl Listener {
    pub async fn bind(folder: &Path) -> io::Result<Self> {
        let name = name(folder);
        // Whoever was first keeps the name; a second one is told so. Other accounts get no access by the pipe's default.
        let next = ServerOptions::new()
            .first_pipe_instance(true)
            .reject_remote_clients(true)
            .create(&name)
            .map_err(|_| io::Error::from(io::ErrorKind::AddrInUse))?;
        Ok(Self { name, next })
    }

    pub async fn accept(&mut self) -> io::Result<Peer> {
        self.next.connect().await?;
        let next = ServerOptions::new().reject_remote_clients(true).create(&self.name)?;
        let stream = std::mem::replace(&mut self.next, next);
        Ok(Peer {
            stream: Box::new(stream),
            process: None,
        })
    }
}

pub async fn connect(folder: &Path) -> io::Result<Box<dyn Stream>> {
    Ok(Box::new(ClientOptions::new().open(name(folder))?))
}

fn name(folder: &Path) -> String {
    let short = &sha256_hex(folder.as_os_str().as_encoded_bytes())[..16];
    format!(r"\\.\pipe\countersign-{short}")
}
