//! What a tool told the agent when a call came to nothing, in the language of the screen: its kind, what happened, what to
//! do. A sentence that is not known is quoted as the agent got it.
//!
//! Derived from the form of such results: `error [kind]: what happened`, then `what to do: …`. Not to be assumed: that
//! what follows these two lines is ours. It is the output of programs and stays as it is.

use super::Lang;
use super::faults::translated;
use super::reasons::{fill, parts};
use std::borrow::Cow;

/// Kinds of errors and what they are called.
pub(super) const KINDS: &[[&str; 2]] = &[
    ["invalid_arguments", "参数无效"],
    ["invalid_schema", "工具的参数定义有误"],
    ["unknown_tool", "没有此工具"],
    ["denied_by_rule", "被规则禁止"],
    ["not_found", "不存在"],
    ["not_a_file", "不是普通文件"],
    ["not_a_folder", "不是文件夹"],
    ["not_text", "不是文本"],
    ["binary_file", "二进制文件"],
    ["binary_content", "二进制内容"],
    ["no_match", "没有匹配"],
    ["many_matches", "多处匹配"],
    ["no_change", "没有改动"],
    ["changed_since", "之后已改变"],
    ["past_the_end", "超出末尾"],
    ["outside_workspace", "在工作目录之外"],
    ["workspace_unusable", "工作目录不可用"],
    ["protected_path", "受保护的路径"],
    ["dangling_link", "失效的链接"],
    ["read_only", "只读"],
    ["read_only_folder", "只读文件夹"],
    ["too_big", "太大"],
    ["permission_denied", "没有权限"],
    ["disk_full", "磁盘已满"],
    ["io", "读写出错"],
    ["internal", "内部错误"],
    ["secret_in_arguments", "参数中有密钥"],
    ["secret_in_file", "文件中有密钥"],
    ["secret_missing", "缺少密钥"],
    ["http_status", "网页返回错误"],
    ["redirected", "转到别处"],
    ["too_many_redirects", "转向过多"],
    ["network", "网络出错"],
    ["connect", "连不上"],
    ["timeout", "超时"],
    ["timed_out", "超时"],
    ["exit", "退出码"],
    ["signal", "信号"],
    ["cancelled", "已取消"],
    ["output_limit", "输出过多"],
    ["not_run", "没有运行"],
    ["not_started", "没有启动"],
    ["quota", "超出限额"],
    ["quota_minute", "超出每分钟限额"],
    ["plan_edited", "计划已改"],
];

/// What such a result says besides, with `{}` for what a person wrote.
const OTHER: &[[&str; 2]] = &[
    ["denied by the person: no reason given", "被你拒绝，未说明原因"],
    ["denied by the person: {}", "被你拒绝：“{}”"],
    ["cancelled before it started; it did not run", "开始之前已取消，没有运行"],
    ["cancelled: the run was cancelled; it did not run", "已取消：任务已取消，没有运行"],
    ["cancelled: the run was rolled back; it did not run", "已取消：任务已回退，没有运行"],
];

/// A result of a call that came to nothing: its first two lines in this language, if they are ours.
pub fn told(lang: Lang, text: &str) -> Cow<'_, str> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let Some(first) = line(lang, first) else { return Cow::Borrowed(text) };
    let (second, more) = rest.split_once('\n').unwrap_or((rest, ""));
    let mut out = first;
    if text.contains('\n') {
        out.push('\n');
        match advice(second) {
            Some(second) => {
                out.push_str(&second);
                if rest.contains('\n') {
                    out.push('\n');
                    out.push_str(more);
                }
            }
            None => out.push_str(rest),
        }
    }
    Cow::Owned(out)
}

/// The first line of such a result in this language; none if it is none, or if it is in that language as it stands.
pub fn line(lang: Lang, first: &str) -> Option<String> {
    if lang == Lang::En {
        return None;
    }
    let known = OTHER.iter().find_map(|[en, zh]| Some(fill(zh, &parts(en, first)?)));
    if known.is_some() {
        return known;
    }
    let (kind, message) = first.strip_prefix("error [")?.split_once("]: ")?;
    let named = KINDS.iter().find(|[word, _]| *word == kind).map_or(kind, |[_, zh]| zh);
    Some(format!("错误（{named}）：{}", ours_or_quoted(message)))
}

