//! Tests of `agent`: whatever happens, wherever it is cut, `next` never panics, never starts a started effect again,
//! and always leads to an end or a wait.

use super::run::{Journal, goal, result, settings};
use proptest::prelude::*;
use std::collections::BTreeMap;
use wakeful::agent::next::{Returned, Wait};
use wakeful::agent::policy::{Evidence, Subject, Verdict, judge};
use wakeful::agent::{Hands, Next, hears, invariants, next};
use wakeful::run::event::NotStartedEnd;
use wakeful::run::settings::{Price, Rule, RuleVerdict};
use wakeful::run::*;

/// Choices that a test case makes; when they run out the world behaves well.
struct Choices {
    bytes: Vec<u8>,
    at: usize,
}

impl Choices {
    fn pick(&mut self, n: u8) -> u8 {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.map_or(0, |b| b % n)
    }
    fn spent(&self) -> bool {
        self.at >= self.bytes.len()
    }
}

const TOOLS: [(&str, Class); 5] = [
    ("read_file", Class::Read),
    ("write_file", Class::Keyed),
    ("shell", Class::Effect),
    ("note", Class::Inner),
    ("ask_person", Class::Person),
];

/// Does what `next` says, with outcomes chosen by the case. Returns false when the run waits or is over.
fn perform(journal: &mut Journal, choices: &mut Choices) -> bool {
    let now = journal.now;
    match next(&journal.state, now) {
        Next::Ended | Next::ReadOnly => return false,
        Next::CloseModelCall => {
            let usage = Usage { prompt: 10, estimated: true, ..Usage::default() };
            journal.push(Event::ModelAborted { why: "lost".to_owned(), usage, partial: None }).unwrap();
        }
        Next::ContinueRollback => {
            let rollback = journal.state.ledger.rollback.clone().unwrap();
            let timeline = journal.state.ledger.timelines.len() as u32 + 1;
            journal
                .push(Event::RolledBack { to_seq: rollback.to_seq, timeline, kept: Vec::new(), over: false })
                .unwrap();
        }
        Next::Judge(calls) => calls.iter().for_each(|id| judge_one(journal, id, choices)),
        Next::Start(calls) => {
            for id in &calls {
                let call = journal.state.open_call(id).unwrap();
                assert_eq!(call.status, CallStatus::Approved, "only an approved call may start");
                journal.start(id).unwrap();
            }
        }
        Next::Attend { calls, stop } => calls.iter().for_each(|id| attend(journal, id, stop, choices)),
        Next::GiveUp(calls) => {
            for call_id in calls {
                journal
                    .push(Event::CallCancelled {
                        call_id,
                        why: "cancel".to_owned(),
                        result: result("cancelled"),
                    })
                    .unwrap();
            }
        }
        Next::CommitStep(step) => journal.push(Event::StepCommitted { step }).unwrap(),
        Next::CallModel { purpose, attempt, .. } => call_model(journal, purpose, attempt, choices),
        Next::Check(index) => {
            let passed = choices.pick(3) != 1;
            let goal_version = journal.state.path.goal_version;
            journal
                .push(Event::CheckFinished { index, goal_version, passed, detail: "looked".to_owned() })
                .unwrap();
        }
        Next::ReturnClaim(Returned::Failed(_) | Returned::GoalEdited) => {
            journal.push(Event::ClaimReturned { result: result("not yet") }).unwrap();
        }
        Next::Hold(why) => journal.push(Event::Held { why }).unwrap(),
        Next::Wait(Wait::Until(at)) => journal.now = at,
        Next::Wait(wait) => return answer(journal, &wait, choices),
        Next::WrapUp(outcome, _) => {
            journal.push(Event::RunEnded { outcome, report: Body::Inline("{}".to_owned()) }).unwrap();
        }
    }
    true
}

