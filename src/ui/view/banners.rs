//! Banners: facts that a person should know of, worst first. What is told comes from the snapshot alone; a banner goes
//! with its cause.

use super::head::plain;
use crate::run::settings::Limits;
use crate::run::{LimitKind, RunState, Turn};
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::theme::Role;
use crate::ui::words::numbers::{clock, grouped, money};
use std::time::Instant;

/// Percent of a limit from which a banner says so.
const NEAR: u64 = 80;

/// Something that a person should know of, with what helps.
pub struct Banner {
    /// Its sign.
    pub sign: &'static str,
    /// Role of sign and head.
    pub role: Role,
    /// What it is, in capitals.
    pub head: String,
    /// What happened.
    pub text: String,
    /// What its key does about it; empty if nothing.
    pub help: String,
    /// When it is tried again; empty if it is not.
    pub when: String,
}

/// Whether there is a banner to act on.
pub fn has_banner(model: &Model) -> bool {
    !banners(model).is_empty()
}

/// Worst first.
pub fn banners(model: &Model) -> Vec<Banner> {
    let words = model.words().banners;
    let glyphs = model.look.glyphs;
    let mut all = Vec::new();
    let ago = |since: Instant| {
        clock(u64::try_from(model.clock.mono.saturating_duration_since(since).as_millis()).unwrap_or(0))
    };
    if let Some(since) = model.unsaved {
        all.push(Banner {
            sign: glyphs.failed,
            role: Role::Danger,
            head: words.not_saved.into(),
            text: words.not_saved_text(&ago(since)),
            help: String::new(),
            when: String::new(),
        });
    }
    if let Some((since, why)) = &model.stale {
        let time = ago(*since);
        let locked = why.contains("locked");
        let (head, text) = match (locked, why.as_str()) {
            (true, _) => (words.locked, words.locked_text(&time)),
            (false, "") => (words.not_read, words.not_read_text(words.no_answer, &time)),
            (false, why) => (words.not_read, words.not_read_text(&plain(why), &time)),
        };
        all.push(Banner {
            sign: glyphs.failed,
            role: Role::Danger,
            head: head.into(),
            text,
            help: String::new(),
            when: String::new(),
        });
    }
    let Some(view) = model.view() else { return all };
    let state = &view.state;
    if let Some(damage) = &view.damage {
        let text = words.damaged_text(damage.first_bad_seq, u64::from(state.path.step));
        let head = words.damaged.to_owned();
        all.push(Banner {
            sign: glyphs.failed,
            role: Role::Danger,
            head,
            text,
            help: words.look.to_owned(),
            when: String::new(),
        });
    }
    if state.ledger.unknown > 0 {
        let (head, text) = (words.read_only.to_owned(), words.newer.to_owned());
        all.push(Banner {
            sign: glyphs.needs_you,
            role: Role::Warn,
            head,
            text,
            help: String::new(),
            when: String::new(),
        });
    }
    if state.ledger.ended.is_some() {
        return all;
    }
    all.extend(price_banner(model, view));
    all.extend(near_limits(model, state));
    all.extend(retry_banner(model, state));
    all
}

fn price_banner(model: &Model, view: &RunView) -> Option<Banner> {
    let words = model.words().banners;
    let settings = view.state.settings()?;
    let cap = settings.limits.cost_micro?;
    if settings.model.price.is_some() || settings.model.offline {
        return None;
    }
    let text = words.price_unknown_text(&money(cap), &plain(&settings.model.model));
    let head = words.price_unknown.to_owned();
    let sign = model.look.glyphs.needs_you;
    Some(Banner { sign, role: Role::Warn, head, text, help: words.set_price.to_owned(), when: String::new() })
}

fn near_limits(model: &Model, state: &RunState) -> Vec<Banner> {
    let words = model.words().banners;
    let Some(settings) = state.settings() else { return Vec::new() };
    let (limits, totals) = (&settings.limits, &state.ledger.totals);
    let steps = (u64::from(totals.steps), u64::from(limits.steps));
    let cost = (totals.cost_micro, limits.cost_micro.unwrap_or(0));
    let all = [
        (LimitKind::Tokens, (totals.charged, limits.tokens), grouped as fn(u64) -> String),
        (LimitKind::Cost, cost, money),
        (LimitKind::Time, (totals.active_ms, limits.active_ms), clock),
        (LimitKind::Steps, steps, grouped),
    ];
    let near =
        all.into_iter().filter(|(_, (used, most), _)| *most > 0 && used.saturating_mul(100) / most >= NEAR);
    near.map(|(kind, (used, most), shown)| Banner {
        sign: model.look.glyphs.needs_you,
        role: Role::Warn,
        head: words.near_limit(model.look.lang.limit(kind), used.saturating_mul(100) / most),
        text: words.near_limit_text(&shown(used), &shown(most), steps_left(state, limits, kind)),
        help: words.raise.to_owned(),
        when: String::new(),
    })
    .collect()
}

/// About how many steps this limit leaves, if they are as the last one was.
fn steps_left(state: &RunState, limits: &Limits, kind: LimitKind) -> u64 {
    let totals = &state.ledger.totals;
    let done = u64::from(totals.steps).max(1);
    let each = |used: u64| (used / done).max(1);
    match kind {
        LimitKind::Steps => u64::from(limits.steps.saturating_sub(totals.steps)),
        LimitKind::Tokens => {
            let kept = limits.tokens / 100 * u64::from(limits.wrap_up_percent);
            let last =
                state.ledger.last_usage.map_or_else(|| each(totals.charged), |usage| usage.charged().max(1));
            limits.tokens.saturating_sub(kept).saturating_sub(totals.charged) / last
        }
        LimitKind::Cost => {
            limits.cost_micro.unwrap_or(0).saturating_sub(totals.cost_micro) / each(totals.cost_micro)
        }
        LimitKind::Time => limits.active_ms.saturating_sub(totals.active_ms) / each(totals.active_ms),
    }
}

fn retry_banner(model: &Model, state: &RunState) -> Option<Banner> {
    let words = model.words().banners;
    let Turn::Retry { attempt, until: Some(until), message, .. } = &state.path.turn else { return None };
    let most = state.settings().map_or(0, |settings| settings.limits.model_retries);
    let left = u64::try_from(until.saturating_sub(model.clock.wall)).unwrap_or(0);
    Some(Banner {
        sign: model.look.glyphs.dot,
        role: Role::Warn,
        head: words.retry_no(u64::from(*attempt), u64::from(most)),
        text: words.retry_text(&plain(message)),
        help: String::new(),
        when: words.again_in(&clock(left)),
    })
}
