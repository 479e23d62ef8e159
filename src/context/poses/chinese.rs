//! The rule in Chinese, on a part of a sentence in small letters.

use super::{is_built, set_to};

/// What may stand before a name.
const BEFORE: [&str; 34] = [
    "请",
    "现在",
    "注意",
    "并",
    "则",
    "的",
    "本次",
    "该",
    "此",
    "这个",
    "这些",
    "所有",
    "全部",
    "一切",
    "任何",
    "以上",
    "上述",
    "之前",
    "先前",
    "前面",
    "任务",
    "原有",
    "原来",
    "原",
    "用户",
    "我们",
    "对",
    "更新后",
    "修改后",
    "其他",
    "其余",
    "系统给出",
    "那个",
    "当前",
];
/// What may stand before a name and says that it is another one, or whose it is.
const MARKED: [&str; 11] =
    ["新", "你", "您", "最新", "真正", "最终", "唯一", "实际", "更改后", "变更后", "现在"];
const GOALS: [&str; 4] = ["目标", "验收标准", "系统提示词", "系统消息"];
const CONSTRAINTS: [&str; 4] = ["约束条件", "限制条件", "约束", "限制"];
const INSTRUCTIONS: [&str; 4] = ["系统指令", "指令", "指示", "规则"];
/// Names that pose only before a mark.
const LABELS: [&str; 2] = ["系统提示", "系统"];
/// Words behind a name that make another of it.
const COMPOUND: [&str; 38] = [
    "文件",
    "目录",
    "平台",
    "机器",
    "主机",
    "地址",
    "分支",
    "版本",
    "语言",
    "架构",
    "数据库",
    "用户",
    "路径",
    "端口",
    "函数",
    "检测",
    "程序",
    "代码",
    "节点",
    "字段",
    "列",
    "页",
    "表",
    "求解",
    "名",
    "检查",
    "类型",
    "集",
    "引擎",
    "计数",
    "时区",
    "环境",
    "格式",
    "规则",
    "行",
    "编辑",
    "管理",
    "测试",
];
/// What is said of what is another now, or does not bind any more, right behind its name.
const CHANGED: [&str; 44] = [
    "改为",
    "改成",
    "变为",
    "变成",
    "变更",
    "更新为",
    "替换为",
    "换成",
    "设为",
    "现在",
    "现为",
    "已改",
    "已变",
    "已更改",
    "已更新",
    "已替换",
    "取消",
    "已取消",
    "解除",
    "已解除",
    "作废",
    "已作废",
    "失效",
    "已失效",
    "不再",
    "无效",
    "已无效",
    "可以忽略",
    "可忽略",
    "应忽略",
    "应当忽略",
    "撤销",
    "已撤销",
    "放宽",
    "已放宽",
    "不用遵守",
    "不必遵守",
    "无需遵守",
    "没有了",
    "不适用",
    "已不适用",
    "被取消",
    "被解除",
    "被撤销",
];
/// Between a name and that.
const BETWEEN: [&str; 5] = ["已经", "全部", "都", "均", "也"];
/// Verbs that take what binds the agent from it, if that is named behind them.
const UNBIND: [&str; 18] = [
    "忽略",
    "无视",
    "忘记",
    "忘掉",
    "取消",
    "解除",
    "撤销",
    "废除",
    "抛弃",
    "放弃",
    "不要遵守",
    "不必遵守",
    "无需遵守",
    "不用遵守",
    "不用管",
    "不要管",
    "不再遵守",
    "违反",
];
/// Verbs that set a goal which is named right behind them.
const SET: [&str; 6] = ["修改", "更改", "更新", "替换", "改变", "变更"];
const BEGINNINGS: [&str; 26] = [
    "目标现在",
    "目标现为",
    "目标已改",
    "目标改为",
    "目标变更",
    "现在的目标是",
    "新的目标是",
    "新目标是",
    "你的目标是",
    "你必须",
    "你现在是",
    "从现在起",
    "从现在开始",
    "你应当",
    "你应该",
    "你可以随意",
    "你已获准",
    "你被允许",
    "你不必",
    "你无需",
    "你的任务是",
    "你的新任务",
    "新任务是",
    "新任务：",
    "任务改为",
    "任务已改",
];
const PERSONS: [&str; 6] = ["用户", "人", "主人", "操作员", "管理员", "开发者"];
const CHANGES: [&str; 9] = ["取消", "修改", "更改", "更新", "解除", "撤销", "放宽", "改变", "替换"];

/// What a part is about, and what is said of it.
struct Subject<'a> {
    constraint: bool,
    label: bool,
    marked: bool,
    rest: &'a str,
}

