//! AGENTS.md of the workspace: read when a run is taken up, and recorded when it changed.

use super::driver::Driver;
use super::error::WorkError;
use crate::run::event::{Decoded, Event};
use crate::store::Durability;

/// The most that is read of it, bytes.
const MOST: u64 = 256 * 1024;
/// Its name.
const NAME: &str = "AGENTS.md";

impl Driver<'_> {
    /// Records the workspace's instructions if there are new ones.
    pub async fn read_instructions(&mut self) -> Result<(), WorkError> {
        let text = match self.workspace()?.read(NAME, MOST) {
            Ok((bytes, _)) => crate::tool::neutralise(&String::from_utf8_lossy(&bytes)).into_owned(),
            // None, or not readable: the run goes on with what it knows.
            Err(_) => return Ok(()),
        };
        let text = self.masks.owned(text);
        if text.trim().is_empty() || self.known_instructions().await?.as_deref() == Some(text.as_str()) {
            return Ok(());
        }
        let tokens = self.count(&text);
        let mut batch = self.batch();
        let body = batch.bag.body(text);
        batch.push(Event::InstructionsRead { body, tokens })?;
        self.commit(batch, Durability::Unsynced).await
    }

    async fn known_instructions(&self) -> Result<Option<String>, WorkError> {
        let Some((seq, _)) = self.state.path.instructions else { return Ok(None) };
        let Some(envelope) = self.engine.store.event(&self.run, seq).await? else { return Ok(None) };
        let Decoded::Known(event) = envelope.event else { return Ok(None) };
        let Event::InstructionsRead { body, .. } = *event else { return Ok(None) };
        Ok(Some(self.engine.store.text(&body).await?))
    }
}
