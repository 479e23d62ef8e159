//! The run's own `tokenizer.json` before a request is counted with it: a run counts on as it began, or its journal says
//! from where on it does not, and why.

use super::driver::Driver;
use super::error::WorkError;
use crate::context::{Texts, recounted};
use crate::host::fault::fault;
use crate::run::event::Event;
use crate::run::settings::{ModelSettings, Settings};
use crate::store::Durability;
use crate::tokens::{self, Counter, Estimate, TokenizerError, TokenizerJson};

impl Driver<'_> {
    /// Reads the tokenizer that the settings name. If its file is gone or another one, the settings say so from here on:
    /// what is there now counts, else an estimate does.
    pub(super) async fn find_tokenizer(&mut self) -> Result<(), WorkError> {
        let settings = self.settings()?.clone();
        if self.counted_by == settings.model.tokenizer {
            return Ok(());
        }
        let model = settings.model.clone();
        if let Some((error, now)) = tokio::task::spawn_blocking(move || replaced(&model)).await? {
            let (by, why) = match &now {
                Some(_) => ("the file as it is now counts", error.to_string()),
                None => ("estimates count", error.to_string()),
            };
            let mut new = Settings::clone(&settings);
            new.model.exact = now.is_some();
            new.model.tokenizer = now.unwrap_or_else(|| Estimate.id().to_owned());
            let why = format!("{why}; from here on {by}");
            let mut batch = self.batch();
            batch.push(Event::SettingsChanged { settings: Box::new(new), why })?;
            self.commit(batch, Durability::Unsynced).await?;
        }
        let counted_by = self.settings()?.model.tokenizer.clone();
        self.counted_by = counted_by;
        Ok(())
    }
}

impl Driver<'_> {
    /// Counts the messages in the window as the model in force does, if they were counted otherwise. It is an event, so that
    /// a past request is made again of the figures that it was made of.
    pub(super) async fn recount(&mut self, texts: &Texts) -> Result<(), WorkError> {
        if !self.state.counts_are_old() {
            return Ok(());
        }
        let counts = recounted(&self.state, texts, &|text| self.count(text));
        let mut batch = self.batch();
        batch.push(Event::MessagesRecounted { counts })?;
        self.commit(batch, Durability::Unsynced).await?;
        fault("worker.recounted");
        Ok(())
    }
}

/// Why the settings' tokenizer is not there, and the one that is there in its place.
fn replaced(model: &ModelSettings) -> Option<(TokenizerError, Option<String>)> {
    let error = tokens::missing(model)?;
    let now = model.tokenizer_file.as_deref().and_then(|file| TokenizerJson::open(file).ok());
    Some((error, now.map(|counter| counter.id().to_owned())))
}
