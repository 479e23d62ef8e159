//! What a sentence states: of which thing, where and when, and what of it.
//!
//! It is read by plain signs, in English and Chinese: what stands before the word that links ("is", "lives in", 是, 在, `=`)
//! names the thing, its numbers too; what stands behind is its value, up to where another part of the sentence begins.

use super::amounts::Amount;
use super::bag::Bag;
use super::lexicon::{self, Link};
use super::words::{Sort, Word, words};
use std::collections::BTreeSet;

/// Most sentences of a text that are read.
const SENTENCES: usize = 8;
/// Most words of a heading, which says what the sentences after it are about.
const HEADING: usize = 4;
/// Most words of a value behind a colon.
const SHORT: usize = 3;

/// What a sentence states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Statement {
    /// The thing: words, and the numbers that name it.
    pub thing: BTreeSet<String>,
    /// All other words.
    pub rest: BTreeSet<String>,
    /// What of the other words is Chinese.
    pub han: String,
    /// What is counted of it.
    pub amounts: Vec<Amount>,
    /// It is turned round.
    pub negative: bool,
    /// Thing and rest were told apart.
    pub parted: bool,
    /// Where and when it holds, beside what the thing says of that.
    pub scope: BTreeSet<String>,
    /// What is said of the thing.
    pub said: Option<Said>,
}

impl Statement {
    /// All words but those that say where and when.
    pub fn words(&self) -> BTreeSet<&str> {
        self.thing.union(&self.rest).map(String::as_str).collect()
    }
}

/// What links the thing and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// How.
    pub link: Link,
    /// It is said that it is not so.
    pub denied: bool,
    /// The thing is of a kind that has one value at a time.
    pub single: bool,
    /// The words of the value.
    pub value: BTreeSet<String>,
    /// What kind of words these are.
    pub shape: Shape,
}

/// What kind of words a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Names something.
    Name,
    /// A path or an address.
    Path,
    /// Plain words.
    Plain,
    /// Describes: other words may describe the same thing.
    Property,
}

/// The statements of a text.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let all = words(text);
    let mut about = Bag::default();
    let mut found: Vec<Statement> = Vec::new();
    for sentence in all.split(|word| word.sort == Sort::End).filter(|part| !part.is_empty()).take(SENTENCES) {
        let mut statement = read(sentence, &about);
        // `the key` in a later sentence is the one that an earlier one told of.
        if let Some(first) = found.first().filter(|_| statement.thing.len() == 1) {
            let told = first.words().into_iter().map(str::to_owned).collect::<BTreeSet<String>>();
            if statement.thing.is_subset(&told) {
                statement.thing.extend(told);
            }
        }
        let colon = sentence.last().is_some_and(|word| word.sort == Sort::Colon);
        if !statement.parted && statement.amounts.is_empty() && (colon || statement.rest.len() <= HEADING) {
            about.subject(sentence);
        }
        found.push(statement);
    }
    found
}

/// Where the thing ends and what is said begins.
struct Place {
    before: usize,
    after: usize,
    link: Option<Link>,
    denied: bool,
}

fn read(sentence: &[Word], about: &Bag) -> Statement {
    let mut topic = about.clone();
    let mut from = 0;
    let parts = sentence.split_inclusive(|word| matches!(word.sort, Sort::Comma | Sort::Colon));
    for part in parts {
        let end = from + part.len();
        let place = if opens_condition(part) { None } else { place(part) };
        if let Some(place) = place
            && part.get(..place.before).is_some_and(is_thing)
        {
            let after = sentence.get(from + place.after..).unwrap_or_default();
            let here = part.len() - place.after;
            return build(part, &place, after, here, topic, sentence);
        }
        let is_colon = part.last().is_some_and(|word| word.sort == Sort::Colon);
        let rest = sentence.get(end..).unwrap_or_default();
        if from == 0
            && is_colon
            && (1..=SHORT).contains(&rest.len())
            && is_single(part)
            && super::statement::place(rest).is_none()
        {
            let place = Place { before: part.len(), after: part.len(), link: Some(Link::Is), denied: false };
            return build(part, &place, rest, rest.len(), topic, sentence);
        }
        topic.subject(part);
        from = end;
    }
    let mut rest = Bag::default();
    rest.rest(sentence);
    Statement {
        thing: about.words.clone(),
        negative: negative(sentence),
        rest: rest.words,
        han: rest.han,
        amounts: rest.amounts,
        ..Statement::default()
    }
}

fn opens_condition(part: &[Word]) -> bool {
    part.first().is_some_and(|first| {
        lexicon::opens_condition(&first.low)
            || first.sort == Sort::Han
                && ["如果", "若", "当", "一旦", "除非"].iter().any(|word| first.low.starts_with(word))
    })
}

