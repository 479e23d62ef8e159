//! Words around the panels: header, pinned goal, the line of what needs the person, banners, the lines at the foot.

use super::numbers::{grouped, many, many_do};

words! {
    /// Words of the header, the goal, the line of what needs the person, and the foot.
    Header {
        needs_you: "NEEDS YOU" => "等你处理";
        running: "RUNNING" => "运行中";
        goal: "GOAL" => "目标";
        pauses_after: "pauses after this call" => "本次调用后暂停";
        edit: "edit" => "修改";
        constraints: "constraints:" => "约束：";
        checks: "checks:" => "验收：";
        offline: "offline model, not an LLM" => "离线模型，不是大语言模型";
        worker_here: "worker: here" => "执行者：本机";
        worker_gone: "worker: gone, its command runs on" => "执行者：已不在，命令仍在运行";
        runs_alone: "a command runs on" => "仍有命令在运行";
        worker_none: "worker: none, nothing goes on" => "执行者：无，任务不会继续";
        not_saved: "not saved yet" => "尚未保存";
        sending: "sending…" => "发送中…";
        goes_in_now: "goes in now" => "正在送达";
        message_field: "Message" => "留言";
        files: "Files" => "文件";
        goes_in_decided: "read once the call is decided" => "调用有了决定后读到";
        goes_in_answered: "read once the question is answered" => "回答问题后读到";
    }
    say {
        calls_wait(n: u64): many_do(n, "call", "wait") => format!("{} 个调用在等", grouped(n));
        step(n: u64): format!("step {n}") => format!("第 {n} 步");
        timeline(n: u64): format!("timeline {n}") => format!("时间线 {n}");
        rate(n: u64): format!("{n} tok/s") => format!("{n} 词元/秒");
        wait_elsewhere(n: u64, run: &str, key: &str):
            format!("{} in {run}: press {key}", many_do(n, "call", "wait"))
            => format!("{run} 有 {} 个调用在等：按 {key}", grouped(n));
        wait_in_more(n: u64, run: &str, more: u64, key: &str):
            format!("{} in {run}, {} elsewhere: press {key}", many_do(n, "call", "wait"), grouped(more))
            => format!("{run} 有 {} 个调用在等，别处还有 {} 个：按 {key}", grouped(n), grouped(more));
        checks_pass(pass: u64, all: u64): format!("checks {pass}/{all} pass") => format!("验收 {pass}/{all} 通过");
        edits(n: u64): many(n, "edit") => format!("改过 {n} 次");
        more(n: u64): format!("+{n} more") => format!("还有 {n} 条");
        by_default(left: &str): format!("by default in {left}") => format!("{left} 后按默认");
        has_waited(call: &str, time: &str):
            format!("{call} has waited {time}") => format!("{call} 已等 {time}");
        then_call(call: &str): format!(", then {call}") => format!("，接着是 {call}");
        waited(time: &str): time => format!("等了 {time}");
        new_file(lines: u64): format!("new file +{}", many(lines, "line")) => format!("新文件 +{} 行", grouped(lines));
        message(key: &str): format!("Message the agent ({key})") => format!("给智能体留言（{key}）");
        message_before(step: u64, key: &str):
            format!("Message the agent: it reads it before step {step} ({key})")
            => format!("给智能体留言：它在第 {step} 步之前读到（{key}）");
        saved(time: &str): format!("saved {time}") => format!("已保存 {time}");
        saved_at(time: &str, checkpoint: u64):
            format!("saved {time}, checkpoint {checkpoint}") => format!("已保存 {time}，检查点 {checkpoint}");
        worker_pid(pid: u64): format!("worker: here, pid {pid}") => format!("执行者：本机，进程 {pid}");
        worker_owns(pid: u64, runs: u64):
            format!("worker: here, pid {pid}, owns {}", many(runs, "run"))
            => format!("执行者：本机，进程 {pid}，负责 {runs} 个任务");
        worker_elsewhere(name: &str): format!("worker: elsewhere, {name}") => format!("执行者：别处，{name}");
        journal(events: u64):
            format!("journal {}", many(events, "event")) => format!("日志 {} 条", grouped(events));
        database(size: &str): format!("db {size}") => format!("数据库 {size}");
        runs_need_you(n: u64):
            format!("runs: {} need{} you", grouped(n), if n == 1 { "s" } else { "" })
            => format!("{} 个任务等你处理", grouped(n));
        runs_ended(n: u64): format!("{} ended", grouped(n)) => format!("{} 个已结束", grouped(n));
        runs_first(text: &str): format!("runs: {text}") => format!("任务：{text}");
        runs_work(n: u64): format!("{} at work", grouped(n)) => format!("{} 个运行中", grouped(n));
        runs_paused(n: u64): format!("{} paused", grouped(n)) => format!("{} 个已暂停", grouped(n));
        runs_interrupted(n: u64): format!("{} interrupted", grouped(n)) => format!("{} 个已中断", grouped(n));
        asks_pending(n: u64):
            format!("{} that no worker has taken yet", many(n, "control"))
            => format!("{} 项操作还没有执行者接手", grouped(n));
        queued(n: u64): if n > 1 { format!("queued ({n}):") } else { "queued:".to_owned() }
            => if n > 1 { format!("排队中（{n}）：") } else { "排队中：".to_owned() };
        goes_in(step: u64): format!("goes in with step {step}") => format!("随第 {step} 步送达");
        goes_in_later(key: &str):
            format!("read when the run goes on ({key})") => format!("任务继续后读到（{key}）");
        goal_coming(version: u64): format!("v{version} on its way") => format!("v{version} 待读取");
        message_size(tokens: u64): format!("about {}", many(tokens, "token")) => format!("约 {} 词元", grouped(tokens));
        message_too_large(tokens: u64, room: u64):
            format!("about {}, {} fit the window: it will be refused", many(tokens, "token"), grouped(room))
            => format!("约 {} 词元，窗口只放得下 {} 词元：会被拒绝", grouped(tokens), grouped(room));
    }
}

