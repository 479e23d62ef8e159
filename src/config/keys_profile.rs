//! The keys of `[profile.NAME]`. A workspace may set none of them: a profile says where everything the model sees is
//! sent, and which key goes with it.

use super::document::Value;
use super::key::{Guard, Key, choice, money, quoted, small, text, word_of, yes_no};
use super::profile::{Profile, ProtocolChoice, TokenizerChoice, check_url};
use super::units::format_micro;
use crate::run::settings::Price;
use std::path::PathBuf;

const PROTOCOLS: &[(&str, ProtocolChoice)] =
    &[("auto", ProtocolChoice::Auto), ("native", ProtocolChoice::Native), ("schema", ProtocolChoice::Schema)];
const TOKENIZERS: &[(&str, Counted)] = &[
    ("auto", Counted::Auto),
    ("o200k", Counted::O200k),
    ("cl100k", Counted::Cl100k),
    ("estimate", Counted::Estimate),
];

/// The ways of counting that have a word.
#[derive(Clone, Copy, PartialEq)]
enum Counted {
    Auto,
    O200k,
    Cl100k,
    Estimate,
}

/// A word, or the path of a `tokenizer.json`.
fn tokenizer(value: &Value) -> Result<TokenizerChoice, String> {
    if let Value::Text(text) = value
        && text.contains(['/', '\\', '.'])
    {
        return match PathBuf::from(text) {
            file if file.is_absolute() => Ok(TokenizerChoice::File(file)),
            _ => Err(format!("takes an absolute path to a tokenizer.json, and \"{text}\" is none")),
        };
    }
    let words = choice(value, TOKENIZERS)
        .map_err(|why| format!("{why} Else the absolute path of the model's tokenizer.json"))?;
    Ok(match words {
        Counted::Auto => TokenizerChoice::Auto,
        Counted::O200k => TokenizerChoice::O200k,
        Counted::Cl100k => TokenizerChoice::Cl100k,
        Counted::Estimate => TokenizerChoice::Estimate,
    })
}

fn tokenizer_shown(choice: &TokenizerChoice) -> Option<String> {
    let word = match choice {
        TokenizerChoice::Auto => Counted::Auto,
        TokenizerChoice::O200k => Counted::O200k,
        TokenizerChoice::Cl100k => Counted::Cl100k,
        TokenizerChoice::Estimate => Counted::Estimate,
        TokenizerChoice::File(file) => return Some(quoted(&file.to_string_lossy())),
    };
    word_of(word, TOKENIZERS)
}

/// Fields of a price that a file has to give.
pub const PRICE_FIELDS: [&str; 3] = ["price.prompt", "price.cached", "price.completion"];

fn price(profile: &mut Profile) -> &mut Price {
    profile.price.get_or_insert(Price { prompt: 0, cached: 0, completion: 0 })
}

