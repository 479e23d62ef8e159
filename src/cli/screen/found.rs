//! What is looked for when the screen opens: which models a new run can use, those that are configured and the servers
//! on the usual local ports; and what was said before.

use crate::cli::app::App;
use crate::cli::model::{self, host_of};
use crate::config::{Choice, Config};
use crate::provider::offline;
use crate::store::Store;
use crate::ui::app::msg::{Found, FoundModel, Msg};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// Most earlier reasons.
const EARLIER: usize = 20;

fn offline_model() -> FoundModel {
    FoundModel {
        profile: "offline".to_owned(),
        model: offline::MODEL.to_owned(),
        place: String::new(),
        window: u32::try_from(offline::WINDOW).ok(),
    }
}

/// What is known before anything was looked for.
pub fn nothing_yet(app: &App, config: &Config, here: &Path, theme: &str) -> Found {
    Found {
        models: vec![offline_model()],
        missing: Vec::new(),
        db: app.paths.db.clone(),
        here: here.to_owned(),
        theme: theme.to_owned(),
        mode: config.mode,
        limits: config.limits(),
        done: false,
    }
}

/// Looks, and tells what there is.
pub async fn look(app: App, config: Config, here: PathBuf, theme: String, tell: mpsc::Sender<Msg>) {
    let mut found = nothing_yet(&app, &config, &here, &theme);
    found.models.clear();
    let of_profile = |profile: &crate::config::Profile, window: Option<u32>| FoundModel {
        profile: profile.name.clone(),
        model: profile.model.clone(),
        place: host_of(&profile.base_url),
        window: profile.window.or(window),
    };
    match config.choose_model(&app.env) {
        Ok(Choice::Profile(profile)) => found.models.push(of_profile(&profile, None)),
        Ok(Choice::Find { .. }) => {
            if let Some((profile, window)) = model::find(&config).await {
                found.models.push(of_profile(&profile, window));
            }
        }
        Ok(Choice::Offline) | Err(_) => {}
    }
    for profile in config.profiles.values() {
        if !found.models.iter().any(|known| known.profile == profile.name) {
            found.models.push(of_profile(profile, None));
        }
    }
    if found.models.is_empty() && config.discover {
        found.missing = config.discover_ports.iter().map(ToString::to_string).collect();
    }
    found.models.push(offline_model());
    found.done = true;
    let _ = tell.send(Msg::Found(found)).await;
}

/// Tells what persons said before when they denied a call. A store that cannot be read is told of by the feed.
pub async fn reasons(store: Store, tell: mpsc::Sender<Msg>) {
    if let Ok(reasons) = store.reasons(EARLIER).await {
        let _ = tell.send(Msg::Reasons(reasons)).await;
    }
}
