//! Tokens of framing against figures from outside: those that OpenAI's cookbook prints for its example ("How to count
//! tokens with tiktoken", section 6), which its API reports as well: 129 prompt tokens for gpt-4, 124 for gpt-4o.

use serde_json::{Value, json};
use wakeful::context::request_tokens;

/// The example: role, name, text.
const EXAMPLE: [(&str, &str, &str); 6] = [
    (
        "system",
        "",
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    ),
    ("system", "example_user", "New synergies will help drive top-line growth."),
    ("system", "example_assistant", "Things working well together will increase revenue."),
    (
        "system",
        "example_user",
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
    ),
    ("system", "example_assistant", "Let's talk later when we're less busy about how to do better."),
    ("user", "", "This late pivot means we don't have time to boil the ocean for the client deliverable."),
];

fn cl100k(text: &str) -> u32 {
    bpe_openai::cl100k_base().count(text) as u32
}

fn o200k(text: &str) -> u32 {
    bpe_openai::o200k_base().count(text) as u32
}

#[test]
fn the_published_counts_of_openais_example_come_out() {
    for (published, count) in [(129, cl100k as fn(&str) -> u32), (124, o200k)] {
        let messages: Vec<Value> =
            EXAMPLE.iter().map(|(role, _, text)| json!({ "role": role, "content": text })).collect();
        // A name costs its tokens and one more; wakeful sends none.
        let names: u32 = EXAMPLE.iter().filter(|one| !one.1.is_empty()).map(|one| 1 + count(one.1)).sum();
        assert_eq!(request_tokens(&messages, &[], &count) + names, published);
    }
}
