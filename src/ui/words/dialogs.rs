//! Words of leaving, help, the palette, a window that is too small, and the small dialogs.

use super::numbers::{grouped, many_do};

words! {
    /// Words of the dialog before leaving.
    Quit {
        title: "Leave wakeful?" => "离开 wakeful？";
        stop: "Save and stop at the next checkpoint" => "保存，在下个检查点停止";
        one_goes_on: "Hand to a worker: it goes on without a screen" => "交给后台：它没有界面也会继续";
        stays_paused: "Leave it paused: nobody goes on with it" => "保持暂停：没有人继续";
        both_go_on: "Hand to a worker: both go on without a screen" => "交给后台：两个任务没有界面也会继续";
        waiting_keep: "Waiting calls keep waiting. A bell cannot reach you." => "等待的调用继续等待，响铃传不到你。";
        marked: "marked" => "所选";
        stop_now: "save and stop now" => "立即保存并停止";
        now: "stop now" => "立即停止";
        stay: "stay" => "留下";
        nothing_works: "Nothing works here; all is saved." => "这里没有任务在跑，一切都已保存。";
        leave: "Leave" => "离开";
        stopping: "Stopping at the next checkpoint…" => "将在下个检查点停止…";
    }
    say {
        all_go_on(n: u64):
            format!("Hand to a worker: all {n} go on without a screen") => format!("交给后台：{n} 个任务没有界面也会继续");
        run_waits(step: u64, n: u64):
            format!("step {step}, {} for you", many_do(n, "call", "wait")) => format!("第 {step} 步，{n} 个调用等你处理");
        run_paused(step: u64): format!("step {step}, paused; it stays so") => format!("第 {step} 步，已暂停，并保持暂停");
        run_held(step: u64): format!("step {step}, waits for you") => format!("第 {step} 步，在等你");
        run_works(step: u64): format!("step {step}, at work") => format!("第 {step} 步，运行中");
        command_runs(time: &str):
            format!("a command runs since {time}; it goes on to its own time-out")
            => format!("一条命令已运行 {time}，会继续到它自己的超时");
        goes_on_with(run: &str, title: &str, worker: &str):
            format!("{run} goes on with worker {worker}: {title}. `wakeful` brings you back to it.")
            => format!("{run} 由执行者 {worker} 继续：{title}。运行 `wakeful` 可回到它。");
    }
}

words! {
    /// Words of help.
    Help {
        title: "Help" => "帮助";
        here: "Here" => "此处";
        everywhere: "Everywhere" => "任何地方";
        signs: "Signs" => "符号";
        needs_you: "needs you" => "等你处理";
        running: "running" => "运行中";
        done: "done" => "完成";
        failed: "failed" => "失败";
        no: "no" => "未执行";
        unsure: "unsure" => "不确定";
        filter: "type to filter" => "输入以筛选";
        runs_it: "runs it" => "执行";
        close: "close" => "关闭";
        nothing: "Nothing fits. Delete some of what you typed." => "没有匹配项，请删去一些输入。";
    }
    say {
        title_of(place: &str): format!("Help · {place}") => format!("帮助 · {place}");
    }
}

words! {
    /// Words of the palette.
    Palette {
        title: "Command" => "命令";
        nothing_else: "Nothing else." => "没有其他命令。";
        nothing: "No command fits. Delete some of what you typed." => "没有匹配的命令，请删去一些输入。";
        choose: "choose" => "选择";
        run: "run" => "执行";
        close: "close" => "关闭";
    }
}

words! {
    /// Words of a window that is too small.
    Small {
        larger: "Make the window larger. Work goes on." => "请放大窗口。工作仍在继续。";
        stop: "save and stop" => "保存并停止";
        hand_over: "leave, work goes on" => "离开，工作继续";
        stay: "stay" => "不离开";
        held: "another process holds the database" => "数据库被另一进程占用";
        quit: "quit" => "退出";
    }
    say {
        size(width: u64, height: u64):
            format!("{width}×{height}, needs 40×10") => format!("{width}×{height}，需要 40×10");
        calls_wait(n: u64):
            format!("{} for you", many_do(n, "call", "wait")) => format!("{} 个调用等你处理", grouped(n));
        run_at(title: &str, step: u64): format!("{title} · step {step}") => format!("{title} · 第 {step} 步");
    }
}

words! {
    /// Words of the small dialogs: cancel a run, pause now, more time, the exact request, a typed word.
    Asked {
        cancel_title: "Cancel this run?" => "取消这个任务？";
        cancel_text: "It ends with a report; its files and checkpoints stay." => "任务以报告结束，文件和检查点保留。";
        pause_title: "A tool is running" => "有工具正在运行";
        pause_after: "Pause after this call" => "本次调用后暂停";
        pause_kill: "End the command and pause: what it did may be half done" => "结束命令并暂停：操作可能只做了一半";
        pause_leave: "leave it as it is" => "保持不变";
        deliver_title: "A tool is running: deliver the message now?" => "有工具正在运行：立即送达留言？";
        deliver_after: "Let it run; the message goes in after it" => "让它运行完，之后送达留言";
        deliver_kill: "End the command, then the message goes in: what it did may be half done"
            => "结束命令后送达留言：操作可能只做了一半";
        deliver_leave: "it stays queued" => "继续排队";
        pause_go_on: "Pause now; the command goes on, its result is fetched later" => "立即暂停；命令继续，结果以后再取";
        call_ended: "It has ended meanwhile." => "它已经结束。";
        knows_title: "What the agent knows" => "智能体已知的内容";
        diff_title: "What changed" => "变化";
        banner_title: "What to do about it" => "如何处理";
        enter: "confirm" => "确认";
        back: "back" => "返回";
        close: "close" => "关闭";
        more: "more" => "更多";
        loading: "Reading…" => "读取中…";
        end: "end" => "末尾";
        no_output_yet: "No output yet." => "尚无输出。";
        deliver_waits_title: "A call waits for you: deliver the message now?" => "有调用在等你处理：立即送达留言？";
        deliver_decided: "Decide it first; the message goes in after it" => "先处理调用，之后送达留言";
        deliver_deny: "Deny what waits, then the message goes in" => "拒绝等待中的调用，随后送达留言";
        call_decided: "It does not wait any more." => "它已不再等待。";
    }
    say {
        type_word(word: &str): format!("Type {word} to go on") => format!("输入 {word} 以继续");
        wrong_word(word: &str): format!("That is not {word}. Type {word} to go on") => format!("输入的不是 {word}。输入 {word} 以继续");
        cancel_ends(command: &str): format!("The command that runs is ended: {command}") => format!("正在运行的命令会被结束：{command}");
        request_of(step: u64): format!("Exact request · step {step}") => format!("原始请求 · 第 {step} 步");
        written(size: &str): format!("running · {size} so far") => format!("运行中 · 目前 {size}");
        left_out_here(much: &str): format!("{much} left out here") => format!("此处略去 {much}");
        before_this(size: &str): format!("… {size} before this") => format!("… 之前有 {size}");
        cannot_rebuild(why: &str): format!("The request cannot be rebuilt: {why}") => format!("无法重建请求：{why}");
    }
}