/// A variable's name. A value that does not look like one is not repeated: it may be the key itself.
pub(super) fn variable(value: &Value) -> Result<String, String> {
    let name = |text: &str| {
        !text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match value {
        Value::Text(text) if !text.is_empty() && name(text) => Ok(text.clone()),
        _ => {
            Err("takes the name of an environment variable, such as \"OPENAI_API_KEY\", and never the key"
                .into())
        }
    }
}

fn temperature(value: &Value) -> Result<f64, String> {
    let number = match value {
        Value::Whole(n) => n.to_string().parse::<f64>().ok(),
        Value::Decimal(text) => text.replace('_', "").parse::<f64>().ok(),
        _ => None,
    };
    number
        .filter(|n| (0.0..=2.0).contains(n))
        .ok_or_else(|| format!("takes a number from 0 to 2, not {}", value.described()))
}

/// `[profile.NAME]`.
pub static PROFILE: &[Key<Profile>] = &[
    Key {
        name: "base_url",
        doc: "The server, up to and with /v1; anything that speaks OpenAI's chat completions.",
        example: "\"http://127.0.0.1:8080/v1\"",
        set: |p, v| {
            let Value::Text(url) = v else { return Err("takes a URL as a text".to_owned()) };
            check_url(url).map(|url| p.base_url = url)
        },
        show: |p| (!p.base_url.is_empty()).then(|| quoted(&p.base_url)),
        guard: Guard::User,
    },
    Key {
        name: "model",
        doc: "The model's name at that server.",
        example: "\"qwen3-32b\"",
        set: |p, v| text(v).map(|name| p.model = name),
        show: |p| (!p.model.is_empty()).then(|| quoted(&p.model)),
        guard: Guard::User,
    },
    Key {
        name: "key_env",
        doc: "Name of the environment variable that holds the key; not set: no key is sent. Keys never stand in files.",
        example: "\"OPENAI_API_KEY\"",
        set: |p, v| variable(v).map(|name| p.key_env = Some(name)),
        show: |p| p.key_env.as_deref().map(quoted),
        guard: Guard::User,
    },
    Key {
        name: "window",
        doc: "Context window, tokens. Not set: what the server says, else 8192.",
        example: "32768",
        set: |p, v| small(v, 512, u32::MAX).map(|n| p.window = Some(n)),
        show: |p| p.window.map(|n| n.to_string()),
        guard: Guard::User,
    },
    Key {
        name: "reserve",
        doc: "Tokens kept for the reply. Not set: a quarter of the window, at most 4096.",
        example: "4096",
        set: |p, v| small(v, 64, u32::MAX).map(|n| p.reserve = Some(n)),
        show: |p| p.reserve.map(|n| n.to_string()),
        guard: Guard::User,
    },
    Key {
        name: "protocol",
        doc: "How tools are offered. \"native\": as tools. \"schema\": one action a turn in a forced JSON form, for \
              models with weak tool calling. \"auto\" finds out.",
        example: "",
        set: |p, v| choice(v, PROTOCOLS).map(|c| p.protocol = c),
        show: |p| word_of(p.protocol, PROTOCOLS),
        guard: Guard::User,
    },
    Key {
        name: "tokenizer",
        doc: "What counts tokens: \"auto\" goes by the model's name; \"o200k\" and \"cl100k\" are OpenAI's; \
              \"estimate\" is marked as one; or the absolute path of the model's own tokenizer.json.",
        example: "",
        set: |p, v| tokenizer(v).map(|c| p.tokenizer = c),
        show: |p| tokenizer_shown(&p.tokenizer),
        guard: Guard::User,
    },
    Key {
        name: "price.prompt",
        doc: "Price of a million prompt tokens. Without prices the cost is unknown, which a cost cap refuses.",
        example: "0.28",
        set: |p, v| money(v).map(|n| price(p).prompt = n),
        show: |p| p.price.map(|price| format_micro(price.prompt)),
        guard: Guard::User,
    },
    Key {
        name: "price.cached",
        doc: "Price of a million prompt tokens that come from the server's cache.",
        example: "0.03",
        set: |p, v| money(v).map(|n| price(p).cached = n),
        show: |p| p.price.map(|price| format_micro(price.cached)),
        guard: Guard::User,
    },
    Key {
        name: "price.completion",
        doc: "Price of a million tokens of replies.",
        example: "0.42",
        set: |p, v| money(v).map(|n| price(p).completion = n),
        show: |p| p.price.map(|price| format_micro(price.completion)),
        guard: Guard::User,
    },
    Key {
        name: "temperature",
        doc: "Sampling temperature, 0 to 2. Not set: the server's own.",
        example: "0.2",
        set: |p, v| temperature(v).map(|n| p.temperature = Some(n)),
        show: |p| p.temperature.map(|n| n.to_string()),
        guard: Guard::User,
    },
    Key {
        name: "send_reasoning",
        doc: "True: reasoning_content of earlier turns is sent back, for servers that demand it.",
        example: "",
        set: |p, v| yes_no(v).map(|yes| p.send_reasoning = yes),
        show: |p| Some(p.send_reasoning.to_string()),
        guard: Guard::User,
    },
    Key {
        name: "state_at_head",
        doc: "True: facts and plan stand at the head of the prompt, for templates that take no message at the end.",
        example: "",
        set: |p, v| yes_no(v).map(|yes| p.state_at_head = yes),
        show: |p| Some(p.state_at_head.to_string()),
        guard: Guard::User,
    },
    Key {
        name: "no_stream_options",
        doc: "True: stream_options is not sent, for servers that reject it. Usage is then estimated.",
        example: "",
        set: |p, v| yes_no(v).map(|yes| p.no_stream_options = yes),
        show: |p| Some(p.no_stream_options.to_string()),
        guard: Guard::User,
    },
    Key {
        name: "max_completion_tokens",
        doc: "True: the reply's limit is sent under this name instead of max_tokens.",
        example: "",
        set: |p, v| yes_no(v).map(|yes| p.max_completion_tokens = yes),
        show: |p| Some(p.max_completion_tokens.to_string()),
        guard: Guard::User,
    },
];
