//! What is shown of the keymap: the hints of a footer, the page of help, the commands of the palette.

use super::actions::Action;
use super::keymap::{Bound, Keymap};
use super::press::{Key, KeyPress};
use super::table::Ctx;
use crate::ui::words::Lang;

/// A key and what it does, to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The key as it is shown; of a group its keys with spaces, or a range: `1–6 Tab`.
    pub keys: String,
    /// What it does.
    pub words: &'static str,
    /// The action, to be run by a click; of a group the first.
    pub action: Action,
}

/// A footer: the left part gives way from its end, the right part stays as long as there is room for anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Keys of the focus first.
    pub left: Vec<Hint>,
    /// Keys that are always there.
    pub right: Vec<Hint>,
}

/// The page of help.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// Keys of the panel or dialog.
    pub here: Vec<Hint>,
    /// Keys of the screen and of every place.
    pub everywhere: Vec<Hint>,
}

/// An entry of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it does.
    pub action: Action,
    /// In the person's language.
    pub words: &'static str,
    /// In the other language, which is searched too.
    pub other: &'static str,
    /// Its first key as it is shown; empty if it has none.
    pub key: String,
    /// Where it works, if that is not here.
    pub place: Option<String>,
}

/// Footers in order of weight; a group shares the words of its last action.
const FOOTERS: &[(Ctx, &[&[Action]])] = &[
    (Ctx::Loop, &[&[Action::FollowToggle], &[Action::FoldAll], &[Action::WrapToggle]]),
    (Ctx::Chk, &[&[Action::Compare], &[Action::RollbackRedo]]),
    (
        Ctx::Run,
        &[
            &[Action::Review],
            &[Action::Deny],
            &[Action::EditArgs],
            &[Action::PlanEdit],
            &[Action::PauseToggle],
            &[Action::PauseNow],
            &[Action::RollbackPreview],
            &[Action::Message],
            &[Action::GoalEdit],
            &[Action::LimitsEdit],
            &[Action::RunNew],
            &[Action::PanelFocus, Action::FocusNext],
            &[Action::ZoomToggle],
        ],
    ),
    (Ctx::Start, &[&[Action::Open], &[Action::RunNew]]),
    (Ctx::Ask, &[&[Action::ApproveOnce], &[Action::Deny], &[Action::EditArgs], &[Action::EffectReuse]]),
    (Ctx::Unsure, &[&[Action::EffectHappened], &[Action::EffectRerun], &[Action::EffectSkip]]),
    (
        Ctx::Roll,
        &[
            &[Action::RollbackDo],
            &[Action::RollbackNoFiles],
            &[Action::FileChoice],
            &[Action::FileDiff],
            &[Action::GoalChoice],
        ],
    ),
    (Ctx::Opt, &[&[Action::OptionPick], &[Action::OptionOwn], &[Action::RequestShow]]),
    (Ctx::Quit, &[&[Action::QuitStop], &[Action::QuitHandOver]]),
];

/// Always at the right of a screen's footer.
const ALWAYS: &[Action] = &[Action::PaletteOpen, Action::HelpOpen, Action::QuitAsk];

impl Keymap {
    /// The first key of an action where it is live, as it is shown.
    pub fn key_of(&self, live: &[Ctx], action: Action) -> Option<String> {
        self.shown(live).find(|bound| bound.row.action == action).and_then(|bound| self.shown_keys(bound))
    }

    /// The hint of one action with its short words, if it is live and has a key.
    pub fn hint(&self, live: &[Ctx], action: Action, lang: Lang) -> Option<Hint> {
        let bound = self.shown(live).find(|bound| bound.row.action == action)?;
        Some(Hint { keys: self.shown_keys(bound)?, words: self.words(lang.pick(bound.row.brief)), action })
    }

    /// All that is live and available, in the order of the table, with its full words.
    pub fn hints(&self, live: &[Ctx], lang: Lang, available: impl Fn(Action) -> bool) -> Vec<Hint> {
        let rows = self.shown(live).filter(|bound| available(bound.row.action));
        rows.filter_map(|bound| self.full(bound, lang)).collect()
    }

    /// What a key does in one context, with its full words, whether that is live or not.
    pub fn in_context(&self, ctx: Ctx, key: KeyPress, lang: Lang) -> Option<Hint> {
        let bound = self.shown(&[ctx]).find(|bound| bound.keys.contains(&key)).cloned()?;
        self.full(&bound, lang)
    }

    /// The footer where these contexts are live.
    pub fn footer(&self, live: &[Ctx], lang: Lang, available: impl Fn(Action) -> bool) -> Footer {
        let groups =
            FOOTERS.iter().filter(|(ctx, _)| live.contains(ctx)).flat_map(|(_, groups)| groups.iter());
        let group = |actions: &&[Action]| {
            let hints: Vec<Hint> = actions
                .iter()
                .filter(|action| available(**action))
                .filter_map(|action| self.hint(live, *action, lang))
                .collect();
            let (action, words) = (hints.first()?.action, hints.last()?.words);
            let keys: Vec<String> = hints.into_iter().map(|hint| hint.keys).collect();
            Some(Hint { keys: keys.join(" "), words, action })
        };
        let right = ALWAYS.iter().filter_map(|action| self.hint(live, *action, lang));
        Footer { left: groups.filter_map(group).collect(), right: right.collect() }
    }

