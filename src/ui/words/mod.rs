//! Every text on the screen, in English and in 简体中文, side by side: a text that has only one of them does not
//! compile. Views take the words of their screen from here and write none themselves.
//!
//! Names of keys are arguments, since a configuration can change them. Texts from outside (titles, commands, file
//! names) are arguments too and must have passed [`crate::ui::text`] before. Numbers and times are written the same in
//! both languages, see [`numbers`].

/// Makes a group of words: texts as fields, and texts with something in them as methods.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $Group:ident { $($text:ident: $en:literal => $zh:literal;)* }
        $(say { $($say:ident($($arg:ident: $type:ty),*): $sen:expr => $szh:expr;)* })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Group {
            /// The language.
            pub lang: crate::ui::words::Lang,
            /// Without signs but ASCII.
            #[allow(dead_code, reason = "a group without sentences has it too")]
            ascii: bool,
            $(#[doc = concat!("```text\n", $en, "\n```")] pub $text: &'static str,)*
        }

        impl $Group {
            /// In English.
            pub(in crate::ui::words) const EN: Self = Self { lang: crate::ui::words::Lang::En, ascii: false, $($text: $en,)* };
            /// In Chinese.
            pub(in crate::ui::words) const ZH: Self = Self { lang: crate::ui::words::Lang::Zh, ascii: false, $($text: $zh,)* };

            /// The same without signs but ASCII.
            pub(in crate::ui::words) fn in_ascii(&self) -> Self {
                Self { lang: self.lang, ascii: true, $($text: crate::ui::words::ascii::fixed(self.$text),)* }
            }

            $($(
                #[doc = concat!("In English: `", stringify!($sen), "`.")]
                pub fn $say(&self, $($arg: $type),*) -> String {
                    let said: String = match self.lang {
                        crate::ui::words::Lang::En => ($sen).into(),
                        crate::ui::words::Lang::Zh => ($szh).into(),
                    };
                    if !self.ascii && self.lang == crate::ui::words::Lang::En {
                        return said;
                    }
                    let texts = [$(crate::ui::words::ascii::Put::outside(&$arg)),*];
                    let said = match self.lang {
                        crate::ui::words::Lang::En => said,
                        crate::ui::words::Lang::Zh => crate::ui::words::close::up(said, &texts),
                    };
                    if self.ascii { crate::ui::words::ascii::said(&said, &texts) } else { said }
                }
            )*)?

            /// All texts with their names; counts in them are this and up.
            #[cfg(test)]
            pub(in crate::ui::words) fn all(&self, _n: u64) -> Vec<(&'static str, String)> {
                let mut _at = 0;
                vec![
                    $((concat!(stringify!($Group), ".", stringify!($text)), self.$text.to_owned()),)*
                    $($(
                        (
                            concat!(stringify!($Group), ".", stringify!($say)),
                            self.$say($({ _at += 1; <$type as crate::ui::words::tests::Sample>::sample(_n, _at) }),*),
                        ),
                    )*)?
                ]
            }
        }
    };
}

pub mod ascii;
pub mod choices;
mod close;
pub mod compare;
pub mod dialogs;
pub mod failures;
pub mod faults;
pub mod goal;
pub mod header;
pub mod hidden;
pub mod lang;
pub mod limits;
pub mod lists;
pub mod notes;
pub mod numbers;
pub mod panels;
pub mod reasons;
mod refusals;
pub mod review;
pub mod rollback;
pub mod start;
pub mod status;
#[cfg(test)]
mod tests;
pub mod told;
pub mod unread;
pub mod why;

use std::sync::OnceLock;

/// A text as a sentence begins, where it stands alone.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

pub use lang::{BadLang, Lang};
pub use status::Phase;

/// All words of one language.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The language.
    pub lang: Lang,
    /// The header, the pinned goal, the line of what needs the person, the lines at the foot.
    pub header: header::Header,
    /// Banners.
    pub banners: header::Banners,
    /// What can be done about them.
    pub choices: choices::Choices,
    /// Names of panels and their tabs.
    pub panels: panels::Panels,
    /// The panel Loop.
    pub live: panels::Loop,
    /// The panel Context.
    pub context: panels::Context,
    /// The panel Queue.
    pub queue: lists::Queue,
    /// The panel Checkpoints.
    pub checkpoints: lists::Checkpoints,
    /// The panel Plan.
    pub plan: lists::Plan,
    /// The panel Runs.
    pub runs: lists::Runs,
    /// Limits: the strip, the panel, the dialog.
    pub limits: limits::Limits,
    /// A run that cannot be read.
    pub unread: unread::UnreadRun,
    /// The start screen.
    pub start: start::Start,
    /// The form of a new run.
    pub new_run: start::NewRun,
    /// The dialog that asks for a decision on a call.
    pub review: review::Review,
    /// The editor of a call's arguments.
    pub edit: review::Edit,
    /// The reason of a denial.
    pub deny: review::Deny,
    /// The dialog about an uncertain effect.
    pub unsure: review::Unsure,
    /// The preview of a rollback.
    pub rollback: rollback::Rollback,
    /// The comparison of a checkpoint with now.
    pub compare: compare::Compare,
    /// The goal editor.
    pub goal: goal::Goal,
    /// The plan editor.
    pub plan_edit: goal::PlanEdit,
    /// The dialog with options.
    pub decision: goal::Decision,
    /// Leaving.
    pub quit: dialogs::Quit,
    /// Help.
    pub help: dialogs::Help,
    /// The palette.
    pub palette: dialogs::Palette,
    /// A window that is too small.
    pub small: dialogs::Small,
    /// Small dialogs: cancel, pause now, more time, the exact request.
    pub ask: dialogs::Asked,
    /// Short news at the foot, and why a key does nothing here.
    pub notes: notes::Notes,
}