fn judge_one(journal: &mut Journal, id: &CallId, choices: &mut Choices) {
    let call = journal.state.open_call(id).unwrap().clone();
    let evidence = Evidence { writes_inside: choices.pick(2) == 1, ..Evidence::default() };
    match judge(&journal.state, &call, &evidence, journal.now) {
        Verdict::Approve(_) => journal.approve(id),
        Verdict::Ask(why) => {
            journal.push(Event::CallWaiting { call_id: id.clone(), why, default: None }).unwrap()
        }
        Verdict::Reject(problem) => journal
            .push(Event::CallRejected { call_id: id.clone(), kind: problem.kind, result: result("no") })
            .unwrap(),
    }
}

fn attend(journal: &mut Journal, id: &CallId, stop: bool, choices: &mut Choices) {
    let call = journal.state.open_call(id).unwrap().clone();
    let (call_id, attempt) = (id.clone(), call.attempt);
    match choices.pick(6) {
        1 => journal.finish(id, false, "it failed"),
        2 => journal
            .push(Event::CallUncertain {
                call_id,
                attempt,
                spool: call.spool(),
                why: "no evidence".to_owned(),
                ms: 0,
            })
            .unwrap(),
        3 => {
            let give_up = stop || attempt >= call::START_TRIES;
            let end = give_up.then(|| NotStartedEnd { cancelled: stop, result: result("not started") });
            journal.push(Event::CallNotStarted { call_id, attempt, why: "closed".to_owned(), end }).unwrap();
        }
        4 => {
            let epoch = journal.state.ledger.epoch;
            journal.push(Event::CallReattached { call_id: call_id.clone(), epoch }).unwrap();
            journal.finish(&call_id, true, "later");
        }
        _ => journal.finish(id, true, "fine"),
    }
}

fn call_model(journal: &mut Journal, purpose: Purpose, attempt: u32, choices: &mut Choices) {
    journal.ask(purpose, attempt);
    match choices.pick(8) {
        1 => {
            let retry_at = (attempt <= 2).then_some(journal.now + 500);
            journal
                .push(Event::ModelFailed {
                    kind: "overloaded".to_owned(),
                    message: "busy".to_owned(),
                    retry_at,
                    usage: Usage::default(),
                    ms: 1,
                    window: None,
                    partial: None,
                })
                .unwrap();
        }
        // The worker dies with the request out.
        2 => journal.claim(),
        _ if purpose != Purpose::Turn || choices.spent() => {
            journal.reply(&[]);
        }
        n => {
            let calls: Vec<(&str, Class)> = (0..n % 4).map(|_| TOOLS[choices.pick(5) as usize]).collect();
            journal.reply(&calls);
        }
    }
}

/// A person answers a wait, or does not. Returns false if they leave it.
fn answer(journal: &mut Journal, wait: &Wait, choices: &mut Choices) -> bool {
    if choices.spent() {
        return false;
    }
    let waiting: Vec<wakeful::run::Call> = journal.state.open_here().cloned().collect();
    match wait {
        Wait::Until(_) => {}
        Wait::Paused | Wait::Person(WaitWhy::Hold(_) | WaitWhy::Retry(_)) => {
            journal.push(Event::Continued).unwrap()
        }
        Wait::Person(WaitWhy::Uncertain(ids)) => {
            let resolution =
                [Resolution::Happened, Resolution::Rerun, Resolution::Skip][choices.pick(3) as usize];
            let text = (resolution != Resolution::Rerun).then(|| result("settled"));
            journal.push(Event::CallResolved { call_id: ids[0].clone(), resolution, result: text }).unwrap();
        }
        Wait::Person(WaitWhy::Approval(ids) | WaitWhy::Question(ids)) => {
            let id = &ids[choices.pick(ids.len() as u8) as usize];
            let person = waiting.iter().any(|c| c.call_id == *id && c.class == Class::Person);
            match (person, choices.pick(2)) {
                (true, _) => {
                    journal
                        .push(Event::CallAnswered {
                            call_id: id.clone(),
                            result: result("yes"),
                            by_default: None,
                        })
                        .unwrap();
                }
                (false, 0) => journal.approve(id),
                (false, _) => journal
                    .push(Event::CallDenied {
                        call_id: id.clone(),
                        reason: "no".to_owned(),
                        result: result("denied"),
                    })
                    .unwrap(),
            }
        }
    }
    true
}

