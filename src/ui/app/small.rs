//! A window that is too small shows no dialog and no field: no key answers or types anything there. It can be left, and that
//! is shown.

use super::App;
use super::msg::Cmd;
use crate::ui::keys::{Action, KeyPress, live};
use crate::ui::layout::Size;
use crossterm::event::KeyEvent;

impl App {
    /// Whether what is open is not to be seen: in the last frame, or in the next.
    pub(super) fn is_small(&self) -> bool {
        let (columns, rows) = self.model.size;
        self.model.drawn.small || Size::of(columns, rows) == Size::TooSmall
    }

    /// A key while nothing is to be seen but how to leave.
    pub(super) fn key_in_small(&mut self, key: &KeyEvent) -> Vec<Cmd> {
        let leaving = self.model.leaving_asked();
        let live = if leaving { live::QUIT } else { live::RUN };
        let Some(hit) = KeyPress::from_event(key).and_then(|press| self.model.look.keys.find(live, press))
        else {
            return Vec::new();
        };
        match (hit.action, leaving) {
            (Action::Interrupt | Action::Suspend | Action::Redraw, _)
            | (Action::QuitStop | Action::QuitHandOver | Action::Back, true) => self.hit(hit),
            (Action::QuitAsk, false) => self.ask_to_leave(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ui::app::msg::Cmd;
    use crate::ui::app::tests::Bench;
    use crate::ui::app::tests::scenes::SCENES;
    use crate::ui::frame::Program as _;
    use crate::ui::input::Input;
    use crate::ui::words::Lang;
    use std::time::Duration;

    fn resize(bench: &mut Bench, size: (u16, u16)) -> Vec<String> {
        bench.app.input(Input::Resize(size.0, size.1));
        bench.frame()
    }

    #[test]
    fn what_is_not_to_be_seen_is_not_answered() {
        for scene in SCENES {
            let mut bench = (scene.make)(Lang::En, (120, 40));
            let seen = bench.frame();
            bench.pass(Duration::from_secs(1));
            if bench.app.model.leaving_asked() {
                continue;
            }
            resize(&mut bench, (39, 9));
            for keys in [
                "y",
                "y e s Enter",
                "Enter",
                "a y",
                "s",
                "w",
                "d",
                "Space",
                "r y",
                "P",
                "1",
                "Tab Enter",
                "Esc Esc",
            ] {
                assert_eq!(bench.press(keys), [], "{} {keys}", scene.name);
            }
            bench.app.input(Input::Paste("yes".to_owned()));
            // A key that comes before the larger frame is there.
            bench.app.input(Input::Resize(120, 40));
            assert_eq!(bench.press("y"), [], "{}", scene.name);
            bench.app.model.news = None;
            let back = bench.frame();
            let text = |rows: &[String]| rows.iter().map(|row| clockless(row)).collect::<Vec<_>>();
            assert_eq!(text(&back), text(&seen), "{}", scene.name);
        }
    }

    /// A row without its figures, of which those of time move.
    fn clockless(row: &str) -> String {
        row.chars().filter(|c| !c.is_ascii_digit()).collect()
    }

    #[test]
    fn how_to_leave_is_shown_and_works() {
        let mut bench = Bench::new(Lang::En, (38, 7));
        bench.app.model.working.insert(bench.app.model.run.clone().unwrap());
        assert!(bench.shows("q quit"));
        bench.press("q");
        for text in ["s save and stop", "w leave, work goes on", "Esc stay"] {
            assert!(bench.shows(text), "{text}");
        }
        bench.press("Esc");
        assert!(bench.shows("q quit"));
        bench.press("q");
        assert_eq!(bench.press("s"), [Cmd::Stop { now: false }]);
        assert!(bench.shows("Stopping"));
    }
}
