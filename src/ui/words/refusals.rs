//! What tools, the workspace and the quotas refuse, beside what `faults` knows: the same kind of table. It has all that the
//! file tools, commands, the network tool and the quotas say; a test reads their sources.

/// An English sentence and its translation; `{}` stands for the same texts in the same order, `{*}` for a word of ours.
pub(super) const KNOWN: &[[&str; 2]] = &[
    // Files and folders.
    [
        "{} was changed by somebody else after this write was prepared; it was left alone.",
        "{} 在准备写入之后被别人改过，未改动。",
    ],
    ["Read the file again and decide anew.", "请重新读取文件再决定。"],
    [
        "{} is {} bytes; above {} bytes a write could not be undone, so none is made.",
        "{} 有 {} 字节；超过 {} 字节的写入无法撤销，因此没有写入。",
    ],
    [
        "{} would be {} bytes; above {} bytes a write could not be undone, so none is made.",
        "{} 会有 {} 字节；超过 {} 字节的写入无法撤销，因此没有写入。",
    ],
    [
        "Write smaller files, or change the file with a shell command.",
        "请写较小的文件，或用 shell 命令修改。",
    ],
    ["No question is open.", "没有未决的问题。"],
    ["No single open question reads like that. Open are:\n{}", "没有唯一与此相符的未决问题。未决的有：\n{*}"],
    ["Note what you found as a fact.", "请把结果记为事实。"],
    [
        "Give the words of the question that is answered, and note the answer as a fact.",
        "请写出所回答问题的原文，并把答案记为事实。",
    ],
    ["The nearest line is {}: {}.", "最接近的是第 {} 行：{}。"],
    [
        "cannot open the workspace {}: {}. Name an existing folder you may enter.",
        "无法打开工作目录 {}：“{}”。请指定一个可进入的已有文件夹。",
    ],
    [
        "the workspace {} is no longer the folder that was opened: it was moved or replaced. Move it back, and go on with `wakeful resume`.",
        "工作目录 {} 已不是当初打开的文件夹：它被移动或替换了。请移回原处，再用 `wakeful resume` 继续。",
    ],
    ["Ask the person to check the workspace folder.", "请让使用者检查工作目录。"],
    ["{} cannot be a path: {}.", "{} 不能作为路径：{*}。"],
    ["Give the path of a file, as list_files shows it.", "请给出 list_files 所列的文件路径。"],
    [
        "{} lies in {}, which is never written by tools: its files decide what runs and what is allowed. If it must change, ask the person to do it.",
        "{} 位于 {}，工具从不写入那里：其中的文件决定运行什么、允许什么。若必须修改，请让使用者来做。",
    ],
    ["Leave it, and tell the person what should change.", "请不要动它，并告诉使用者应改什么。"],
    [
        "{} is a symbolic link that leads nowhere. Name the file it should point to, or remove the link.",
        "{} 是失效的符号链接。请指定它应指向的文件，或删除该链接。",
    ],
    ["Name the real file instead of the link.", "请指定真正的文件，而不是链接。"],
    ["{} is {}, not a regular file.", "{} 是{*}，不是普通文件。"],
    [
        "Use list_files for folders; name a regular file here.",
        "查看文件夹请用 list_files；这里请指定普通文件。",
    ],
    [
        "the folder {} is read-only, so that {} in it was left as it is. Make the folder writable (chmod u+w) and try again.",
        "文件夹 {} 为只读，其中的 {} 未改动。请把文件夹设为可写（chmod u+w）后重试。",
    ],
    [
        "Write to another folder, or ask the person before changing permissions.",
        "请写到别的文件夹；改权限前请先询问使用者。",
    ],
    ["{} has {} bytes; at most {} can be handled here.", "{} 有 {} 字节，这里最多处理 {} 字节。"],
    ["Work on a part of it, or on another file.", "请只处理其中一部分，或换一个文件。"],
    ["cannot clear the temporary file of {}: {}.", "无法清除 {} 的临时文件：“{}”。"],
    ["cannot look at the folder of {}: {}.", "无法查看 {} 的文件夹：“{}”。"],
    ["cannot look at {}: {}.", "无法查看 {}：“{}”。"],
    ["cannot make the folder of {}: {}.", "无法建立 {} 的文件夹：“{}”。"],
    ["cannot open the folder of {}: {}.", "无法打开 {} 的文件夹：“{}”。"],
    ["cannot open {}: {}.", "无法打开 {}：“{}”。"],
    ["cannot remove {}: {}.", "无法删除 {}：“{}”。"],
    ["cannot replace {}: {}.", "无法替换 {}：“{}”。"],
    ["cannot resolve {}: {}.", "无法解析 {}：“{}”。"],
    ["cannot sync the folder above {}: {}.", "无法同步 {} 的上级文件夹：“{}”。"],
    ["cannot sync the folder of {}: {}.", "无法同步 {} 的文件夹：“{}”。"],
    ["cannot write {}: {}.", "无法写入 {}：“{}”。"],
    ["Try another file, or ask the person.", "请换一个文件，或询问使用者。"],
    ["there is no encoding named {}.", "没有名为 {} 的编码。"],
    [
        "Leave `encoding` out for UTF-8, or use a label such as gbk, big5, shift_jis, euc-kr, windows-1252.",
        "UTF-8 请省略 `encoding`，否则请用 gbk、big5、shift_jis、euc-kr、windows-1252 等名称。",
    ],
    [
        "Correct it (lines are searched one by one, so it cannot contain a line feed), or set literal to true to look for the text as it stands.",
        "请改正（逐行搜索，因此不能含换行），或把 literal 设为 true 按原文搜索。",
    ],
    // Time.
    ["{} took longer than {} s and was stopped.", "{} 超过 {} 秒，已停止。"],
    ["Ask for less at a time.", "请一次少要一些。"],
    ["the tool broke off: {}.", "工具中断：“{}”。"],
    ["Ask for it another way.", "请换一种方式。"],
    ["this call is not a read", "此调用不是读取"],
    ["Report this.", "请报告此问题。"],
    // The network.
    ["{} is {}, not text, and was not read.", "{} 是 {}，不是文本，没有读取。"],
    ["Get a text version, or download it with a shell command.", "请取文本版本，或用 shell 命令下载。"],
    ["no request can be made here: {}.", "这里无法发出请求：“{}”。"],
    ["Tell the person.", "请告诉使用者。"],
    ["{} redirects to another place, which was not followed: {}", "{} 转向别处，没有跟随：{}"],
    ["If that is what you want, call http_get with that address.", "若正是所需，请用该地址调用 http_get。"],
    ["It is not public; use another source, or ask the person.", "它不公开；请换一个来源，或询问使用者。"],
    ["Check the address, or search for the page.", "请核对地址，或搜索该页面。"],
    ["Wait before asking this host again.", "请稍候再访问此主机。"],
    ["Try another address, or later.", "请换一个地址，或稍后再试。"],
    ["{} is no address: {}.", "{} 不是地址：“{}”。"],
    [
        "Give a whole address that begins with https:// or http://.",
        "请给出以 https:// 或 http:// 开头的完整地址。",
    ],
    ["addresses of the kind {} are not fetched.", "不读取 {} 类地址。"],
    ["Use read_file for files.", "读文件请用 read_file。"],
    ["an address with a user name or password is not fetched.", "不读取带用户名或密码的地址。"],
    // Commands and arguments.
    ["the command is empty; nothing was run.", "命令为空，什么也没有运行。"],
    ["Give the command to run.", "请给出要运行的命令。"],
    ["the command contains a NUL character, which no shell can take.", "命令含 NUL 字符，shell 无法接受。"],
    ["Write it without.", "请去掉它。"],
    ["timeout_s is {}; it must be 1 to {}.", "timeout_s 为 {}，应在 1 到 {} 之间。"],
    [
        "Ask for less time, or split the work; the person can extend a running command.",
        "请缩短时间或拆开做；使用者可以延长运行中的命令。",
    ],
    ["could not be started in {} tries: {}", "试了 {} 次都无法启动：“{}”"],
    ["try another way", "请换一种做法"],
    ["the arguments of {} end too early: {}. Nothing was run.", "{} 的参数不完整：“{}”。什么也没有运行。"],
    [
        "the arguments of {} are not valid JSON: {}. Nothing was run.",
        "{} 的参数不是有效的 JSON：“{}”。什么也没有运行。",
    ],
    [
        "the tool {} cannot be used: its own schema is wrong ({}).",
        "无法使用工具 {}：它的参数定义有误（“{}”）。",
    ],
    ["Use another tool and tell the person.", "请换用别的工具，并告诉使用者。"],
    ["the run has no settings", "任务没有设置"],
    ["ask a person", "请询问使用者"],
    // Quotas.
    [
        "the run may make {} tool calls and has made them; finish with what you have, a person can raise the limit",
        "任务可调用工具 {} 次，已用完；请用已有的结果收尾，使用者可以提高限额",
    ],
    [
        "{} tool calls a minute are allowed; the next one can start in {} s",
        "每分钟可调用工具 {} 次；{} 秒后可以开始下一次",
    ],
    [
        "{} may be called {} times in this run and was; use another tool",
        "{} 在此任务中可调用 {} 次，已用完；请换用别的工具",
    ],
    ["use fewer calls", "请减少调用"],
    // The plan.
    [
        "a person changed the plan after this one was made; it was not replaced",
        "有人在它之后改过计划，因此没有替换",
    ],
    [
        "look at the plan in the state as it is now; if it has to change still, send it again whole",
        "请看状态中现在的计划；若仍须修改，请重新发送完整的计划",
    ],
    // Secrets.
    [
        "the arguments held a key or another secret, which was taken out; nothing was run.",
        "参数中有密钥或其他机密，已移除；什么也没有运行。",
    ],
    [
        "Never write a secret itself. Where shell or http_get needs one, write ${secret:NAME} in its place ({}).",
        "不要写出机密本身。shell 或 http_get 需要时，请改写 ${secret:NAME}（{*}）。",
    ],
    ["Ask the person ({}).", "请询问使用者（{*}）。"],
    ["no secret {} is configured; nothing was run.", "没有配置机密 {}；什么也没有运行。"],
    ["{}; nothing was run.", "“{}”；什么也没有运行。"],
    [
        "{} is not filled in by {}, and would stand in the file as it is.",
        "{} 不会由 {} 填入，会原样写进文件。",
    ],
    [
        "Read the secret from the environment in what you write, or write the file by a shell command.",
        "请在所写内容中从环境读取机密，或用 shell 命令写该文件。",
    ],
    // What an agent keeps or asks.
    ["{} is empty.", "{} 为空。"],
    ["Say what is meant in a sentence.", "请用一句话说明。"],
    ["{} has {} characters; at most {} are kept.", "{} 有 {} 个字符，最多保留 {} 个。"],
    ["Say it shorter, or write it to a file and name the file.", "请写短一些，或写进文件并注明文件名。"],
    ["a preference needs a key.", "偏好需要键名。"],
    [
        "Give a key that says what it is about, such as \"language\".",
        "请给出说明内容的键名，如 \"language\"。",
    ],
    ["a decision needs two options at least.", "决定至少需要两个选项。"],
    [
        "Add the alternative, or use ask_person for a plain question.",
        "请补上另一选项，或用 ask_person 提问。",
    ],
    ["the recommendation {} is none of the options.", "建议 {} 不在选项之中。"],
    ["Use a number from 1 to {} or one of {}.", "请用 1 到 {} 的编号，或其中之一：{}。"],
    ["the option {} is given twice.", "选项 {} 出现两次。"],
    ["Give options that differ.", "请给出不同的选项。"],
    ["{} options are too many to choose from; at most {} are shown.", "{} 个选项太多，最多显示 {} 个。"],
    ["Offer the most important ones.", "请只给最重要的。"],
];