/// A person does something at any moment.
fn interfere(journal: &mut Journal, choices: &mut Choices) {
    let ended = journal.state.ledger.ended.is_some();
    match choices.pick(24) {
        1 if !ended => journal.push(Event::Paused { now: false }).unwrap(),
        2 => journal.push(Event::PersonMessage { body: Body::Inline("hm".to_owned()), tokens: 2 }).unwrap(),
        3 => {
            let version = journal.state.path.goal_version + 1;
            let goal = Goal { text: format!("goal {version}"), ..journal.state.path.goal.clone() };
            journal.push(Event::GoalEdited { version, goal }).unwrap();
        }
        4 if !ended => journal.push(Event::CancelRequested).unwrap(),
        5 => roll_back(journal, choices),
        6 => journal.claim(),
        _ => {}
    }
}

fn roll_back(journal: &mut Journal, choices: &mut Choices) {
    let settled = !journal.state.open_here().any(|c| !matches!(c.status, CallStatus::Uncertain))
        && !matches!(journal.state.path.turn, Turn::Asking(_))
        && journal.state.ledger.rollback.is_none();
    let points: Vec<(Seq, u32)> = journal
        .envelopes
        .iter()
        .filter_map(|e| match &e.event {
            Decoded::Known(k) => match k.as_ref() {
                Event::StepCommitted { step } => Some((e.seq, *step)),
                Event::RunCreated { .. } => Some((e.seq, 0)),
                _ => None,
            },
            Decoded::Unknown { .. } => None,
        })
        .collect();
    if settled {
        let (to_seq, to_step) = points[choices.pick(points.len().min(200) as u8) as usize];
        journal
            .push(Event::RollbackStarted {
                to_seq,
                to_step,
                files: Vec::new(),
                redo: false,
                chosen: Default::default(),
            })
            .unwrap();
    }
}

/// Every attempt of every call is started at most once, and one that began is never started again as itself.
fn no_double_start(journal: &Journal) {
    let mut starts: BTreeMap<(String, u32), u32> = BTreeMap::new();
    for envelope in &journal.envelopes {
        if let Decoded::Known(event) = &envelope.event
            && let Event::CallStarted { call_id, attempt, .. } = event.as_ref()
        {
            *starts.entry((call_id.to_string(), *attempt)).or_default() += 1;
        }
    }
    assert!(starts.values().all(|n| *n == 1), "{starts:?}");
}

fn kinds(journal: &Journal) -> Vec<&'static str> {
    let kind = |e: &Envelope| match &e.event {
        Decoded::Known(event) => event.kind(),
        Decoded::Unknown { .. } => "unknown",
    };
    journal.envelopes.iter().map(kind).collect()
}

/// Folds the journal again up to `cut`, as a worker does after a kill.
fn reopened(journal: &Journal, cut: usize) -> Journal {
    let mut state = RunState::new(RunId::new("r-test"));
    let mut states = vec![state.clone()];
    for envelope in journal.envelopes.iter().take(cut) {
        match state.apply(envelope) {
            Ok(()) => {}
            Err(fold::FoldError::NeedsPath(to)) => {
                state = states.last().cloned().unwrap();
                let path = states[to as usize].path.clone();
                state.roll_back(envelope, path).unwrap();
            }
            Err(error) => panic!("{error}"),
        }
        states.push(state.clone());
    }
    assert_eq!(state, journal.states[cut], "folding again gives the same state");
    Journal { state, envelopes: journal.envelopes[..cut].to_vec(), states, now: journal.now }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_and_wherever_it_is_cut(bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in any::<u16>(), checks in 0usize..3) {
        let goal = Goal { checks: vec![Check::Human; checks], ..goal() };
        let mut journal = Journal::new(goal);
        let mut choices = Choices { bytes, at: 0 };
        let mut rounds = 0;
        while rounds < 600 && !choices.spent() {
            rounds += 1;
            interfere(&mut journal, &mut choices);
            if !perform(&mut journal, &mut choices) && choices.spent() { break; }
            let broken = invariants::broken(&journal.state);
            prop_assert!(broken.is_empty(), "{broken:?} {:?}", kinds(&journal));
        }
        no_double_start(&journal);
        // Killed here, a later worker goes on, and comes to an end or a wait.
        let cut = 2 + usize::from(cut) % (journal.envelopes.len() - 1);
        let mut again = reopened(&journal, cut);
        if next(&again.state, again.now) != Next::Ended { again.claim(); }
        let mut steps = 0;
        while perform(&mut again, &mut choices) {
            steps += 1;
            prop_assert!(steps < 2_000, "it does not come to an end or a wait");
        }
        no_double_start(&again);
        prop_assert!(matches!(next(&again.state, again.now), Next::Ended | Next::Wait(_)));
    }
}

