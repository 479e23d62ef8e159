//! Words of what can be done about a banner: the choices, what each of them does, and the small forms behind them.

words! {
    /// Words of the choices.
    Choices {
        nothing_to_do: "Nothing has to be done: it goes with its cause." => "无需处理：原因消失后横幅也会消失。";
        full_why: "What was committed is safe. The step is tried again by itself until there is room."
            => "已提交的内容是安全的。有空间之前会自动重试这一步。";
        no_room_why: "What was stored is safe. Free some room, then do it again: what you wrote comes back in its dialog."
            => "已保存的内容是安全的。腾出空间后再做一次：所写内容会回到原来的窗口里。";
        not_saved_why: "It is kept, and stored as soon as the store is free. Do not decide it again." => "已记下，数据库空闲后立即保存，不必再次决定。";
        locked_why: "It goes on by itself once the other program lets go." => "另一程序释放后会自动继续。";
        not_read_why: "What is shown stays as it was; it is read again twice a second."
            => "显示的内容保持不变，每秒会重新读取两次。";
        damaged_why: "The damaged rows are kept and never skipped; the run goes on only if you accept that."
            => "损坏的记录会保留，不会悄悄跳过；你接受之后任务才会继续。";
        file_damaged_why: "What is shown is right as far as it can be read. What cannot be read is said where it is missing."
            => "能读到的内容都是正确的；读不到之处会在那里说明。";
        put_back: "If you have a backup: leave wakeful everywhere, then put it in the file's place."
            => "如有备份：请先退出所有 wakeful，再用备份替换此文件。";
        newer_why: "Use the newer wakeful to go on with it." => "请用更新版本的 wakeful 继续。";
        cut_why: "Some servers drop the front of a prompt that is too long, and say nothing. That is where the rules and the goal stand."
            => "有些服务器会悄悄丢掉过长提示词的开头，而规则和目标就在那里。";
        asleep_why: "It is alive and could wake in the middle of a write, so nobody takes its run unasked. If it wakes, it goes on."
            => "它还活着，可能在写入途中醒来，所以不会有谁擅自接管。它醒来后会自行继续。";
        alone_why: "Its supervisor watches it to its own time-out and writes down how it ended. Whoever goes on with the run waits for that; nothing is done twice."
            => "监督进程会看管它直到超时，并记下结果。继续任务的执行者会等待这个结果，不会重复执行。";
        price_why: "Without a price the cost cannot be counted, and the limit cannot hold." => "没有价格就无法计算费用，限额也无法生效。";
        near_why: "At the limit the agent writes its final report and the run ends; raising it later reopens the run."
            => "到达限额时智能体写总结报告，任务结束；之后提高限额可重新开始。";
        retry_now: "Try again now" => "立即重试";
        look: "Look at what is damaged, and what can be done" => "查看损坏之处和处理办法";
        set_window: "Set the model's window to what the server reads" => "把模型窗口设为服务器实际读取的长度";
        request: "Look at the exact request" => "查看原始请求";
        set_price: "Set the price of this model" => "设置此模型的价格";
        limits: "Change the limits" => "修改限额";
        choose: "choose" => "选择";
        do_it: "do it" => "执行";
        gone: "It has gone with its cause." => "原因已消失，横幅不再存在。";
        damage_title: "What is damaged" => "损坏之处";
        keep_copy: "keeps a copy first" => "先留一份副本";
        look_through: "looks through everything and says what else is damaged" => "检查全部内容，说明还有哪些损坏";
        accept: "the run goes on from its last valid checkpoint; what is damaged stays beside it"
            => "任务从最后一个有效检查点继续，损坏的内容另行保留";
        window_title: "The model's window" => "模型窗口";
        price_title: "Price of the model" => "模型价格";
        window: "window" => "窗口";
        per_million: "per million tokens" => "每百万词元";
        prompt: "prompt" => "提示词";
        cached: "cached" => "缓存";
        reply: "reply" => "回复";
        window_note: "From the next request on the context is trimmed to fit it. Or start the server with a larger context."
            => "从下一次请求起，上下文会裁剪到此长度。也可以用更大的上下文重启服务器。";
        price_note: "Counts from the next reply on; what was used before has no price."
            => "从下一次回复起计费，之前的用量没有价格。";
        bad_window: "write a number of tokens, at least 1,024" => "请写词元数，至少 1,024";
        bad_price: "write an amount, such as 0.28" => "请写金额，如 0.28";
        set: "use from now on" => "立即生效";
        window_set: "The new window is in force from the next request." => "新窗口从下一次请求起生效。";
        price_set: "The price is in force." => "价格已生效。";
        at_limit_why: "The agent wrote its final report. A higher limit reopens the run, and it goes on from there."
            => "智能体已写总结报告。提高限额后任务重新开始，从那里继续。";
        at_limit_bare_why: "The limit left no room to ask the agent for its final report. A higher limit reopens the run, and it goes on from there."
            => "限额已不够再请智能体写总结报告。提高限额后任务重新开始，从那里继续。";
    }
    say {
        retry_why(time: &str, key: &str):
            format!("It asks again in {time} by itself. A pause ends the wait; {key} then goes on, and it asks again as soon as that time is over.")
            => format!("{time} 后会自动再试。暂停可结束等待；之后按 {key} 继续，到时间就会再次请求。");
        stop_retry(attempt: u64, most: u64):
            format!("Stop waiting: pause the run (attempt {attempt} of {most} is not made)")
            => format!("不再等待：暂停任务（第 {attempt}/{most} 次尝试不会进行）");
        take_over(worker: &str):
            format!("End worker {worker} and take the run over") => format!("结束执行者 {worker} 并接管任务");
        raise(limit: &str): format!("Raise the limit: {limit}") => format!("提高限额：{limit}");
        take_over_title(worker: &str): format!("End worker {worker}?") => format!("结束执行者 {worker}？");
        take_over_text(worker: &str):
            format!("Process {worker} is killed where it stands. What it committed stays, a command that it started goes on, and this process goes on with the run.")
            => format!("进程 {worker} 会被立即结束。已提交的内容保留，它启动的命令继续运行，任务由本进程继续。");
        file_damage_text(file: &str, reason: &str):
            format!("The database file {file} is damaged: parts of it cannot be read.\nWhat was met: {reason}")
            => format!("数据库文件 {file} 已损坏：有些部分读不到。\n遇到的问题：{reason}");
        damage_text(event: u64, rows: u64, reason: &str):
            format!("First damaged event: {event} ({reason})\nDamaged rows: {rows}, kept as they are")
            => format!("首条损坏的日志：{event}（{reason}）\n损坏的记录：{rows} 条，原样保留");
        window_now(tokens: &str): format!("now {tokens}") => format!("现在 {tokens}");
    }
}
