//! Short news at the foot, and why a key does nothing just now.

use super::numbers::{grouped, many, size};

words! {
    /// Short news, and why a key does nothing.
    Notes {
        nothing_selected: "Nothing is selected." => "没有选中内容。";
        no_run: "No run is open." => "没有打开的任务。";
        run_not_read: "This run cannot be read: Loop says why." => "无法读取此任务：原因见“循环”。";
        nothing_waits: "No call waits for you here." => "这里没有等你处理的调用。";
        nothing_else_waits: "No other call waits for you." => "没有其他等你处理的调用。";
        nothing_needs_you: "Nothing needs you, in no run." => "所有任务都没有等你处理的事。";
        nothing_to_redo: "No rollback to take back: none was made since the last step." => "没有可撤销的回退：上一步之后没有回退过。";
        no_checkpoint: "There is no checkpoint to go back to yet." => "还没有可回退的检查点。";
        no_request: "This step has made no request yet." => "此步骤还没有请求。";
        no_running_call: "No call is running." => "没有正在运行的调用。";
        no_banner: "There is no banner." => "没有横幅。";
        no_other_run: "There is no other run." => "没有其他任务。";
        nothing_marked: "No call is marked." => "没有标记的调用。";
        not_marked_kind: "Only calls that wait for an approval can be marked." => "只有待批准的调用可以标记。";
        ended: "The run has ended. A message or a higher limit reopens it." => "任务已结束。留言或提高限额可重新开始。";
        read_only: "This run can only be looked at." => "此任务只能查看。";
        inner_no_edit: "The arguments of this call cannot be edited." => "此调用的参数不能修改。";
        edit_one: "Arguments are edited one call at a time." => "参数只能逐个调用修改。";
        message_kept: "It is not sent yet; the text is kept." => "尚未发送，文本已保留。";
        pausing: "Pauses after this call." => "本次调用后暂停。";
        pausing_now: "Pausing now." => "正在立即暂停。";
        ending_call: "Ending the command." => "正在结束命令。";
        go_on: "go on" => "继续";
        going_on: "Goes on." => "继续。";
        cancelling: "Cancelling: the report is being made." => "正在取消：生成报告中。";
        draft_kept: "The draft is kept." => "草稿已保留。";
        newest_run: "This is the newest run." => "这已是最新的任务。";
        oldest_run: "This is the oldest run." => "这已是最早的任务。";
        redoing: "Taking the rollback back." => "正在撤销回退。";
        follow_on: "Following the newest." => "跟随最新。";
        nothing_open: "Nothing to close. Twice quickly: pause now." => "没有可关闭的窗口。快速按两次：立即暂停。";
        not_here: "This key does nothing here." => "此键在这里无效。";
        done: "The run is done." => "任务已完成。";
        failed: "The run has failed." => "任务失败。";
        nothing_queued: "No message waits to be delivered." => "没有等待送达的留言。";
        had_back: "Taken back; the agent did not see it." => "已收回，智能体没有看到。";
        back_too_late: "Too late: the agent has it already." => "来不及了：智能体已经收到。";
        message_now: "It goes in now." => "正在立即送达。";
        try_again: "try again" => "重试";
        trying_again: "Trying again." => "正在重试。";
        sent: "Sent: it counts from the next safe point on." => "已发送：从下一个安全点起生效。";
        full: "The disk is full: not stored, nothing was done." => "磁盘已满：未能保存，什么也没做。";
        after_paste: "Something was just pasted: press the key again." => "刚刚有粘贴：请再按一次。";
        reads_decided: "The agent reads it once the call is decided." => "调用有了决定之后，智能体才会读到。";
        reads_answered: "The agent reads it once its question is answered." => "问题得到回答之后，智能体才会读到。";
        denying_for_message: "Denied; then the message goes in." => "已拒绝，随后送达留言。";
        looks_first: "Looking first whether a command runs." => "先看是否有命令在运行。";
        several_steps: "This was several steps: choose one of them." => "这里是多个步骤，请选择其中一个。";
    }
    say {
        not_notified(why: &str): format!("The command for attention failed: {why}") => format!("提醒命令失败：{why}");
        back_before(who: &str): format!("It was taken back before, by {who}.") => format!("{who} 已先收回。");
        follow_off(key: &str): format!("Staying here; {key} follows again.") => format!("停在此处；按 {key} 重新跟随。");
        approved(call: &str): format!("Approved: {call}") => format!("已批准：{call}");
        approved_all(n: u64): format!("Approved: {}", many(n, "call")) => format!("已批准：{n} 个调用");
        denied_all(n: u64): format!("Denied: {}", many(n, "call")) => format!("已拒绝：{n} 个调用");
        denied(call: &str): format!("Denied: {call}") => format!("已拒绝：{call}");
        reused(call: &str): format!("Result reused, not run: {call}") => format!("已复用旧结果，没有运行：{call}");
        answered(call: &str): format!("Answered: {call}") => format!("已回答：{call}");
        resolved(call: &str, what: &str): format!("{call}: {what}") => format!("{call}：{what}");
        message_sent(step: u64):
            format!("Sent. The agent reads it before step {step}.") => format!("已发送。智能体在第 {step} 步之前读到。");
        message_goes_on(step: u64, back: &str):
            format!("Sent: the run goes on and reads it before step {step} ({back} takes it back).")
            => format!("已发送：任务继续，第 {step} 步之前读到（按 {back} 收回）。");
        reads_goes_on(key: &str):
            format!("The agent reads it when the run goes on: {key}") => format!("任务继续之后，智能体才会读到：{key}");
        more_time(time: &str): format!("{time} more.") => format!("已延长 {time}。");
        lost_to(what: &str, who: &str): format!("Decided elsewhere before: {what}, by {who}") => format!("{who} 已先在别处决定：{what}");
        refused(control: &str, why: &str): format!("{control} was refused: {why}") => format!("“{control}”被拒绝：{why}");
        not_stored(why: &str): format!("Not stored, nothing was done: {why}") => format!("未能保存，什么也没做：{why}");
        run_started(run: &str): format!("{run} has begun.") => format!("{run} 已开始。");
        elsewhere(worker: &str):
            format!("Worker {worker} has this run; what you ask is passed on.") => format!("执行者 {worker} 负责此任务，你的操作会转交。");
        copied(n: u64, hidden: u64):
            copied_en(n, hidden) => copied_zh(n, hidden);
        copy_too_long(bytes: u64, most: u64):
            format!("Not copied: {} is more than terminals take ({}). Open it and take a part.", size(bytes), size(most))
            => format!("未复制：{} 超过终端可接受的 {}。请打开后选取一部分。", size(bytes), size(most));
        marked(n: u64): format!("{} marked", many(n, "call")) => format!("已标记 {n} 个调用");
        bell(n: u64, title: &str): format!("! {n} · {title}") => format!("! {n} · {title}");
        run_done(title: &str): format!("done: {title}") => format!("已完成：{title}");
        run_failed(title: &str): format!("failed: {title}") => format!("失败：{title}");
        run_at_limit(title: &str): format!("stopped at a limit: {title}") => format!("到达限额：{title}");
        taken_over(worker: &str):
            format!("Worker {worker} was ended; this process has the run now.") => format!("执行者 {worker} 已结束，任务现由本进程负责。");
        rolling_back_paused(on: &str, back: &str):
            format!("Rolling back; it is paused then: {on} goes on, {back} takes it back.")
            => format!("正在回退，之后暂停：按 {on} 继续，按 {back} 撤销。");
        redone(back: &str): format!("The rollback was taken back: {back} looks at rolling back again.")
            => format!("已撤销回退：按 {back} 可再看回退。");
        rolled_back_paused(on: &str, back: &str):
            format!("Rolled back and paused: {on} goes on, {back} takes it back.")
            => format!("已回退并暂停：按 {on} 继续，按 {back} 撤销。");
        goal_from(step: u64):
            format!("The new goal is in force from step {step}.") => format!("新目标从第 {step} 步起生效。");
        goal_ended(message: &str):
            format!("The new goal is kept. The run is over: a message ({message}) lets it go on.")
            => format!("新目标已保存。任务已结束：留言（{message}）可让它继续。");
        plan_ended(message: &str):
            format!("The new plan is kept. The run is over: a message ({message}) lets it go on.")
            => format!("新计划已保存。任务已结束：留言（{message}）可让它继续。");
        plan_from(step: u64):
            format!("The agent sees the new plan in step {step}.") => format!("智能体在第 {step} 步看到新计划。");
        takes_key(key: &str):
            format!("This takes the key {key}: a click never lets anything happen.") => format!("须按 {key} 键：点击不会执行任何操作。");
        tries_again(key: &str): format!("{key} tries again") => format!("按 {key} 重试");
        cannot(why: &str): format!("This cannot be done now: {why}") => format!("现在不能这样做：{why}");
        refused_kept(why: &str, key: &str):
            format!("{why}; what you wrote is kept: {key}") => format!("{why}；所写内容已保留：{key}");
        kept_for_run(why: &str):
            format!("{why}; what you wrote waits in the message line of its run") => format!("{why}；所写内容保留在该任务的留言栏");
        full_kept(key: &str):
            format!("The disk is full: not stored. What you wrote is kept: {key}") => format!("磁盘已满，未能保存。所写内容已保留：{key}");
        not_stored_kept(why: &str, key: &str):
            format!("{why}: not stored. What you wrote is kept: {key}") => format!("{why}：未能保存。所写内容已保留：{key}");
        lost_kept(what: &str, who: &str, key: &str):
            format!("Decided elsewhere before: {what}, by {who}. What you wrote is kept: {key}")
            => format!("{who} 已先在别处决定：{what}。所写内容已保留：{key}");
        not_taken(call: &str, what: &str):
            format!("Your decision on {call} came too late: {what}.") => format!("你对 {call} 的决定来得太晚：{what}。");
        pasted_enter(key: &str):
            format!("That came as a paste: its Enter sends nothing. {key} sends.") => format!("这是整段粘贴：其中的回车不会发送，按 {key} 发送。");
        works_in(key: &str, panel: &str, no: &str, does: &str):
            format!("{key} works in {panel} ({no}): {does}") => format!("{key} 用于{panel}（{no}）：{does}");
        works_below(key: &str, does: &str, close: &str):
            format!("{key} works once this is closed ({close}): {does}")
            => format!("先关闭此窗口（{close}）才能用 {key}：{does}");
        decided_before(how: &str, close: &str):
            format!("{how}; this key decides nothing any more ({close} closes)")
            => format!("{how}；此键已无作用（按 {close} 关闭）");
        not_in_dialog(help: &str):
            format!("This key does nothing here; {help} shows the keys that do.")
            => format!("此键在这里无效；{help} 显示可用的键。");
        works_in_run(key: &str, does: &str):
            format!("{key} works once a run is open: {does}") => format!("打开任务后可用 {key}：{does}");
    }
}

fn copied_en(n: u64, hidden: u64) -> String {
    let what = many(n, "character");
    match hidden {
        0 => format!("Copied to the terminal's clipboard, if it allows that: {what}."),
        _ => format!("Copied as it is, {what}; {} of them cannot be seen or deceive.", grouped(hidden)),
    }
}

fn copied_zh(n: u64, hidden: u64) -> String {
    let n = grouped(n);
    match hidden {
        0 => format!("已复制 {n} 个字符到终端剪贴板（若终端允许）。"),
        _ => format!("已原样复制 {n} 个字符，其中 {} 个不可见或易混淆。", grouped(hidden)),
    }
}