/// Words that stand inside those sentences.
pub(super) const INSIDE: &[[&str; 2]] = &[
    ["a regular file", "普通文件"],
    ["a folder", "文件夹"],
    ["a symbolic link", "符号链接"],
    ["a device, pipe or socket", "设备、管道或套接字"],
    ["a pipe, socket or device", "管道、套接字或设备"],
    ["it contains a NUL character", "含 NUL 字符"],
    [
        "none is configured; the person adds one under [secrets] of the config file",
        "尚未配置；使用者可在配置文件的 [secrets] 中添加",
    ],
];

#[cfg(test)]
mod tests {
    use super::super::faults::translated;
    use super::super::told::KINDS;
    use crate::tool::ToolError;
    use crate::workspace::WorkspaceError;
    use std::path::PathBuf;

    /// Where tools fail, and quotas and rules refuse.
    const SOURCES: [&str; 17] = [
        include_str!("../../tool/ask.rs"),
        include_str!("../../tool/edit.rs"),
        include_str!("../../tool/http.rs"),
        include_str!("../../tool/list.rs"),
        include_str!("../../tool/memory.rs"),
        include_str!("../../tool/notes.rs"),
        include_str!("../../tool/read.rs"),
        include_str!("../../tool/registry.rs"),
        include_str!("../../tool/schema.rs"),
        include_str!("../../tool/arguments.rs"),
        include_str!("../../tool/search.rs"),
        include_str!("../../tool/shell.rs"),
        include_str!("../../tool/write.rs"),
        include_str!("../../worker/judge.rs"),
        include_str!("../../worker/read_call.rs"),
        include_str!("../../agent/quota.rs"),
        include_str!("../../agent/policy.rs"),
    ];

