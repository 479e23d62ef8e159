//! Serving dialogs: the top one is asked, what it gives back is done.

use super::model::{News, Sent};
use super::mouse::lets_happen;
use super::msg::{Cmd, Msg, Ticket};
use super::{App, NEWS};
use crate::run::control::Control;
use crate::run::{CallId, Millis, RunId};
use crate::ui::dialog::palette::panel_of;
use crate::ui::dialog::{Dialog, Step};
use crate::ui::frame::Wish;
use crate::ui::keys::{Ctx, Hit};
use std::path::Path;

impl App {
    /// Asks the top dialog and does what it says.
    pub(super) fn layer(
        &mut self,
        ask: impl FnOnce(&mut dyn Dialog, &mut super::model::Model) -> Step,
    ) -> Vec<Cmd> {
        let Some(mut layer) = self.model.layers.pop() else { return Vec::new() };
        let step = ask(layer.as_mut(), &mut self.model);
        // A refusal is about what was pressed before; it must not outlast what was done about it.
        self.model.news.take_if(|news| news.refusal);
        self.step(layer, step)
    }

    /// Tells all dialogs something, the top one first.
    pub(super) fn tell_layers(&mut self, msg: &Msg) -> Vec<Cmd> {
        let mut commands = Vec::new();
        let layers = std::mem::take(&mut self.model.layers);
        for mut layer in layers {
            let step = layer.told(msg, &mut self.model);
            commands.extend(self.step(layer, step));
        }
        commands
    }

    fn step(&mut self, layer: Box<dyn Dialog>, step: Step) -> Vec<Cmd> {
        if self.clicked.is_some() && self.lets_happen(&step) {
            if let Step::Do(commands) | Step::Close(commands) = &step {
                // What the dialog noted as sent is not.
                let posts = |own: Ticket| {
                    commands.iter().any(|c| matches!(c, Cmd::Post(ticket, ..) if *ticket == own))
                };
                self.model.sent.retain(|sent| !posts(sent.ticket));
            }
            self.model.layers.push(layer);
            self.refuse_click();
            return Vec::new();
        }
        match step {
            Step::Stay => {
                self.model.layers.push(layer);
                Vec::new()
            }
            Step::Do(commands) => {
                self.model.layers.push(layer);
                commands
            }
            Step::Close(commands) => commands,
            Step::Open(over) => {
                self.model.layers.push(layer);
                self.open(over)
            }
            Step::Swap(next) => self.open(next),
            Step::Post { run, control, news } => self.post(run, control, news),
            Step::PostAll(all) => {
                all.into_iter().flat_map(|one| self.post(one.run, one.control, one.news)).collect()
            }
            Step::Act(action, nth) => {
                // A command of another panel goes there first, so that one sees what it is about.
                if let Some(panel) = panel_of(action)
                    && self.live().contains(&Ctx::Run)
                {
                    self.model.focus = panel;
                }
                self.hit(Hit { action, nth })
            }
            Step::Say(words) => {
                self.model.layers.push(layer);
                self.model.news = Some(News { words, until: self.model.clock.mono + NEWS, refusal: true });
                Vec::new()
            }
            Step::Outside(ticket, text, name) => {
                self.model.layers.push(layer);
                let act = move || Msg::Edited(ticket, edit_outside(&text, name));
                self.wishes.push_back(Wish::Outside(Box::new(act)));
                Vec::new()
            }
            Step::Leave(commands) => {
                // The screen stays until all is saved, so that one can see it, and say "now".
                self.leaving = true;
                self.say(self.model.words().quit.stopping);
                commands
            }
        }
    }

    /// The call that a control decides, as it waits now.
    fn decided(&self, control: &Control) -> Option<(CallId, u32, Millis)> {
        let Control::Decide { call_id, attempt, .. } = control else { return None };
        let all = self.model.shot.as_ref().map_or(&[][..], |shot| shot.waiting.as_slice());
        let since = all.iter().find(|waiting| waiting.call.call_id == *call_id).map(|w| w.call.since);
        Some((call_id.clone(), *attempt, since?))
    }

    /// Whether a step of a dialog lets something happen, which a click never does.
    fn lets_happen(&self, step: &Step) -> bool {
        let starts = |commands: &[Cmd]| {
            commands.iter().any(|c| {
                matches!(c, Cmd::Start(..) | Cmd::Work(_) | Cmd::TakeOver(..))
                    || matches!(c, Cmd::Post(_, _, control) if lets_happen(control))
            })
        };
        match step {
            Step::Post { control, .. } => lets_happen(control),
            Step::PostAll(all) => all.iter().any(|one| lets_happen(&one.control)),
            Step::Act(action, _) => self.goes_on_with(*action),
            Step::Do(commands) | Step::Close(commands) => starts(commands),
            Step::Stay
            | Step::Open(_)
            | Step::Swap(_)
            | Step::Say(_)
            | Step::Outside(..)
            | Step::Leave(_) => false,
        }
    }

    /// Posts a control; the news are said once it is stored.
    pub(super) fn post(&mut self, run: RunId, control: Control, news: impl Into<String>) -> Vec<Cmd> {
        if self.clicked.is_some() && lets_happen(&control) {
            self.refuse_click();
            return Vec::new();
        }
        let ticket = self.model.ticket();
        let call = self.decided(&control);
        self.model.beside.posts(ticket, &run, &control);
        let news = news.into();
        self.goes_out(ticket, &run, &control);
        self.awaits(ticket, &run, &control, &news);
        self.model.sent.push(Sent { ticket, run: run.clone(), call, news });
        // What the person does moves rows at once.
        self.model.held = None;
        vec![Cmd::Post(ticket, run, control)]
    }
}

/// Lets the person edit a text in their editor; blocks.
pub(super) fn edit_outside(text: &str, name: &str) -> Result<String, String> {
    let of = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let command = crate::host::editor::command(of("VISUAL").as_deref(), of("EDITOR").as_deref());
    let name = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or("text.txt");
    crate::host::editor::edit(text, &command, name)
        .map(|edited| edited.text.clone())
        .map_err(|error| error.to_string())
}
