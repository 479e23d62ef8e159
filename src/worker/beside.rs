//! The model that is asked for summaries in place of the run's own, with its own window, counting, price and endpoint.
//!
//! It is asked once for each; what it does not give, the run's own model is asked for, and then the rules write. Not to be
//! assumed: that it can be reached where the run is taken up. A profile or key that is not here counts as no such model.

use super::driver::Driver;
use crate::provider::Provider;
use crate::run::settings::{ModelSettings, Settings};
use crate::tokens::{Counter, counter_of};
use std::sync::Arc;

/// The model and what is needed to ask it.
#[derive(Clone)]
pub(super) struct Beside {
    /// The model.
    pub model: ModelSettings,
    /// Its counter.
    pub counter: Arc<dyn Counter>,
    /// Its server.
    pub provider: Arc<dyn Provider>,
}

impl Driver<'_> {
    /// The model beside the run's own, if there is one that can be asked here and it was not tried for this already.
    pub(super) fn beside(&mut self, tries: u32) -> Option<Beside> {
        if tries > 0 {
            return None;
        }
        if self.beside.is_none() {
            let settings = self.settings().ok()?;
            let model = settings.summary_model.as_deref()?.clone();
            let own = Settings { model: model.clone(), ..settings.as_ref().clone() };
            let provider = self.engine.models.provider(&own).ok()?;
            self.beside = Some(Beside { counter: counter_of(&model), model, provider });
        }
        self.beside.clone()
    }
}
