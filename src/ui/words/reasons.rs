//! Sentences that the engine wrote into the journal, in the language of the screen.
//!
//! The journal is written in English, once, whoever looks at it later. The sentences that a person meets are known here
//! with their translation; what is not known is shown as it was written. A test reads the engine's sources, so that a
//! sentence that is changed there is missed here.

use super::close::join;
use super::{Lang, refusals};
use crate::tool::DANGERS;
use std::borrow::Cow;

/// An English sentence and its translation. `{}` stands for the same texts in the same order in both; `{*}` for one that
/// is a word or sentence of the engine and is translated too. What tools and people wrote stays as it is.
pub(super) const KNOWN: &[[&str; 2]] = &[
    // Why a call was asked, or went without asking.
    ["the agent asks you", "智能体向你提问"],
    ["an acceptance check asks you", "验收项向你提问"],
    ["an acceptance check of the goal", "目标的验收项"],
    ["dangerous: {}", "危险：{*}"],
    ["a rule allows it", "有规则允许"],
    ["a rule says: ask", "有规则要求询问"],
    ["mode {}: a call with an effect waits for you", "{*}模式：有副作用的调用须等你"],
    ["it changes only the run's own state", "只改变任务自身的状态"],
    [
        "a URL can carry data out, and this host is not in allow_hosts",
        "网址可能带出数据，而此主机不在 allow_hosts 中",
    ],
    ["it only reads", "只读取"],
    ["mode auto", "自动模式"],
    ["mode safe: a file write inside the workspace", "安全模式：在工作目录内写文件"],
    ["a person approved it", "由人批准"],
    ["{} is not as it was when this was approved: look at it again", "{} 在批准之后已改变：请再看一遍"],
    ["a person changed the arguments and approved it", "由人改参数后批准"],
    [
        "ran at step {} of abandoned timeline {} ({}); its result was: {}",
        "曾在第 {} 步运行（已放弃的时间线 {}，{*}）；结果是：{}",
    ],
    // What is dangerous about a command.
    ["it looks like a fork bomb", "像是 fork 炸弹"],
    ["it runs what it downloads", "会运行下载的内容"],
    ["it deletes a whole folder", "会删除整个文件夹"],
    ["it deletes files", "会删除文件"],
    ["it writes to a file outside the workspace", "会写工作目录之外的文件"],
    ["it cuts files short", "会截断文件"],
    ["it takes other privileges", "会取得其他权限"],
    ["it writes raw data to a file or device", "会向文件或设备写原始数据"],
    ["it changes disks", "会改动磁盘"],
    ["it formats a disk", "会格式化磁盘"],
    ["it stops the machine", "会关闭机器"],
    ["it ends processes", "会结束进程"],
    ["it changes permissions of a whole folder", "会修改整个文件夹的权限"],
    ["it publishes something", "会对外发布"],
    ["it deletes containers or images", "会删除容器或镜像"],
    ["it changes a cluster", "会改动集群"],
    ["it changes infrastructure", "会改动基础设施"],
    ["it deletes cloud resources", "会删除云资源"],
    ["it changes something on a forge", "会改动代码托管站上的内容"],
    ["it copies to or from another machine", "会与另一台机器互传文件"],
    ["it sends data out", "会向外发送数据"],
    ["it changes what runs on the machine", "会改变机器上运行的东西"],
    ["it deletes from a database", "会从数据库删除"],
    ["it pushes to another repository", "会推送到另一个仓库"],
    ["it throws away changes that are not committed", "会丢弃未提交的改动"],
    ["it deletes or rewrites history", "会删除或改写历史"],
    // Who decided where nobody did in time.
    ["default after {}", "{} 后的默认"],
    // Why an edit is not taken.
    ["the plan was changed since the edit was begun", "修改开始之后计划已有变化"],
    // Why nobody knows whether a call happened.
    ["it began, and its supervisor died before it recorded a result", "它已开始，而监护进程在记录结果前终止"],
    [
        "it began, and its supervisor died before it recorded a result; what was left of it was ended",
        "它已开始，而监护进程在记录结果前终止；其余进程已被结束",
    ],
    [
        "it began, and its supervisor died before it recorded a result; the record that is there is damaged",
        "它已开始，而监护进程在记录结果前终止；留下的记录已损坏",
    ],
    [
        "it began, and its supervisor died before it recorded a result; the record that is there is damaged; what was left of it was ended",
        "它已开始，而监护进程在记录结果前终止；留下的记录已损坏；其余进程已被结束",
    ],
    ["its spool is gone, so there is no evidence whether it ran", "它的缓存目录已不在，无从得知是否运行过"],
    ["its supervisor died; what is left of it cannot be ended", "它的监护进程已终止；其余进程无法结束"],
    // What the store says.
    [
        "cannot open the database {}: {}. Check that its folder exists and can be written, or name another file with --db",
        "无法打开数据库 {}：{}。请检查它的文件夹是否存在且可写，或用 --db 指定别的文件",
    ],
    [
        "the database {} would lie on a network file system ({}), where its locks cannot be trusted. Name a file on a local disk with --db",
        "数据库 {} 会位于网络文件系统（{}），其上的锁不可靠。请用 --db 指定本地磁盘上的文件",
    ],
    [
        "{} is not a wakeful database and was left as it is. Name another file with --db",
        "{} 不是 wakeful 的数据库，未改动。请用 --db 指定别的文件",
    ],
    [
        "{} is {} and holds no database; it was left as it is. Name a file with --db",
        "{} 是{*}，其中没有数据库，未改动。请用 --db 指定一个文件",
    ],
    [
        "the database {} has schema {}, this program knows up to {}. Use the newer program, or another file with --db",
        "数据库 {} 的格式为 {}，此程序最高支持 {}。请使用较新的程序，或用 --db 指定别的文件",
    ],
    [
        "the database stayed locked by another process for {} ms; nothing was written. Try again, or end the process that holds it",
        "数据库被另一进程锁住 {} 毫秒；什么也没有写入。请再试，或结束占用它的进程",
    ],
    [
        "the database could not be written ({}); nothing of it was stored. Free some disk space; the run goes on from where it is",
        "数据库无法写入（{}）；什么也没有保存。请腾出磁盘空间；任务会从当前处继续",
    ],
    [
        "the database file {} is damaged ({}). Run `wakeful doctor`, or put a backup in its place",
        "数据库文件 {} 已损坏（{}）。请运行 `wakeful doctor`，或换上备份",
    ],
    [
        "the database file {} cannot be written ({}); nothing was stored. Make it writable (chmod u+w), or name another file with --db",
        "数据库文件 {} 不可写（{}）；什么也没有保存。请设为可写（chmod u+w），或用 --db 指定别的文件",
    ],
    [
        "run {} has no checkpoint {}. `wakeful checkpoints {}` lists them",
        "任务 {} 没有检查点 {}。`wakeful checkpoints {}` 列出全部",
    ],
    [
        "the content {} is not in the database; `wakeful doctor` shows what names it",
        "内容 {} 不在数据库中；`wakeful doctor` 会显示谁引用它",
    ],
    [
        "the content {} is damaged ({}); `wakeful doctor` shows what names it",
        "内容 {} 已损坏（{}）；`wakeful doctor` 会显示谁引用它",
    ],
    ["run {} has moved on: {}. Load it again", "任务 {} 已有变化：{*}。请重新载入"],
    ["nothing was written to run {}: {}", "任务 {} 什么也没有写入：{*}"],
    ["call {} cannot be decided: {}", "调用 {} 无法决定：{*}"],
    [
        "run {} can be read but not written: {}. Use the newer program",
        "任务 {} 可读但不可写：{*}。请使用较新的程序",
    ],
    [
        "run {} is damaged at event {} ({}); it is not written until a person accepts the damage. `wakeful doctor` shows it, `wakeful doctor --accept-damage {}` accepts it",
        "任务 {} 从第 {} 条事件起损坏（{*}）；有人接受损坏之前不会写入。`wakeful doctor` 会显示它，`wakeful doctor --accept-damage {}` 接受它",
    ],
    [
        "event {} of run {} is damaged: {}. `wakeful doctor` shows it",
        "第 {} 条事件（任务 {}）已损坏：{}。`wakeful doctor` 会显示它",
    ],
    ["cannot use {}: {}. Check the disk and the permissions", "无法使用 {}：{}。请检查磁盘与权限"],
    ["the store is closed; start wakeful again", "存储已关闭；请重新启动 wakeful"],
    ["the database said: {}. Run `wakeful doctor`", "数据库报告：{}。请运行 `wakeful doctor`"],
    // How runs end and why they wait.
    ["a person ended the run", "由人结束"],
    ["the agent says it is done, and no check disagrees", "智能体表示已完成，验收没有异议"],
    ["{}; no final report was asked for: {}", "{*}；没有要求最终报告：{*}"],
    ["the price of the model is not known", "模型的价格未知"],
    ["what is left of the cost does not pay for one", "剩余费用不够支付一份"],
    ["the limit on {} is reached", "{*}限额已达到"],
    ["the next model call would break the limit on {}", "下次模型调用会超出{*}限额"],
    ["the same call gave the same result {} times", "同一调用 {} 次得到同一结果"],
    [
        "The context does not fit: {} takes {} of the window's {} tokens (slot {}). To go on, {}.",
        "上下文放不下：{*} 占 {}，窗口为 {} 词元（部分 {}）。要继续：{*}。",
    ],
    // What takes the window, and what helps.
    ["your message, which stays word for word,", "你的留言（须逐字保留）"],
    [
        "roll back to before it and write it shorter, or take a model with a larger window",
        "回退到它之前并写短一些，或换用窗口更大的模型",
    ],
    ["the newest rounds, of which nothing more can be left out,", "最近几轮（无法再省略）"],
    [
        "take a model with a larger window, or roll back and ask for smaller steps",
        "换用窗口更大的模型，或回退并要求更小的步骤",
    ],
    ["the goal", "目标"],
    [
        "shorten it and point to a file for the details, or take a model with a larger window",
        "缩短它并把细节放进文件，或换用窗口更大的模型",
    ],
    // What was trimmed, and why.
    ["oldest lines", "最旧的行"],
    ["over the budget", "超出预算"],
    ["under score {}", "低于分数 {}"],
    ["folded", "并入摘要"],
    ["dropped to save room", "为腾出空间移出"],
    ["shortened to fit the window", "为适应窗口缩短"],
    // Why what a person asked for was not done.
    ["the run is over", "任务已结束"],
    ["the run is over; send it a message, or raise its limit", "任务已结束；请留言或提高限额"],
    ["the edit was made from version {}, the goal is at version {}", "修改基于第 {} 版，目标现为第 {} 版"],
    ["a goal cannot be empty", "目标不能为空"],
    [
        "the goal takes about {} tokens of the window's {}, and is never cut; {} are left beside what else always stands there: shorten it, or put the details into a file and name that",
        "目标约占 {} 词元，窗口为 {}，而目标从不裁剪；除窗口中固有的内容外还剩 {} 词元：请缩短，或把细节写进文件并注明文件名",
    ],
    ["a cost cap needs a price: none is configured for this model", "设费用上限需要价格：此模型没有配置价格"],
    ["the message is empty", "留言为空"],
    [
        "it takes about {} tokens, and at most {} fit beside what always stands in the window: shorten it, or put the details into a file and name that",
        "约 {} 词元，而除窗口中固有的内容外最多放得下 {} 词元：请缩短，或把细节写进文件并注明文件名",
    ],
    ["the call is not running any more", "调用已不在运行"],
    ["the call is closed", "调用已结束"],
    ["the call has changed since it was shown", "调用在显示之后已改变"],
    ["this is a question: answer it, or deny it", "这是提问：请回答或拒绝"],
    ["this call asks nothing: approve it, or deny it", "此调用不是提问：请批准或拒绝"],
    ["the answer is about another attempt", "回答的是另一次尝试"],
    ["the run was rolled back since you looked; look again", "你查看之后任务已回退；请再看一遍"],
    [
        "there is no rollback to undo: none was made since the last step",
        "没有可撤销的回退：上一步之后没有回退过",
    ],
    ["nothing was changed: {}", "什么也没有改动：{}"],
    // Why a file is left alone, or a result is not reused.
    ["it lies where tools never write", "它在工具从不写入的位置"],
    ["its path now leads elsewhere", "它的路径现在指向别处"],
    ["its old content was too big to be kept", "旧内容太大，没有保留"],
    ["it was not a regular file", "它当时不是普通文件"],
    ["it is too big to be compared", "它太大，无法比较"],
    ["it is not a regular file now", "它现在不是普通文件"],
    ["its files were put back by the rollback, so that it has to run", "它的文件已被回退还原，须重新运行"],
    ["nobody knows what came of it", "无人知道结果如何"],
    ["its result is not stored", "它的结果没有保存"],
    ["its result of before cannot be reused: {}", "无法复用旧结果：{*}"],
    ["it did not run before on a timeline that was left", "它没有在已放弃的时间线上运行过"],
    ["the result that was shown is not the newest one; look again", "显示的不是最新的结果；请再看一遍"],
    // What became of calls and model calls.
    ["limits changed", "限额已修改"],
    ["approval mode changed", "审批方式已修改"],
    ["a person wrote", "有人留言"],
    ["a person tries again", "有人要求重试"],
    ["its limit was raised", "限额已提高"],
    ["the process was asked to stop", "进程被要求停止"],
    ["the worker that asked is gone", "发出请求的执行者已不在"],
    ["a person paused the run", "有人暂停了任务"],
    ["a person wrote; it goes in at once", "有人留言，立即送达"],
    ["a person cancelled the run", "有人取消了任务"],
    ["a person rolled the run back", "有人回退了任务"],
    ["the run is rolled back", "任务已回退"],
    ["the run was cancelled", "任务已取消"],
    ["the run was rolled back", "任务已回退"],
    ["the goal was edited, so that this check is void", "目标已修改，此项验收作废"],
    ["it was stopped before it began", "开始之前被停止"],
    ["the worker died before the write", "执行者在写入之前已退出"],
    ["what it was about to write is not recorded", "没有记录它要写什么"],
    ["the model sent an empty reply", "模型的回复为空"],
    ["the server's window is {} tokens", "服务器的窗口是 {} 词元"],
    [
        "the request was too long, and the server does not say how much fits: {} tokens are tried as its window, a guess",
        "请求过长，服务器没有说明上限：猜测其窗口为 {} 词元，先试用",
    ],
    [
        "the server took more than the window that was learnt of it: that is {} tokens again",
        "服务器接受了超过所学窗口的请求：窗口恢复为 {} 词元",
    ],
    // How checks came out.
    ["the file is there", "文件存在"],
    ["there is no file {}", "没有文件 {}"],
    ["the file has it", "文件中有"],
    ["the answer has it", "回答中有"],
    ["the answer does not contain {}", "回答中没有 {}"],
    ["the answer has {} characters, at least {} are wanted", "回答有 {} 个字符，至少要 {} 个"],
    ["the answer is valid", "回答有效"],
    ["the answer is not JSON: {}", "回答不是 JSON：{}"],
    ["the answer is not valid: {}", "回答无效：{}"],
];

