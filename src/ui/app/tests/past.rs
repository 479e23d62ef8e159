//! What a past step was asked, from its place in the Loop.

use super::*;
use crate::ui::app::msg::Rebuilt;
use crate::ui::app::transcript::Spot;

#[test]
fn x_on_a_past_step_shows_the_exact_request_of_that_step() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let newest = bench.app.model.view().unwrap().asked.as_ref().unwrap().step;
    bench.press("1");
    for step in [newest - 2, newest] {
        bench.app.model.transcript.at = Some(Spot { step, item: None });
        let commands = bench.press("x");
        let Some(Cmd::Request(ticket, run, asked)) = commands.first() else { panic!("{commands:?}") };
        assert_eq!((*asked, Some(run)), (step, bench.app.model.run.as_ref()));
        let differs = (step < newest).then(|| "it was rendered by version 1".to_owned());
        let text = format!("{{\n  \"content\": \"as of step {step}\"\n}}");
        bench.app.update(Msg::Request(*ticket, Ok(Rebuilt { text, differs: differs.clone() })));
        assert!(bench.shows(&format!("Exact request · step {step}")), "{:#?}", bench.frame());
        assert!(bench.shows(&format!("as of step {step}")), "{:#?}", bench.frame());
        assert_eq!(bench.shows("What is shown may differ from what was sent"), differs.is_some());
        bench.press("Esc");
    }
    // Elsewhere the newest is meant, whatever step is selected in the Loop.
    bench.app.model.transcript.at = Some(Spot { step: newest - 2, item: None });
    let commands = bench.press("2 x");
    assert!(matches!(commands.first(), Some(Cmd::Request(_, _, asked)) if *asked == newest), "{commands:?}");
}
