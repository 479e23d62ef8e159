//! The table: every token in one slot, the same figure for display and decision; too big is named and never loops.

use super::build::*;
use wakeful::context::{Assembly, goal_room, goal_too_large, message_room, message_tokens, request_tokens};
use wakeful::run::budget_table::Slot;
use wakeful::run::figures::grouped;
use wakeful::run::report::LimitKind;
use wakeful::run::settings::Protocol;
use wakeful::run::*;

fn o200k(text: &str) -> u32 {
    bpe_openai::o200k_base().count(text) as u32
}

#[test]
fn the_slots_sum_to_what_is_sent_with_a_real_tokenizer() {
    for (protocol, at_head, memories) in [
        (Protocol::Native, false, 0),
        (Protocol::Schema, false, 0),
        (Protocol::Native, true, 0),
        (Protocol::Native, false, 3),
        (Protocol::Schema, false, 3),
        (Protocol::Native, true, 3),
    ] {
        let mut with = settings(4000);
        with.model.protocol = protocol;
        with.model.state_at_head = at_head;
        let mut bench = Bench::new(with, goal("Write the report.\n(展开。)\n"));
        bench.count = o200k;
        bench.texts.instructions = Some("- use tabs.\n- 中文\n".to_owned());
        bench.event(Event::InstructionsRead { body: BlobBag::new().body("x"), tokens: 1 });
        bench.person("Hello, 你好");
        if memories > 0 {
            bench.event(recalled(memories));
        }
        for step in 0..30 {
            bench.step(&format!("Step {step}: look."), "src/main.rs", &"fn main() {}\n".repeat(30));
            let request = bench.settle().expect("fits");
            let table = &request.table;
            assert_eq!(request_tokens(&request.messages, &request.tools, &o200k), table.prompt());
            assert_eq!(table.rows.iter().map(|row| row.slot).collect::<Vec<_>>(), Slot::ALL);
            assert_eq!(table.rows.iter().map(|row| row.budget).sum::<u32>(), table.window);
            assert!(table.total() <= table.window && table.used(Slot::Reserve) == request.max_tokens);
            assert_eq!(table.used(Slot::Core), 0);
            assert_eq!(table.used(Slot::LongTerm) > 0, memories > 0);
            let all = text_of(&request.messages);
            assert_eq!(all.contains("memory 1: ") && all.contains("metres, never feet"), memories > 0);
        }
        assert!(bench.plans.contains(&"fold"));
    }
}

#[test]
fn a_message_is_recorded_with_the_tokens_it_takes() {
    let mut bench = Bench::new(settings(100_000), goal("g"));
    bench.person("hello");
    bench.step("Look.", "a.rs", "text");
    let request = bench.settle().expect("fits");
    for (reference, value) in bench.state.path.messages.iter().zip(&request.messages[1..]) {
        let single = request_tokens(std::slice::from_ref(value), &[], &chars) - wakeful::context::PRIMING;
        assert_eq!(reference.tokens, single);
        let text = &bench.texts.messages[&reference.seq];
        assert_eq!(reference.tokens, message_tokens(&bench.model(), text, &chars));
    }
}

