//! Panels and the start screen at every size: where rows have no room a sign says so, and moving brings each into view.

use super::*;
use crate::ui::app::sample::draw_part;
use crate::ui::text::width;
use crate::ui::view::paint::Pen;
use crate::ui::view::{Drawn, Zone, inside};
use crate::ui::view::{checkpoints, context, plan, queue, runs, transcript};
use ratatui::layout::Rect;
use std::collections::BTreeSet;

const SIZES: [(u16, u16); 6] = [(40, 10), (50, 12), (60, 16), (80, 24), (120, 40), (200, 60)];

/// Every language, size and panel.
fn each(mut check: impl FnMut(Lang, (u16, u16), Panel)) {
    for lang in Lang::ALL {
        for size in SIZES {
            Panel::ALL.into_iter().for_each(|panel| check(lang, size, panel));
        }
    }
}

/// What stands in a part of the screen.
fn within(rows: &[String], rect: Rect) -> Vec<String> {
    let part = |row: &String| {
        let mut x = 0;
        let inside = |c: &char| {
            let at = x;
            x += width(&c.to_string());
            at >= usize::from(rect.x) && at < usize::from(rect.right())
        };
        row.chars().filter(inside).collect()
    };
    rows.iter().skip(rect.y.into()).take(rect.height.into()).map(part).collect()
}

/// Where a panel stands; none where another one stands in its place.
fn place(bench: &Bench, panel: Panel) -> Option<Rect> {
    let layout = bench.app.model.drawn.layout.as_ref().unwrap();
    layout.panels.iter().find(|(own, _)| *own == panel).map(|(_, rect)| *rect)
}

fn draw_panel(panel: Panel) -> fn(&Model, Rect, &mut Pen<'_>, &mut Drawn) {
    match panel {
        Panel::Loop => transcript::draw,
        Panel::Context => context::draw,
        Panel::Queue => queue::draw,
        Panel::Checkpoints => checkpoints::draw,
        Panel::Plan => plan::draw,
        Panel::Runs => runs::draw,
    }
}

/// A row without what only makes room, and without the mark of the selected one.
fn told(row: &str) -> String {
    row.chars().filter(|c| !c.is_whitespace() && *c != '▌').collect()
}

/// How the row of keys at the foot of a panel begins.
const KEYS: [&str; 10] = [
    "Enter",
    "Spacemark",
    "Space标记",
    "adedecide",
    "ade处理",
    "rrollback",
    "r回退",
    "]nextrun",
    "]下一任务",
    "oallruns",
];

/// The rows of a panel with all the height that its form has, but for the keys.
fn whole(bench: &Bench, panel: Panel, inner: Rect) -> Vec<String> {
    // From so many rows on there is another form.
    let tall = if panel == Panel::Context { 24 } else { 28 };
    let height = if inner.height < tall { tall - 1 } else { 200 };
    // A blank at the left is the place of the mark.
    let rows = draw_part(&bench.app.model, (inner.width + 1, height), |model, area, pen, drawn| {
        draw_panel(panel)(
            model,
            Rect { x: 1, width: area.width - 1, height: area.height - 1, ..area },
            pen,
            drawn,
        );
    });
    let rows = rows.1.iter().map(|row| told(row));
    rows.filter(|row| row.chars().any(|c| c != '─') && !KEYS.iter().any(|key| row.starts_with(key))).collect()
}

/// What can be selected in a panel and is in view.
fn in_view(bench: &Bench, panel: Panel) -> Vec<Zone> {
    let zones = bench.app.model.drawn.zones.iter().map(|(_, zone)| zone.clone());
    zones.filter(|zone| super::panels::is_row_of(panel, zone)).collect()
}

/// That a sign stands in the panel if not all of it does.
fn check_signs(bench: &mut Bench, panel: Panel) {
    let rows = bench.frame();
    let Some(rect) = place(bench, panel) else { return };
    let shown = within(&rows, rect);
    let name = format!("{panel:?} at {:?}: {shown:#?}", bench.app.model.size);
    if panel == Panel::Loop {
        assert!(shown[0].contains('↓'), "whether it follows: {name}");
        return;
    }
    let own: Vec<String> = within(&rows, inside(rect)).iter().map(|row| told(row)).collect();
    let missing: Vec<String> =
        whole(bench, panel, inside(rect)).into_iter().filter(|row| !own.contains(row)).collect();
    let all = in_view(bench, panel).len() >= lists::count(&bench.app.model, panel);
    let sign = shown.iter().any(|row| row.contains("↑ ") || row.contains("↓ "));
    assert!(missing.is_empty() && all || sign, "{missing:#?} {name}");
    // Both ends are known to be where they are only if nothing is said of them.
    let top = bench.app.model.drawn.tops.get(&panel).copied().unwrap_or(0);
    assert!(top == 0 || shown.iter().any(|row| row.contains(&format!("↑ {top}"))), "{top} above: {name}");
}