/// Words that stand inside those sentences.
const INSIDE: &[[&str; 2]] = &[
    ["ask", "询问"],
    ["safe", "安全"],
    ["auto", "自动"],
    ["steps", "步数"],
    ["tokens", "词元"],
    ["cost", "费用"],
    ["time", "用时"],
    ["done", "完成"],
    ["failed", "失败"],
    ["cancelled", "已取消"],
    ["uncertain", "不确定"],
    ["started", "运行中"],
];

/// What the engine said, in this language; a part of it that is known is translated too.
pub fn said(lang: Lang, text: &str) -> Cow<'_, str> {
    match lang {
        Lang::En => Cow::Borrowed(text),
        Lang::Zh => match KNOWN.iter().find_map(|[en, zh]| Some(fill(zh, &parts(en, text)?))) {
            Some(translated) => Cow::Owned(translated),
            None => listed(text).map_or(Cow::Borrowed(text), Cow::Owned),
        },
    }
}

/// Several dangers of one command, if each of them is known.
fn listed(text: &str) -> Option<String> {
    let known = |one: &str| KNOWN.iter().find(|[en, _]| *en == one).map(|[_, zh]| *zh);
    let all: Option<Vec<&str>> = text.split(DANGERS).map(known).collect();
    all.map(|all| all.join("；"))
}

