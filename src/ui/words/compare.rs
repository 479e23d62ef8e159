//! Words of the comparison of a checkpoint with now.

use super::numbers::{grouped, many};

words! {
    /// Words of the comparison of a checkpoint with now.
    Compare {
        looking: "Looking at both…" => "正在查看两者…";
        steps: "Steps" => "步骤";
        goal: "Goal" => "目标";
        plan: "Plan" => "计划";
        notes: "Notes" => "笔记";
        files: "Files" => "文件";
        same: "the same" => "相同";
        none_since: "none since" => "此后没有";
        no_files: "none of this run differs" => "本任务的文件都没有变化";
        constraint: "constraint" => "约束";
        check: "check" => "验收";
        fact: "fact" => "事实";
        question: "question" => "问题";
        close: "close" => "关闭";
    }
    say {
        title(step: u64): format!("Step {step} and now") => format!("第 {step} 步与现在");
        since(steps: &str, tokens: u64): format!("{steps} since, {}", many(tokens, "token"))
            => format!("此后 {steps}，{} 词元", grouped(tokens));
        apart(steps: &str): format!("{steps} only there") => format!("{steps} 只在那条时间线上");
        versions(then: u64, now: u64): format!("v{then}, now v{now}") => format!("v{then}，现为 v{now}");
        same_goal(then: u64, now: u64):
            if then == now { format!("the same, v{now}") } else { format!("the same, v{then} and now v{now}") }
            => if then == now { format!("相同，v{now}") } else { format!("相同，v{then}，现为 v{now}") };
        differ(n: u64): format!("{} since", many(n, "change")) => format!("此后 {n} 处变化");
        cannot(why: &str): format!("It cannot be compared: {why}") => format!("无法比较：{why}");
    }
}
