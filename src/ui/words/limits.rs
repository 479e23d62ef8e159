//! Words of the limits: the strip at the foot, the panel, the dialog that changes them.

use super::numbers::many;

words! {
    /// Words of limits.
    Limits {
        steps: "steps" => "步数";
        tokens: "tokens" => "词元";
        run_tokens: "run tokens" => "任务词元";
        cost: "cost" => "费用";
        time: "time" => "用时";
        active_time: "active time" => "有效用时";
        calls: "calls" => "调用";
        tool_calls: "tool calls" => "工具调用";
        calls_a_minute: "calls a minute" => "每分钟调用";
        failures: "failures" => "失败";
        failures_in_a_row: "failures in a row" => "连续失败";
        same_call: "same call" => "重复调用";
        same_call_result: "same call, result" => "同调用同结果";
        model_call: "one model call" => "单次模型调用";
        database: "database" => "数据库";
        no_limit: "no limit" => "不限";
        no_price: "price unknown" => "价格未知";
        change: "change" => "修改";
        what_counts: "Tokens: uncached prompt + reply. At 80 % you are asked to raise it."
            => "词元：未缓存的提示词加回复。到 80 % 时会请你提高限额。";
        title: "Change limits" => "修改限额";
        approval: "Approval" => "审批";
        unchanged: "nothing is changed yet" => "还没有修改";
        save: "use from now on" => "立即生效";
        keep_draft: "keep draft" => "保留草稿";
        not_a_number: "write a whole number, such as 50" => "请写整数，如 50";
        not_tokens: "write a number of tokens, such as 400000 or 400k" => "请写词元数，如 400000 或 400k";
        not_money: "write an amount, such as 2.00" => "请写金额，如 2.00";
        not_time: "write a time, such as 30m or 2h" => "请写时长，如 30m 或 2h";
        ended_goes_on: "The run ended at a limit: it goes on once that one is raised."
            => "任务因达到限额而结束：提高该限额后会继续。";
        not_zero: "write more than 0: with nothing left the run could not go on"
            => "须大于 0：没有余量任务就无法进行";
    }
    say {
        a_minute(used: u64, most: u64): format!("{used}/{most} a minute") => format!("每分钟 {used}/{most}");
        steps_left(n: u64): format!("about {} left", many(n, "step")) => format!("约还能走 {n} 步");
        undone(n: u64): format!("{n} of them undone") => format!("其中 {n} 步已撤销");
        price(prompt: &str, completion: &str):
            format!("{prompt} / {completion} per M") => format!("每百万 {prompt} / {completion}");
        at_least(cost: &str): format!("at least {cost}") => format!("至少 {cost}");
        left_out(time: &str): format!("{time} waiting left out") => format!("不含等待 {time}");
        pauses_at(n: u64): format!("{n} = pause and ask") => format!("到 {n} 次暂停并询问");
        kept_for_report(tokens: &str):
            format!("{tokens} tokens kept for the final report") => format!("为总结报告预留 {tokens} 词元");
        changes(name: &str, old: &str, new: &str): format!("{name} {old} → {new}") => format!("{name} {old} → {new}");
        far(change: &str): format!("{change}: is that meant?") => format!("{change}：确定吗？");
        in_force(changes: &str): format!("Limits: {changes}") => format!("限额：{changes}");
        below_used(used: &str):
            format!("{used} are used already: the run would end at once") => format!("已用 {used}：任务会立即结束");
    }
}