#[test]
fn rows_of_a_panel_that_have_no_room_have_a_sign_with_the_focus_and_without() {
    each(|lang, size, panel| {
        let other = if panel == Panel::Loop { Panel::Queue } else { Panel::Loop };
        for focus in [panel, other] {
            let mut bench = Bench::new(lang, size);
            bench.press(&focus.number().to_string());
            check_signs(&mut bench, panel);
        }
    });
}

#[test]
fn every_row_of_a_panel_comes_into_view_by_moving_and_what_is_selected_stays_there() {
    each(|lang, size, panel| {
        let mut bench = Bench::new(lang, size);
        bench.press(&format!("{} <", panel.number()));
        let rect = place(&bench, panel).unwrap();
        let inner = inside(rect);
        let texts = if panel == Panel::Context { whole(&bench, panel, inner) } else { Vec::new() };
        let (mut zones, mut rows) = (BTreeSet::new(), BTreeSet::new());
        let all = match panel {
            Panel::Loop => {
                let model = &bench.app.model;
                let steps = 0..transcript::step_count(model.view().unwrap());
                let spots = steps.flat_map(|at| transcript::spots_of(model, at));
                spots.map(|(spot, _)| format!("{:?}", Zone::Spot(spot))).collect::<BTreeSet<_>>().len()
            }
            Panel::Context | Panel::Queue | Panel::Checkpoints | Panel::Plan | Panel::Runs => {
                lists::count(&bench.app.model, panel)
            }
        };
        for _ in 0..=all {
            check_signs(&mut bench, panel);
            zones.extend(in_view(&bench, panel).iter().map(|zone| format!("{zone:?}")));
            let frame = bench.frame();
            rows.extend(within(&frame, inner).iter().map(|row| told(row)));
            // Following the newest selects nothing.
            let marked = within(&frame, Rect { x: inner.x - 1, width: inner.width + 1, ..inner });
            let follows = panel == Panel::Loop && bench.app.model.transcript.at.is_none();
            assert!(
                follows || marked.iter().any(|row| row.contains('▌')),
                "{panel:?} at {size:?}: nothing that is selected is in view: {marked:#?}"
            );
            bench.press("j");
        }
        let beyond = bench.app.model.drawn.beyond;
        let slots = if panel == Panel::Context { beyond } else { 0 };
        assert_eq!(zones.len(), all - slots, "{panel:?} at {size:?}: {zones:#?}");
        let never: Vec<&String> = texts.iter().filter(|text| !rows.contains(*text)).collect();
        assert!(never.is_empty(), "{panel:?} at {size:?}: never in view: {never:#?} {rows:#?}");
    });
}

#[test]
fn a_plan_with_all_that_can_stand_at_its_foot_is_in_view_in_the_smallest_window() {
    for lang in Lang::ALL {
        for size in SIZES {
            let mut bench = Bench::new(lang, size);
            change(&mut bench.app.model, |view| {
                let path = &mut Arc::make_mut(&mut view.state).path;
                path.plan_edit = Some(crate::run::plan::PlanEdit { seq: 0, step: 13 });
            });
            bench.press("5 <");
            for _ in 0..10 {
                check_signs(&mut bench, Panel::Plan);
                let rect = place(&bench, Panel::Plan).unwrap();
                assert!(within(&bench.frame(), rect).iter().any(|row| row.contains('▌')), "{size:?}");
                bench.press("j");
            }
        }
    }
}

#[test]
fn the_signs_stand_too_where_borders_were_moved_as_far_as_they_go() {
    use crate::ui::layout::{Border, Moved, Size};
    let borders = [Border::Split, Border::Above(0), Border::Above(1), Border::Below(0), Border::Below(1)];
    for (lang, size) in Lang::ALL.into_iter().flat_map(|lang| [(120, 40), (200, 60)].map(|size| (lang, size)))
    {
        for (border, cells) in borders.into_iter().flat_map(|border| [(border, -300), (border, 300)]) {
            for panel in Panel::ALL {
                let mut bench = Bench::new(lang, size);
                let mut moved = Moved::default();
                moved.by(border, cells);
                bench.app.model.moved.insert(Size::of(size.0, size.1), moved);
                bench.press(&format!("{} >", panel.number()));
                check_signs(&mut bench, panel);
                let limits = bench.app.model.drawn.limits_hidden;
                let sign = format!("↓ {limits}");
                assert!(limits == 0 || bench.shows(&sign), "{border:?} {cells}: {:#?}", bench.frame());
                assert!(limits > 0 || size.0 == 120 || (border, cells) != (Border::Split, 300));
            }
        }
    }
}

