//! Words of the preview of a rollback.

use super::numbers::{grouped, many, many_do};

words! {
    /// Words of the preview of a rollback.
    Rollback {
        files: "Files" => "文件";
        goal: "Goal" => "目标";
        restore: "restore" => "还原";
        remove: "remove" => "删除";
        keep: "keep" => "保留";
        bring_back: "bring back" => "恢复";
        no_files: "No file is changed by this." => "不会改动文件。";
        cannot_undo: "Cannot be undone" => "无法撤销";
        nothing_lasting: "Nothing was done that cannot be undone." => "没有无法撤销的操作。";
        preflight_failed: "Preflight" => "预检";
        roll_back: "roll back" => "回退";
        without_files: "conversation only" => "仅对话";
        diff: "diff" => "差异";
        take: "take" => "还原";
        cancel: "cancel (default)" => "取消（默认）";
        cancel_short: "cancel" => "取消";
        undoes_end: "Undo the end of the run: it is open again." => "撤销任务的结束：任务重新打开。";
        looking: "Looking at the files…" => "正在查看文件…";
        removed_by_others: "removed by others" => "被他人删除";
        you_keep: "you keep it" => "由你保留";
        cannot_take: "This file cannot be brought back." => "此文件无法还原。";
        no_diff: "No difference can be shown." => "无法显示差异。";
        goal_same: "The goal was the same then." => "当时的目标相同。";
        no_file_here: "There is no file to choose." => "没有可选的文件。";
        to_goal: "goal" => "目标";
        gone_on: "The run has gone on since: look again." => "任务已继续：请再看一遍。";
        will_be_ended: "Runs now and will be ended" => "正在运行，将被结束";
    }
    say {
        title(step: u64): format!("Roll back to step {step}?") => format!("回退到第 {step} 步？");
        undoes(from: u64, to: u64, next: u64, tokens: u64, timeline: u64):
            format!(
                "Undo {} and open step {next}; {} spent; timeline {timeline}.",
                if from == to { format!("step {from}") } else { format!("steps {from}–{to}") },
                many_do(tokens, "token", "stay")
            )
            => format!(
                "撤销第 {} 步，从第 {next} 步重新开始；已花的 {} 词元不退；时间线 {timeline}。",
                if from == to { from.to_string() } else { format!("{from}–{to}") },
                grouped(tokens)
            );
        drops(step: u64): format!("Drop step {step}, which is in progress, and begin it anew.")
            => format!("丢弃进行中的第 {step} 步，重新开始。");
        as_of(step: u64): format!("as of step {step}") => format!("第 {step} 步时的内容");
        made_in(step: u64): format!("made in step {step}") => format!("第 {step} 步新建");
        edited_by_others(time: &str): format!("edited by others {time}") => format!("{time} 被他人修改");
        over_edit(time: &str): format!("over others' edit {time}; redo brings it back")
            => format!("覆盖他人 {time} 的修改；撤销回退可恢复");
        over_removal(step: u64): format!("as of step {step}, though others removed it") => format!("第 {step} 步时的内容（他人已删除）");
        goal_kept(key: &str, version: u64): format!("({key}: keep v{version})") => format!("（{key}：保持 v{version}）");
        goal_stays(version: u64): format!("stays v{version}") => format!("保持 v{version}");
        goal_back(key: &str, version: u64): format!("({key}: back to v{version})") => format!("（{key}：退回 v{version}）");
        goal_goes_back(version: u64): format!("back to v{version}") => format!("退回 v{version}");
        cancelled(n: u64): format!("{} cancelled", many(n, "call")) => format!("取消 {n} 个调用");
        withdrawn(n: u64): match n { 1 => "1 memory withdrawn".to_owned(), _ => format!("{} memories withdrawn", grouped(n)) } => format!("撤下 {} 条记忆", grouped(n));
        offered(n: u64): match n { 1 => "1 memory offered again".to_owned(), _ => format!("{} memories offered again", grouped(n)) } => format!("{} 条记忆重新可用", grouped(n));
        call_at(what: &str, call: &str): format!("{what} ({call})") => format!("{what}（{call}）");
        preflight_ok(files: u64):
            match files {
                0 => "Preflight: there is nothing to put back".to_owned(),
                1 => "Preflight: the file can be put back".to_owned(),
                2 => "Preflight: both files can be put back".to_owned(),
                3.. => format!("Preflight: all {files} files can be put back"),
            }
            => match files {
                0 => "预检：没有要还原的文件".to_owned(),
                1.. => format!("预检：{files} 个文件都可还原"),
            };
        takes_back(key: &str): format!("{key} takes this back, not calls") => format!("{key} 可撤销此次回退，但不含调用");
        cannot_restore(file: &str, why: &str): format!("{file} cannot be put back: {why}") => format!("{file} 无法还原：{why}");
        refused(why: &str): format!("Not rolled back: {why}") => format!("没有回退：{why}");
        paused_then(key: &str): format!("It is paused then: {key} goes on.") => format!("回退后任务暂停：按 {key} 继续。");
    }
}