fn one_call(tool: &str, class: Class, change: impl FnOnce(&mut Settings)) -> (Journal, wakeful::run::Call) {
    let mut journal = Journal::new(goal());
    let mut new = settings();
    change(&mut new);
    journal.push(Event::SettingsChanged { settings: Box::new(new), why: "test".to_owned() }).unwrap();
    journal.ask(Purpose::Turn, 1);
    let ids = journal.reply(&[(tool, class)]);
    let call = journal.state.open_call(&ids[0]).unwrap().clone();
    (journal, call)
}

fn verdict(tool: &str, class: Class, mode: Mode, evidence: &Evidence) -> Verdict {
    let (journal, call) = one_call(tool, class, |s| s.mode = mode);
    judge(&journal.state, &call, evidence, journal.now)
}

#[test]
fn modes_say_what_goes_and_what_waits() {
    let plain = Evidence::default();
    let inside = Evidence { writes_inside: true, ..Evidence::default() };
    let danger = Evidence { danger: Some("deletes".to_owned()), ..Evidence::default() };
    let out = Evidence { sends_out: true, ..Evidence::default() };
    for mode in [Mode::Ask, Mode::Safe, Mode::Auto] {
        assert!(matches!(verdict("read_file", Class::Read, mode, &plain), Verdict::Approve(_)));
        assert!(matches!(verdict("note", Class::Inner, mode, &plain), Verdict::Approve(_)));
        assert!(matches!(verdict("ask_person", Class::Person, mode, &plain), Verdict::Ask(_)));
        assert!(matches!(verdict("shell", Class::Effect, mode, &danger), Verdict::Ask(_)), "{mode:?}");
    }
    assert!(matches!(verdict("shell", Class::Effect, Mode::Ask, &plain), Verdict::Ask(_)));
    assert!(matches!(verdict("shell", Class::Effect, Mode::Safe, &plain), Verdict::Ask(_)));
    assert!(matches!(verdict("shell", Class::Effect, Mode::Auto, &plain), Verdict::Approve(_)));
    assert!(matches!(verdict("write_file", Class::Keyed, Mode::Ask, &inside), Verdict::Ask(_)));
    assert!(matches!(verdict("write_file", Class::Keyed, Mode::Safe, &inside), Verdict::Approve(_)));
    assert!(matches!(verdict("read_file", Class::Read, Mode::Safe, &out), Verdict::Ask(_)));
    assert!(matches!(verdict("read_file", Class::Read, Mode::Auto, &out), Verdict::Approve(_)));
}

