//! Why a run waits and how it ended, in sentences.

use super::{Lang, reasons};
use crate::run::{Hold, Outcome, Refused, WaitWhy};

impl Lang {
    /// How a run ended, with which limit or what failed.
    pub fn outcome(self, outcome: &Outcome) -> String {
        let word = self.ended(outcome);
        match outcome {
            Outcome::Completed | Outcome::Cancelled => word.to_owned(),
            Outcome::Limit(limit) => self.label(word, self.limit(*limit)),
            Outcome::Failed(what) => self.label(word, &self.failed_by(what)),
        }
    }

    /// Why a summary or a core that the model wrote was not taken.
    pub fn refused(self, why: Refused) -> &'static str {
        self.pick(match why {
            Refused::Empty => ["it says nothing", "没有内容"],
            Refused::NoHeading => ["it has none of the headings", "没有要求的小标题"],
            Refused::Longer => {
                ["it is longer than what it stands for or has room", "比它所代替的更长，或超出篇幅"]
            }
            Refused::Posing => ["all of it poses as a goal or as instructions", "全部冒充目标或指令"],
            Refused::NoMarker => ["it does not begin with CORE:", "没有以 CORE: 开头"],
            Refused::NoSentences => {
                ["a list, code or a refusal, and no sentences", "是列表、代码或拒答，而不是句子"]
            }
            Refused::Unknown => ["for a reason of a newer program", "原因出自更新的程序"],
        })
    }

    /// What a run waits for; `until` is when a retry comes, as it is shown.
    pub fn waits_for(self, why: &WaitWhy, until: &str) -> String {
        match why {
            WaitWhy::Approval(calls) => self.waiting(calls.len(), ["your approval", "待你批准"]),
            WaitWhy::Question(calls) => self.waiting(calls.len(), ["your answer", "待你回答"]),
            WaitWhy::Uncertain(calls) => match (self, calls.len()) {
                (Lang::En, 1) => "nobody knows whether a call happened".to_owned(),
                (Lang::En, n) => format!("nobody knows whether {n} calls happened"),
                (Lang::Zh, n) => format!("{n} 个调用不知是否发生"),
            },
            WaitWhy::Hold(hold) => self.hold(hold),
            WaitWhy::Retry(_) => match self {
                Lang::En => format!("the model is asked again {until}"),
                Lang::Zh => format!("{until}再次询问模型"),
            },
        }
    }

    fn waiting(self, n: usize, [en, zh]: [&str; 2]) -> String {
        match (self, n) {
            (Lang::En, 1) => format!("1 call waits for {en}"),
            (Lang::En, n) => format!("{n} calls wait for {en}"),
            (Lang::Zh, n) => format!("{n} 个调用{zh}"),
        }
    }

    /// Why a run is held.
    pub fn hold(self, hold: &Hold) -> String {
        match (hold, self) {
            (Hold::Breaker(1), Lang::En) => "a call failed".to_owned(),
            (Hold::Breaker(n), Lang::En) => format!("{n} failures in a row"),
            (Hold::Breaker(n), Lang::Zh) => format!("连续失败 {n} 次"),
            (Hold::Loop(what), lang) => {
                lang.label(lang.pick(["it looks like a loop", "看来陷入循环"]), &reasons::said(lang, what))
            }
            (Hold::FailedCheck(what), lang) => {
                let each: Vec<_> = what.split("; ").map(|one| reasons::said(lang, one)).collect();
                lang.label(lang.pick(["a check fails again and again", "验收一再不通过"]), &each.join("; "))
            }
            (Hold::Context(what), lang) => reasons::said(lang, what).into_owned(),
            (Hold::Damage(what), lang) => {
                lang.label(lang.pick(["its journal is damaged", "日志已损坏"]), &reasons::said(lang, what))
            }
        }
    }

    /// `word: detail`, with the colon of the language.
    pub fn label(self, word: &str, detail: &str) -> String {
        format!("{word}{}{detail}", self.pick([": ", "："]))
    }
}
