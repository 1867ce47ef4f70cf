//! The same server over TLS and HTTP/2: some of what a page can have sent, the browser sends from secure pages only.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

/// A certificate for `localhost` and what is below it, and its key. Nobody trusts it; the browser is told not to ask.
const IDENTITY: &[u8] = include_bytes!("localhost.pem");

pub struct Secure {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Secure {
    pub async fn bind() -> io::Result<Self> {
        let certificate = CertificateDer::from_pem_slice(IDENTITY).map_err(io::Error::other)?;
        let key = PrivateKeyDer::from_pem_slice(IDENTITY).map_err(io::Error::other)?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key);
        let mut config = config.map_err(io::Error::other)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            listener: TcpListener::bind(("127.0.0.1", 0)).await?,
            acceptor: TlsAcceptor::from(Arc::new(config)),
        })
    }
}

impl Listener for Secure {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // A browser opens connections ahead and gives some up again.
                    if let Ok(stream) = self.acceptor.accept(stream).await {
                        return (stream, address);
                    }
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}
