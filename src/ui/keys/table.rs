//! The one table of keys. The keymap, the footers, the help and the palette are made from it, in both languages.
//!
//! A row that is not built yet is written down all the same, so that its key stays free; it is never looked up and
//! never shown.

use super::actions::Action;

/// Where a key works. Several are live at once, see [`live`](super::live).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ctx {
    /// Everywhere.
    Sys,
    /// On every screen while no dialog is open and nothing is typed.
    Any,
    /// Where something scrolls.
    Scroll,
    /// Where rows are selected.
    List,
    /// The screen of a run.
    Run,
    /// Its panel Loop.
    Loop,
    /// Its panel Queue.
    Queue,
    /// Its panel Checkpoints.
    Chk,
    /// A dialog in which nothing is typed.
    Dialog,
    /// A dialog that is read to its end.
    Page,
    /// The dialog that asks for a decision on a call.
    Ask,
    /// The dialog about a call of which nobody knows whether it happened.
    Unsure,
    /// The preview of a rollback.
    Roll,
    /// The dialog with options to choose from.
    Opt,
    /// The items of a slot of the context.
    Items,
    /// The choices of the banners.
    Banners,
    /// The dialog before leaving.
    Quit,
    /// The start screen.
    Start,
    /// Where text is typed.
    Text,
    /// A text field that remembers earlier entries.
    Recall,
    /// A form of several fields.
    Form,
    /// A list that is filtered by typing: palette, help.
    Pick,
    /// The list of files behind an `@`.
    Complete,
    /// The browser of runs.
    Browse,
    /// The replay.
    Replay,
    /// The memories.
    Mem,
    /// The statistics.
    Stats,
}