    /// The arguments of each place where an error is made, as written.
    fn made(source: &str) -> Vec<&str> {
        let begins = ["ToolError::new(", "ToolError::arguments(", "reject("];
        let mut found = Vec::new();
        for begin in begins {
            for (at, _) in source.match_indices(begin) {
                let rest = source.get(at + begin.len()..).unwrap();
                let (mut depth, mut quoted, mut escaped) = (1, false, false);
                let end = rest.find(|c: char| {
                    match (quoted, c) {
                        _ if escaped => escaped = false,
                        (true, '\\') => escaped = true,
                        (_, '"') => quoted = !quoted,
                        (false, '(') => depth += 1,
                        (false, ')') => depth -= 1,
                        _ => {}
                    }
                    depth == 0
                });
                found.push(rest.get(..end.unwrap()).unwrap());
            }
        }
        found
    }

    /// The texts in quotes, with something in the place of what is put in.
    fn texts(code: &str) -> Vec<String> {
        let mut texts = Vec::new();
        let mut rest = code;
        while let Some(at) = rest.find('"') {
            let (mut text, mut chars, mut end) =
                (String::new(), rest.get(at + 1..).unwrap().char_indices().peekable(), 0);
            while let Some((at, c)) = chars.next() {
                end = at;
                match c {
                    '"' => break,
                    '\\' if chars.peek().is_some_and(|(_, c)| *c == '\n') => {
                        while chars.peek().is_some_and(|(_, c)| c.is_whitespace()) {
                            chars.next();
                        }
                    }
                    '\\' => text.extend(chars.next().map(|(_, c)| if c == 'n' { '\n' } else { c })),
                    c => text.push(c),
                }
            }
            rest = rest.get(at + 1 + end + 1..).unwrap();
            texts.push(text);
        }
        texts.iter().map(|text| filled(text)).collect()
    }