#[test]
fn rules_and_quotas_refuse_with_words() {
    let rule = Rule { tool: "shell".to_owned(), arg: Some("git push*".to_owned()), then: RuleVerdict::Deny };
    let (journal, call) = one_call("shell", Class::Effect, |s| {
        s.mode = Mode::Auto;
        s.rules.push(rule);
    });
    let with = |arg: &str| {
        let parts = vec![arg.to_owned()];
        let subject = Subject { any: parts.clone(), every: parts, command: Some(arg.to_owned()) };
        Evidence { subject, ..Evidence::default() }
    };
    assert!(
        matches!(judge(&journal.state, &call, &with("git push origin"), 0), Verdict::Reject(p) if p.kind == "denied_by_rule")
    );
    assert!(matches!(judge(&journal.state, &call, &with("git status"), 0), Verdict::Approve(_)));

    let (journal, call) = one_call("shell", Class::Effect, |s| {
        s.mode = Mode::Auto;
        s.limits.tool_calls_minute = 0;
    });
    let Verdict::Reject(problem) = judge(&journal.state, &call, &with("ls"), journal.now) else {
        panic!("the quota must refuse")
    };
    assert_eq!(problem.kind, "quota_minute");
    assert!(problem.message.contains("can start in"), "{}", problem.message);
}

#[test]
fn three_failures_hold_the_run_until_a_person_says_go_on() {
    let mut journal = Journal::new(goal());
    for _ in 0..3 {
        journal.ask(Purpose::Turn, 1);
        let ids = journal.reply(&[("shell", Class::Effect)]);
        journal.approve(&ids[0]);
        journal.start(&ids[0]).unwrap();
        journal.finish(&ids[0], false, &format!("boom {}", journal.now));
        journal.commit_step();
    }
    let Next::Hold(why @ Hold::Breaker(3)) = next(&journal.state, journal.now) else { panic!("no hold") };
    journal.push(Event::Held { why }).unwrap();
    assert!(matches!(journal.state.status(), Status::Waiting(why) if why.word() == "breaker"));
    journal.push(Event::Continued).unwrap();
    assert!(matches!(next(&journal.state, journal.now), Next::CallModel { .. }));
}

#[test]
fn a_limit_ends_with_a_report_and_can_be_raised() {
    let mut journal = Journal::new(goal());
    let mut new = settings();
    new.limits.steps = 1;
    journal.push(Event::SettingsChanged { settings: Box::new(new.clone()), why: "test".to_owned() }).unwrap();
    journal.ask(Purpose::Turn, 1);
    let ids = journal.reply(&[("note", Class::Inner)]);
    journal.approve(&ids[0]);
    journal.start(&ids[0]).unwrap();
    journal.finish(&ids[0], true, "noted");
    journal.commit_step();
    let Next::CallModel { purpose, .. } = next(&journal.state, journal.now) else { panic!("no report") };
    assert_eq!(purpose, Purpose::Report(LimitKind::Steps));
    journal.ask(purpose, 1);
    journal.reply(&[]);
    let Next::WrapUp(outcome, _) = next(&journal.state, journal.now) else { panic!("no end") };
    assert_eq!(outcome, Outcome::Limit(LimitKind::Steps));
    journal.push(Event::RunEnded { outcome, report: Body::Inline("{}".to_owned()) }).unwrap();
    assert_eq!(next(&journal.state, journal.now), Next::Ended);
    new.limits.steps = 5;
    journal.push(Event::SettingsChanged { settings: Box::new(new), why: "raised".to_owned() }).unwrap();
    journal.push(Event::RunReopened { why: "raised".to_owned() }).unwrap();
    assert!(matches!(next(&journal.state, journal.now), Next::CallModel { purpose: Purpose::Turn, .. }));
}