fn advice(second: &str) -> Option<String> {
    let what = second.strip_prefix("what to do: ")?;
    Some(format!("怎么办：{}", ours_or_quoted(what)))
}

fn ours_or_quoted(text: &str) -> String {
    translated(text).unwrap_or_else(|| format!("“{text}”"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_tool_is_told_in_both_languages_and_its_output_is_left_alone() {
        let zh = |text| told(Lang::Zh, text).into_owned();
        let missing = "error [not_found]: there is no folder \"x\" in the workspace.\nwhat to do: Leave `path` out to \
                       list the workspace itself.";
        assert_eq!(
            zh(missing),
            "错误（不存在）：工作目录中没有文件夹 \"x\"。\n怎么办：要列出工作目录本身，请省略 `path`。"
        );
        assert_eq!(told(Lang::En, missing), missing);
        let late = "error [timed_out]: the command took too long and was ended; partial effects are possible\nwhat to \
                    do: look at what it did, then give it more time with timeout_s or split it\nwhat to do: x\n";
        assert_eq!(
            zh(late),
            "错误（超时）：命令超时被结束；可能只做了一部分\n\
             怎么办：请看它做了什么，再用 timeout_s 放宽时间或拆开做\nwhat to do: x\n"
        );
        assert_eq!(
            zh(
                "error [http_status]: https://a.example/b answered 404. It said: no. such page\nwhat to do: Wait a moon."
            ),
            "错误（网页返回错误）：https://a.example/b 返回 404。它说：“no. such page”\n怎么办：“Wait a moon.”"
        );
        assert_eq!(zh("error [exit]: the command ended with exit code 2\nerror [exit]: x"), {
            "错误（退出码）：命令以退出码 2 结束\nerror [exit]: x"
        });
        assert_eq!(zh("error [odd]: who knows"), "错误（odd）：“who knows”");
        assert_eq!(
            zh("denied by the person: too risky\nwhat to do: do it another way, or ask the person"),
            "被你拒绝：“too risky”\n怎么办：请换一种做法，或询问使用者"
        );
        for own in ["", "exit 0\nerror [exit]: x", "error: disk", "warning\nwhat to do: nothing"] {
            assert_eq!(zh(own), own);
        }
    }

    #[test]
    fn the_tools_still_have_these_kinds() {
        let sources = [
            include_str!("../../tool/edit.rs"),
            include_str!("../../tool/http.rs"),
            include_str!("../../tool/list.rs"),
            include_str!("../../tool/read.rs"),
            include_str!("../../tool/registry.rs"),
            include_str!("../../tool/schema.rs"),
            include_str!("../../tool/search.rs"),
            include_str!("../../tool/spec.rs"),
            include_str!("../../tool/write.rs"),
            include_str!("../../agent/policy.rs"),
            include_str!("../../worker/controls.rs"),
            include_str!("../../worker/judge.rs"),
            include_str!("../../worker/masking.rs"),
            include_str!("../../worker/read_call.rs"),
            include_str!("../../worker/shell_call.rs"),
            include_str!("../../worker/tool_call.rs"),
            include_str!("../../worker/phase_end.rs"),
            include_str!("../../agent/quota.rs"),
            include_str!("../../run/fold_ledger.rs"),
        ]
        .concat();
        for [kind, _] in KINDS {
            let is_there =
                [format!("\"{kind}\""), format!("error [{kind}]")].iter().any(|k| sources.contains(k));
            assert!(is_there, "no tool fails as {kind:?} any more");
        }
        for [en, _] in OTHER {
            let fixed = en.trim_end_matches("no reason given").trim_end_matches("{}");
            let fixed = fixed.trim_start_matches("cancelled: ").trim_end_matches("; it did not run");
            assert!(sources.contains(fixed), "{fixed}");
        }
    }
}