    /// The page of help where these contexts are live.
    pub fn help(&self, live: &[Ctx], lang: Lang, available: impl Fn(Action) -> bool) -> Help {
        let mut help = Help::default();
        for bound in self.shown(live).filter(|bound| available(bound.row.action)) {
            let Some(hint) = self.full(bound, lang) else { continue };
            match bound.row.ctx {
                Ctx::Sys | Ctx::Any | Ctx::Dialog | Ctx::Scroll | Ctx::Page | Ctx::List => {
                    help.everywhere.push(hint);
                }
                Ctx::Run
                | Ctx::Loop
                | Ctx::Queue
                | Ctx::Chk
                | Ctx::Ask
                | Ctx::Unsure
                | Ctx::Roll
                | Ctx::Opt
                | Ctx::Items
                | Ctx::Banners
                | Ctx::Quit
                | Ctx::Start
                | Ctx::Text
                | Ctx::Recall
                | Ctx::Form
                | Ctx::Pick
                | Ctx::Complete
                | Ctx::Browse
                | Ctx::Replay
                | Ctx::Mem
                | Ctx::Stats => help.here.push(hint),
            }
        }
        // The panel's own keys stand before those of its screen.
        help.here.sort_by_key(|hint| self.place(live, hint.action));
        help
    }

    /// Words of a row as they are shown.
    fn words(&self, words: &'static str) -> &'static str {
        if self.is_ascii() { crate::ui::words::ascii::fixed(words) } else { words }
    }

    fn shown_keys(&self, bound: &Bound) -> Option<String> {
        shown_keys(bound, self.is_ascii())
    }

    fn full(&self, bound: &Bound, lang: Lang) -> Option<Hint> {
        let words = self.words(lang.pick(bound.row.words));
        Some(Hint { keys: self.shown_keys(bound)?, words, action: bound.row.action })
    }

    /// Where an action stands in help: the innermost context first, then the order of the table.
    fn place(&self, live: &[Ctx], action: Action) -> (usize, usize) {
        let mut rows = self.shown(live).enumerate();
        let found = rows.find(|(_, bound)| bound.row.action == action);
        found.map_or((0, 0), |(at, bound)| {
            let depth = live.iter().rev().position(|ctx| *ctx == bound.row.ctx);
            (depth.unwrap_or(live.len()), at)
        })
    }

    /// The commands of the palette over a place, in the order of the table; those of typing are not among them.
    pub fn commands(&self, live: &[Ctx], lang: Lang, available: impl Fn(Action) -> bool) -> Vec<Command> {
        let other = lang.other();
        self.shown(live)
            .filter(|bound| available(bound.row.action))
            .map(|bound| Command {
                action: bound.row.action,
                words: self.words(lang.pick(bound.row.words)),
                other: other.pick(bound.row.words),
                key: self.shown_keys(bound).unwrap_or_default(),
                place: None,
            })
            .collect()
    }
}

/// The keys of a row as they are shown: the first; of an ordered action all, digits in a row as a range.
fn shown_keys(bound: &Bound, ascii: bool) -> Option<String> {
    let label = |key: &KeyPress| match ascii {
        // The signs of arrows have keys of their own in ASCII.
        true => key.to_string(),
        false => key.label(),
    };
    let first = bound.keys.first()?;
    if !bound.row.action.is_ordered() {
        return Some(label(first));
    }
    let last = bound.keys.last()?;
    if let (Some(from), Some(to)) = (digit(*first), digit(*last))
        && bound.keys.iter().zip(from..).all(|(key, n)| digit(*key) == Some(n))
        && to > from
    {
        return Some(if ascii { format!("{from}-{to}") } else { format!("{from}–{to}") });
    }
    let arrows =
        bound.keys.iter().all(|key| matches!(key.key(), Key::Up | Key::Down | Key::Left | Key::Right));
    let labels: Vec<String> = bound.keys.iter().map(label).collect();
    Some(labels.join(if arrows && !ascii { "" } else { " " }))
}

fn digit(key: KeyPress) -> Option<u32> {
    key.typed().and_then(|c| c.to_digit(10))
}

/// The commands that fit what was typed, best first: all words of it are found in either language or in the name.
pub fn search(commands: &[Command], typed: &str) -> Vec<Command> {
    let query = typed.trim().to_lowercase();
    let mut found: Vec<(u8, usize, &Command)> = commands
        .iter()
        .enumerate()
        .filter_map(|(at, command)| rank(command, &query).map(|rank| (rank, at, command)))
        .collect();
    found.sort_by_key(|(rank, at, _)| (*rank, *at));
    found.into_iter().map(|(_, _, command)| command.clone()).collect()
}

/// How well a command fits; less is better, none is not at all.
fn rank(command: &Command, query: &str) -> Option<u8> {
    let texts = [command.words, command.other, command.action.name()].map(str::to_lowercase);
    if texts.iter().any(|text| text.starts_with(query)) {
        return Some(0);
    }
    let at_word = |text: &String| text.split([' ', '_']).any(|word| word.starts_with(query));
    if texts.iter().any(at_word) {
        return Some(1);
    }
    if texts.iter().any(|text| text.contains(query)) {
        return Some(2);
    }
    let mut words = query.split_whitespace();
    if words.all(|word| texts.iter().any(|text| text.contains(word))) {
        return Some(3);
    }
    texts.iter().any(|text| is_spread(text, query)).then_some(4)
}

/// True if the characters of `query` stand in `text` in this order.
fn is_spread(text: &str, query: &str) -> bool {
    let mut chars = text.chars();
    query.chars().filter(|c| !c.is_whitespace()).all(|c| chars.any(|own| own == c))
}
