//! Banners: facts that a person should know of, worst first. What is told comes from the snapshot and from what is known
//! beside it; a banner goes with its cause. What can be done about one is in `ui::dialog::banner`.

use super::head::{failure, plain};
use crate::agent::ends::cost_for_turns;
use crate::run::message::Speaker;
use crate::run::settings::Limits;
use crate::run::{LimitKind, Outcome, RunState, Status, Turn};
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, live};
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::words::capital;
use crate::ui::words::numbers::{clock, grouped, money};
use std::time::Instant;

/// Percent of a limit from which a banner says so.
const NEAR: u64 = 80;

/// What a banner is about, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A worker here could not save.
    DiskFull,
    /// Something that was done here could not be stored: the disk is full.
    NoRoom,
    /// The database file is damaged: not everything in it can be read.
    FileDamaged,
    /// What was decided here is not stored yet.
    NotSaved,
    /// Another program holds the database.
    Locked,
    /// The database cannot be read.
    NotRead,
    /// The journal is damaged.
    Damaged,
    /// A newer program wrote the run.
    ReadOnly,
    /// The server cut the front of the prompt.
    PromptCut,
    /// The worker that owns the run does not move.
    Asleep,
    /// The worker is gone, and a command that it started runs on.
    Alone,
    /// There is a cost limit and no price.
    Price,
    /// A limit ended the run.
    AtLimit(LimitKind),
    /// A limit is near.
    Near(LimitKind),
    /// A request is tried again later.
    Retry,
}

/// Something that a person should know of, with what helps.
pub struct Banner {
    /// What it is about.
    pub kind: Kind,
    /// Its sign.
    pub sign: &'static str,
    /// Role of sign and head.
    pub role: Role,
    /// What it is, in capitals.
    pub head: String,
    /// What happened.
    pub text: String,
    /// The same in fewer words, for narrow screens, the longest first.
    pub short: Vec<String>,
    /// What its key does about it, the first of its choices; empty if there is none.
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
    let mut all: Vec<Banner> = model.view().and_then(|view| full_disk(model, view)).into_iter().collect();
    if all.is_empty() && model.beside.full {
        all.push(Banner {
            kind: Kind::NoRoom,
            sign: glyphs.failed,
            role: Role::Danger,
            head: words.disk_full.to_owned(),
            text: words.no_room_text.to_owned(),
            short: vec![words.no_room_short.to_owned()],
            help: String::new(),
            when: String::new(),
        });
    }
    if model.beside.file_damaged.is_some() {
        let leave = model.key(live::RUN, Action::QuitAsk);
        all.push(Banner {
            kind: Kind::FileDamaged,
            sign: glyphs.failed,
            role: Role::Danger,
            head: words.file_damaged.to_owned(),
            text: words.file_damaged_text(&leave, "wakeful doctor"),
            short: vec![words.file_damaged_short(&leave, "wakeful doctor")],
            help: words.look.to_owned(),
            when: String::new(),
        });
    }
    let ago = |since: Instant| {
        clock(u64::try_from(model.clock.mono.saturating_duration_since(since).as_millis()).unwrap_or(0))
    };
    if let Some(since) = model.unposted {
        all.push(Banner {
            kind: Kind::NotSaved,
            sign: glyphs.failed,
            role: Role::Danger,
            head: words.not_saved.into(),
            text: words.not_saved_text(&ago(since)),
            short: vec![words.not_saved_short(&ago(since))],
            help: String::new(),
            when: String::new(),
        });
    }
    if let Some((since, why)) = &model.stale {
        let time = ago(*since);
        let locked = why.contains("locked");
        let key = model.key(live::RUN, Action::BannerOpen);
        let (head, text, short) = match locked {
            true => (
                words.locked,
                words.locked_text(&time),
                vec![words.locked_short(&time), words.locked_least(&time)],
            ),
            false => (words.not_read, not_read(model, why, &time), vec![words.not_read_short(&time, &key)]),
        };
        all.push(Banner {
            kind: if locked { Kind::Locked } else { Kind::NotRead },
            sign: glyphs.failed,
            role: Role::Danger,
            head: head.into(),
            text,
            short,
            help: String::new(),
            when: String::new(),
        });
    }
    let Some(view) = model.view() else { return all };
    let state = &view.state;
    if let Some(damage) = &view.damage {
        let (event, step) = (damage.first_bad_seq, u64::from(state.path.step));
        let head = words.damaged.to_owned();
        all.push(Banner {
            kind: Kind::Damaged,
            sign: glyphs.failed,
            role: Role::Danger,
            head,
            text: words.damaged_text(event, step),
            short: vec![words.damaged_short(event, step)],
            help: words.look.to_owned(),
            when: String::new(),
        });
    }
    if state.ledger.unknown > 0 {
        let (head, text) = (words.read_only.to_owned(), words.newer.to_owned());
        all.push(Banner {
            kind: Kind::ReadOnly,
            sign: glyphs.needs_you,
            role: Role::Warn,
            head,
            text,
            short: vec![words.newer_short.to_owned()],
            help: String::new(),
            when: String::new(),
        });
    }
    if let Some(ended) = &state.ledger.ended {
        all.extend(at_limit(model, view, &ended.outcome));
        return all;
    }
    all.extend(cut_banner(model, state));
    all.extend(asleep_banner(model, state));
    all.extend(alone_banner(model, view));
    all.extend(price_banner(model, view));
    all.extend(near_limits(model, view));
    all.extend(retry_banner(model, state));
    all
}

