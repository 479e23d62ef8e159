//! Short news are about what was done where they are said: they stand beside no dialog that opens later.

use super::*;

#[test]
fn what_was_said_before_does_not_stand_beside_a_dialog_that_opens_nor_outlive_the_one_it_is_about() {
    for keys in ["?", ":", "g", "n", "X", "L", "r", "a", "x"] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.app.say("Copied.");
        bench.press(keys);
        assert_eq!((bench.app.model.layers.len(), bench.news().as_str()), (1, ""), "{keys}");
        // What comes of something meanwhile is said.
        bench.app.say("Approved: 14.2");
        bench.shot();
        assert_eq!(bench.news(), "Approved: 14.2", "{keys}");
    }
    // Why a dialog does nothing goes with it.
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("L Ctrl-O");
    assert!(!bench.news().is_empty());
    bench.press("Esc");
    assert_eq!((bench.app.model.layers.len(), bench.news().as_str()), (0, ""));
}

/// What a tool told the agent is told in the person's language, in Loop and in Queue; its own words stand below.
#[test]
fn a_refusal_opened_whole_is_in_the_language_of_the_screen_with_the_words_as_they_were() {
    use crate::run::{Body, CallStatus};
    use crate::ui::app::transcript::Spot;
    use crate::ui::feed::{Item, Text};
    let told = "error [not_a_file]: \"src\" is a folder, not a regular file.\n\
                what to do: Use list_files for folders; name a regular file here.";
    for (lang, ours, title) in [
        (Lang::En, "is a folder, not a regular file.", ""),
        (Lang::Zh, "错误（不是普通文件）：\"src\" 是文件夹，不是普通文件。", "智能体收到的原文："),
    ] {
        let mut model = model(lang, (120, 40));
        let body = Body::Inline(told.to_owned());
        let mut at = None;
        change(&mut model, |view| {
            for (nth, item) in view.open.items.iter_mut().enumerate() {
                if let Item::Call(call) = item
                    && call.tool == "read_file"
                {
                    (call.status, call.result, call.output) =
                        (CallStatus::Failed, Some(Text::of(&body)), None);
                    at = Some(nth);
                }
            }
        });
        let mut bench = Bench::of(model);
        bench.app.model.focus = Panel::Loop;
        bench.app.model.transcript.at = Some(Spot { step: 14, item: at });
        for command in bench.press("Enter") {
            if let Cmd::Text(ticket, _) = command {
                bench.app.update(Msg::Text(ticket, Ok(told.to_owned())));
            }
        }
        assert!(bench.shows(ours) && bench.shows(title), "{:#?}", bench.frame());
        assert!(bench.shows("error [not_a_file]: \"src\" is a folder"), "{:#?}", bench.frame());
    }
}
