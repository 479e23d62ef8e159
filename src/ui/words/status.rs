//! Words for what the engine's types say: states, classes, limits, slots. Each match is exhaustive, so that a new
//! value has words in both languages or does not compile.

use super::numbers::grouped;
use super::{Lang, reasons};
use crate::run::budget_table::Slot;
use crate::run::checkpoint::CheckpointKind;
use crate::run::memory::Kind;
use crate::run::plan::{NoteKind, PlanState};
use crate::run::settings::{RuleVerdict, Strategy};
use crate::run::{
    Author, CallStatus, Class, Control, Decision, LimitKind, Mode, Outcome, Resolution, Status,
};

/// The phases of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Reading the state.
    Load,
    /// Making the request.
    Assemble,
    /// The model answers.
    Infer,
    /// The reply is read and its calls are judged.
    Judge,
    /// Tools run.
    Act,
    /// The step is committed.
    Commit,
}

impl Phase {
    /// All, in order.
    pub const ALL: [Phase; 6] =
        [Phase::Load, Phase::Assemble, Phase::Infer, Phase::Judge, Phase::Act, Phase::Commit];
}

impl Lang {
    /// A phase of a step.
    pub fn phase(self, phase: Phase) -> &'static str {
        self.pick(match phase {
            Phase::Load => ["load", "载入"],
            Phase::Assemble => ["assemble", "组装"],
            Phase::Infer => ["infer", "推理"],
            Phase::Judge => ["judge", "判定"],
            Phase::Act => ["act", "执行"],
            Phase::Commit => ["commit", "提交"],
        })
    }

    /// The state of a run, for lists.
    pub fn status(self, status: &Status) -> &'static str {
        match status {
            Status::Running => self.pick(["running", "运行中"]),
            Status::Waiting(_) => self.pick(["waiting", "等待中"]),
            Status::Paused => self.pick(["paused", "已暂停"]),
            Status::Ended(outcome) => self.ended(outcome),
        }
    }

    /// A run that was at work when its worker went away.
    pub fn interrupted(self) -> &'static str {
        self.pick(["interrupted", "已中断"])
    }

    /// How a run ended, in a word.
    pub fn ended(self, outcome: &Outcome) -> &'static str {
        self.pick(match outcome {
            Outcome::Completed => ["completed", "已完成"],
            Outcome::Limit(_) => ["limit", "到达限额"],
            Outcome::Failed(_) => ["failed", "失败"],
            Outcome::Cancelled => ["cancelled", "已取消"],
        })
    }

    /// The state of a call.
    pub fn call_status(self, status: CallStatus) -> &'static str {
        self.pick(match status {
            CallStatus::Proposed => ["proposed", "已提出"],
            CallStatus::Waiting => ["waiting", "待处理"],
            CallStatus::Approved => ["approved", "已批准"],
            CallStatus::Started => ["running", "运行中"],
            CallStatus::Done => ["done", "完成"],
            CallStatus::Failed => ["failed", "失败"],
            CallStatus::Rejected => ["rejected", "已驳回"],
            CallStatus::Denied => ["denied", "已拒绝"],
            CallStatus::Cancelled => ["cancelled", "已取消"],
            CallStatus::Uncertain => ["unsure", "不确定"],
        })
    }

    /// The class of a call.
    pub fn class(self, class: Class) -> &'static str {
        self.pick(match class {
            Class::Read => ["read", "只读"],
            Class::Keyed => ["keyed", "可重复"],
            Class::Effect => ["effect", "副作用"],
            Class::Inner => ["inner", "内部"],
            Class::Person => ["person", "提问"],
        })
    }

    /// The approval mode.
    pub fn mode(self, mode: Mode) -> &'static str {
        self.pick(match mode {
            Mode::Ask => ["ask", "询问"],
            Mode::Safe => ["safe", "安全"],
            Mode::Auto => ["auto", "自动"],
        })
    }

    /// A limit.
    pub fn limit(self, limit: LimitKind) -> &'static str {
        self.pick(match limit {
            LimitKind::Steps => ["steps", "步数"],
            LimitKind::Tokens => ["tokens", "词元"],
            LimitKind::Cost => ["cost", "费用"],
            LimitKind::Time => ["time", "用时"],
        })
    }

    /// A part of the context.
    pub fn slot(self, slot: Slot) -> &'static str {
        self.pick(match slot {
            Slot::System => ["system", "系统"],
            Slot::Tools => ["tools", "工具"],
            Slot::Goal => ["goal", "目标"],
            Slot::Core => ["core", "要点"],
            Slot::Summary => ["summary", "摘要"],
            Slot::Recent => ["recent", "近期"],
            Slot::LongTerm => ["long-term", "长期"],
            Slot::State => ["state", "状态"],
            Slot::Reserve => ["reserve", "预留"],
        })
    }

    /// How older rounds are kept.
    pub fn strategy(self, strategy: Strategy) -> &'static str {
        self.pick(match strategy {
            Strategy::Rounds => ["rounds", "仅保留近期"],
            Strategy::Summary => ["summary", "摘要策略"],
            Strategy::Extract => ["extract", "仅结构化状态"],
            Strategy::Combined => ["combined", "综合策略"],
        })
    }

    /// How far an item of the plan is.
    pub fn plan(self, state: PlanState) -> &'static str {
        self.pick(match state {
            PlanState::Pending => ["not begun", "未开始"],
            PlanState::Active => ["at work", "进行中"],
            PlanState::Done => ["done", "完成"],
            PlanState::Failed => ["given up", "已放弃"],
            PlanState::NeedsReview => ["needs a look", "需要查看"],
        })
    }

    /// The kind of a note.
    pub fn note(self, kind: NoteKind) -> &'static str {
        self.pick(match kind {
            NoteKind::Fact => ["fact", "事实"],
            NoteKind::Question => ["question", "问题"],
            NoteKind::Answered => ["answered", "已解答"],
        })
    }

    /// Why a checkpoint stands.
    pub fn checkpoint(self, kind: CheckpointKind) -> &'static str {
        self.pick(match kind {
            CheckpointKind::Start => ["start", "开始"],
            CheckpointKind::Step => ["step", "步"],
            CheckpointKind::End => ["end", "结束"],
            CheckpointKind::BeforeRollback => ["before a rollback", "回退之前"],
        })
    }

    /// What a rule says.
    pub fn verdict(self, verdict: RuleVerdict) -> &'static str {
        self.pick(match verdict {
            RuleVerdict::Allow => ["allow", "允许"],
            RuleVerdict::Ask => ["ask", "询问"],
            RuleVerdict::Deny => ["deny", "拒绝"],
        })
    }

    /// Who did something.
    pub fn author(self, author: &Author) -> String {
        match author {
            Author::Person(face) => match face.as_str() {
                "tui" => self.pick(["you", "你"]).to_owned(),
                _ => format!("{} ({face})", self.pick(["you", "你"])),
            },
            Author::Agent => self.pick(["the agent", "智能体"]).to_owned(),
            Author::Wakeful => "wakeful".to_owned(),
        }
    }

    /// A decision on a call.
    pub fn decision(self, decision: &Decision) -> &'static str {
        match decision {
            Decision::Approve | Decision::ApproveShown { args: None, .. } => {
                self.pick(["approved", "已批准"])
            }
            Decision::ApproveEdited { .. } | Decision::ApproveShown { args: Some(_), .. } => {
                self.pick(["approved with changed arguments", "改参数后批准"])
            }
            Decision::Deny { .. } => self.pick(["denied", "已拒绝"]),
            Decision::Answer { .. } => self.pick(["answered", "已回答"]),
            Decision::Reuse { .. } => self.pick(["its result of before reused", "复用旧结果"]),
            Decision::Resolve { resolution, .. } => self.resolution(*resolution),
        }
    }

    /// What was said of an uncertain call.
    pub fn resolution(self, resolution: Resolution) -> &'static str {
        self.pick(match resolution {
            Resolution::Happened => ["recorded as happened", "记为已发生"],
            Resolution::Rerun => ["to be run again", "将重新运行"],
            Resolution::Skip => ["left as it is", "保持原样"],
        })
    }

    /// What a person asked for.
    pub fn control(self, control: &Control) -> &'static str {
        self.control_word(control.word())
    }

    /// As [`Lang::control`], by the word that the journal has.
    pub fn control_word(self, word: &str) -> &'static str {
        self.pick(match word {
            "pause" => ["pause", "暂停"],
            "continue" => ["continue", "继续"],
            "cancel" => ["cancel", "取消"],
            "decide" => ["decision", "决定"],
            "edit goal" => ["edit of the goal", "修改目标"],
            "edit plan" => ["edit of the plan", "修改计划"],
            "limits" => ["change of limits", "修改限额"],
            "mode" => ["change of the approval mode", "修改审批方式"],
            "model" => ["change of the model", "更换模型"],
            "message" => ["message", "留言"],
            "extend time-out" => ["more time", "延时"],
            "roll back" => ["rollback", "回退"],
            "redo" => ["redo", "撤销回退"],
            _ => ["control", "操作"],
        })
    }

    /// What a memory is.
    pub fn memory(self, kind: Kind) -> &'static str {
        self.pick(match kind {
            Kind::Fact => ["fact", "事实"],
            Kind::Preference => ["preference", "偏好"],
            Kind::Result => ["result", "结果"],
            Kind::Rule => ["rule", "规则"],
            Kind::Lesson => ["lesson", "教训"],
        })
    }

    /// What was trimmed from a slot, as the budget table has it: `2 rounds`, `oldest lines`.
    pub fn trimmed(self, what: &str) -> String {
        let (Lang::Zh, Some((n, noun))) = (self, what.split_once(' ')) else {
            return reasons::said(self, what).into_owned();
        };
        match n.parse().map(grouped) {
            Ok(n) => match noun {
                "rounds" | "round" => format!("{n} 轮"),
                "old outputs" | "old output" => format!("{n} 份旧输出"),
                "outputs" | "output" => format!("{n} 份输出"),
                "goals" | "goal" => format!("{n} 个被取代的目标"),
                "done calls" | "done call" => format!("{n} 次已完成的调用"),
                "facts" | "fact" => format!("{n} 条事实"),
                "questions" | "question" => format!("{n} 个问题"),
                "preferences" | "preference" => format!("{n} 条偏好"),
                "plan items" | "plan item" => format!("{n} 项计划"),
                "checks" | "check" => format!("{n} 项验收"),
                _ => format!("{n} 条"),
            },
            Err(_) => reasons::said(self, what).into_owned(),
        }
    }
}