/// True if these words name a thing that can be compared.
fn is_thing(before: &[Word]) -> bool {
    let first = before.iter().find(|word| matches!(word.sort, Sort::Word | Sort::Han | Sort::Number));
    let open = first.is_none_or(|first| {
        lexicon::is_open(&first.low)
            || ["有的", "一些", "例如", "其中"].iter().any(|word| first.low.starts_with(word))
            || ["它", "这", "那"].contains(&first.low.as_str())
    });
    let mut bag = Bag::default();
    bag.subject(before);
    !(open || bag.words.is_empty() && bag.amounts.is_empty())
}

fn place(part: &[Word]) -> Option<Place> {
    let at = |at: usize| part.get(at).map(|word| word.low.as_str()).unwrap_or_default();
    let mut weaker: Option<Place> = None;
    for (index, word) in part.iter().enumerate() {
        match word.sort {
            Sort::Link(Link::Is) if is_made(part, index + 1) => {
                return Some(Place {
                    before: index,
                    after: index + 2,
                    link: Some(MADE),
                    denied: word.low.starts_with('不'),
                });
            }
            Sort::Link(Link::Is) => {
                return Some(Place {
                    before: index,
                    after: index + 1,
                    link: Some(Link::Is),
                    denied: word.low.starts_with('不'),
                });
            }
            Sort::Link(link) if index > 0 && weaker.as_ref().is_none_or(|before| before.link.is_none()) => {
                weaker = Some(Place {
                    before: index,
                    after: index + 1,
                    link: Some(link),
                    denied: word.low.starts_with('不'),
                });
            }
            Sort::Word if index > 0 => {
                let before = at(index - 1);
                let relative = ["that", "which", "who", "there", "it", "what", "where", "how", "this", "to"]
                    .contains(&before);
                if relative {
                    continue;
                }
                if let Some(place) = copula(part, index) {
                    return Some(place);
                }
                if weaker.is_none() {
                    weaker = verb(part, index);
                }
            }
            Sort::Link(_)
            | Sort::Word
            | Sort::Number
            | Sort::Han
            | Sort::Comma
            | Sort::Colon
            | Sort::Aside
            | Sort::Bracket
            | Sort::End => {}
        }
    }
    weaker
}

/// `written in`, as Chinese says it: 是用 … 写的.
const MADE: Link = Link::By("written in");

fn is_made(part: &[Word], at: usize) -> bool {
    let made = |word: &Word| ["写", "编写", "实现", "开发"].iter().any(|verb| word.low.starts_with(verb));
    part.get(at).is_some_and(|word| word.sort == Sort::Link(Link::Uses)) && part.iter().skip(at).any(made)
}

/// `is`, `must be`, `isn't`, with what belongs to it.
fn copula(part: &[Word], index: usize) -> Option<Place> {
    let at = |at: usize| part.get(at).map(|word| word.low.as_str()).unwrap_or_default();
    let (mut after, mut denied) = match at(index) {
        "is" | "are" | "was" | "were" => (index + 1, false),
        "isn't" | "aren't" | "wasn't" | "isn’t" | "aren’t" => (index + 1, true),
        "must" | "should" | "will" | "shall" if at(index + 1) == "be" => (index + 2, false),
        "must" | "should" | "will" | "shall" if at(index + 1) == "not" && at(index + 2) == "be" => {
            (index + 3, true)
        }
        _ => return None,
    };
    while lexicon::is_adverb(at(after)) || ["not", "no", "longer", "never", "by"].contains(&at(after)) {
        denied |= ["not", "no", "never"].contains(&at(after));
        after += 1;
    }
    let place = |after, link| Some(Place { before: index, after, link: Some(link), denied });
    for (word, then, link) in lexicon::STATES {
        if word != at(after) {
            continue;
        }
        if then.is_empty() && after + 1 < part.len() {
            return place(after + 1, timed(link, part.get(after + 1)));
        }
        if then.contains(&at(after + 1)) {
            return place(after + 2, timed(link, part.get(after + 2)));
        }
    }
    place(after, Link::Is)
}

/// A place in time is no place.
fn timed(link: Link, next: Option<&Word>) -> Link {
    let is_time = |word: &Word| {
        let day = word.low.strip_suffix('s').unwrap_or(&word.low);
        let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        let months = [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ];
        days.contains(&day) || months.contains(&word.low.as_str()) || word.sort == Sort::Number
    };
    if link == Link::At && next.is_some_and(is_time) { Link::When } else { link }
}