#[test]
fn too_big_names_the_slot() {
    let slot_of = |bench: &Bench| match bench.assemble(Purpose::Turn) {
        Assembly::TooBig(big) => {
            assert!(big.words.contains(&format!("(slot {})", big.slot.word())), "{}", big.words);
            assert_eq!((big.used, big.window), (big.table.used(big.slot), 8000));
            big.slot
        }
        Assembly::Ready(_) | Assembly::Fold(_) | Assembly::DropOutputs(_) => panic!("it does not fit"),
    };
    let mut many = settings(8000);
    many.tools = (0..90).map(|n| tool(&format!("tool_{n}"))).collect();
    let bench = Bench::new(many.clone(), goal("g"));
    assert_eq!(slot_of(&bench), Slot::Tools);
    // No tools are offered for the report: it can still be written.
    assert!(matches!(bench.assemble(Purpose::Report(LimitKind::Steps)), Assembly::Ready(_)));
    many.model.protocol = Protocol::Schema;
    assert_eq!(slot_of(&Bench::new(many, goal("g"))), Slot::Tools);
    assert_eq!(slot_of(&Bench::new(settings(8000), goal(&"goal ".repeat(1500)))), Slot::Goal);
    let mut bench = Bench::new(settings(8000), goal("g"));
    bench.texts.instructions = Some("rule ".repeat(1500));
    assert_eq!(slot_of(&bench), Slot::System);
    let mut wide = settings(8000);
    wide.model.reserve = 7900;
    assert_eq!(slot_of(&Bench::new(wide, goal("g"))), Slot::Reserve);
    let mut bench = Bench::new(settings(8000), goal("g"));
    bench.person(&"words ".repeat(1200));
    assert_eq!(slot_of(&bench), Slot::Recent);
}

#[test]
fn a_message_that_the_window_can_take_fits_whatever_was_said_before() {
    let room = |bench: &Bench| {
        let room = message_room(&bench.state, &bench.texts, &bench.count).expect("created");
        room.expect("the fixed part fits")
    };
    // The framing counts; each word takes its letters.
    let words = |tokens: u32| "a".repeat(tokens.saturating_sub(wakeful::context::FRAMING) as usize);
    for rounds in [0, 1, 3, 40] {
        for short in [false, true] {
            let mut bench = Bench::new(settings(8000), goal("g"));
            for step in 0..rounds {
                let result = "x".repeat(if short { 1 } else { 900 });
                bench.step(&format!("Step {step}."), "a.rs", &result);
            }
            let room = room(&bench);
            assert!(room > 1000, "{room}");
            let mut over = Bench {
                state: bench.state.clone(),
                texts: bench.texts.clone(),
                ..Bench::new(settings(8000), goal("g"))
            };
            bench.person(&words(room));
            assert!(bench.settle().is_ok(), "{rounds} {short} {room}");
            // One that is far larger never does, and is named.
            over.person(&words(room + room / 2));
            let big = over.settle().expect_err("it does not fit");
            assert_eq!(big.slot, Slot::Recent);
            assert!(big.words.contains("your message, which stays word for word,"), "{}", big.words);
            assert!(big.words.contains("(slot recent)") && big.words.contains("roll back to before it"));
        }
    }
    // Where not even the fixed part fits, it is not the message that is to blame.
    let bench = Bench::new(settings(8000), goal(&"goal ".repeat(1500)));
    assert_eq!(message_room(&bench.state, &bench.texts, &bench.count), Ok(None));
}

#[test]
fn a_goal_that_the_table_has_room_for_is_taken_and_a_larger_one_is_not() {
    for window in [4_000, 8_000, 60_000] {
        let mut bench = Bench::new(settings(window), goal("g"));
        let table = bench.settle().expect("fits").table;
        let room = goal_room(&table);
        assert!(room > 1_000 && room < window, "{room}");
        // What stands around a goal counts; each word takes its letters.
        let with = |tokens: u32| goal(&"a".repeat(tokens as usize));
        let refused = |goal: &Goal| goal_too_large(&bench.state, goal, &bench.texts, &bench.count);
        assert_eq!(refused(&with(room - table.used(Slot::Goal))), None, "{window}");
        assert!(refused(&with(room)).is_some(), "{window}");
    }
}