#[test]
fn at_a_cost_limit_without_a_price_no_report_is_asked_for_and_it_is_said_why() {
    let mut journal = Journal::new(goal());
    let mut new = settings();
    new.limits.cost_micro = Some(1_000);
    new.model.offline = false;
    new.model.price = Some(Price { prompt: 1_000_000, cached: 1_000_000, completion: 1_000_000 });
    let push = |journal: &mut Journal, new: &Settings| {
        let why = "test".to_owned();
        journal.push(Event::SettingsChanged { settings: Box::new(new.clone()), why }).unwrap();
    };
    push(&mut journal, &new);
    journal.ask(Purpose::Turn, 1);
    journal.reply(&[]);
    journal.state.path.turn = Turn::Idle;
    // What turns may spend is spent; a tenth is left for the report.
    journal.state.ledger.totals.cost_micro = 900;
    journal.state.ledger.last_usage = Some(Usage { prompt: 50, ..Usage::default() });
    let ended = |journal: &Journal| match next(&journal.state, journal.now) {
        Next::WrapUp(outcome, reason) => Some((outcome, reason)),
        _ => None,
    };
    let because = |why: &str| {
        let reason = format!("the limit on cost is reached; no final report was asked for: {why}");
        Some((Outcome::Limit(LimitKind::Cost), reason))
    };
    assert_eq!(ended(&journal), because("what is left of the cost does not pay for one"));
    new.limits.cost_micro = Some(4_000);
    push(&mut journal, &new);
    journal.state.ledger.totals.cost_micro = 3_600;
    let Next::CallModel { purpose, .. } = next(&journal.state, journal.now) else { panic!("no report") };
    assert_eq!(purpose, Purpose::Report(LimitKind::Cost));
    new.model.price = None;
    push(&mut journal, &new);
    assert_eq!(ended(&journal), because("the price of the model is not known"));
}

#[test]
fn the_same_call_with_the_same_result_is_a_loop() {
    let mut journal = Journal::new(goal());
    for _ in 0..3 {
        journal.ask(Purpose::Turn, 1);
        let reply = journal.next_seq();
        journal.reply(&[]);
        // A claim is turned into a step with a call of always the same key.
        journal.state.path.turn = Turn::Acting { reply, calls: Vec::new() };
        journal.state.path.messages.clear();
        let id = journal.propose(reply, 1, "read_file", Class::Read, Origin::Model);
        let call = journal.state.ledger.open.values_mut().next().unwrap();
        call.effect_key = Hash::of(b"same");
        journal.approve(&id);
        journal.start(&id).unwrap();
        journal.finish(&id, true, "same");
        journal.commit_step();
    }
    assert!(matches!(next(&journal.state, journal.now), Next::Hold(Hold::Loop(_))));
}

/// Whether a message goes in, under a worker and while somebody only writes down what was asked.
fn heard(journal: &Journal) -> (bool, bool) {
    let by = |hands| hears(&journal.state, journal.now, hands);
    (by(Hands::Working), by(Hands::Settling))
}

#[test]
fn a_message_goes_in_when_the_agent_is_about_to_read_it() {
    let mut journal = Journal::new(goal());
    assert_eq!(heard(&journal), (true, false), "before the first request");
    journal.ask(Purpose::Turn, 1);
    assert_eq!(heard(&journal), (false, false), "a request is out");
    let ids = journal.reply(&[("shell", Class::Effect)]);
    let waits = Event::CallWaiting { call_id: ids[0].clone(), why: "an effect".to_owned(), default: None };
    journal.push(waits).unwrap();
    assert_eq!(heard(&journal), (false, false), "a call waits");
    journal.push(Event::Paused { now: false }).unwrap();
    assert_eq!(heard(&journal), (false, false), "paused");
    journal.push(Event::Continued).unwrap();
    journal.approve(&ids[0]);
    assert_eq!(heard(&journal), (false, false), "a call is to start");
    journal.start(&ids[0]).unwrap();
    assert_eq!(heard(&journal), (false, false), "it runs");
    journal.finish(&ids[0], true, "done");
    assert_eq!(heard(&journal), (false, false), "the step is to be committed");
    journal.commit_step();
    assert_eq!(heard(&journal), (true, false));
    journal.push(Event::Held { why: Hold::Breaker(3) }).unwrap();
    assert_eq!(heard(&journal), (true, true), "it is what a held run waits for");
    journal.push(Event::Continued).unwrap();
    journal.ask(Purpose::Turn, 1);
    journal.reply(&[]);
    assert_eq!(heard(&journal), (true, false), "before a claim counts");
    journal.push(Event::CancelRequested).unwrap();
    assert_eq!(heard(&journal), (true, true), "before the end");
}