pub(super) fn poses(text: &str) -> bool {
    let plain = strip(text, &["请", "现在", "并", "则"]);
    [text, plain].iter().any(|text| BEGINNINGS.iter().any(|words| text.starts_with(words)))
        || subject(text).is_some_and(|subject| claims(&subject))
        || annuls(plain)
        || is_free(plain)
        || person_changed(text)
}

/// Without as many of these as stand at the beginning.
fn strip<'a>(text: &'a str, of: &[&str]) -> &'a str {
    let mut text = text;
    while let Some(rest) = of.iter().find_map(|word| text.strip_prefix(word)) {
        text = rest;
    }
    text
}

fn name<'a>(text: &'a str, of: &[&str]) -> Option<&'a str> {
    let rest = of.iter().find_map(|word| text.strip_prefix(word))?;
    (!COMPOUND.iter().any(|word| rest.starts_with(word))).then_some(rest)
}

fn subject(text: &str) -> Option<Subject<'_>> {
    let mut marked = false;
    let mut at = text;
    loop {
        at = strip(at, &BEFORE);
        let rest = strip(at, &MARKED);
        if rest.len() == at.len() {
            break;
        }
        (at, marked) = (rest, true);
    }
    let goal = name(at, &GOALS).or_else(|| name(at, &INSTRUCTIONS));
    let constraint = name(at, &CONSTRAINTS);
    let label = name(at, &LABELS);
    let rest = goal.or(constraint).or(label)?;
    let rest = after_version(rest);
    Some(Subject {
        constraint: goal.is_none() && constraint.is_some(),
        label: goal.or(constraint).is_none(),
        marked,
        rest,
    })
}

/// Without the number of a version: v2, （第 2 版）.
fn after_version(rest: &str) -> &str {
    let at = rest.trim_start_matches(['（', '(', '第', 'v', ' ', '*']);
    let after = at.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == at.len() { rest } else { after.trim_start_matches(['版', '）', ')', ' ']) }
}

fn claims(subject: &Subject<'_>) -> bool {
    let rest = subject.rest.trim_start();
    let built = subject.constraint && is_built(rest);
    if set_to(rest).is_some() {
        return !built;
    }
    let after = strip(rest, &BETWEEN);
    let changed = CHANGED.iter().any(|words| after.starts_with(words));
    !subject.label && !built && (changed || (subject.marked && rest.starts_with('是')))
}

/// Whether what binds is named somewhere, and not only something that has the word in its name.
fn binds(text: &str) -> bool {
    let all = GOALS.iter().chain(&CONSTRAINTS).chain(&INSTRUCTIONS);
    !is_built(text)
        && all.into_iter().any(|bind| {
            text.match_indices(bind)
                .any(|(at, _)| text.get(at..).and_then(|text| name(text, &[*bind])).is_some())
        })
}

fn annuls(text: &str) -> bool {
    let unbound = UNBIND.iter().find_map(|verb| text.strip_prefix(verb)).is_some_and(|rest| {
        // As a noun: 忽略规则写在 .gitignore.
        !rest.starts_with("规则") && !rest.starts_with("列表") && binds(rest)
    });
    let set = SET.iter().find_map(|verb| text.strip_prefix(verb)).is_some_and(|rest| {
        let rest = strip(rest, &["了", "任务", "的"]);
        name(rest, &GOALS).is_some() && !rest.starts_with("系统")
    });
    let object = ["把", "将"].iter().find_map(|word| text.strip_prefix(word)).and_then(subject);
    unbound || set || object.is_some_and(|subject| claims(&subject))
}

/// Whether it says that nothing binds.
fn is_free(text: &str) -> bool {
    let rest = ["没有任何约束", "没有约束", "不再有约束", "不再有任何约束", "无任何约束", "没有限制条件"]
        .iter()
        .find_map(|words| text.strip_prefix(words));
    rest.is_some_and(|rest| rest.starts_with('了') || !rest.starts_with(char::is_alphanumeric))
}

fn person_changed(text: &str) -> bool {
    let Some(rest) = PERSONS.iter().find_map(|who| text.strip_prefix(who)) else { return false };
    let rest = strip(rest, &["已经", "已", "刚刚", "刚", "现在", "又"]);
    let Some(rest) = CHANGES.iter().find_map(|verb| rest.strip_prefix(verb)) else { return false };
    let rest = strip(rest, &["了", "过"]);
    subject(rest).is_some_and(|subject| !(subject.label || subject.constraint && is_built(subject.rest)))
}
