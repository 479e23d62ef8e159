//! Words of the dialogs about one call: the decision, its arguments, the reason of a denial, an uncertain effect.

use super::numbers::{grouped, many};

words! {
    /// Words of the dialog that asks for a decision on a call.
    Review {
        run_command: "Run this command?" => "运行这条命令？";
        change_file: "Change this file?" => "修改这个文件？";
        make_file: "Make this file?" => "新建这个文件？";
        send_request: "Send this request?" => "发送这个请求？";
        run_call: "Run this call?" => "执行这个调用？";
        agent_asks: "The agent asks you" => "智能体向你提问";
        check_asks: "A check asks you" => "验收项向你提问";
        your_answer: "Your answer" => "你的回答";
        inside: "in" => "位置";
        class: "class" => "类别";
        asked: "asked" => "缘由";
        hash: "hash" => "哈希";
        dangerous: "dangerous" => "危险";
        flagged_asks: "flagged text always asks" => "可疑文字总会询问";
        unchanged: "file unchanged" => "文件未变";
        changed: "file changed since: look again" => "文件已变：请再看一遍";
        new_file: "new file" => "新文件";
        all_seen: "seen to the end" => "已看到末尾";
        run: "run" => "运行";
        approve: "approve" => "批准";
        answer: "answer" => "回答";
        deny: "deny…" => "拒绝…";
        edit: "edit" => "改参数";
        reuse: "reuse" => "复用";
        again: "run again" => "再次运行";
        next: "next" => "下一个";
        leave_waiting: "leave waiting" => "让它等着";
        later: "later" => "以后";
        default: "default" => "默认";
        type_yes: "type yes" => "输入 yes";
        too_soon: "The dialog has just opened: press it again." => "窗口刚打开：请再按一次。";
        binary: "not text" => "不是文本";
        loading: "Reading the call…" => "正在读取调用…";
        still_waits: "Your decision was not taken: it waits still." => "你的决定未被采纳：它仍在等待。";
        waits_no_more: "It does not wait any more." => "它已不再等待。";
        stale_call: "Its arguments have changed since: look at it again." => "参数已改变：请重新查看。";
        empty_answer: "Write an answer first." => "请先写下回答。";
        not_ready: "The call is still being read." => "调用还在读取中。";
        empty_command: "The command is empty." => "命令为空。";
        your_arguments: "with your arguments" => "使用你改的参数";
        close: "close" => "关闭";
        not_yes: "Only the word yes approves it." => "只有输入 yes 才会批准。";
        nothing_to_reuse: "It did not run on a timeline that was left: there is no result to reuse."
            => "它没有在已放弃的时间线上运行过：没有可复用的结果。";
        write_not_reusable: "A file write is not reused: a rollback puts its file back." => "文件写入不能复用：回退会还原它的文件。";
        it_becomes: "The call becomes:" => "调用将是：";
        whole_arguments: "The difference cannot be shown whole; these are the arguments:" => "无法完整显示差异，参数如下：";
    }
    say {
        place(call: &str, at: u64, all: u64): format!("{call} · {at} of {all}") => format!("{call} · {at}/{all}");
        hidden(n: u64):
            if n == 1 { "1 character is not what it looks like; shown as a code, reversed.".to_owned() }
            else { format!("{} characters are not what they look like; shown as codes, reversed.", grouped(n)) }
            => format!("有 {} 个字符与看上去不同，以反色代码显示。", grouped(n));
        looks_like(code: &str, name: &str, like: &str):
            format!("{code} {name}, looks like {like}") => format!("{code} {name}，看上去像 {like}");
        code_name(code: &str, name: &str): format!("{code} {name}") => format!("{code} {name}");
        time_out(seconds: u64): format!("time-out {seconds} s") => format!("超时 {seconds} 秒");
        rule(text: &str): format!("rule \"{text}\"") => format!("规则“{text}”");
        was(lines: u64, size: &str): format!("was {}, {size}", many(lines, "line"))
            => format!("原有 {} 行，{size}", grouped(lines));
        seen(n: u64, all: u64): format!("seen {n} of {all}") => format!("已看 {n}/{all}");
        ran_before(step: u64, result: &str):
            format!("Ran at step {step} of an abandoned timeline; result {result}")
            => format!("曾在已放弃的时间线第 {step} 步运行过；结果：{result}");
        not_reusable(why: &str): format!("Its result of before cannot be reused: {why}") => format!("无法复用旧结果：{why}");
        decided_by(what: &str, who: &str): format!("Already decided by {who}: {what}") => format!("{who} 已决定：{what}");
        unreadable(why: &str): format!("The call cannot be read: {why}") => format!("无法读取调用：{why}");
        stale(why: &str): format!("Your decision was not taken: {why}") => format!("你的决定未被采纳：{why}");
        approve_all(n: u64): format!("approve all {}", grouped(n)) => format!("全部批准 {}", grouped(n));
        read_on(end: &str, then: &str):
            format!("{end} shows the end; {then}") => format!("{end} 到末尾；{then}");
        read_on_from(end: &str, then: &str, seen: u64, all: u64):
            format!("{end} shows the end; {then} · seen {} of {}", grouped(seen), many(all, "line"))
            => format!("{end} 到末尾；{then} · 已看 {}/{} 行", grouped(seen), grouped(all));
        works_then(approve: &str): format!("{approve} works once you have seen it") => format!("看到后 {approve} 才有效");
        asks_then(approve: &str):
            format!("then {approve} asks for the word yes") => format!("看到后按 {approve}，再输入 yes");
        unseen_end(end: &str, seen: u64, all: u64):
            format!("seen {} of {}, {end} end", grouped(seen), grouped(all))
            => format!("已看 {}/{}，{end} 末尾", grouped(seen), grouped(all));
        seen_end(seen: u64, all: u64):
            format!("end seen, {} of {}", grouped(seen), many(all, "line"))
            => format!("已看末尾，{}/{} 行", grouped(seen), grouped(all));
        end_seen(seen: u64, all: u64):
            format!("end seen · {} of {} were on the screen", grouped(seen), many(all, "line"))
            => format!("已看到末尾 · 屏幕上出现过 {}/{} 行", grouped(seen), grouped(all));
        you_changed(name: &str): format!("You changed {name}:") => format!("你改了 {name}：");
        batch(n: u64): format!("Approve these {}?", many(n, "call")) => format!("批准这 {n} 个调用？");
    }
}