/// The texts that stand for `{}` in the pattern, if `text` is of it.
pub(super) fn parts<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut fixed = pattern.split("{}");
    let mut rest = text.strip_prefix(fixed.next()?)?;
    let mut parts = Vec::new();
    for (at, piece) in fixed.clone().enumerate() {
        let is_last = at + 1 == fixed.clone().count();
        let end = if is_last { rest.strip_suffix(piece)?.len() } else { rest.find(piece)? };
        parts.push(rest.get(..end)?);
        rest = rest.get(end + piece.len()..)?;
    }
    rest.is_empty().then_some(parts)
}

/// The translation with its parts filled in.
pub(super) fn fill(pattern: &str, parts: &[&str]) -> String {
    let mut out = String::new();
    let mut parts = parts.iter();
    for (at, piece) in pattern.split('{').enumerate() {
        let (is_ours, fixed) = match piece.strip_prefix("*}") {
            Some(fixed) => (true, fixed),
            None => (false, piece.strip_prefix('}').unwrap_or(piece)),
        };
        if at > 0
            && let Some(part) = parts.next()
        {
            match INSIDE.iter().chain(refusals::INSIDE).find(|[en, _]| is_ours && en == part) {
                Some([_, zh]) => join(&mut out, zh),
                None if is_ours => join(&mut out, &said(Lang::Zh, part)),
                None => join(&mut out, part),
            }
        }
        join(&mut out, fixed);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sentences_are_translated_with_what_stands_in_them() {
        let zh = |text| said(Lang::Zh, text).into_owned();
        assert_eq!(zh("a rule says: ask"), "有规则要求询问");
        assert_eq!(zh("dangerous: it deletes files"), "危险：会删除文件");
        assert_eq!(zh("dangerous: it deletes files; it stops the machine"), "危险：会删除文件；会关闭机器");
        assert_eq!(zh("mode ask: a call with an effect waits for you"), "询问模式：有副作用的调用须等你");
        assert_eq!(zh("the same call gave the same result 3 times"), "同一调用 3 次得到同一结果");
        assert_eq!(
            zh("ran at step 12 of abandoned timeline 1 (done); its result was: a; b (c)"),
            "曾在第 12 步运行（已放弃的时间线 1，完成）；结果是：a; b (c)"
        );
        assert_eq!(zh("the limit on tokens is reached"), "词元限额已达到");
        assert_eq!(
            zh(
                "the next model call would break the limit on cost; no final report was asked for: the price of the model is not known"
            ),
            "下次模型调用会超出费用限额；没有要求最终报告：模型的价格未知"
        );
        assert_eq!(
            zh(
                "The context does not fit: your message, which stays word for word, takes 9000 of the window's 8000 tokens (slot recent). To go on, roll back to before it and write it shorter, or take a model with a larger window."
            ),
            "上下文放不下：你的留言（须逐字保留）占 9000，窗口为 8000 词元（部分 recent）。要继续：回退到它之前并写短一些，或换用窗口更大的模型。"
        );
        let why = "attempt to write a readonly database".to_owned();
        let full = crate::store::StoreError::Full { why: why.clone() }.to_string();
        assert_eq!(
            zh(&full),
            format!("数据库无法写入（{why}）；什么也没有保存。请腾出磁盘空间；任务会从当前处继续")
        );
        let corrupt =
            crate::store::StoreError::Corrupt { path: Some("/w/w.db".into()), why: why.clone() }.to_string();
        assert_eq!(
            zh(&corrupt),
            format!("数据库文件 /w/w.db 已损坏（{why}）。请运行 `wakeful doctor`，或换上备份")
        );
        let path = Some("/w/w.db".into());
        let held_fast = crate::store::StoreError::NotWritable { path, why: why.clone() }.to_string();
        let words = format!(
            "数据库文件 /w/w.db 不可写（{why}）；什么也没有保存。请设为可写（chmod u+w），或用 --db 指定别的文件"
        );
        assert_eq!(zh(&held_fast), words);
        let sql = crate::store::StoreError::Sql(why.clone()).to_string();
        assert_eq!(zh(&sql), format!("数据库报告：{why}。请运行 `wakeful doctor`"));
        let path = std::path::PathBuf::from("/w/w.db");
        let other = crate::store::StoreError::NotOurs { path: path.clone() }.to_string();
        assert_eq!(zh(&other), "/w/w.db 不是 wakeful 的数据库，未改动。请用 --db 指定别的文件");
        let folder = crate::store::StoreError::NotAFile { path: path.clone(), what: "a folder" }.to_string();
        assert_eq!(zh(&folder), "/w/w.db 是文件夹，其中没有数据库，未改动。请用 --db 指定一个文件");
        let newer = crate::store::StoreError::Newer { path, found: 9, known: 8 }.to_string();
        assert!(zh(&newer).starts_with("数据库 /w/w.db 的格式为 9，此程序最高支持 8。"), "{newer}");
        assert_eq!(zh("nothing was changed: done"), "什么也没有改动：done", "not ours");
        assert_eq!(zh("error: disk on fire"), "error: disk on fire", "as it was written");
        assert_eq!(said(Lang::En, "a rule says: ask"), "a rule says: ask");
        assert_eq!(zh(""), "");
    }

    #[test]
    fn the_engine_still_says_what_is_translated() {
        let sources = [
            include_str!("../../agent/policy.rs"),
            include_str!("../../agent/next.rs"),
            include_str!("../../agent/ends.rs"),
            include_str!("../../context/assemble.rs"),
            include_str!("../../context/room.rs"),
            include_str!("../../context/trim.rs"),
            include_str!("../../context/trims.rs"),
            include_str!("../../host/decide.rs"),
            include_str!("../../run/budget_table.rs"),
            include_str!("../../store/error.rs"),
            include_str!("../../tool/danger.rs"),
            include_str!("../../worker/judge.rs"),
            include_str!("../../worker/controls.rs"),
            include_str!("../../worker/checks.rs"),
            include_str!("../../worker/default.rs"),
            include_str!("../../worker/driver.rs"),
            include_str!("../../worker/model_call.rs"),
            include_str!("../../worker/reuse.rs"),
            include_str!("../../worker/rollback.rs"),
            include_str!("../../worker/shell_call.rs"),
            include_str!("../../worker/tool_call.rs"),
            include_str!("../../workspace/restore.rs"),
        ]
        .concat();
        for [en, zh] in KNOWN {
            for piece in en.split("{}") {
                assert!(sources.contains(piece), "the engine no longer says {piece:?}");
            }
            assert_eq!(en.matches("{}").count(), zh.matches('{').count(), "{en}");
        }
    }
}
