//! Words of the panels Queue, Checkpoints, Plan and Runs.

use super::numbers::{grouped, many};

words! {
    /// Words of the panel Queue.
    Queue {
        empty: "Nothing waits. Calls that need you appear here." => "没有待处理的调用。需要你的调用会出现在这里。";
        nothing_here: "This run: nothing waits for you" => "本任务：没有等你处理的";
        other_runs: "Other runs" => "其他任务";
        call: "call" => "调用";
        tool: "tool" => "工具";
        what: "what" => "内容";
        class: "class" => "类别";
        age: "age" => "时长";
        asked: "asked" => "缘由";
        by: "by" => "决定者";
        hash: "hash" => "哈希";
        you: "you" => "你";
        undone: "undone" => "已撤销";
        whole_call: "whole call" => "完整调用";
        decide: "decide" => "决定";
        on_other_timeline: "on another timeline" => "在另一时间线";
        this_run: "this run" => "本任务";
    }
    say {
        wait(n: u64): format!("{n} wait{}", if n == 1 { "s" } else { "" }) => format!("{n} 待处理");
        done(n: u64): format!("{} done", grouped(n)) => format!("{} 完成", grouped(n));
        failed(n: u64): format!("{} failed", grouped(n)) => format!("{} 失败", grouped(n));
        denied(n: u64): format!("{} denied", grouped(n)) => format!("{} 拒绝", grouped(n));
        unsure(n: u64): format!("{} unsure", grouped(n)) => format!("{} 不确定", grouped(n));
        marked(n: u64): format!("{} marked", grouped(n)) => format!("已标记 {}", grouped(n));
        step(n: u64): format!("Step {n}") => format!("第 {n} 步");
        selected(call: &str, status: &str):
            format!("Selected {call} · {status}") => format!("所选 {call} · {status}");
        attempt(n: u64, time: &str): format!("attempt {n} · {time}") => format!("第 {n} 次尝试 · {time}");
        running(n: u64): format!("{} running", grouped(n)) => format!("{} 运行中", grouped(n));
        approved(n: u64): format!("{} approved", grouped(n)) => format!("{} 已批准", grouped(n));
        proposed(n: u64): format!("{} proposed", grouped(n)) => format!("{} 已提出", grouped(n));
        rejected(n: u64): format!("{} rejected", grouped(n)) => format!("{} 驳回", grouped(n));
        cancelled(n: u64): format!("{} cancelled", grouped(n)) => format!("{} 取消", grouped(n));
        decided(n: u64): format!("{} sending", grouped(n)) => format!("{} 发送中", grouped(n));
        decided_by(who: &str, time: &str): format!("{who}, {time}") => format!("{who}，{time}");
    }
}

words! {
    /// Words of the panel Checkpoints.
    Checkpoints {
        empty: "No checkpoint yet: the first comes after step 1." => "还没有检查点：第 1 步之后出现第一个。";
        step: "step" => "步";
        time: "time" => "时间";
        tokens: "tokens" => "词元";
        files: "files" => "文件";
        now: "now" => "现在";
        in_progress: "in progress" => "进行中";
        in_flight: "in flight" => "等待回复";
        undone: "undone" => "已撤销";
        no_files_since: "files since then: none" => "此后的文件变化：无";
        compare: "compare" => "比较";
        start: "start" => "开始";
        end: "end" => "结束";
    }
    say {
        timeline_of(n: u64, all: u64): format!("timeline {n} of {all}") => format!("时间线 {n}/{all}");
        branches(n: u64): format!("{n} {}", if n == 1 { "branch" } else { "branches" }) => format!("{n} 条分支");
        sum(all: &str, undone: &str):
            format!("sum {all} with {undone} undone") => format!("共 {all}，其中 {undone} 已撤销");
        to_roll_back_to(step: u64):
            format!("Step {step}, to roll back to") => format!("若回退到第 {step} 步");
        would_undo(from: u64, to: u64, tokens: &str):
            if from == to { format!("would undo step {from} ({tokens} tokens)") }
            else { format!("would undo steps {from}–{to} ({tokens} tokens)") }
            => if from == to { format!("将撤销第 {from} 步（{tokens} 词元）") }
            else { format!("将撤销第 {from}–{to} 步（{tokens} 词元）") };
        files_since(n: u64): format!("files since then: {}", grouped(n)) => format!("此后的文件变化：{}", grouped(n));
        cannot_undo(n: u64): format!("cannot be undone: {}", many(n, "command")) => format!("无法撤销：{n} 条命令");
    }
}

words! {
    /// Words of the panel Plan.
    Plan {
        empty: "No plan yet. The agent writes one when the goal takes several steps."
            => "还没有计划。目标需要多步时，智能体会写出来。";
        edits: "edits the plan" => "修改计划";
    }
    say {
        done(done: u64, all: u64): format!("{done}/{all} done") => format!("{done}/{all} 完成");
        questions(n: u64): many(n, "open question") => format!("{n} 个未决问题");
        facts(n: u64): many(n, "fact") => format!("{n} 条事实");
        items(n: u64): many(n, "item") => format!("{n} 项");
        edited(step: u64): format!("changed by a person in step {step}") => format!("第 {step} 步时由人修改");
        on_its_way(by: &str, time: &str): format!("a change ({by}, {time}) is on its way") => format!("修改（{by}，{time}）已发送，尚未读取");
    }
}

words! {
    /// Words of the panel Runs.
    Runs {
        status: "status" => "状态";
        run: "run" => "编号";
        title: "title" => "标题";
        steps: "steps" => "步数";
        tokens: "tokens" => "词元";
        age: "age" => "时长";
        next_run: "next run" => "下一任务";
        next_needs_you: "next that needs you" => "下一件待处理";
        new_run: "new run" => "新任务";
        untitled: "(no title)" => "（无标题）";
    }
    say {
        empty(key: &str): format!("No run yet. {key} starts one.") => format!("还没有任务。按 {key} 新建。");
        waits(call: &str, time: &str): format!("{call} waits {time}") => format!("{call} 已等 {time}");
        more(n: u64): format!("{} more", grouped(n)) => format!("还有 {} 个", grouped(n));
    }
}
