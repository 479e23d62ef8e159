//! What the file tools and the workspace refuse, in the language of the screen, where a person meets it in a dialog.
//!
//! An error is a message and what to do next, in English; each
//! sentence that is known is translated, and if one is not, the whole is shown as it was written.

use super::reasons::{fill, parts};
use super::{Lang, refusals};
use std::borrow::Cow;

/// An English sentence and its translation; `{}` stands for the same texts in the same order.
pub(super) const KNOWN: &[[&str; 2]] = &[
    ["old_string is empty, so there is nothing to replace.", "old_string 为空，没有要替换的内容。"],
    [
        "Give the text to replace as it stands in the file; use write_file to write a whole file.",
        "请给出文件中原样的待替换文本；要写整个文件请用 write_file。",
    ],
    [
        "old_string and new_string are the same; the edit would change nothing.",
        "old_string 与 new_string 相同，修改不会改变任何内容。",
    ],
    ["Give the text as it should be afterwards in new_string.", "请在 new_string 中给出修改后的文本。"],
    [
        "old_string and new_string differ only in line ends, which are kept as the file has them.",
        "old_string 与 new_string 只差行尾，而行尾会按文件原样保留。",
    ],
    ["Change line ends with a shell command, if that was meant.", "若要改行尾，请用 shell 命令。"],
    ["{} does not exist, so there is nothing to edit.", "{} 不存在，没有可修改的内容。"],
    [
        "Check the path with list_files, or make the file with write_file.",
        "请用 list_files 核对路径，或用 write_file 新建文件。",
    ],
    ["{} is not UTF-8 text; an edit could damage it.", "{} 不是 UTF-8 文本，修改可能损坏它。"],
    [
        "Change it with a shell command made for its format or encoding.",
        "请用适合其格式或编码的 shell 命令修改。",
    ],
    [
        "old_string does not occur in {} (it does without the blanks or line ends around it).",
        "{} 中没有 old_string（去掉首尾空白或换行后则有）。",
    ],
    ["old_string does not occur in {}.", "{} 中没有 old_string。"],
    [
        "Read the file again and copy the text exactly, blanks included.",
        "请重新读取文件并原样复制文本，包括空白。",
    ],
    ["old_string occurs {} times in {}, in lines {}.", "old_string 出现 {} 次（{}，第 {} 行）。"],
    [
        "Add lines around it until it is unique, or set replace_all to true.",
        "请加上前后的行直到唯一，或把 replace_all 设为 true。",
    ],
    ["{} is a folder or another thing that is no regular file.", "{} 是文件夹或其他非普通文件。"],
    ["Choose the path of a file.", "请选择文件的路径。"],
    [
        "{} is outside the workspace {}: {}. Use a path inside it, relative to its root.",
        "{} 在工作目录 {} 之外：{}。请用其中的相对路径。",
    ],
    [
        "Only files of the workspace can be reached; choose a path inside it.",
        "只能使用工作目录中的文件，请选择其中的路径。",
    ],
    ["{} does not exist in the workspace {}.", "{} 不在工作目录 {} 中。"],
    ["Check the path with list_files.", "请用 list_files 核对路径。"],
    [
        "{} is read-only and was left as it is. Make it writable (chmod u+w) and try again.",
        "{} 为只读，未改动。请设为可写（chmod u+w）后重试。",
    ],
    ["Ask the person before changing permissions.", "改权限前请先询问使用者。"],
    ["Tell the person that the disk is full.", "请告诉使用者磁盘已满。"],
    ["Check the path; if it is right, tell the person.", "请核对路径；若无误，请告诉使用者。"],
    // Reading and looking.
    ["there is no folder {} in the workspace.", "工作目录中没有文件夹 {}。"],
    ["{} is not a folder.", "{} 不是文件夹。"],
    ["Use read_file for a file.", "读文件请用 read_file。"],
    ["Leave `path` out to list the workspace itself.", "要列出工作目录本身，请省略 `path`。"],
    ["there is no {} in the workspace.", "工作目录中没有 {}。"],
    ["Leave `path` out to search the whole workspace.", "要搜索整个工作目录，请省略 `path`。"],
    ["the pattern {} cannot be used: {}.", "无法使用模式 {}：“{}”。"],
    ["the glob {} is wrong: {}.", "通配模式 {} 有误：“{}”。"],
    ["Use a glob such as *.rs or src/**/*.ts.", "请用 *.rs 或 src/**/*.ts 这样的通配模式。"],
    ["{} is a binary file of {} bytes and was not read.", "{} 是二进制文件（{} 字节），没有读取。"],
    [
        "If its content matters, look at it with a command made for its format.",
        "如果内容重要，请用适合其格式的命令查看。",
    ],
    ["{} has {} lines; line {} does not exist.", "{} 有 {} 行，没有第 {} 行。"],
    ["Use a smaller offset.", "请用更小的 offset。"],
    ["cannot read {}: {}.", "无法读取 {}：“{}”。"],
    ["Try again.", "请重试。"],
    // The network.
    ["{} did not answer in time.", "{} 没有及时回应。"],
    ["Try again later, or another address.", "请稍后再试，或换一个地址。"],
    ["{} cannot be reached: {}.", "连不上 {}：“{}”。"],
    ["Check the host name, or try another one.", "请核对主机名，或换一个。"],
    ["{} could not be read: {}.", "无法读取 {}：“{}”。"],
    ["Try again, or another address.", "请重试，或换一个地址。"],
    ["{} answered {}.", "{} 返回 {}。"],
    ["It said: {}", "它说：“{}”"],
    ["{} redirects again and again, last to {}.", "{} 不断转向，最后到 {}。"],
    ["Try another address.", "请换一个地址。"],
    // Calls that do not fit.
    ["there is no tool named {}.", "没有名为 {} 的工具。"],
    ["The tools are: {}.", "工具有：{}。"],
    ["Did you mean {}? The tools are: {}.", "是否指 {}？工具有：{}。"],
    ["the arguments of {} do not fit: {}. Nothing was run.", "{} 的参数不合要求：“{}”。什么也没有运行。"],
    ["the arguments of {} are not a JSON object.", "{} 的参数不是 JSON 对象。"],
    ["Call {} again with arguments that fit this JSON Schema: {}", "请按此 JSON Schema 重新调用 {}：{}"],
    ["a rule of the configuration denies {}", "配置中有规则禁止 {}"],
    ["do it another way, or ask the person", "请换一种做法，或询问使用者"],
    // Commands.
    ["the command ended with exit code {}", "命令以退出码 {} 结束"],
    ["a signal ({}) ended the command", "信号（{}）结束了命令"],
    [
        "the command took too long and was ended; partial effects are possible",
        "命令超时被结束；可能只做了一部分",
    ],
    [
        "look at what it did, then give it more time with timeout_s or split it",
        "请看它做了什么，再用 timeout_s 放宽时间或拆开做",
    ],
    ["the command was ended by a person; partial effects are possible", "命令被人结束；可能只做了一部分"],
    [
        "the command wrote too much and was ended; partial effects are possible",
        "命令输出过多被结束；可能只做了一部分",
    ],
    ["the command did not run: {}", "命令没有运行：“{}”"],
    // Requests to a model, beside what `failures` knows.
    ["no connection within the limit", "没有在时限内连上"],
    ["nothing came for {} s", "{} 秒内没有收到内容"],
    ["It was asked {} times; no run was created", "问过 {} 次；没有创建任务"],
    ["It was asked {} time; no run was created", "问过 {} 次；没有创建任务"],
    ["No run was created", "没有创建任务"],
];

