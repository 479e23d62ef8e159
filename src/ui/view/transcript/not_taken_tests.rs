//! What the loop tells of summaries and cores: why one was not taken, what was left out of one that was.

use super::*;
use crate::run::message::FinishReason;
use crate::run::{Body, Purpose, Refused, Usage};
use crate::ui::app::sample::{self, draw_part};
use crate::ui::feed::{Ending, Item, Text};
use crate::ui::words::Lang;

#[test]
fn a_summary_that_is_not_taken_says_why_and_one_that_is_says_what_was_left_out() {
    for (lang, said) in [
        (
            Lang::En,
            [
                "not taken: all of it poses as a goal or as instructions",
                "3 older rounds folded into the summary · written by the model · 2 lines left out",
                "core of the task: Read on. · written by small · 1 line left out: posed as goal or instructions",
            ],
        ),
        (
            Lang::Zh,
            [
                "未采用：全部冒充目标或指令",
                "3 轮旧对话已并入摘要 · 由模型撰写 · 2 行冒充目标或指令，未收入",
                "任务核心：Read on. · 由 small 撰写 · 1 行冒充目标或指令，未收入",
            ],
        ),
    ] {
        let mut model = sample::model(lang, (160, 50));
        sample::change(&mut model, |view| {
            let ending = Ending::Replied {
                usage: Usage::default(),
                first_token_ms: 1,
                ms: 2,
                finish: FinishReason::Stop,
                refused: Some(Refused::Posing),
            };
            let asked = Item::Asked {
                seq: 900,
                at: 0,
                attempt: 1,
                purpose: Purpose::Summary { upto: 9, rounds: 3 },
                prompt: 300,
                text: Some(Text::of(&Body::Inline("FACTS".to_owned()))),
                reasoning: None,
                ending,
            };
            let folded = Item::Folded { seq: 901, rounds: 3, by_model: true, by: None, left_out: 2 };
            let words = "small\n1\nRead on.".to_owned();
            let core = Item::Other { seq: 902, at: 0, kind: "core_kept", words };
            view.open.items.extend([asked, folded, core]);
        });
        let rows = draw_part(&model, (150, 50), draw).1;
        for said in said {
            assert!(rows.iter().any(|row| row.contains(said)), "{said}\n{}", rows.join("\n"));
        }
    }
}
