//! Words of a run that cannot be read.

words! {
    /// What is the matter with a run that cannot be read, and what can be done.
    UnreadRun {
        elsewhere: "Not read: Loop says why." => "未能读取：原因见“循环”。";
        again: "It is tried again every few seconds; nothing was changed." => "每隔几秒会重试；没有任何改动。";
    }
    say {
        what(run: &str): format!("The run {run} cannot be read.") => format!("无法读取任务 {run}。");
        others(prev: &str, next: &str, new: &str):
            format!("The other runs are not touched by this: {prev} {next} show them, {new} begins a new one.")
            => format!("其他任务不受影响：按 {prev} {next} 查看，按 {new} 新建。");
        look(quit: &str, command: &str):
            format!("What is damaged: leave with {quit}, then run `{command}`.")
            => format!("查看损坏情况：请按 {quit} 离开，再运行 `{command}`。");
    }
}