#[test]
fn a_goal_that_is_not_the_largest_slot_is_refused_too_if_the_rest_does_not_fit_beside_it() {
    let mut bench = Bench::new(settings(4_000), goal("g"));
    bench.texts.instructions = Some("Read me first. ".repeat(20));
    let table = bench.settle().expect("fits").table;
    let others = [Slot::System, Slot::Tools, Slot::Reserve].map(|slot| table.used(slot));
    let (room, largest) = (goal_room(&table), others.into_iter().max().expect("three"));
    assert_eq!(room, 4_000 - 256 - others.iter().sum::<u32>());
    assert!(room + 100 < largest, "{room} {others:?}");
    let long = goal(&"a".repeat((room + 50 - table.used(Slot::Goal)) as usize));
    let why = goal_too_large(&bench.state, &long, &bench.texts, &bench.count).expect("refused");
    let (takes, left) = (grouped((room + 49).into()), grouped(room.into()));
    let figures = format!("about {takes} tokens of the window's 4,000, and is never cut; {left} are left");
    assert!(why.contains(&figures), "{figures}: {why}");
    // It is true: with it nothing could be asked.
    let version = bench.state.path.goal_version + 1;
    let mut with = Bench {
        state: bench.state.clone(),
        texts: bench.texts.clone(),
        ..Bench::new(settings(4_000), goal("g"))
    };
    with.event(Event::GoalEdited { version, goal: long.clone() });
    assert_eq!(with.settle().expect_err("too big").slot, Slot::System);
    // Where the fixed part does not fit as it is, the goal is not to blame, and may be mended on the way to what is.
    let mut smaller = bench.state.settings().expect("created").clone();
    smaller.model.window = 2_000;
    bench.event(Event::SettingsChanged { settings: Box::new(smaller), why: "the server said so".to_owned() });
    assert_eq!(bench.settle().expect_err("too big").slot, Slot::System);
    assert_eq!(goal_too_large(&bench.state, &goal("shorter"), &bench.texts, &bench.count), None);
}

#[test]
fn the_fixed_part_too_big_is_said_at_once_also_in_a_long_run() {
    let mut bench = Bench::new(settings(60_000), goal("g"));
    for step in 0..12 {
        bench.step(&format!("Step {step}."), "a.rs", &"x".repeat(300));
    }
    let mut smaller = bench.state.settings().expect("created").clone();
    smaller.model.window = 2500;
    bench.event(Event::SettingsChanged { settings: Box::new(smaller), why: "the server said so".to_owned() });
    assert_eq!(bench.settle().expect_err("too big").slot, Slot::System);
    assert!(bench.plans.is_empty(), "nothing is folded in vain");
}

#[test]
fn the_report_offers_no_tools() {
    for protocol in [Protocol::Native, Protocol::Schema] {
        let mut with = settings(50_000);
        with.model.protocol = protocol;
        let mut bench = Bench::new(with, goal("g"));
        bench.step("Look.", "a.rs", "text");
        let Assembly::Ready(report) = bench.assemble(Purpose::Report(LimitKind::Time)) else {
            panic!("it fits");
        };
        assert!(report.tools.is_empty());
        assert_eq!(report.table.used(Slot::Tools), 0);
        let tail = content(report.messages.last().expect("tail"));
        assert!(tail.contains("limit is reached (time)") && tail.contains("final report"), "{tail}");
        let Assembly::Ready(turn) = bench.assemble(Purpose::Turn) else { panic!("it fits") };
        assert_ne!(turn.hash, report.hash);
        assert_eq!(turn.hash, bench.settle().expect("fits").hash);
        match protocol {
            Protocol::Native => assert_eq!((turn.tools.len(), &report.response_format), (2, &None)),
            Protocol::Schema => {
                let form = report.response_format.expect("a form").to_string();
                assert!(!form.contains("read_file"), "{form}");
                assert!(turn.response_format.expect("a form").to_string().contains("read_file"));
            }
        }
    }
}

#[test]
fn a_run_without_its_first_event_has_no_request() {
    let state = RunState::new(RunId::new("r-000000000001"));
    let texts = wakeful::context::Texts::default();
    assert!(wakeful::context::assemble(&state, &texts, Purpose::Turn, &chars).is_err());
}