words! {
    /// Words of the banners: what happened, and the name of what helps.
    Banners {
        disk_full: "DISK FULL" => "磁盘已满";
        damaged: "DAMAGED" => "数据损坏";
        prompt_cut: "PROMPT CUT" => "提示词被截断";
        owner_asleep: "OWNER ASLEEP" => "执行者无响应";
        worker_gone: "WORKER GONE" => "执行者不在了";
        price_unknown: "PRICE UNKNOWN" => "价格未知";
        retry: "RETRY" => "重试";
        locked: "DATABASE LOCKED" => "数据库被占用";
        not_read: "NOT READ" => "读不到";
        file_damaged: "FILE DAMAGED" => "文件损坏";
        read_only: "READ ONLY" => "只读";
        set_window: "set window" => "设置窗口";
        take_over: "end it, take over" => "结束它并接管";
        set_price: "set price" => "设置价格";
        raise: "raise" => "提高";
        cancel: "cancel" => "取消";
        look: "look" => "查看";
        no_answer: "The database gives no answer" => "数据库没有响应";
        not_saved: "NOT SAVED YET" => "尚未保存";
        newer: "A newer wakeful wrote this run; here it can only be looked at."
            => "此任务由更新版本的 wakeful 写入，这里只能查看。";
        at_limit: "LIMIT" => "限额";
        no_room_text: "Nothing you do is stored; what you wrote is kept here. Free some room on its disk"
            => "你的操作无法保存，所写内容保留在此。请腾出磁盘空间";
        all_of_them: "all of them" => "查看全部";
        no_room_short: "Nothing is stored; free some disk space" => "什么也没有保存，请腾出磁盘空间";
        disk_full_least: "Not saved: free some disk" => "未保存，请腾出磁盘空间";
        newer_short: "A newer wakeful wrote this run" => "由更新版本写入，只能查看";
        price_unknown_least: "Not started" => "未开始";
    }
    say {
        disk_full_text(step: u64):
            format!("Step {step} is not saved; no effects run. Free some room on its disk")
            => format!("第 {step} 步未保存，不会执行有副作用的调用。请腾出磁盘空间");
        retry_in(seconds: u64): format!("retry (in {seconds} s)") => format!("重试（{seconds} 秒后）");
        damaged_text(event: u64, step: u64):
            format!("The journal is damaged from event {event}; shown as it was at step {step}.")
            => format!("日志从第 {event} 条起损坏，显示的是第 {step} 步时的状态。");
        prompt_cut_text(read: u64, sent: u64):
            format!("Server read {} of {} tokens; goal may be lost", grouped(read), grouped(sent))
            => format!("服务器只读了 {}/{} 词元，目标可能丢失", grouped(read), grouped(sent));
        owner_asleep_text(worker: &str, ago: &str):
            format!("Worker {worker} has this run and was last alive {ago} ago")
            => format!("执行者 {worker} 占着此任务，上次有响应是 {ago} 前");
        worker_gone_text(key: &str):
            format!("Its command runs on, its result is kept; {key} goes on with the run")
            => format!("它的命令仍在运行，结果会保留；按 {key} 继续任务");
        price_unknown_text(limit: &str, model: &str):
            format!("Cost limit {limit} but no price for {model}: not started")
            => format!("费用限额 {limit}，但不知道 {model} 的价格：未开始");
        near_limit(limit: &str, percent: u64): format!("{} {percent} %", limit.to_uppercase())
            => format!("{limit} {percent} %");
        near_limit_text(used: &str, most: &str, steps: u64):
            format!("{used} of {most} used; about {}, then the final report", many(steps, "step"))
            => format!("已用 {used}，限额 {most}；约还能走 {steps} 步，然后写总结报告");
        retry_no(attempt: u64, most: u64): format!("RETRY {attempt}/{most}") => format!("重试 {attempt}/{most}");
        retry_text(what: &str): format!("{what}; survives restart") => format!("{what}；重启后仍会继续");
        again_in(time: &str): format!("again in {time}") => format!("{time} 后再试");
        locked_text(time: &str):
            format!("Another program has held it for {time}; keys work, nothing is saved until it lets go")
            => format!("另一程序已占用 {time}；按键可用，释放之前不会保存");
        not_saved_text(time: &str):
            format!("What you did {time} ago waits for the database; it is stored as soon as that lets go")
            => format!("你 {time} 前的操作在等数据库，一旦可用就会保存");
        not_read_text(why: &str, time: &str):
            format!("{why}; shown as it was {time} ago") => format!("{why}；显示的是 {time} 前的状态");
        not_read_long(time: &str, key: &str):
            format!("Shown as it was {time} ago; {key} tells why and what to do")
            => format!("显示的是 {time} 前的状态；按 {key} 查看原因和办法");
        file_damaged_text(key: &str, command: &str):
            format!("Leave with {key}, then run `{command}`") => format!("请按 {key} 离开，再运行 `{command}`");
        at_limit_text(limit: &str, used: &str, most: &str):
            format!("{limit} {used}/{most} reached; ended with a report")
            => format!("{limit} {used}/{most} 已到上限；已写报告并结束");
        at_limit_bare_text(limit: &str, used: &str, most: &str):
            format!("{limit} {used}/{most} reached; no final report of the agent")
            => format!("{limit} {used}/{most} 已到上限；没有智能体的总结报告");
        more(n: u64): format!("+{n} more") => format!("还有 {n} 条");
        twice(key: &str): format!("{key} twice") => format!("按两次 {key}");
        disk_full_short(step: u64):
            format!("Step {step} is not saved; free some disk space")
            => format!("第 {step} 步未保存，请腾出磁盘空间");
        damaged_short(event: u64, step: u64):
            format!("From event {event} on; shown as at step {step}")
            => format!("从第 {event} 条日志起，显示第 {step} 步时的状态");
        prompt_cut_short(read: u64, sent: u64):
            format!("Server read {} of {} tokens", grouped(read), grouped(sent))
            => format!("服务器只读了 {}/{} 词元", grouped(read), grouped(sent));
        prompt_cut_least(read: u64, sent: u64):
            format!("{} of {} tokens read", grouped(read), grouped(sent))
            => format!("只读了 {}/{} 词元", grouped(read), grouped(sent));
        owner_asleep_short(worker: &str, ago: &str):
            format!("Worker {worker}, last alive {ago} ago") => format!("执行者 {worker}，上次有响应是 {ago} 前");
        owner_asleep_least(ago: &str): format!("last alive {ago} ago") => format!("上次有响应是 {ago} 前");
        worker_gone_short(key: &str):
            format!("Its command runs on; {key} goes on") => format!("它的命令仍在运行；按 {key} 继续任务");
        price_unknown_short(model: &str):
            format!("No price for {model}: not started") => format!("不知道 {model} 的价格：未开始");
        near_limit_short(used: &str, most: &str, steps: u64):
            format!("{used} of {most} used; about {} left", many(steps, "step"))
            => format!("已用 {used}，限额 {most}；约还能走 {steps} 步");
        near_limit_least(steps: u64): format!("about {} left", many(steps, "step")) => format!("约还能走 {steps} 步");
        locked_short(time: &str):
            format!("Another program has held it for {time}; nothing is saved")
            => format!("另一程序已占用 {time}；释放之前不会保存");
        locked_least(time: &str):
            format!("Another program has held it for {time}") => format!("另一程序已占用 {time}");
        not_saved_short(time: &str):
            format!("What you did {time} ago waits to be stored") => format!("你 {time} 前的操作在等待保存");
        not_read_short(time: &str, key: &str):
            format!("As it was {time} ago; {key} tells why") => format!("显示 {time} 前的状态；按 {key} 看原因");
        file_damaged_short(key: &str, command: &str):
            format!("{key}, then `{command}`") => format!("按 {key} 离开，运行 `{command}`");
        at_limit_short(limit: &str, used: &str, most: &str):
            format!("{limit} {used}/{most} reached") => format!("{limit} {used}/{most} 已到上限");
    }
}
