//! Whole texts: both ends are reached, and what is left out is counted.

use super::*;

#[test]
fn both_ends_of_a_long_text_are_reached_and_what_is_left_out_is_counted() {
    for (lang, says) in [(Lang::En, "left out here"), (Lang::Zh, "此处略去")] {
        let mut model = model(lang);
        let mut dialog = text::TextDialog::body(&mut model, "4.1 shell", Body::Inline(String::new()));
        let commands = dialog.open(&mut model);
        let Some(Cmd::Text(ticket, _)) = commands.first() else { panic!("{commands:?}") };
        let out: String = (1..=60_000).map(|n| format!("line {n:07} {}\n", "x".repeat(40))).collect();
        dialog.told(&Msg::Text(*ticket, Ok(out)), &mut model);
        let mut seen = |action: Option<Action>| {
            if let Some(action) = action {
                dialog.act(hit(action), &mut model);
            }
            let (shown, rows) = sample::draw_dialog_in(dialog.as_ref(), &model, 70, 9);
            dialog.drawn(shown, model.clock.mono);
            rows
        };
        assert!(seen(None)[0].starts_with("line 0000001 "));
        let end = seen(Some(Action::Bottom));
        assert!(end[7].starts_with("line 0060000 "), "{end:#?}");
        assert!(end[8].contains('+'), "the rows are not all lines: {}", end[8]);
        assert!(seen(Some(Action::Top))[0].starts_with("line 0000001 "));
        // The line between: what it counts and what stands above and below it are all of it.
        let rows: Vec<String> = (0..6_000).flat_map(|_| seen(Some(Action::PageDown))).collect();
        let between = rows.iter().position(|row| row.contains(says)).unwrap();
        let number = |row: &str| row.get(5..12).and_then(|n| n.parse::<u64>().ok());
        let before = rows[..between].iter().rev().find_map(|row| number(row)).unwrap();
        let after = rows[between..].iter().find_map(|row| number(row)).unwrap();
        let count = rows[between].split(|c: char| !c.is_ascii_digit() && c != ',').find(|n| !n.is_empty());
        let count: u64 = count.unwrap().replace(',', "").parse().unwrap();
        assert_eq!(before + count + 1, after, "{}", rows[between]);
    }
}

#[test]
fn a_whole_text_is_read_and_scrolled() {
    let mut model = model(Lang::En);
    let row = model.view().unwrap().calls.iter().find(|call| call.result.is_some()).unwrap().clone();
    let mut dialog = text::TextDialog::call(&mut model, &row);
    let commands = dialog.open(&mut model);
    let tickets: Vec<_> =
        commands.iter().map(|cmd| if let Cmd::Text(ticket, _) = cmd { *ticket } else { 0 }).collect();
    assert_eq!(tickets.len(), 2);
    dialog.told(&Msg::Text(tickets[0], Ok(r#"{"path":"a.rs"}"#.to_owned())), &mut model);
    let out: Vec<String> = (1..=90).map(|n| format!("line {n}")).collect();
    dialog.told(&Msg::Text(tickets[1], Ok(out.join("\n"))), &mut model);
    let (shown, lines) = sample::draw_dialog_in(dialog.as_ref(), &model, 60, 10);
    dialog.drawn(shown, model.clock.mono);
    assert_eq!((lines[1].trim_end(), lines[4].trim_end()), ("  \"path\": \"a.rs\"", "line 1"));
    dialog.act(hit(Action::Bottom), &mut model);
    let (_, lines) = sample::draw_dialog_in(dialog.as_ref(), &model, 60, 10);
    assert_eq!(lines[8].trim_end(), "line 90");
    let mut request = text::TextDialog::request(&mut model, RunId::new("r-1"), 3);
    let commands = request.open(&mut model);
    let Some(Cmd::Request(ticket, _, 3)) = commands.first() else { panic!("{commands:?}") };
    let ticket = *ticket;
    request.told(&Msg::Request(ticket, Err("its blobs are gone".to_owned())), &mut model);
    assert_eq!(rows(request.as_mut(), &model)[0], "The request cannot be rebuilt: its blobs are gone");
    // A long line of it breaks at words, and each break has its sign.
    let mut request = text::TextDialog::request(&mut model, RunId::new("r-1"), 3);
    let commands = request.open(&mut model);
    let Some(Cmd::Request(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
    let text = "{\n  \"content\": \"You are an agent that works in steps\"\n}".to_owned();
    request.told(&Msg::Request(*ticket, Ok(Rebuilt { text, differs: None })), &mut model);
    let (_, lines) = sample::draw_dialog_in(request.as_ref(), &model, 24, 7);
    let lines: Vec<_> = lines.iter().take(5).map(|line| line.trim_end()).collect();
    let expected = ["  {", "    \"content\": \"You are", "↳ an agent that works", "↳ in steps\"", "  }"];
    assert_eq!(lines, expected);
}

#[test]
fn a_request_that_is_rebuilt_otherwise_says_so_above_it() {
    for (lang, says) in [
        (Lang::En, "What is shown may differ from what was sent: the hash is 1"),
        (Lang::Zh, "以下内容可能与实际发送的不同："),
    ] {
        for differs in [Some("the hash is 1\u{202e}, not 2".to_owned()), None] {
            let mut model = model(lang);
            let mut request = text::TextDialog::request(&mut model, RunId::new("r-1"), 3);
            let commands = request.open(&mut model);
            let Some(Cmd::Request(ticket, ..)) = commands.first() else { panic!("{commands:?}") };
            let rebuilt = Rebuilt { text: "{\n}".to_owned(), differs: differs.clone() };
            request.told(&Msg::Request(*ticket, Ok(rebuilt)), &mut model);
            let lines = rows(request.as_mut(), &model);
            let shown = lines.join("\n").replace(' ', "");
            assert_eq!(shown.contains(&says.replace(' ', "")), differs.is_some(), "{lines:#?}");
            let first = if differs.is_some() { 2 } else { 0 };
            assert_eq!(lines[first].trim_end(), "  {", "{lines:#?}");
            assert!(!shown.contains('\u{202e}'));
        }
    }
}