words! {
    /// Words of the editor of a call's arguments.
    Edit {
        both_stay: "Agent is told; both stay." => "会告知智能体，两份都保留。";
        nothing_changed: "Nothing is changed yet." => "还没有改动。";
        check_then_review: "check, then review" => "检查，然后查看";
        check: "check" => "检查";
        editor: "editor" => "外部编辑器";
        drop: "drop" => "放弃";
        bad_json: "This is not JSON" => "这不是 JSON";
        kept: "Your text is kept as long as the call waits." => "调用等待期间，你的文本会保留。";
    }
    say {
        title(tool: &str): format!("Edit the call · {tool}") => format!("修改调用 · {tool}");
        changed(fields: &str): format!("Changed: {fields}.") => format!("已改：{fields}。");
        at_line(line: u64, what: &str): format!("line {line}: {what}") => format!("第 {line} 行：{what}");
    }
}

words! {
    /// Words of the dialog that denies a call.
    Deny {
        agent_reads: "The agent reads this:" => "智能体会读到：";
        earlier: "reasons:" => "理由：";
        wrong_approach: "wrong approach" => "思路不对";
        too_risky: "too risky" => "风险太大";
        not_now: "not now" => "现在不行";
        deny: "deny" => "拒绝";
        back: "back, it keeps waiting" => "返回，继续等待";
    }
    say {
        title(call: &str): format!("Deny {call}?") => format!("拒绝 {call}？");
        title_all(n: u64): format!("Deny these {}?", many(n, "call")) => format!("拒绝这 {n} 个调用？");
    }
}

words! {
    /// Words of the dialog about an uncertain effect.
    Unsure {
        title: "Did this happen?" => "这件事发生了吗？";
        interrupted: "It was started, and its end was never recorded. Evidence:" => "它已开始，但没有记录到结束。线索：";
        no_record: "supervisor gone · no exit status" => "监护进程已不在 · 没有退出状态";
        no_output: "no output" => "没有输出";
        no_probe: "probe: this tool has none" => "自查：此工具不支持";
        no_folder: "workspace: it cannot be looked at" => "工作目录：无法查看";
        elsewhere_never: "same effect elsewhere: never" => "别处相同的操作：从未";
        happened: "It happened: record it, give the output above to the agent" => "已发生：记录下来，把上面的输出交给智能体";
        rerun: "It did not: run it again (may do it twice; type yes)" => "未发生：再次运行（可能做两遍；输入 yes）";
        skip: "Skip: tell the agent that nobody knows" => "跳过：告诉智能体无人知道";
        later: "decide later (default, run waits)" => "以后决定（默认，任务等待）";
        happened_bare: "It happened: record it, tell the agent; no output is known" => "已发生：记录下来并告诉智能体；没有已知的输出";
    }
    say {
        started(time: &str): format!("started {time}") => format!("开始于 {time}");
        output(n: u64): format!("{} of output, the last:", many(n, "line")) => format!("{} 行输出，最后是：", grouped(n));
        no_file_after(time: &str):
            format!("workspace: no file changed after {time}") => format!("工作目录：{time} 之后没有文件变化");
        files_after(n: u64, time: &str, named: &str):
            format!("workspace: {} changed after {time}: {named}", many(n, "file"))
            => format!("工作目录：{time} 之后有 {} 个文件变化：{named}", grouped(n));
        not_all_after(n: u64, time: &str):
            format!("workspace: not all was looked at; {} changed after {time}", many(n, "file"))
            => format!("工作目录：未能全部查看；{time} 之后有 {} 个文件变化", grouped(n));
        elsewhere(run: &str, step: u64, status: &str, ago: &str):
            format!("same effect elsewhere: {run} step {step}, {status}, {ago} ago")
            => format!("别处相同的操作：{run} 第 {step} 步，{status}，{ago} 前");
        attempt(n: u64): format!("attempt {n}") => format!("第 {n} 次尝试");
    }
}