/// An error of the tools or the workspace, in this language.
pub fn fault(lang: Lang, text: &str) -> Cow<'_, str> {
    match lang {
        Lang::En => Cow::Borrowed(text),
        Lang::Zh => translated(text).map_or(Cow::Borrowed(text), Cow::Owned),
    }
}

/// Sentence by sentence; none if one is not known. The shortest beginning that is known is taken first.
pub(super) fn translated(text: &str) -> Option<String> {
    let ends = text.match_indices(". ").map(|(at, _)| at + 1).chain([text.len()]);
    ends.filter_map(|end| text.split_at_checked(end)).find_map(|(first, rest)| {
        // A quoted text ends with its quote: what stands behind it is another sentence.
        let whole = |part: &&str| !part.starts_with('"') || part.len() > 1 && part.ends_with('"');
        let of = |en| parts(en, first).filter(|parts| parts.iter().all(whole));
        let known = KNOWN.iter().chain(refusals::KNOWN).find_map(|[en, zh]| Some(fill(zh, &of(en)?)))?;
        match rest.trim_start() {
            "" => Some(known),
            rest => Some(known + &translated(rest)?),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_translated_with_its_advice_or_left_as_it_is() {
        let zh = |text| fault(Lang::Zh, text).into_owned();
        assert_eq!(
            zh(
                "old_string does not occur in \"a. b.rs\". Read the file again and copy the text exactly, blanks included."
            ),
            "\"a. b.rs\" 中没有 old_string。请重新读取文件并原样复制文本，包括空白。"
        );
        assert_eq!(
            zh(
                "\"x\" is read-only and was left as it is. Make it writable (chmod u+w) and try again. Ask the person before changing permissions."
            ),
            "\"x\" 为只读，未改动。请设为可写（chmod u+w）后重试。改权限前请先询问使用者。"
        );
        let half = "old_string does not occur in \"a\". The moon is full.";
        assert_eq!((zh(half).as_str(), zh("").as_str()), (half, ""), "no half of it is translated");
        assert_eq!(fault(Lang::En, "Choose the path of a file."), "Choose the path of a file.");
    }

    #[test]
    fn the_tools_still_say_what_is_translated() {
        let sources = [
            include_str!("../../tool/edit.rs"),
            include_str!("../../tool/write.rs"),
            include_str!("../../tool/spec.rs"),
            include_str!("../../workspace/error.rs"),
            include_str!("../../tool/list.rs"),
            include_str!("../../tool/read.rs"),
            include_str!("../../tool/search.rs"),
            include_str!("../../tool/http.rs"),
            include_str!("../../tool/registry.rs"),
            include_str!("../../tool/arguments.rs"),
            include_str!("../../tool/schema.rs"),
            include_str!("../../agent/policy.rs"),
            include_str!("../../worker/controls.rs"),
            include_str!("../../worker/shell_call.rs"),
            include_str!("../../provider/exchange.rs"),
            include_str!("../../provider/reading.rs"),
            // The number of times is put in with its noun.
            &include_str!("../../cli/contact.rs").replace("{times}", "{} times"),
            &include_str!("../../cli/contact.rs").replace("{times}", "{} time"),
        ]
        .concat();
        for [en, zh] in KNOWN {
            for piece in en.split("{}") {
                let pieces = piece.split(" (it does without").next().unwrap_or_default();
                assert!(sources.contains(pieces.trim_end_matches('.')), "the tools no longer say {piece:?}");
            }
            assert_eq!(en.matches("{}").count(), zh.matches("{}").count(), "{en}");
        }
    }
}
