//! Why the model gave no reply, for people: by the kind of the failure, so that a new kind has words in both languages or
//! does not compile.

use super::faults::fault;
use super::{Lang, reasons};
use crate::provider::{ErrorKind, ModelError};
use std::borrow::Cow;

/// The kind of a failure by its word in the journal; none for one that this program does not know.
pub fn kind(word: &str) -> Option<ErrorKind> {
    serde_json::from_value(serde_json::Value::from(word)).ok()
}

/// The word of a kind in the journal.
fn word(kind: ErrorKind) -> String {
    serde_json::to_value(kind).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Whether what such a failure says besides its kind are the words of the server.
pub fn has_words(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::RateLimited
        | ErrorKind::Overloaded
        | ErrorKind::Loading
        | ErrorKind::BadModelJson
        | ErrorKind::PromptTooLong
        | ErrorKind::Auth
        | ErrorKind::Quota
        | ErrorKind::NotFound
        | ErrorKind::BadRequest => true,
        ErrorKind::Connect
        | ErrorKind::TimeoutFirstToken
        | ErrorKind::TimeoutBetweenTokens
        | ErrorKind::NotSse
        | ErrorKind::CutStream
        | ErrorKind::Protocol
        | ErrorKind::Cancelled => false,
    }
}

impl Lang {
    /// What happened.
    pub fn failure(self, kind: ErrorKind) -> &'static str {
        self.pick(match kind {
            ErrorKind::Connect => ["the server cannot be reached", "连不上服务器"],
            ErrorKind::TimeoutFirstToken => ["no reply began in time", "服务器没有及时开始回复"],
            ErrorKind::TimeoutBetweenTokens => ["the reply stopped coming", "回复中途停住"],
            ErrorKind::RateLimited => ["server busy", "服务器忙"],
            ErrorKind::Overloaded => ["the server is overloaded or has a fault", "服务器过载或出错"],
            ErrorKind::Loading => ["the server is still loading the model", "服务器仍在加载模型"],
            ErrorKind::BadModelJson => {
                ["the server could not read its model's call", "服务器读不懂模型的调用"]
            }
            ErrorKind::PromptTooLong => ["the prompt is too long for the model", "提示词超出模型窗口"],
            ErrorKind::Auth => ["the key was not accepted", "密钥未被接受"],
            ErrorKind::Quota => ["no credit is left at the provider", "服务商额度已用完"],
            ErrorKind::NotFound => ["no such model or address", "没有此模型或地址"],
            ErrorKind::BadRequest => ["the server does not accept the request", "服务器不接受此请求"],
            ErrorKind::NotSse => ["what answers there is no model server", "应答的不是模型服务器"],
            ErrorKind::CutStream => ["the reply broke off", "回复中断"],
            ErrorKind::Protocol => ["the reply cannot be read", "回复无法解读"],
            ErrorKind::Cancelled => ["the request was cancelled", "请求已取消"],
        })
    }

    /// What to do about it.
    pub fn failure_help(self, kind: ErrorKind) -> &'static str {
        self.pick(match kind {
            ErrorKind::Connect => {
                ["see that it runs, and that base_url is right", "请确认它在运行，且 base_url 正确"]
            }
            ErrorKind::TimeoutFirstToken | ErrorKind::TimeoutBetweenTokens => {
                ["try again, or raise the profile's time limit", "请重试，或放宽配置里的时限"]
            }
            ErrorKind::RateLimited | ErrorKind::Overloaded => ["wait, then go on", "稍等后再继续"],
            ErrorKind::Loading => ["go on once it is loaded", "加载完再继续"],
            ErrorKind::BadModelJson => ["try again, or use another protocol", "请重试，或换一种协议"],
            ErrorKind::PromptTooLong => ["set the window that the model really has", "请设置模型真实的窗口"],
            ErrorKind::Auth => ["set a valid key for this profile", "请为此配置设置有效密钥"],
            ErrorKind::Quota => ["top it up, or choose another model", "请充值，或换用其他模型"],
            ErrorKind::NotFound => ["check the model's name and base_url", "请检查模型名和 base_url"],
            ErrorKind::BadRequest => ["check the profile's quirks", "请检查配置里的 quirks"],
            ErrorKind::NotSse => ["check base_url and any proxy", "请检查 base_url 和代理"],
            ErrorKind::CutStream | ErrorKind::Protocol => ["try again", "请重试"],
            ErrorKind::Cancelled => ["go on when you like", "随时可以继续"],
        })
    }

    /// A text that tells of a request to a model, or of what the workspace refuses, in this language: what failed, the
    /// server's own words quoted, what to do. What is not known stays as it was written.
    pub fn trouble(self, text: &str) -> Cow<'_, str> {
        let by_kind = || ErrorKind::ALL.into_iter().find_map(|kind| self.asked_in_vain(kind, text));
        match self {
            Lang::En => Cow::Borrowed(text),
            Lang::Zh => match by_kind() {
                Some(said) => Cow::Owned(said),
                None => match fault(self, text) {
                    Cow::Borrowed(text) => reasons::said(self, text),
                    known @ Cow::Owned(_) => known,
                },
            },
        }
    }

    /// What a failed request of this kind says of itself, with what stands before and behind it; none if this is not that.
    fn asked_in_vain(self, kind: ErrorKind, text: &str) -> Option<String> {
        let (what, advice) = (format!(": {}", kind.words()), format!(". {}", kind.advice()));
        let begin = text.find(&what)?;
        let end = begin + text.get(begin..)?.find(&advice)? + advice.len();
        let (place, rest) = (text.get(..begin)?, text.get(end..)?.trim_start());
        let (status, words) = ModelError::said(kind, text.get(..end)?);
        let ours = fault(self, words);
        let said = match ours {
            Cow::Owned(ours) => self.label(self.failure(kind), &ours),
            Cow::Borrowed(words) => self.failed_with(&word(kind), status, words.trim()),
        };
        let stop = self.pick([". ", "。"]);
        let mut told =
            format!("{}{stop}{}{}", self.label(place, &said), self.failure_help(kind), stop.trim_end());
        if !rest.is_empty() {
            told.push_str(self.pick([" ", ""]));
            told.push_str(&fault(self, rest));
        }
        Some(told)
    }

    /// What happened, by the kind's word in the journal.
    pub fn failed_by(self, word: &str) -> String {
        match kind(word) {
            Some(kind) => self.failure(kind).to_owned(),
            None if word == "model_error" => {
                self.pick(["the model gave no reply", "模型没有回复"]).to_owned()
            }
            None => reasons::said(self, word).into_owned(),
        }
    }

    /// The same with the server's status and its own words, which are neutral and short.
    pub fn failed_with(self, word: &str, status: Option<u16>, words: &str) -> String {
        let mut text = self.failed_by(word);
        if let Some(status) = status {
            text.push_str(&match self {
                Lang::En => format!(" ({status})"),
                Lang::Zh => format!("（{status}）"),
            });
        }
        if words.is_empty() { text } else { self.label(&text, &format!("“{words}”")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_failed_is_told_with_the_words_of_the_server_quoted() {
        let place = "https://api.example/v1/chat/completions";
        let of = |kind, detail: &str| ModelError::new(kind, place, detail).message;
        let busy = of(ErrorKind::RateLimited, "HTTP 429: slow (down). please");
        let zh = |text: &str| Lang::Zh.trouble(text).into_owned();
        assert_eq!(zh(&busy), format!("{place}：服务器忙（429）：“slow (down). please”。稍等后再继续。"));
        let asked = format!("{busy} It was asked 3 times; no run was created");
        assert_eq!(zh(&asked), format!("{}问过 3 次；没有创建任务", zh(&busy)));
        assert_eq!(
            zh(&of(ErrorKind::TimeoutFirstToken, "nothing came for 60 s")),
            format!("{place}：服务器没有及时开始回复：60 秒内没有收到内容。请重试，或放宽配置里的时限。")
        );
        assert_eq!(
            zh(&of(ErrorKind::Connect, "tcp connect error")),
            format!("{place}：连不上服务器：“tcp connect error”。请确认它在运行，且 base_url 正确。")
        );
        for kind in ErrorKind::ALL {
            let told = zh(&of(kind, ""));
            assert!(told.starts_with(&format!("{place}：{}。", Lang::Zh.failure(kind))), "{told}");
        }
        assert_eq!(zh("given up"), "given up", "as it was written");
        assert_eq!(Lang::En.trouble(&asked), asked);
    }
}
