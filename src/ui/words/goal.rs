//! Words of the goal editor and of the dialog with options.

words! {
    /// Words of the goal editor.
    Goal {
        text: "Text" => "内容";
        constraints: "Constraints" => "约束";
        checks: "Checks" => "验收";
        versions: "Versions" => "版本";
        first_version: "first version" => "初版";
        in_force: "in force" => "生效中";
        passed: "passed" => "通过";
        failed: "failed" => "未通过";
        you: "you" => "你";
        field: "field" => "下一栏";
        to_versions: "field … compare versions" => "下一栏…比较版本";
        compares: "compares" => "比较";
        keep_draft: "keep draft" => "保留草稿";
        empty: "A goal cannot be empty." => "目标不能为空。";
        unchanged: "Nothing is changed yet." => "还没有改动。";
        changed_elsewhere: "The goal was edited elsewhere meanwhile: your text stays here, look at the new version."
            => "目标已在别处修改：你的文本保留在此，请先看新版本。";
        not_looked_at: "new, not looked at" => "新版本，尚未查看";
        changed_before: "Your goal was not taken: it was edited elsewhere before." => "你的目标未被采纳：别处已先修改。";
        change_too: "change it too" => "一并修改";
        text_changed: "another text" => "内容有改动";
        reordered: "another order" => "顺序有改动";
        same: "No difference." => "没有差别。";
        made_from_it: "The text here is made from it." => "此处的文本以它为基础。";
        not_read: "on its way, not read yet" => "已发送，尚未读取";
        use_when_on: "use when the run goes on" => "任务继续时使用";
        not_used: "not used yet: the run is over" => "尚未使用：任务已结束";
    }
    say {
        title(new: u64, from: u64): format!("Goal · version {new}, from v{from}") => format!("目标 · 第 {new} 版，基于 v{from}");
        since(step: u64): format!("in force since step {step}") => format!("第 {step} 步起生效");
        use_from(step: u64): format!("use from step {step}") => format!("第 {step} 步起使用");
        disagrees(text: &str, check: &str): format!("Text says {text}, a check says {check}.") => format!("内容写的是 {text}，验收写的是 {check}。");
        disagrees_constraint(text: &str, other: &str): format!("Text says {text}, a constraint says {other}.") => format!("内容写的是 {text}，约束写的是 {other}。");
        still_in_check(number: &str): format!("A check still says {number}.") => format!("验收里还写着 {number}。");
        still_in_constraint(number: &str): format!("A constraint still says {number}.") => format!("约束里还写着 {number}。");
        replaces(version: u64, look: &str, save: &str):
            format!("v{version} was not looked at: {look} compares it; {save} again replaces it unseen.")
            => format!("尚未查看 v{version}：按 {look} 比较；再按 {save} 直接替换它。");
        compared(version: u64): format!("Version {version} and what is written now") => format!("第 {version} 版与现在所写的比较");
        added(text: &str): format!("+ \"{text}\"") => format!("+ “{text}”");
        removed(text: &str): format!("− \"{text}\"") => format!("− “{text}”");
        on_its_way(version: u64, by: &str, time: &str):
            format!("v{version} ({by}, {time}) is on its way: the run has not read it yet.")
            => format!("v{version}（{by}，{time}）已发送，任务尚未读取。");
        not_taken(version: u64, now: u64):
            format!("v{version} was not taken: v{now} is in force. The text here was made from v{version}.")
            => format!("v{version} 未被采纳：生效的是 v{now}。此处的文本以 v{version} 为基础。");
    }
}

words! {
    /// Words of the dialog with options.
    Decision {
        title: "The agent asks you to decide" => "智能体请你决定";
        goal: "Goal" => "目标";
        advised: "← advised" => "← 建议";
        own_words: "Say it in my words…" => "用我的话说…";
        it_waits: "No answer: it waits" => "不回答：它会等待";
        choose: "choose" => "选择";
        decide: "decide" => "决定";
        what_it_knows: "what it knows" => "它已知的内容";
        later: "later (default)" => "以后（默认）";
        held_title: "The run waits for you" => "任务在等你";
        go_on: "Go on as it is" => "照旧继续";
        tell_agent: "Tell the agent what to do" => "告诉智能体怎么做";
        edit_goal: "Edit the goal or its checks" => "修改目标或验收";
        roll_back: "Roll back to an earlier step" => "回退到更早的步骤";
        cancel_run: "End the run" => "结束任务";
        decided: "Decided" => "决定";
        to_message: "close; your text goes to the message line" => "关闭；所写内容移到留言栏";
    }
    say {
        step(n: u64): format!("step {n}") => format!("第 {n} 步");
        by_default(option: u64, time: &str, left: &str):
            format!("No answer: option {option} is taken at {time} (in {left})")
            => format!("不回答：{time} 采用选项 {option}（还有 {left}）");
    }
}

words! {
    /// Words of the plan editor.
    PlanEdit {
        form: "One sub-goal a line, two spaces a level: number [state] title. A new line needs no number. States:"
            => "每行一个子目标，每级缩进两个空格：编号 [状态] 标题。新行可不写编号。状态：";
        unchanged: "Nothing is changed yet." => "还没有改动。";
        moved: "The plan was changed meanwhile: your text stays here, look at what it is now." => "计划期间已有变化：你的文本保留在此，请先看现在的计划。";
        seen: "Your text replaces the plan as you saw it." => "你的文本将替换你所看到的计划。";
        made_from_it: "The text here is made from it." => "此处的文本以它为基础。";
        changed_before: "Your plan was not taken: it was changed before." => "你的计划未被采纳：之前已有变化。";
        compares: "compares" => "比较";
        editor: "editor" => "外部编辑器";
        compared: "The plan as it is now and what is written" => "现在的计划与所写内容的比较";
        same: "No difference." => "没有差别。";
        bad_indent: "indent by two spaces a level, one level more than the line before at most" => "每级缩进两个空格，最多比上一行多一级";
        no_title: "a title is missing" => "缺少标题";
        nothing: "nothing stands here; to take the whole plan away, write: none" => "没有内容；要清空计划，请写 none";
    }
    say {
        title(done: u64, all: u64): format!("Plan · {done}/{all} done") => format!("计划 · {done}/{all} 完成");
        deep(most: u64): format!("a plan has {most} levels at most") => format!("计划最多 {most} 级");
        misplaced(word: &str):
            format!("[{word}] stands where a title stands; a line is: number [state] title") => format!("[{word}] 写在了标题的位置；每行格式：编号 [状态] 标题");
        bad_state(word: &str): format!("there is no state [{word}]") => format!("没有状态 [{word}]");
        long(n: u64, most: u64): format!("the title has {n} characters; at most {most} are kept") => format!("标题有 {n} 个字符，最多 {most} 个");
        twice(id: &str): format!("the number {id} stands above already: take it away here") => format!("编号 {id} 上面已有：请在此删去");
        many_items(n: u64, most: u64): format!("the plan has {n} items; at most {most} are kept") => format!("计划有 {n} 项，最多 {most} 项");
        control(code: &str): format!("the title holds the control character {code}; titles hold none") => format!("标题含有控制字符 {code}，标题中不能有");
        on_its_way(by: &str, time: &str): format!("A change ({by}, {time}) is on its way: the run has not read it yet.")
            => format!("修改（{by}，{time}）已发送，任务尚未读取。");
    }
}