/// English.
pub const EN: Words = Words {
    lang: Lang::En,
    header: header::Header::EN,
    banners: header::Banners::EN,
    choices: choices::Choices::EN,
    panels: panels::Panels::EN,
    live: panels::Loop::EN,
    context: panels::Context::EN,
    queue: lists::Queue::EN,
    checkpoints: lists::Checkpoints::EN,
    plan: lists::Plan::EN,
    runs: lists::Runs::EN,
    limits: limits::Limits::EN,
    unread: unread::UnreadRun::EN,
    start: start::Start::EN,
    new_run: start::NewRun::EN,
    review: review::Review::EN,
    edit: review::Edit::EN,
    deny: review::Deny::EN,
    unsure: review::Unsure::EN,
    rollback: rollback::Rollback::EN,
    compare: compare::Compare::EN,
    goal: goal::Goal::EN,
    plan_edit: goal::PlanEdit::EN,
    decision: goal::Decision::EN,
    quit: dialogs::Quit::EN,
    help: dialogs::Help::EN,
    palette: dialogs::Palette::EN,
    small: dialogs::Small::EN,
    ask: dialogs::Asked::EN,
    notes: notes::Notes::EN,
};

/// Simplified Chinese.
pub const ZH: Words = Words {
    lang: Lang::Zh,
    header: header::Header::ZH,
    banners: header::Banners::ZH,
    choices: choices::Choices::ZH,
    panels: panels::Panels::ZH,
    live: panels::Loop::ZH,
    context: panels::Context::ZH,
    queue: lists::Queue::ZH,
    checkpoints: lists::Checkpoints::ZH,
    plan: lists::Plan::ZH,
    runs: lists::Runs::ZH,
    limits: limits::Limits::ZH,
    unread: unread::UnreadRun::ZH,
    start: start::Start::ZH,
    new_run: start::NewRun::ZH,
    review: review::Review::ZH,
    edit: review::Edit::ZH,
    deny: review::Deny::ZH,
    unsure: review::Unsure::ZH,
    rollback: rollback::Rollback::ZH,
    compare: compare::Compare::ZH,
    goal: goal::Goal::ZH,
    plan_edit: goal::PlanEdit::ZH,
    decision: goal::Decision::ZH,
    quit: dialogs::Quit::ZH,
    help: dialogs::Help::ZH,
    palette: dialogs::Palette::ZH,
    small: dialogs::Small::ZH,
    ask: dialogs::Asked::ZH,
    notes: notes::Notes::ZH,
};

impl Words {
    /// The words of a language.
    pub fn of(lang: Lang) -> &'static Words {
        match lang {
            Lang::En => &EN,
            Lang::Zh => &ZH,
        }
    }

    /// The words of a language, without signs but ASCII if that is wanted.
    pub fn with(lang: Lang, ascii: bool) -> &'static Words {
        static MADE: [OnceLock<Words>; 2] = [const { OnceLock::new() }; 2];
        match ascii {
            true => lang.pick(MADE.each_ref()).get_or_init(|| Self::of(lang).in_ascii()),
            false => Self::of(lang),
        }
    }

    fn in_ascii(&self) -> Self {
        Self {
            lang: self.lang,
            header: self.header.in_ascii(),
            banners: self.banners.in_ascii(),
            choices: self.choices.in_ascii(),
            panels: self.panels.in_ascii(),
            live: self.live.in_ascii(),
            context: self.context.in_ascii(),
            queue: self.queue.in_ascii(),
            checkpoints: self.checkpoints.in_ascii(),
            plan: self.plan.in_ascii(),
            runs: self.runs.in_ascii(),
            limits: self.limits.in_ascii(),
            unread: self.unread.in_ascii(),
            start: self.start.in_ascii(),
            new_run: self.new_run.in_ascii(),
            review: self.review.in_ascii(),
            edit: self.edit.in_ascii(),
            deny: self.deny.in_ascii(),
            unsure: self.unsure.in_ascii(),
            rollback: self.rollback.in_ascii(),
            compare: self.compare.in_ascii(),
            goal: self.goal.in_ascii(),
            plan_edit: self.plan_edit.in_ascii(),
            decision: self.decision.in_ascii(),
            quit: self.quit.in_ascii(),
            help: self.help.in_ascii(),
            palette: self.palette.in_ascii(),
            small: self.small.in_ascii(),
            ask: self.ask.in_ascii(),
            notes: self.notes.in_ascii(),
        }
    }
}