/// Why nothing can be read and how old is what is shown; what is too long for its line is left to the dialog.
fn not_read(model: &Model, why: &str, time: &str) -> String {
    let words = model.words().banners;
    let why = if why.is_empty() {
        words.no_answer.to_owned()
    } else {
        capital(&plain(&model.look.lang.trouble(why)))
    };
    let text = words.not_read_text(&why, time);
    // A margin at each side, the sign, and two cells behind the head.
    let room = usize::from(model.size.0).saturating_sub(width(words.not_read) + 6);
    let key = model.key(live::RUN, Action::BannerOpen);
    if width(&text) <= room || key.is_empty() { text } else { words.not_read_long(time, &key) }
}

fn full_disk(model: &Model, view: &RunView) -> Option<Banner> {
    let words = model.words().banners;
    let unsaved = model.beside.unsaved.get(&view.state.run)?;
    let left = u64::try_from(unsaved.again.saturating_sub(model.clock.wall)).unwrap_or(0);
    Some(Banner {
        kind: Kind::DiskFull,
        sign: model.look.glyphs.failed,
        role: Role::Danger,
        head: words.disk_full.to_owned(),
        text: words.disk_full_text(u64::from(view.state.path.step) + 1),
        short: vec![
            words.disk_full_short(u64::from(view.state.path.step) + 1),
            words.disk_full_least.to_owned(),
        ],
        help: words.retry_in(left.div_ceil(1_000)),
        when: String::new(),
    })
}

fn cut_banner(model: &Model, state: &RunState) -> Option<Banner> {
    let words = model.words().banners;
    let (read, sent) = state.ledger.cut_at_front()?;
    // With a window that the server reads nothing more is cut.
    if state.settings().is_some_and(|settings| u64::from(settings.model.window) <= read) {
        return None;
    }
    Some(Banner {
        kind: Kind::PromptCut,
        sign: model.look.glyphs.failed,
        role: Role::Danger,
        head: words.prompt_cut.to_owned(),
        text: words.prompt_cut_text(read, sent),
        short: vec![words.prompt_cut_short(read, sent), words.prompt_cut_least(read, sent)],
        help: words.set_window.to_owned(),
        when: String::new(),
    })
}

fn asleep_banner(model: &Model, state: &RunState) -> Option<Banner> {
    let words = model.words().banners;
    let asleep = model.beside.signs_of(&state.run)?.asleep.as_ref()?;
    // Signs of an owner of before say nothing.
    if state.ledger.owner.as_ref().is_none_or(|owner| owner.worker != asleep.worker) {
        return None;
    }
    let ago = u64::try_from(model.clock.wall.saturating_sub(asleep.alive_at)).unwrap_or(0);
    Some(Banner {
        kind: Kind::Asleep,
        sign: model.look.glyphs.needs_you,
        role: Role::Warn,
        head: words.owner_asleep.to_owned(),
        text: words.owner_asleep_text(&asleep.pid.to_string(), &clock(ago)),
        short: vec![
            words.owner_asleep_short(&asleep.pid.to_string(), &clock(ago)),
            words.owner_asleep_least(&clock(ago)),
        ],
        help: words.take_over.to_owned(),
        when: String::new(),
    })
}

fn alone_banner(model: &Model, view: &RunView) -> Option<Banner> {
    let words = model.words().banners;
    let interrupted = view.state.status() == Status::Running && !model.working.contains(&view.state.run);
    (interrupted && model.beside.runs_alone(view)).then(|| Banner {
        kind: Kind::Alone,
        sign: model.look.glyphs.needs_you,
        role: Role::Warn,
        head: words.worker_gone.to_owned(),
        text: words.worker_gone_text(&model.key(live::RUN, Action::PauseToggle)),
        short: vec![words.worker_gone_short(&model.key(live::RUN, Action::PauseToggle))],
        help: String::new(),
        when: String::new(),
    })
}

fn price_banner(model: &Model, view: &RunView) -> Option<Banner> {
    let words = model.words().banners;
    let settings = view.state.settings()?;
    let cap = settings.limits.cost_micro?;
    if settings.model.price.is_some() || settings.model.offline {
        return None;
    }
    let name = plain(&settings.model.model);
    let head = words.price_unknown.to_owned();
    Some(Banner {
        kind: Kind::Price,
        sign: model.look.glyphs.needs_you,
        role: Role::Warn,
        head,
        text: words.price_unknown_text(&money(cap), &name),
        short: vec![words.price_unknown_short(&name), words.price_unknown_least.to_owned()],
        help: words.set_price.to_owned(),
        when: String::new(),
    })
}

