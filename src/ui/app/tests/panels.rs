//! The mouse in the six panels: the first click selects and takes the focus there, the second does what Enter does; the
//! wheel moves what is under it and leaves the focus where it is.

use super::Bench;
use super::touch::{click_on, mouse, places};
use crate::ui::app::lists;
use crate::ui::app::msg::Cmd;
use crate::ui::layout::Panel;
use crate::ui::view::Zone;
use crate::ui::words::Lang;
use crossterm::event::MouseEventKind;
use ratatui::layout::Rect;

/// A large window with the focus somewhere else than in this panel.
fn beside(panel: Panel) -> Bench {
    let mut bench = Bench::new(Lang::En, (200, 60));
    bench.press(if panel == Panel::Loop { "3" } else { "1" });
    bench
}

/// Whether something that is drawn is a row of a panel that can be selected.
pub(super) fn is_row_of(panel: Panel, zone: &Zone) -> bool {
    match zone {
        Zone::Spot(_) => panel == Panel::Loop,
        Zone::Slot(_) => panel == Panel::Context,
        Zone::Call(_) => panel == Panel::Queue,
        Zone::Checkpoint(_) => panel == Panel::Checkpoints,
        Zone::Plan(_) => panel == Panel::Plan,
        Zone::Run(_) => panel == Panel::Runs,
        Zone::Panel(_) | Zone::Banner(_) | Zone::Key(_) | Zone::Message | Zone::Offer | Zone::Row(..) => {
            false
        }
    }
}

/// The places of a panel's rows.
fn rows(bench: &mut Bench, panel: Panel) -> Vec<(Rect, Zone)> {
    places(bench).into_iter().filter(|(_, zone)| is_row_of(panel, zone)).collect()
}

/// What is selected in a panel.
fn selected(bench: &Bench, panel: Panel) -> String {
    match panel {
        Panel::Loop => format!("{:?}", bench.app.model.transcript.at),
        Panel::Context | Panel::Queue | Panel::Checkpoints | Panel::Plan | Panel::Runs => {
            format!("{:?}", lists::place(&bench.app.model, panel))
        }
    }
}

/// What is open and folded, and what was asked for.
fn outcome(bench: &Bench, commands: &[Cmd]) -> String {
    let model = &bench.app.model;
    let layers: Vec<String> = model
        .layers
        .iter()
        .map(|layer| format!("{layer:?}").chars().take_while(|c| c.is_alphanumeric()).collect())
        .collect();
    format!("{layers:?} {:?} {:?} {commands:?}", model.transcript.folds, model.run)
}

/// Clicks a row of a panel once and then again: the second click does what Enter does.
fn opens(panel: Panel, nth: usize) -> String {
    let mut bench = beside(panel);
    let (place, zone) = rows(&mut bench, panel).swap_remove(nth);
    let before = bench.app.model.run.clone();
    assert!(click_on(&mut bench, &zone).is_empty(), "{panel:?}");
    assert_eq!((bench.app.model.focus, bench.app.model.layers.len()), (panel, 0), "{panel:?}");
    assert_eq!(bench.app.model.run, before, "{panel:?}: nothing is opened yet");
    assert!(rows(&mut bench, panel).contains(&(place, zone.clone())), "{panel:?}: no row has moved");
    let mut keys = beside(panel);
    click_on(&mut keys, &zone);
    let entered = keys.press("Enter");
    let entered = outcome(&keys, &entered);
    let commands = click_on(&mut bench, &zone);
    assert_eq!(outcome(&bench, &commands), entered, "{panel:?}");
    entered
}

#[test]
fn a_second_click_in_loop_unfolds_a_step() {
    let mut bench = beside(Panel::Loop);
    let heading =
        |(_, zone): &(Rect, Zone)| matches!(zone, Zone::Spot(spot) if spot.step == 12 && spot.item.is_none());
    let at = rows(&mut bench, Panel::Loop).iter().position(heading).unwrap();
    assert!(opens(Panel::Loop, at).contains("Spot { step: 12, item: None }: "));
}

#[test]
fn a_second_click_in_context_opens_the_items_of_the_slot() {
    assert!(opens(Panel::Context, 3).starts_with("[\"ItemsDialog\"]"));
}

#[test]
fn a_second_click_in_queue_opens_the_review() {
    assert!(opens(Panel::Queue, 1).starts_with("[\"Review\"]"));
}

#[test]
fn a_second_click_in_checkpoints_opens_the_preview() {
    assert!(opens(Panel::Checkpoints, 3).starts_with("[\"RollbackDialog\"]"));
}

#[test]
fn a_second_click_in_plan_opens_the_editor() {
    assert!(opens(Panel::Plan, 2).starts_with("[\"PlanDialog\"]"));
}

#[test]
fn a_second_click_in_runs_shows_the_run() {
    assert!(opens(Panel::Runs, 1).contains(&format!("Show(Some(RunId({:?})))", super::sample::OTHER)));
}

#[test]
fn another_row_is_selected_first() {
    for (panel, one, other) in [(Panel::Context, 1, 2), (Panel::Plan, 0, 3)] {
        let mut bench = beside(panel);
        let mut all = rows(&mut bench, panel);
        let (other, one) = (all.swap_remove(other).1, all.swap_remove(one).1);
        click_on(&mut bench, &one);
        assert!(click_on(&mut bench, &other).is_empty() && bench.app.model.layers.is_empty(), "{panel:?}");
        click_on(&mut bench, &other);
        assert_eq!(bench.app.model.layers.len(), 1, "{panel:?}");
    }
}

#[test]
fn the_wheel_moves_the_panel_under_it_and_leaves_the_focus() {
    for panel in Panel::ALL {
        let mut bench = beside(panel);
        let focus = bench.app.model.focus;
        let (place, _) =
            places(&mut bench).into_iter().rfind(|(_, zone)| *zone == Zone::Panel(panel)).unwrap();
        let others: Vec<(Panel, String)> = Panel::ALL
            .into_iter()
            .filter(|other| *other != panel)
            .map(|other| (other, selected(&bench, other)))
            .collect();
        let before = selected(&bench, panel);
        let way = match panel {
            // It follows the newest: there is nothing below.
            Panel::Loop => MouseEventKind::ScrollUp,
            Panel::Context | Panel::Queue | Panel::Checkpoints | Panel::Plan | Panel::Runs => {
                MouseEventKind::ScrollDown
            }
        };
        mouse(&mut bench, way, (place.x + 3, place.y + 2));
        bench.frame();
        assert_ne!(selected(&bench, panel), before, "{panel:?} moves");
        assert_eq!(bench.app.model.focus, focus, "{panel:?}");
        for (other, was) in others {
            assert_eq!(selected(&bench, other), was, "{other:?} stays while {panel:?} moves");
        }
    }
}
