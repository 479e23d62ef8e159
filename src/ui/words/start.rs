//! Words of the start screen and of the form of a new run.

use super::numbers::many;

words! {
    /// Words of the start screen.
    Start {
        nothing_found: "No model was found:" => "没有找到模型：";
        nothing_found_short: "No model was found." => "没有找到模型。";
        no_base_url: "no OPENAI_BASE_URL" => "没有 OPENAI_BASE_URL";
        no_key: "no key" => "没有密钥";
        not_looked: "the config names none, and looking for one is off"
            => "配置中没有模型，自动查找未开启";
        try_now: "You can try everything now with the offline model." => "现在就可以用离线模型试用全部功能。";
        try_here: "Try it here with the offline model" => "在这里用离线模型试用";
        asks_first: "asks before it writes wakeful-report.md. Not an LLM; no network."
            => "写 wakeful-report.md 之前先问你。不是大语言模型，不联网。";
        job: "Survey this folder and write what you found to wakeful-report.md"
            => "浏览这个文件夹，把结果写到 wakeful-report.md";
        job_constraint: "change no other file" => "不改动其他文件";
        connect: "Connect a server: base URL, model, name of the key variable"
            => "连接服务器：地址、模型、密钥变量名";
        new_run: "New run: write the goal" => "新任务：写下目标";
        dark: "dark" => "深色";
        light: "light" => "浅色";
        high_contrast: "high contrast" => "高对比";
        mono: "mono" => "单色";
        looking: "Looking for a model…" => "正在寻找模型…";
        reading: "Reading the runs…" => "正在读取任务…";
        opening: "Opening the database…" => "正在打开数据库…";
        held_first: "Not yet: another process holds the database." => "还不行：数据库被另一进程占用。";
        open_first: "Not yet: the database is being opened." => "还不行：正在打开数据库。";
    }
    say {
        held(since: &str, time: &str):
            format!("Another process holds the database, since {since} or longer ({time}).")
            => format!("数据库被另一进程占用，始于 {since} 或更早（{time}）。");
        held_next(key: &str):
            format!("It goes on by itself as soon as the database is free. Nothing is lost. Wait, end the other process, or leave with {key}.")
            => format!("数据库一空闲就会自动继续，什么也不会丢失。可等待、结束那个进程，或按 {key} 离开。");
        nothing_on(ports: &str): format!("nothing on {ports}") => format!("端口 {ports} 上没有服务");
        surveys(folder: &str): format!("it surveys {folder},") => format!("它会浏览 {folder}，");
        interrupted(key: &str):
            format!("interrupted; {key} goes on from its last checkpoint") => format!("已中断；按 {key} 从最后的检查点继续");
        found(model: &str, place: &str): format!("New runs use {model} at {place}") => format!("新任务使用 {place} 的 {model}");
        data(file: &str, theme: &str, language: &str):
            format!("Data: {file} · {theme} · {language}") => format!("数据：{file} · {theme} · {language}");
        other_runs(n: u64): many(n, "other run") => format!("另有 {n} 个任务");
        cannot_open(why: &str): format!("The database cannot be opened: {why}") => format!("无法打开数据库：{why}");
    }
}

words! {
    /// Words of the form of a new run.
    NewRun {
        title: "New run" => "新任务";
        goal: "Goal" => "目标";
        constraints: "Constraints" => "约束";
        checks: "Checks" => "验收";
        workspace: "Workspace" => "工作目录";
        model: "Model" => "模型";
        approval: "Approval" => "审批";
        limits: "Limits" => "限额";
        git_clean: "git, clean" => "git，无改动";
        field: "field" => "下一栏";
        new_line: "new line" => "换行";
        save: "save" => "保存";
        start: "start" => "开始";
        keep_draft: "keep draft" => "保留草稿";
        offline: "offline model: follows rules, not an LLM" => "离线模型：按规则运行，不是大语言模型";
        goal_missing: "Write what is to be reached; the rest can stay." => "请写下要达到的目标，其余可以不填。";
        goal_hint: "What is to be reached, in your words" => "用你的话写下要达到的目标";
        constraint_hint: "what must hold on the way" => "过程中必须遵守的";
        check_hint: "file:PATH, cmd:COMMAND, answer-contains:TEXT, human" => "file:路径、cmd:命令、answer-contains:文字、human";
        starting: "starting…" => "正在开始…";
        giving_up: "giving up…" => "正在放弃…";
        held_next: "It begins as soon as the database is free" => "数据库一空闲就会开始";
        given_up: "Given up; no run was started." => "已放弃，没有开始任务。";
    }
    say {
        add(key: &str): format!("+ {key}") => format!("按 {key} 添加");
        git_changed(files: u64): format!("git, {} changed", many(files, "file")) => format!("git，{files} 个文件有改动");
        window(tokens: &str): format!("window {tokens}") => format!("窗口 {tokens}");
        bad_limit(text: &str):
            format!("“{text}” is no limit; write it like: 50 steps · 300k tokens · $2.00 · 30 min")
            => format!("“{text}”不是限额，写法如：50 步 · 300k 词元 · $2.00 · 30 分钟");
        check_file_missing(file: &str):
            format!("{file} is not there yet: its check fails until it is")
            => format!("{file} 还不存在：存在之前验收不会通过");
        bad_check(text: &str): format!("“{text}” is not a check; write file:PATH, cmd:COMMAND, answer-contains:TEXT or human")
            => format!("“{text}”不是验收项；请写 human、file:路径、cmd:命令或 answer-contains:文字");
        not_started(why: &str): format!("Not started: {why}") => format!("没有开始：{why}");
        goal_kept(key: &str):
            format!("What you wrote is kept as a draft: {key}") => format!("所写内容已存为草稿：按 {key}");
        asking(place: &str, attempt: u64, most: u64):
            format!("asking {place}, attempt {attempt} of {most}") => format!("正在询问 {place}，第 {attempt}/{most} 次");
        no_answer(place: &str, attempt: u64, most: u64):
            format!("{place}, attempt {attempt} of {most}") => format!("{place}，第 {attempt}/{most} 次");
        sent(key: &str):
            format!("It was sent as it stands: {key} gives it up, then it can be changed.")
            => format!("已按现在的内容发出：按 {key} 放弃之后才能修改。");
        gives_up(key: &str): format!("{key} gives up") => format!("{key} 放弃");
        again_in(time: &str): format!("again in {time}") => format!("{time} 后再试");
    }
}