/// A verb that links, or one before which the thing stands.
fn verb(part: &[Word], index: usize) -> Option<Place> {
    let at = |at: usize| part.get(at).map(|word| word.low.as_str()).unwrap_or_default();
    for (word, then, link) in lexicon::VERB_LINKS {
        if word != at(index) {
            continue;
        }
        if then.is_empty() {
            return Some(Place { before: index, after: index + 1, link: Some(link), denied: false });
        }
        if then.contains(&at(index + 1)) {
            let link = timed(link, part.get(index + 2));
            return Some(Place { before: index, after: index + 2, link: Some(link), denied: false });
        }
    }
    let helps = ["must", "should", "can", "may", "will", "do", "does"].contains(&at(index));
    let after = index + usize::from(helps) + usize::from(helps && at(index + 1) == "not");
    lexicon::is_verb(at(index)).then_some(Place { before: index, after, link: None, denied: false })
}

/// Whether the last word of a thing's name tells that it has one value at a time.
fn is_single(before: &[Word]) -> bool {
    let stands = |word: &&Word| matches!(word.sort, Sort::Word | Sort::Han);
    let of = before
        .iter()
        .skip(1)
        .position(|word| ["of", "for", "in", "on", "at", "from", "with"].contains(&word.low.as_str()));
    let head = before.get(..of.map_or(before.len(), |at| at + 1)).unwrap_or(before).iter().rev().find(stands);
    let by_head = head.is_some_and(|head| match head.sort {
        Sort::Han => lexicon::each(lexicon::HAN_SINGLE).any(|word| head.low.ends_with(word)),
        _ => lexicon::is_single(&head.stem),
    });
    by_head
        || before
            .iter()
            .any(|word| matches!(word.low.as_str(), "default" | "primary") || word.low.contains("默认"))
}

fn build(
    part: &[Word],
    place: &Place,
    after: &[Word],
    here: usize,
    topic: Bag,
    sentence: &[Word],
) -> Statement {
    let before = part.get(..place.before).unwrap_or_default();
    let mut thing = topic;
    thing.subject(before);
    let cut = Cut::of(after, place.link.is_some());
    let mut rest = Bag::default();
    rest.rest(after.get(..cut.value).unwrap_or_default());
    let mut scope = Bag::default();
    let within = after.get(cut.scope.clone()).unwrap_or_default();
    scope.subject(within);
    let turned = within.iter().filter(|word| lexicon::TURNING.contains(&word.low.as_str()));
    scope.words.extend(turned.map(|word| word.low.clone()));
    rest.rest(after.get(cut.scope.end..cut.end).unwrap_or_default());
    let value = after.get(..cut.value.min(here)).unwrap_or_default();
    let said = place.link.and_then(|link| said(link, place.denied, before, value));
    let mut amounts = thing.amounts;
    amounts.extend(rest.amounts);
    amounts.extend(scope.amounts);
    let mut statement = Statement {
        thing: thing.words,
        negative: negative(sentence),
        rest: rest.words,
        han: rest.han,
        amounts,
        parted: true,
        scope: scope.words,
        said,
    };
    turn(&mut statement, before, value);
    statement
}

/// `main is the default branch` says what `the default branch is main` says.
fn turn(statement: &mut Statement, before: &[Word], value: &[Word]) {
    let Some(said) = statement.said.as_mut().filter(|said| said.link == Link::Is && !said.single) else {
        return;
    };
    let first = value.first().map(|word| word.low.as_str()).unwrap_or_default();
    let named = ["the", "our", "its"].contains(&first) || value.iter().all(|word| word.sort == Sort::Han);
    let bare = before.len() <= 2
        && before.iter().all(|word| word.sort == Sort::Word && !lexicon::is_filler(&word.low));
    if named && bare && is_single(value) {
        let mut thing = Bag::default();
        thing.subject(value);
        said.value = std::mem::replace(&mut statement.thing, thing.words.clone());
        statement.rest = said.value.clone();
        statement.han.clear();
        (said.single, said.shape) = (true, Shape::Name);
    }
}

fn said(link: Link, denied: bool, before: &[Word], value: &[Word]) -> Option<Said> {
    let counts = |word: &&Word| {
        !(matches!(word.sort, Sort::Comma | Sort::Colon) || link == MADE && word.sort == Sort::Han)
    };
    let value: Vec<&Word> = value.iter().filter(counts).collect();
    let skip = value.iter().take_while(|word| lexicon::is_adverb(&word.low)).count();
    let value = value.get(skip..).unwrap_or_default();
    let first = value.first()?;
    let owned: Vec<Word> = value.iter().map(|word| (*word).clone()).collect();
    let mut bag = Bag::default();
    bag.rest(&owned);
    let mut words = bag.words;
    for word in ["里", "中", "下", "上", "内"] {
        words.remove(word);
    }
    let content: Vec<&Word> = owned.iter().filter(|word| !lexicon::is_filler(&word.low)).collect();
    let amid_han = is_latin_amid_han(before, &owned);
    let describes = |word: &Word| word.sort == Sort::Word && !amid_han && word.describes();
    let starts = ["a", "an", "to"].contains(&first.low.as_str())
        || lexicon::opens_property(&first.low)
        || link == Link::Is && lexicon::opens_scope(&first.low);
    let edges = content.first().is_some_and(|word| describes(word))
        || content.last().is_some_and(|word| describes(word));
    let shape = if starts || edges || describes_han(&owned) || content.is_empty() {
        Shape::Property
    } else if content.iter().any(|word| word.is_path()) {
        Shape::Path
    } else if amid_han
        || content.iter().any(|word| word.sort != Sort::Han && !word.is_count() && word.is_name())
    {
        Shape::Name
    } else {
        Shape::Plain
    };
    Some(Said { link, denied, single: is_single(before), value: words, shape })
}

