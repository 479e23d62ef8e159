//! Words of the panels Loop and Context, and the names of all panels.

use super::numbers::{grouped, many};

words! {
    /// Names of panels.
    Panels {
        live: "Loop" => "循环";
        context: "Context" => "上下文";
        queue: "Queue" => "队列";
        checkpoints: "Checkpoints" => "检查点";
        plan: "Plan" => "计划";
        runs: "Runs" => "任务";
        limits: "Limits" => "限额";
        following: "following ↓" => "跟随最新 ↓";
        zoomed: "zoomed" => "已放大";
    }
    say {
        new_below(n: u64): format!("↓ {} new", grouped(n)) => format!("↓ {} 条新内容", grouped(n));
        below(n: u64): format!("↓ {n}") => format!("↓ {n}");
    }
}

words! {
    /// Words of the panel Loop.
    Loop {
        empty: "No step yet. The first begins with the state, then the context, then the model."
            => "还没有步骤。第一步先载入状态，再组装上下文，然后询问模型。";
        you: "you" => "你";
        agent: "agent" => "智能体";
        wakeful: "wakeful" => "wakeful";
        waits_for_you: "waits for you" => "等你处理";
        waits_for_answer: "waits for your answer" => "等你回答";
        denied_by_you: "denied by you" => "你已拒绝";
        no_files: "no files" => "无文件变化";
        exact_request: "exact request" => "原始请求";
        first_token: "waiting for the first token" => "等待第一个词元";
        cut: "cut, will be retried" => "已中断，将重试";
        given_up: "model call given up" => "模型调用已放弃";
        paused: "paused" => "已暂停";
        resumed: "goes on" => "继续";
        returned: "not done yet: back to the agent" => "尚未完成：交还智能体";
        report: "Final report" => "总结报告";
        undone: "undone" => "已撤销";
        as_told: "As the agent got it" => "智能体收到的原文";
        no_output: "alive, no output yet" => "仍在运行，尚无输出";
        by_rollback: "ended by the rollback" => "因回退而结束";
        by_model: "written by the model" => "由模型撰写";
        core_asked: "asks for the core of the task" => "请模型写出任务核心";
        read_next: "on its way, read at the next step" => "已发送，下一步读取";
        read_by_worker: "on its way, read once a worker has the run" => "已发送，待执行者接手后读取";
        comma: ", " => "，";
    }
    say {
        by_named(name: &str): format!("written by {name}") => format!("由 {name} 撰写");
        calls(n: u64): many(n, "call") => format!("{} 次调用", grouped(n));
        lines(n: u64): many(n, "line") => format!("{} 行", grouped(n));
        more_lines(n: u64): format!("… {} more {}", grouped(n), if n == 1 { "line" } else { "lines" })
            => format!("… 还有 {} 行", grouped(n));
        more_lines_size(n: u64, size: &str, key: &str):
            format!("… {} more {} · {size} · {key} shows all", grouped(n), if n == 1 { "line" } else { "lines" })
            => format!("… 还有 {} 行 · {size} · 按 {key} 看全部", grouped(n));
        more_size(size: &str, key: &str):
            format!("… more · {size} · {key} shows all") => format!("… 还有更多 · {size} · 按 {key} 看全部");
        exit(code: i64): format!("exit {code}") => format!("退出码 {code}");
        signal(no: u64): format!("signal {no}") => format!("信号 {no}");
        checkpoint(step: u64): format!("checkpoint {step}") => format!("检查点 {step}");
        tokens(n: u64): many(n, "token") => format!("{} 词元", grouped(n));
        files(n: u64): many(n, "file") => format!("{} 个文件", grouped(n));
        thinking(tokens: u64, key: &str):
            format!("thinking ~{} ({key} shows)", many(tokens, "token"))
            => format!("思考 ~{} 词元（{key} 显示）", grouped(tokens));
        reply(tokens: u64, rate: u64):
            format!("reply {} · {rate} tok/s", many(tokens, "token"))
            => format!("回复 {} 词元 · {rate} 词元/秒", grouped(tokens));
        so_far(tokens: u64, first: &str):
            format!("{} so far · first token {first}", many(tokens, "token"))
            => format!("目前 {} 词元 · 首词元 {first}", grouped(tokens));
        about_so_far(tokens: u64, first: &str):
            format!("~{} so far · first token {first}", many(tokens, "token"))
            => format!("目前 ~{} 词元 · 首词元 {first}", grouped(tokens));
        alive(time: &str): format!("alive, last output {time}") => format!("仍在运行，上次输出 {time} 前");
        attempt(n: u64): format!("attempt {n}") => format!("第 {n} 次尝试");
        folded(rounds: u64): format!("{} folded into the summary", many(rounds, "older round"))
            => format!("{} 轮旧对话已并入摘要", grouped(rounds));
        summary_asked(rounds: u64): format!("asks for a summary of {}", many(rounds, "older round"))
            => format!("请模型为 {} 轮旧对话写摘要", grouped(rounds));
        outputs_shortened(n: u64):
            format!("{} shortened to fit the window", many(n, "output"))
            => format!("{} 份输出为适应窗口缩短", grouped(n));
        result_kept(text: &str): format!("remembered: {text}") => format!("已记住：{text}");
        words_alone(why: &str):
            format!("memories are found by their words alone: {why}") => format!("记忆仅凭词语查找：{why}");
        core_kept(text: &str): format!("core of the task: {text}") => format!("任务核心：{text}");
        not_taken(why: &str): format!("not taken: {why}") => format!("未采用：{why}");
        left_out(n: u64):
            format!("{} left out: posed as goal or instructions", many(n, "line"))
            => format!("{} 行冒充目标或指令，未收入", grouped(n));
        outputs_dropped(n: u64): format!("{} no longer shown to the model", many(n, "old output"))
            => format!("{} 份旧输出不再给模型看", grouped(n));
        goal_now(version: u64): format!("goal is now v{version}") => format!("目标现为 v{version}");
        plan_now(done: &str): format!("the plan was changed by a person: {done} done") => format!("计划已由人修改：{done} 完成");
        rolled_back(step: u64, timeline: u64):
            format!("rolled back to step {step}, now on timeline {timeline}")
            => format!("已回退到第 {step} 步，现在是时间线 {timeline}");
        redone(step: u64, timeline: u64):
            format!("rollback taken back: at step {step} again, now on timeline {timeline}")
            => format!("已撤销回退：回到第 {step} 步，现在是时间线 {timeline}");
        not_rolled_back(why: &str): format!("not rolled back: {why}") => format!("未能回退：{why}");
        not_applied(control: &str, why: &str):
            format!("{control} was not applied: {why}") => format!("“{control}”未生效：{why}");
        check_passed(what: &str): format!("check passed: {what}") => format!("验收通过：{what}");
        check_failed(what: &str): format!("check failed: {what}") => format!("验收未通过：{what}");
        lines_before(n: u64, size: &str, key: &str):
            format!("… {} before · {size} so far · {key} shows all", many(n, "line"))
            => format!("… 之前有 {} 行 · 目前 {size} · 按 {key} 看全部", grouped(n));
        so_much(size: &str, key: &str):
            format!("… {size} so far · {key} shows all") => format!("… 目前 {size} · 按 {key} 看全部");
    }
}

