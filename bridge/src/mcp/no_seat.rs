use std::sync::Arc;

use async_trait::async_trait;
use countersign_contract::{ProposalId, ToolKey};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::seat::{Asked, Seat, Surface, Told};

/// The place of a client that the desk does not take in: it is told why, whatever it asks.
pub(super) struct NoSeat {
    why: String,
    surface: watch::Sender<Arc<Surface>>,
}

impl NoSeat {
    pub fn because(why: String) -> Arc<dyn Seat> {
        let (surface, _) = watch::channel(Arc::new(Surface::away(why.clone())));
        Arc::new(Self { why, surface })
    }
}

#[async_trait]
impl Seat for NoSeat {
    fn surface(&self) -> watch::Receiver<Arc<Surface>> {
        self.surface.subscribe()
    }

    async fn ask(&self, _: &ToolKey, _: Value, _: CancellationToken) -> Asked {
        Asked::Failed {
            message: self.why.clone(),
        }
    }

    async fn check(&self, _: &ProposalId) -> Option<Told> {
        None
    }

    async fn list(&self) -> Vec<Told> {
        Vec::new()
    }

    async fn withdraw(&self, _: &ProposalId) -> Option<Told> {
        None
    }

    async fn settled(&self, _: &ProposalId) -> Option<Told> {
        None
    }
}
