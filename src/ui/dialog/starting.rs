//! What is said while a run is to begin: that others hold the database, which server is asked for the how-manieth time, what it said, and when it is asked
//! again.

use crate::ui::app::model::Model;
use crate::ui::keys::{Action, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::start;
use crate::ui::words::numbers::clock;

/// The lines, neutral.
pub fn lines(model: &Model) -> Vec<(String, Role)> {
    let (words, dot) = (&model.words().new_run, model.look.glyphs.dot);
    let Some(starting) = &model.starting else { return vec![(words.starting.to_owned(), Role::Muted)] };
    if starting.given_up {
        return vec![(words.giving_up.to_owned(), Role::Muted)];
    }
    let gives_up = words.gives_up(&model.key(live::FORM, Action::Back));
    if let Some(since) = starting.held {
        let held = format!("{} {}", model.look.glyphs.needs_you, start::held(model, since));
        return vec![(held, Role::NeedsYou), (format!("{} {dot} {gives_up}", words.held_next), Role::Base)];
    }
    let Some(contact) = &starting.contact else {
        return vec![(format!("{} {dot} {gives_up}", words.starting), Role::Muted)];
    };
    let place = one_line(&contact.place, Strength::Exact).shown();
    let (attempt, most) = (u64::from(contact.attempt), u64::from(contact.most));
    match &contact.failed {
        None => {
            let since = model.clock.mono.saturating_duration_since(starting.since).as_millis();
            let time = clock(u64::try_from(since).unwrap_or(u64::MAX));
            let asking = words.asking(&place, attempt, most);
            vec![(format!("{asking} {dot} {time} {dot} {gives_up}"), Role::Muted)]
        }
        Some((why, at)) => {
            let why = one_line(&model.look.lang.trouble(why), Strength::Prose).shown();
            let said = model.look.lang.label(&words.no_answer(&place, attempt, most), &why);
            let time = clock(u64::try_from(at - model.clock.wall).unwrap_or(0));
            let again = format!("{} {dot} {gives_up}", words.again_in(&time));
            vec![(format!("{} {said}", model.look.glyphs.needs_you), Role::Warn), (again, Role::NeedsYou)]
        }
    }
}