words! {
    /// Words of the panel Context.
    Context {
        empty: "No request yet: the table comes with step 1." => "还没有请求：第 1 步时出现此表。";
        slot: "slot" => "部分";
        used: "used" => "已用";
        budget: "budget" => "预算";
        bar: "bar" => "占用";
        items: "items" => "条数";
        trimmed: "trimmed" => "裁剪";
        total: "total" => "合计";
        kept_free: "kept free" => "留给回复";
        borrows: "borrows" => "借用";
        never_trimmed: "system and goal are never trimmed" => "系统和目标从不裁剪";
        nothing_trimmed: "nothing trimmed" => "没有裁剪";
        trimmed_since_start: "Trimmed since the start" => "开始以来的裁剪";
        exact: "exact" => "精确";
        estimated: "estimate" => "估算";
        own_estimate: "the text alone" => "文字本身";
        items_of_slot: "items of a slot" => "查看条目";
        exact_request: "exact request" => "原始请求";
        by_words: "words" => "词语";
        by_meaning: "meaning" => "语义";
        by_both: "words, meaning" => "词语、语义";
        pinned: "pinned" => "置顶";
        from_you: "from you" => "来自你";
        words_alone: "words alone: the source of vectors did not answer" => "仅凭词语：向量来源未应答";
        rules: "Role, rules, form of the reply" => "角色、规则与回复格式";
        instructions: "Workspace instructions" => "工作目录说明";
        preferences: "Your preferences" => "你的偏好";
        the_goal: "The pinned goal" => "置顶的目标";
        the_core: "The core of the task" => "任务核心";
        the_summary: "Summary of older rounds" => "旧对话的摘要";
        opener: "opening words" => "开场语";
        lost_place: "a message that lost its place" => "失去原位的消息";
        long_term: "Memories" => "记忆";
        progress: "How far the run is" => "任务进度";
        checks: "Checks that failed when last run" => "上次未通过的验收";
        the_plan: "Plan" => "计划";
        questions: "Open questions" => "未决问题";
        facts: "Confirmed facts" => "已确认的事实";
        superseded: "Superseded goal" => "被取代的目标";
        done_earlier: "Done in rounds that left the window" => "已移出窗口的各轮所做";
        asked_for: "What is asked for now" => "当前的要求";
        no_items: "Nothing stands in it." => "其中没有内容。";
    }
    say {
        title(step: u64, strategy: &str):
            format!("step {step} · {strategy}") => format!("第 {step} 步 · {strategy}");
        prompt(tokens: &str): format!("prompt {tokens}") => format!("提示词 {tokens}");
        server(tokens: &str): format!("server {tokens}") => format!("服务器计 {tokens}");
        free(tokens: &str): format!("free {tokens}") => format!("空余 {tokens}");
        prompt_and_reserve(prompt: &str, reserve: &str):
            format!("prompt {prompt} + reserve {reserve}") => format!("提示词 {prompt} + 预留 {reserve}");
        drift(tokens: &str, share: &str): format!("drift {tokens} ({share})") => format!("偏差 {tokens}（{share}）");
        learnt(drift: &str): format!("{drift}, learnt for this model") => format!("{drift}，已为此模型校准");
        learnt_short(by: &str): format!("{by}, learnt") => format!("{by}，已校准");
        cached(tokens: &str, share: &str): format!("cached {tokens} ({share})") => format!("缓存 {tokens}（{share}）");
        cached_by_server(tokens: &str, share: &str):
            format!("cached by the server {tokens} ({share})") => format!("服务器缓存 {tokens}（{share}）");
        next_trim(slot: &str): format!("next trim: {slot}") => format!("下一个裁剪：{slot}");
        counted_by(tokenizer: &str, manner: &str):
            format!("counted by {tokenizer} ({manner})") => format!("由 {tokenizer} 计数（{manner}）");
        last_reply(step: u64): format!("Last reply (step {step})") => format!("上次回复（第 {step} 步）");
        we_counted(ours: &str, server: &str, reply: &str):
            format!("we counted {ours} · server {server} · reply {reply}")
            => format!("我们计 {ours} · 服务器计 {server} · 回复 {reply}");
        trimmed_for(step: u64): format!("Trimmed for step {step}") => format!("第 {step} 步的裁剪");
        memories(n: u64): format!("Long-term, {}, why", many(n, "item")) => format!("长期，{} 条，及原因", grouped(n));
        memory_words(words: &str): format!("found by the words {words}") => format!("因词语找到：{words}");
        memory_meaning(score: &str): format!("alike in meaning {score}") => format!("语义相近 {score}");
        memory_from(run: &str, step: u64): format!("from {run}, step {step}") => format!("来自 {run} 第 {step} 步");
        memory_disagrees(id: &str): format!("{id} says otherwise; you have not decided yet") => format!("{id} 的说法不同，你尚未决定");
        audit_well(step: u64): format!("Audit of the goal in step {step}: no drift") => format!("第 {step} 步核对目标：无偏离");
        audit_drift(step: u64): format!("Audit of the goal in step {step}: drift, removed") => format!("第 {step} 步核对目标：有偏离，已去除");
        audit_refused(step: u64): format!("Audit of the goal in step {step}: not taken")
            => format!("第 {step} 步核对目标：未采用");
        audit_failed(step: u64): format!("Audit of the goal in step {step}: no answer") => format!("第 {step} 步核对目标：没有答复");
        next_audit(step: u64): format!("Next audit in step {step}") => format!("下次核对在第 {step} 步");
        items_title(slot: &str, step: u64): format!("Context: {slot}, step {step}") => format!("上下文：{slot}，第 {step} 步");
        of_budget(used: &str, budget: &str): format!("{used} of {budget} tokens") => format!("{used}/{budget} 词元");
        unattributed(tokens: &str):
            format!("unattributed · {tokens} tokens of frames between the items")
            => format!("未归属 · {tokens} 词元，为条目之间的框架");
        with_tokens(what: &str, tokens: &str): format!("{what} · {tokens} tokens") => format!("{what} · {tokens} 词元");
        result_of(tool: &str): format!("result of {tool}") => format!("{tool} 的结果");
        dropped_result(tool: &str): format!("result of {tool}, no longer shown to the model") => format!("{tool} 的结果，不再给模型看");
        left_out(what: &str, why: &str, tokens: &str): format!("{what} left out: {why} ({tokens} tokens)") => format!("已略去 {what}：{why}（{tokens} 词元）");
        since_start(words: &str): format!("since the start: {words}") => format!("开始以来：{words}");
        shortened(n: &str): format!("{n} shortened") => format!("缩短 {n} 份");
        shortened_items(what: &str, tokens: &str):
            format!("{what} shortened to fit the window ({tokens} tokens left out)")
            => format!("{what}为适应窗口缩短（略去 {tokens} 词元）");
        borrows_so_much(tokens: &str): format!("borrows {tokens}") => format!("借用 {tokens}");
        borrows_from(tokens: &str):
            format!("borrows {tokens} tokens that other slots leave free") => format!("借用其他部分空余的 {tokens} 词元");
        reserve_is(tokens: &str): format!("Nothing stands in it: it is kept free for the reply, which may take {tokens} tokens at most.") => format!("其中没有内容：留给回复使用，回复最多 {tokens} 词元。");
        not_as_sent(why: &str): format!("What is shown may differ from what was sent: {why}") => format!("以下内容可能与实际发送的不同：{why}");
        strip(used: &str, window: &str): format!("context {used}/{window}") => format!("上下文 {used}/{window}");
    }
}
