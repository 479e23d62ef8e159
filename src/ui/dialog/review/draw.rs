//! How the review is drawn: warnings above, the text, what is to be known below, the keys.

use super::{Kind, Review};
use crate::ui::app::model::Model;
use crate::ui::dialog::Shown;
use crate::ui::dialog::flow::Flow;
use crate::ui::dialog::parts::{self, KeyWords};
use crate::ui::dialog::review::body::Body;
use crate::ui::keys::{Action, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use ratatui::layout::Rect;

/// Where what stands around the text of a call has its place in all that is read: far behind every text.
const BESIDE: usize = usize::MAX / 4;

impl Review {
    /// What stands above the text: warnings.
    pub(super) fn head(&self, model: &Model) -> Flow {
        let mut head = Flow::default();
        let glyphs = model.look.glyphs;
        if let Some(gone) = &self.gone {
            head.words(&format!("{} {gone}", glyphs.needs_you), Role::Warn);
        }
        if let Some(before) = self.before() {
            let result = before.result.as_ref().map(|result| one_line(result, Strength::Prose).shown());
            let result = result.unwrap_or_else(|| glyphs.unknown.to_owned());
            head.words(&model.words().review.ran_before(u64::from(before.step), &result), Role::Warn);
        }
        if let Some(body) = &self.body {
            body.head(model, &mut head);
        }
        head
    }

    /// What stands below the text: where it runs, its class, why it is asked, and what keeps `y` dead.
    /// `seen` is how much of the text was seen, if that can be said.
    pub(super) fn foot(&self, model: &Model, ended: bool, seen: Option<(usize, usize)>) -> Flow {
        let mut foot = Flow::default();
        let words = &model.words().review;
        let Some(body) = &self.body else {
            foot.words(words.loading, Role::Muted);
            return foot;
        };
        body.foot(model, self.call(), ended.then(|| super::end_seen(model, seen)), &mut foot);
        if self.gone.is_none() && !ended && body.unreadable.is_none() {
            foot.words(&super::read_on(model, seen, body.needs_yes()), Role::Warn);
        }
        foot
    }

    fn keys(&self, model: &Model, shown: Shown) -> (Vec<Option<KeyWords>>, Vec<Option<KeyWords>>) {
        let words = &model.words().review;
        let key = |action, words: String| parts::key(model, Self::live_keys(), action, words);
        if self.gone.is_some() {
            return (Vec::new(), vec![key(Action::Back, words.close.to_owned())]);
        }
        if self.typing.is_some() {
            let enter = parts::key(model, live::TEXT, Action::TextSubmit, words.approve);
            return (vec![enter], vec![key(Action::Back, words.leave_waiting.to_owned())]);
        }
        let reusable = self.before().is_some_and(|before| before.refused.is_none());
        let verb = match (self.before().is_some(), self.kind) {
            (true, _) => words.again,
            (false, Kind::Shell) => words.run,
            (false, Kind::Write | Kind::Request | Kind::Other) => words.approve,
        };
        let ready = shown.end && self.body.as_ref().is_some_and(|body| body.unreadable.is_none());
        let yes = self.body.as_ref().is_some_and(Body::needs_yes);
        let open = |text: &str| model.look.lang.aside(text);
        let approve = if yes { format!("{verb}{}", open(words.type_yes)) } else { verb.to_owned() };
        let approve = key(Action::ApproveOnce, approve).map(|key| key.or_short(verb).dead_unless(ready));
        let next =
            (model.waiting().count() > 1).then(|| key(Action::AskNext, words.next.to_owned())).flatten();
        let reuse = key(Action::EffectReuse, words.reuse.to_owned()).map(|key| key.dead_unless(ready));
        let left = vec![
            reuse.filter(|_| reusable),
            approve,
            key(Action::Deny, words.deny.to_owned()),
            key(Action::EditArgs, words.edit.to_owned()).map(KeyWords::bare_first),
            next.map(KeyWords::aside),
            parts::position(model, &self.scroll, shown),
        ];
        let later = format!("{}{}", words.leave_waiting, open(words.default));
        let back = key(Action::Back, later);
        (left, vec![back.map(|key| key.or_short(words.leave_waiting).or_short(words.later))])
    }

    /// The places of head, text and foot; none if there is too little room for three.
    fn split(area: Rect, head: u16, all: usize, foot: u16) -> Option<[Rect; 3]> {
        let text = area.height.checked_sub(head.checked_add(foot)?)?;
        if usize::from(text) < all.clamp(1, 3) {
            return None;
        }
        let at = |y: u16, height: u16| Rect { y: area.y + y, height, ..area };
        Some([at(0, head), at(head, text), at(head + text, foot)])
    }

    /// Rows below the text, the same whether its end was seen or not.
    pub(super) fn foot_rows(&self, model: &Model, width: u16) -> u16 {
        let all = self.body.as_ref().map(|body| body.text.rows(width).len());
        // As many digits as there can be.
        let unseen = self.foot(model, false, all.map(|all| (all, all)));
        let part = self.foot(model, true, all.map(|all| (all.saturating_sub(1), all)));
        let feet = [unseen, part, self.foot(model, true, None)];
        feet.iter().map(|foot| foot.height(width)).max().unwrap_or(0)
    }

    /// Draws it all.
    pub(super) fn paint(&self, model: &Model, area: Rect, pen: &mut Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let last = row(area, usize::from(area.height - 1));
        let mut inner = Rect { height: area.height - 1, ..area };
        let caret = self.typing.as_ref().and_then(|field| field.draw(model, &mut inner, pen));
        let mut shown = self.texts(model, inner, pen);
        shown.end &= self.body.is_some();
        shown.caret = caret;
        let (left, right) = self.keys(model, shown);
        if parts::keys(pen, last, &left, &right) {
            shown.hidden = (0, 0);
        }
        shown
    }

    /// Draws head, text and foot; what is said of having seen the end holds for this very frame.
    fn texts(&self, model: &Model, inner: Rect, pen: &mut Pen<'_>) -> Shown {
        let empty = Flow::default();
        let text = self.body.as_ref().map_or(&empty, |body| &body.text);
        let rows = text.rows(inner.width);
        let all = rows.len();
        let head = self.head(model);
        // The rows of the foot stay the same while one reads on.
        let foot = self.foot_rows(model, inner.width);
        let Some([above, middle, _]) = Self::split(inner, head.height(inner.width), all, foot) else {
            return self.compact(model, inner, pen, [&head, text]);
        };
        head.draw(pen, above, 0);
        let shown = self.scroll.shown(all, middle);
        text.draw(pen, middle, self.scroll.top(all, usize::from(middle.height)));
        let y = middle.y + text.height(middle.width).min(middle.height);
        let below = Rect { y, height: inner.bottom() - y, ..inner };
        let seen = self.scroll.seen(&rows, middle);
        self.scroll.beside((BESIDE, usize::MAX));
        self.foot(model, shown.end, Some(seen)).draw(pen, below, 0);
        shown
    }

    /// Where there is no room for three: the tool and its class stay above, and below how much was seen; all the rest
    /// scrolls as one text between.
    fn compact(&self, model: &Model, inner: Rect, pen: &mut Pen<'_>, [head, text]: [&Flow; 2]) -> Shown {
        let status = self.status(model, "");
        let above = status.height(inner.width).min(2).min(inner.height.saturating_sub(2).max(1));
        let below = u16::from(inner.height > above + 1);
        status.draw_cut(pen, Rect { height: above, ..inner });
        let middle = Rect { y: inner.y + above, height: inner.height.saturating_sub(above + below), ..inner };
        let mut all = Flow::default();
        let whole = status.height(inner.width) <= above;
        for (at, part) in [(BESIDE, head), (0, text), (BESIDE * 2, &self.details(model, whole))] {
            all.begin_at(at);
            all.join_of(part);
        }
        let rows = all.rows(middle.width);
        let shown = self.scroll.shown(rows.len(), middle);
        all.draw(pen, middle, self.scroll.top(rows.len(), usize::from(middle.height)));
        let seen = self.scroll.seen(&rows, middle);
        if self.gone.is_none() && self.body.as_ref().is_some_and(|body| body.unreadable.is_none()) {
            let yes = self.body.as_ref().is_some_and(Body::needs_yes);
            super::said_of_seen(
                model,
                shown.end,
                seen,
                yes,
                Rect { y: middle.bottom(), height: below, ..inner },
                pen,
            );
        }
        shown
    }

    /// The tool with its class and what is dangerous about it; or that there is nothing to decide any more.
    pub(super) fn status(&self, model: &Model, place: &str) -> Flow {
        let mut status = Flow::default();
        let glyphs = model.look.glyphs;
        let tool = parts::tool(self.call());
        match (&self.gone, &self.body) {
            (Some(gone), _) => status.words(&format!("{} {gone}", glyphs.needs_you), Role::Warn),
            (None, None) => status.words(&tool, Role::Tool),
            (None, Some(body)) => {
                let (class, role) = body.class(model, self.call());
                status.words(&format!("{place}{tool} {} {class}", glyphs.dot), role);
            }
        }
        status
    }

    /// What stands below the text, but how much of it was seen; `above` if the class is told above already.
    fn details(&self, model: &Model, above: bool) -> Flow {
        let mut foot = Flow::default();
        match &self.body {
            Some(body) => body.told(model, self.call(), (above, None), &mut foot),
            None => foot.words(model.words().review.loading, Role::Muted),
        }
        foot
    }
}