    fn filled(text: &str) -> String {
        let (text, mut out) = (text.replace("{{", "«").replace("}}", "»"), String::new());
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap();
            out.push_str(before);
            out.push_str(match name {
                // Sentences and endings that are there or not.
                "advice" => "",
                "what" => "end too early",
                "verb" => "is",
                "why" | "said" | "more" if !out.is_empty() => "",
                name if name.ends_with(":?") => "\"a. b\"",
                _ => "7",
            });
            rest = after;
        }
        (out + rest).replace('«', "{").replace('»', "}")
    }

    #[test]
    fn whatever_a_tool_refuses_is_told_in_chinese() {
        let mut seen = 0;
        for source in SOURCES {
            for text in made(source).into_iter().flat_map(texts) {
                if text.contains(' ') && text.contains(char::is_alphabetic) {
                    assert!(translated(text.trim()).is_some(), "not in 简体中文: {text:?}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 60, "{seen}");
    }

    #[test]
    fn whatever_the_workspace_refuses_is_told_in_chinese() {
        let (root, path) = (PathBuf::from("/w"), "a. b.rs".to_owned());
        let io = |kind| std::io::Error::new(kind, "no (os error 5)");
        let other = std::io::ErrorKind::Other;
        let mut all = vec![
            WorkspaceError::Root { root: root.clone(), source: io(other) },
            WorkspaceError::Moved { root: root.clone() },
            WorkspaceError::Outside { path: path.clone(), root: root.clone(), why: "it contains `..`" },
            WorkspaceError::BadPath { path: path.clone(), why: "it contains a NUL character" },
            WorkspaceError::Protected { path: path.clone(), folder: ".git".to_owned() },
            WorkspaceError::DanglingLink { path: path.clone() },
            WorkspaceError::NotFound { path: path.clone(), root },
            WorkspaceError::NotAFile { path: path.clone(), found: "a folder" },
            WorkspaceError::ReadOnlyFolder { path: path.clone(), folder: ".".to_owned() },
            WorkspaceError::ReadOnly { path: path.clone() },
            WorkspaceError::TooBig { path: path.clone(), len: 9, cap: 8 },
        ];
        for kind in [std::io::ErrorKind::PermissionDenied, std::io::ErrorKind::StorageFull, other] {
            all.push(WorkspaceError::Io { doing: "look at", path: path.clone(), source: io(kind) });
        }
        let sources = [
            include_str!("../../workspace/atomic.rs"),
            include_str!("../../workspace/confine.rs"),
            include_str!("../../workspace/files.rs"),
        ];
        let verbs = sources.iter().flat_map(|source| {
            ["refused(\"", ".io(\"", "doing: \""].into_iter().flat_map(|call| source.split(call).skip(1))
        });
        let verbs: Vec<&'static str> = verbs.filter_map(|rest| rest.split('"').next()).collect();
        assert!(verbs.len() > 8, "{verbs:?}");
        all.extend(verbs.into_iter().map(|doing| WorkspaceError::Io {
            doing,
            path: path.clone(),
            source: io(other),
        }));
        for error in all {
            let error = ToolError::from(error);
            for text in [&error.message, &error.suggestion] {
                assert!(translated(text).is_some(), "{}: {text:?}", error.kind);
            }
            assert!(KINDS.iter().any(|[kind, _]| *kind == error.kind), "{}", error.kind);
        }
        let told = translated("cannot look at \"a\": Input/output error (os error 5).").unwrap();
        assert_eq!(told, "无法查看 \"a\"：“Input/output error (os error 5)”。");
        assert_eq!(
            translated("\"a\" is a folder, not a regular file.").unwrap(),
            "\"a\" 是文件夹，不是普通文件。"
        );
    }
}