/// One row: what keys do in one context.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Where.
    pub ctx: Ctx,
    /// Names of the keys, with spaces between.
    pub keys: &'static str,
    /// What they do.
    pub action: Action,
    /// False while what it does is not built.
    pub built: bool,
    /// The words for help and palette: English, Chinese.
    pub words: [&'static str; 2],
    /// The words for a footer: English, Chinese.
    pub brief: [&'static str; 2],
}

/// Makes rows: `keys Action "English" "Chinese" / "brief" "brief"`, those after `later` not built.
macro_rules! rows {
    ($($ctx:ident {
        $($keys:literal $action:ident $en:literal $zh:literal / $ben:literal $bzh:literal;)*
        $(later $lkeys:literal $laction:ident $len:literal $lzh:literal / $lben:literal $lbzh:literal;)*
    })*) => {
        &[$(
            $(Row {
                ctx: Ctx::$ctx, keys: $keys, action: Action::$action, built: true,
                words: [$en, $zh], brief: [$ben, $bzh],
            },)*
            $(Row {
                ctx: Ctx::$ctx, keys: $lkeys, action: Action::$laction, built: false,
                words: [$len, $lzh], brief: [$lben, $lbzh],
            },)*
        )*]
    };
}

/// All rows.
pub const TABLE: &[Row] = rows! {
    Sys {
        "Esc" Back "Close, back; twice in 0.6 s with nothing open: pause now" "返回；无窗口时连按两次：立即暂停" / "back" "返回";
        "Ctrl-C" Interrupt "Ask to leave; again: save and stop now" "询问退出；再按：保存并停止" / "leave" "退出";
        "Ctrl-Z" Suspend "Suspend; work here stops at its next commit" "挂起；这里的工作在下次提交后停下" / "suspend" "挂起";
        "Ctrl-L" Redraw "Draw the screen again" "重绘屏幕" / "redraw" "重绘";
    }
    Any {
        "?" HelpOpen "Keys that work here" "此处可用的键" / "help" "帮助";
        ":" PaletteOpen "All commands" "全部命令" / "palette" "命令";
        "!" AttentionNext "Next that needs you, any run" "下一件待处理（所有任务）" / "needs you" "待处理";
        "0" BannerOpen "Act on the top banner" "处理横幅" / "banner" "横幅";
        "Tab" FocusNext "Next panel or part" "下一面板" / "panel" "面板";
        "S-Tab" FocusPrev "Previous panel or part" "上一面板" / "previous" "上一面板";
        "z" ZoomToggle "Zoom this panel" "放大面板" / "zoom" "放大";
        "y" Copy "Copy the selection" "复制所选" / "copy" "复制";
        "q" QuitAsk "Leave; says what goes on" "退出，说明什么会继续" / "quit" "退出";
        later "/" SearchOpen "Search everything" "全文搜索" / "search" "搜索";
        later "b" BrowserOpen "All runs" "全部任务" / "runs" "任务";
        later "m" MemoryOpen "Memory" "记忆" / "memory" "记忆";
        later "s" StatsOpen "Statistics" "统计" / "statistics" "统计";
        later "," SettingsOpen "Settings" "设置" / "settings" "设置";
    }
    Scroll {
        "j Down" LineDown "Down" "下移一行" / "down" "下";
        "k Up" LineUp "Up" "上移一行" / "up" "上";
        "Ctrl-D PgDn" PageDown "Page down" "下翻一页" / "page down" "下翻";
        "Ctrl-U PgUp" PageUp "Page up" "上翻一页" / "page up" "上翻";
        "< Home" Top "To the start" "到开头" / "start" "开头";
        "> End" Bottom "To the end, and follow" "到末尾并跟随" / "end" "末尾";
    }
    List {
        "h Left" Left "Fold, old steps to one row; or step before" "折叠，旧步骤合为一行／前一步" / "fold" "折叠";
        "l Right" Right "Unfold, a row of old steps too; or step after" "展开，含合为一行的旧步骤／后一步" / "unfold" "展开";
        "Enter" Open "Open or choose" "打开／选择" / "open" "打开";
    }
    Run {
        "1 2 3 4 5 6" PanelFocus "Go to the panel" "到该面板" / "panel" "面板";
        "a" Review "Review the selected or oldest waiting call" "查看所选或最早的待批调用" / "review" "查看";
        "d" Deny "Deny it, with a reason" "拒绝并说明" / "deny" "拒绝";
        "e" EditArgs "Edit its arguments" "修改参数" / "edit" "改参数";
        "p" PauseToggle "Pause after this call, or resume" "本次调用后暂停／继续" / "pause" "暂停";
        "P" PauseNow "Pause now; asks about a running tool" "立即暂停；有工具在运行时会询问" / "stop now" "立即停";
        "t" TimeoutExtend "More time for the running call" "延长运行中调用的超时" / "more time" "延时";
        "i" Message "Message the agent" "给智能体留言" / "message" "留言";
        "u" MessageBack "Take the queued message back, to edit it" "收回排队的留言以修改" / "take back" "收回";
        "I" MessageNow "Deliver the queued message now; asks about a running tool" "立即送达排队的留言；有工具在运行时会询问" / "deliver now" "立即送达";
        "g" GoalEdit "Edit the pinned goal" "修改目标" / "goal" "目标";
        "E" PlanEdit "Edit the plan" "修改计划" / "plan" "计划";
        "r" RollbackPreview "Roll back to the selected checkpoint" "回退到所选检查点（先预览）" / "roll back" "回退";
        "R" RollbackRedo "Redo what the last rollback undid" "撤销上次回退" / "redo" "撤销回退";
        "x" RequestShow "The exact request of this step" "本步的原始请求" / "exact request" "原始请求";
        "L" LimitsEdit "Change limits" "修改限额" / "limits" "限额";
        "n" RunNew "New run" "新任务" / "new run" "新任务";
        "[" RunPrev "Previous run" "上一任务" / "previous run" "上一任务";
        "]" RunNext "Next run" "下一任务" / "next run" "下一任务";
        "X" RunCancel "Cancel the run (type its id)" "取消任务（输入编号）" / "cancel run" "取消任务";
        later "v" ReplayOpen "Look back step by step" "逐步回看" / "replay" "回看";
        later "F" ForkRun "New run from this checkpoint" "从此检查点分叉出新任务" / "fork" "分叉";
    }
    Loop {
        "f" FollowToggle "Follow the newest" "跟随最新" / "follow" "跟随";
        "w" WrapToggle "Wrap or cut tool output" "工具输出换行／截断" / "wrap" "换行";
        "o" FoldAll "Fold or unfold all" "全部折叠／展开" / "fold" "折叠";
        "T" ThinkingToggle "Show thinking" "显示思考" / "thinking" "思考";
    }
    Queue {
        "o" QueueScope "This run or all runs" "只看本任务／全部任务" / "all runs" "全部任务";
        "Space" Mark "Mark this call" "标记此调用" / "mark" "标记";
        "M" ReviewMarked "Review the marked as a batch" "批量查看已标记的调用" / "marked" "批量查看";
    }
    Chk {
        "=" Compare "Compare with the head" "与当前状态比较" / "compare" "比较";
    }
    Dialog {
        "?" HelpOpen "Keys that work here" "此处可用的键" / "help" "帮助";
    }
    Page {
        "Space" PageOn "Read on, a page" "下翻一页继续读" / "read on" "继续读";
    }
    Ask {
        "y" ApproveOnce "Approve once (flagged, dangerous: type yes)" "批准一次（可疑或危险的须输入 yes）" / "approve" "批准";
        "n d" Deny "Deny, with a reason" "拒绝并说明" / "deny…" "拒绝…";
        "e" EditArgs "Edit the arguments" "修改参数" / "edit" "改参数";
        "Tab" AskNext "Next waiting call" "下一个待批调用" / "next" "下一个";
        "u" EffectReuse "Reuse the recorded result" "复用旧结果" / "reuse" "复用";
        later "A" RuleAlways "Propose an always rule, to edit" "拟一条总是允许的规则，可修改" / "always…" "设为规则…";
    }
    Unsure {
        "y" EffectHappened "It happened" "已发生" / "it happened" "已发生";
        "R" EffectRerun "It did not: run it (type yes)" "未发生，重新运行（输入 yes）" / "run it again" "重新运行";
        "s" EffectSkip "Skip it" "跳过" / "skip" "跳过";
        "Tab" AskNext "Next waiting call" "下一个待批调用" / "next" "下一个";
    }
    Roll {
        "y" RollbackDo "Roll back" "回退" / "roll back" "回退";
        "c" RollbackNoFiles "Conversation only" "仅对话，不动文件" / "conversation only" "仅对话";
        "Space" FileChoice "Keep or take this file" "保留／还原此文件" / "take" "保留／还原";
        "d" FileDiff "Diff of this file" "此文件的差异" / "diff" "差异";
        "g" GoalChoice "Take the goal back too" "目标也回退" / "goal" "目标";
    }
    Opt {
        "1 2 3 4 5 6 7 8 9" OptionPick "Mark the option" "选中该选项" / "choose" "选择";
        "t" OptionOwn "Answer in my words" "用自己的话回答" / "my words" "自己回答";
        "x" RequestShow "What the agent knows" "智能体已知的内容" / "what it knows" "智能体已知";
    }
    Items {
        "x" RequestShow "The exact request, whole" "完整的原始请求" / "exact request" "原始请求";
    }
    Banners {
        "0" BannerOpen "To the next banner" "到下一条横幅" / "next banner" "下一条横幅";
    }
    Quit {
        "s" QuitStop "Save, stop at the next checkpoint" "保存，在下个检查点停止" / "stop" "停止";
        "w" QuitHandOver "Hand to a worker" "交给后台" / "hand over" "交给后台";
    }
    Start {
        "n" RunNew "New run" "新任务" / "new run" "新任务";
        later "c" Connect "Connect a server" "连接服务器" / "connect" "连接";
    }
    Text {
        "Enter" TextSubmit "Send (in an editor: new line)" "发送（编辑器中为换行）" / "send" "发送";
        "Ctrl-J Alt-Enter" TextNewline "New line" "换行" / "new line" "换行";
        "Ctrl-O F2" TextSave "Save the editor or form" "保存编辑器或表单" / "save" "保存";
        "Ctrl-/" TextUndo "Undo" "撤销" / "undo" "撤销";
        "Ctrl-Y" TextRedo "Redo" "重做" / "redo" "重做";
        "Ctrl-G F4" TextExternal "Open in $EDITOR" "用外部编辑器（$EDITOR）打开" / "editor" "外部编辑器";
        "Left Right" CaretOrChoice "Move the caret, or change a choice" "移动光标／切换选项" / "choice" "切换";
        "Home" TextLineStart "To the begin of the line" "到行首" / "line start" "行首";
        "End Ctrl-E" TextLineEnd "To the end of the line" "到行尾" / "line end" "行尾";
        "Ctrl-Left Alt-b Alt-Left" TextWordBack "To the word before" "到前一个词" / "word before" "前一词";
        "Ctrl-Right Alt-f Alt-Right" TextWordOn "To the end of the word" "到词尾" / "word after" "后一词";
        "Alt-Backspace" TextCutWord "Delete the word before" "删除前一个词" / "delete word" "删词";
        "Ctrl-U" TextCutBefore "Delete to the begin of the line" "删除到行首" / "delete before" "删到行首";
        "Ctrl-K" TextCutAfter "Delete to the end of the line" "删除到行尾" / "delete after" "删到行尾";
        "F1" TextHelp "Keys of this field" "此输入框可用的键" / "keys" "按键";
    }
    Recall {
        "Up" TextEarlier "Earlier entry, from the first line" "在首行：更早的输入" / "earlier" "历史";
    }
    Form {
        "Tab" FieldNext "Next field" "下一栏" / "field" "下一栏";
        "S-Tab" FieldPrev "Previous field" "上一栏" / "previous" "上一栏";
    }
    Pick {
        "Up Down" PickMove "Choose" "选择" / "choose" "选择";
    }
    Complete {
        "Tab Enter" FileTake "Put the marked file into the text" "把所选文件写入文本" / "take" "选用";
        "Up Down" FileMove "Choose among the files" "在文件中选择" / "choose" "选择";
    }
    Browse {
        later "f" FilterEdit "Filter" "筛选" / "filter" "筛选";
        later "c" FiltersClear "Show all" "清除筛选" / "show all" "清除筛选";
        later "o" SortNext "Sort by the next column" "按下一列排序" / "sort" "排序";
        later "E" RunExport "Export" "导出" / "export" "导出";
        later "n" RunNew "New run" "新任务" / "new" "新任务";
        later "D" RunDelete "Delete the run (type its id)" "删除任务（输入编号）" / "delete" "删除";
    }
    Replay {
        later "Space" PlayToggle "Play, a step a second" "播放，每秒一步" / "play" "播放";
        later "=" Compare "What this step changed" "本步变化" / "compare" "比较";
        later "r" RollbackPreview "Roll back to here" "回退到此" / "back" "回退";
        later "F" ForkRun "Fork from here" "从此分叉" / "fork" "分叉";
    }
    Mem {
        later "e" MemoryEdit "Edit" "修改" / "edit" "修改";
        later "*" MemoryPin "Pin" "置顶" / "pin" "置顶";
        later "n" MemoryNew "New memory" "新记忆" / "new" "新记忆";
        later "c" MemoryChoose "Settle the conflict" "解决冲突" / "choose" "解决冲突";
        later "f" FilterEdit "Filter" "筛选" / "filter" "筛选";
        later "D" MemoryDelete "Delete (y confirms)" "删除（y 确认）" / "delete" "删除";
    }
    Stats {
        later "f" FilterEdit "Filter" "筛选" / "filter" "筛选";
        later "L" LimitsSuggest "Use the suggested limits" "采用建议的限额" / "use the suggestion" "采用建议";
    }
};