/// The starts that a person can meet.
const STARTS: [&str; 3] = ["start", "start-with-runs", "held-database"];

#[test]
fn the_start_screen_has_the_way_out_the_data_and_a_sign_where_words_are_cut() {
    for (name, lang) in STARTS.into_iter().flat_map(|name| Lang::ALL.map(|lang| (name, lang))) {
        let scene = super::scenes::SCENES.iter().find(|scene| scene.name == name).unwrap();
        for size in SIZES {
            let rows = (scene.make)(lang, size).frame();
            let high = (scene.make)(lang, (size.0, 60)).frame();
            let (help, quit, data) = match lang {
                Lang::En => ("? help", "q quit", "Data: "),
                Lang::Zh => ("? 帮助", "q 退出", "数据："),
            };
            for wanted in [help, quit, data] {
                let held = name == "held-database" && wanted == data;
                let all = rows.iter().any(|row| row.contains(wanted));
                assert!(all || held && high.iter().all(|row| !row.contains(data)), "{wanted} {rows:#?}");
            }
            let shown: Vec<String> = rows.iter().map(|row| told(row)).collect();
            let high = high.iter().map(|row| told(row)).take(59).filter(|row| !row.is_empty());
            let missing: Vec<String> = high.filter(|row| !shown.contains(row)).collect();
            let sign = |row: &String| row.contains('…') || row.contains("↓ ");
            let short =
                rows.iter().any(|row| row.trim() == "No model was found." || row.trim() == "没有找到模型。");
            assert!(missing.is_empty() || short || rows.iter().any(sign), "{missing:#?} {rows:#?}");
        }
    }
}

#[test]
fn where_the_start_screen_is_cut_its_offer_is_whole_as_long_as_it_can_be() {
    let scene = super::scenes::SCENES.iter().find(|scene| scene.name == "start").unwrap();
    let shown = (scene.make)(Lang::En, (40, 10)).frame();
    let all = shown.iter().map(|row| row.trim()).collect::<Vec<_>>().join(" ");
    assert!(all.contains("No model was found.") && all.contains("Not an LLM; no network."), "{shown:#?}");
    assert!(shown[9].contains("Enter open"), "{shown:#?}");
}

#[test]
fn of_lines_above_the_panels_that_have_no_room_their_number_is_told() {
    for lang in Lang::ALL {
        let mut bench = Bench::new(lang, (40, 10));
        // Two calls wait, one line shows the first.
        assert!(bench.frame()[2].trim_end().ends_with("+1"), "{:#?}", bench.frame());
        bench.app.update(Msg::FileDamaged("malformed".to_owned()));
        assert!(bench.frame()[2].trim_end().ends_with("+2"), "{:#?}", bench.frame());
        let mut bench = Bench::new(lang, (80, 24));
        assert!(!bench.frame().iter().any(|row| row.trim_end().ends_with("+1")), "{:#?}", bench.frame());
    }
}

#[test]
fn whatever_is_cut_ends_in_its_sign() {
    use crate::ui::text::Line;
    use crate::ui::theme::Role;
    use crate::ui::view::paint::part;
    let model = model(Lang::En, (80, 24));
    let text = "one two three four";
    for cells in 3..24_u16 {
        let whole = usize::from(cells) >= text.len();
        let ends = |rows: Vec<String>| {
            let shown = rows.join("").trim_end().to_owned();
            assert!(whole && shown.starts_with(text) || shown.ends_with('…'), "{cells}: {shown}");
        };
        let one = |paint: fn(&mut Pen<'_>, Rect)| {
            draw_part(&model, (cells, 1), |_, area, pen, _| paint(pen, area)).1
        };
        ends(one(|pen, area| {
            _ = pen.left(area, &[part(Role::Base, "one two "), part(Role::Base, "three four")])
        }));
        ends(one(|pen, area| pen.line(area, &Line::plain("one two three four"), Role::Base)));
        ends(one(|pen, area| _ = pen.wrapped(area, &Line::plain("one two three four"), Role::Base)));
        // What stands at the right is never left out without a sign.
        let both =
            one(|pen, area| pen.ends(area, &[part(Role::Base, "one")], &[part(Role::Base, "two three")]));
        assert!(both[0].contains("two three") || both[0].trim_end().ends_with('…'), "{cells}: {both:?}");
    }
}