/// Latin words in a Chinese sentence are names.
fn is_latin_amid_han(before: &[Word], value: &[Word]) -> bool {
    before.iter().any(|word| word.sort == Sort::Han) && value.iter().any(|word| word.sort == Sort::Word)
}

/// Chinese that says how a thing is, or what happens to it.
fn describes_han(value: &[Word]) -> bool {
    const STARTS: &str = "很太非常比较不没无要需可能会已正被由从对把给让因最更较只有先再再同一";
    let han = |word: Option<&Word>| {
        word.filter(|word| word.sort == Sort::Han).map(|word| word.low.clone()).unwrap_or_default()
    };
    let (first, last) = (han(value.first()), han(value.last()));
    let long: usize =
        value.iter().filter(|word| word.sort == Sort::Han).map(|word| word.low.chars().count()).sum();
    first.starts_with(|c| STARTS.contains(c)) || last.ends_with(['的', '了']) || long > 8
}

/// Where the value ends, and which words after it say where or when it holds.
struct Cut {
    value: usize,
    scope: std::ops::Range<usize>,
    end: usize,
}

impl Cut {
    fn of(after: &[Word], linked: bool) -> Self {
        const REASONS: &[&str] =
            &["because", "since", "so", "but", "although", "instead", "rather", "which", "though", "thanks"];
        let number = |at: usize| after.get(at).is_some_and(|word| word.sort == Sort::Number);
        let aside = |at: usize, word: &Word| {
            let ends =
                if linked { lexicon::opens_aside(&word.low) } else { REASONS.contains(&word.low.as_str()) };
            at > 0 && ends && word.sort == Sort::Word && !number(at + 1) || word.sort == Sort::Aside
        };
        let scope = |at: usize, word: &Word| {
            // What stands behind a verb belongs to it: `happens on Friday`.
            at > usize::from(!linked)
                && word.sort == Sort::Word
                && lexicon::opens_scope(&word.low)
                && !number(at + 1)
                || word.sort == Sort::Bracket
        };
        let all = || after.iter().enumerate();
        let end = all().find(|(at, word)| aside(*at, word)).map_or(after.len(), |(at, _)| at);
        let scope_at = all().take(end).find(|(at, word)| scope(*at, word)).map_or(end, |(at, _)| at);
        let scope_end = all().take(end).skip(scope_at + 1).find(|(_, word)| word.sort == Sort::Comma);
        let scope_end = scope_end.map_or(end, |(at, _)| at);
        Self { value: scope_at, scope: scope_at..scope_end.max(scope_at), end }
    }
}

/// Without which something holds says where it holds.
pub(super) const WITHOUT: &str = "without";

/// Whether a sentence is turned round; that something else is meant instead does not turn it.
fn negative(sentence: &[Word]) -> bool {
    const WHOLE: &[&str] = &[
        "不同",
        "不仅",
        "不断",
        "不但",
        "不过",
        "不论",
        "不管",
        "无论",
        "无线",
        "不少",
        "不超过",
        "不低于",
        "不到",
        "差不多",
        "无障碍",
        "不止",
        "不如",
        "无锁",
    ];
    let before = |at: usize| at.checked_sub(1).and_then(|at| sentence.get(at));
    sentence.iter().enumerate().any(|(at, word)| {
        let instead = before(at).is_some_and(|word| {
            matches!(word.sort, Sort::Comma | Sort::Aside)
                || word.sort == Sort::Han && word.low.ends_with('而')
        });
        match word.sort {
            Sort::Word => super::bag::is_negation(&word.low) && word.low != WITHOUT && !instead,
            Sort::Link(_) => word.low.starts_with('不') && !instead,
            Sort::Han => {
                let text = WHOLE.iter().fold(word.low.clone(), |text, whole| text.replace(whole, ""));
                text.contains(['不', '没', '无'])
            }
            Sort::Number | Sort::Comma | Sort::Colon | Sort::Aside | Sort::Bracket | Sort::End => false,
        }
    })
}