/// A limit, used and most, and how its figures are written.
type Used = (LimitKind, (u64, u64), fn(u64) -> String);

fn used(model: &Model, view: &RunView) -> Vec<Used> {
    let state = &view.state;
    let Some(settings) = state.settings() else { return Vec::new() };
    let (limits, totals) = (&settings.limits, &state.ledger.totals);
    let steps = (u64::from(totals.steps), u64::from(limits.steps));
    let cost = (totals.cost_micro, limits.cost_micro.unwrap_or(0));
    vec![
        (LimitKind::Tokens, (totals.charged, limits.tokens), grouped as fn(u64) -> String),
        (LimitKind::Cost, cost, money),
        (LimitKind::Time, (model.active_ms(view), limits.active_ms), clock),
        (LimitKind::Steps, steps, grouped),
    ]
}

/// How the run ended, if a limit ended it and is still reached.
fn at_limit(model: &Model, view: &RunView, outcome: &Outcome) -> Option<Banner> {
    let words = model.words().banners;
    let Outcome::Limit(kind) = outcome else { return None };
    let (_, (now, most), shown) = used(model, view).into_iter().find(|(of, ..)| of == kind)?;
    let (limit, now, most) = (model.look.lang.limit(*kind), shown(now), shown(most));
    let text = match has_report(&view.state) {
        true => words.at_limit_text(limit, &now, &most),
        false => words.at_limit_bare_text(limit, &now, &most),
    };
    Some(Banner {
        kind: Kind::AtLimit(*kind),
        sign: model.look.glyphs.limit,
        role: Role::Warn,
        head: words.at_limit.to_owned(),
        text,
        short: vec![words.at_limit_short(limit, &now, &most)],
        help: words.raise.to_owned(),
        when: String::new(),
    })
}

/// Whether the agent wrote its final report: there is not always room for it. It is the last word then, and asks for no
/// call; whatever else ends so goes on with a word of somebody else.
pub fn has_report(state: &RunState) -> bool {
    let last = state.path.messages.last().map(|message| &message.speaker);
    matches!(last, Some(Speaker::Agent { calls: 0 }))
}

fn near_limits(model: &Model, view: &RunView) -> Vec<Banner> {
    let words = model.words().banners;
    let Some(settings) = view.state.settings() else { return Vec::new() };
    let limits = &settings.limits;
    let near = used(model, view).into_iter().filter(|(kind, (used, most), _)| {
        // The last step is near whatever share it is of a few.
        let last = *kind == LimitKind::Steps && *used > 0 && most.saturating_sub(*used) <= 1;
        *most > 0 && (last || used.saturating_mul(100) / most >= NEAR)
    });
    near.map(|(kind, (now, most), shown)| {
        let (used, all, left) = (shown(now), shown(most), steps_left(&view.state, limits, kind, now));
        Banner {
            kind: Kind::Near(kind),
            sign: model.look.glyphs.needs_you,
            role: Role::Warn,
            head: words.near_limit(model.look.lang.limit(kind), now.saturating_mul(100) / most),
            text: words.near_limit_text(&used, &all, left),
            short: vec![words.near_limit_short(&used, &all, left), words.near_limit_least(left)],
            help: words.raise.to_owned(),
            when: String::new(),
        }
    })
    .collect()
}

/// About how many steps this limit leaves of which so much is used now, if they are as the last one was.
fn steps_left(state: &RunState, limits: &Limits, kind: LimitKind, now: u64) -> u64 {
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
            cost_for_turns(limits).unwrap_or(0).saturating_sub(totals.cost_micro) / each(totals.cost_micro)
        }
        LimitKind::Time => limits.active_ms.saturating_sub(now) / each(totals.active_ms),
    }
}

fn retry_banner(model: &Model, state: &RunState) -> Option<Banner> {
    let words = model.words().banners;
    let Turn::Retry { attempt, until: Some(until), kind, message, .. } = &state.path.turn else {
        return None;
    };
    // A pause ended the wait.
    if state.ledger.paused.is_some() {
        return None;
    }
    let most = state.settings().map_or(0, |settings| settings.limits.model_retries);
    let left = u64::try_from(until.saturating_sub(model.clock.wall)).unwrap_or(0);
    let failed = capital(&failure(model, kind, message));
    Some(Banner {
        kind: Kind::Retry,
        sign: model.look.glyphs.dot,
        role: Role::Warn,
        head: words.retry_no(u64::from(*attempt), u64::from(most)),
        text: words.retry_text(&failed),
        short: vec![failed],
        help: words.cancel.to_owned(),
        when: words.again_in(&clock(left)),
    })
}
