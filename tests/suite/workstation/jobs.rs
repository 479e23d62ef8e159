//! Jobs for the offline model.

/// It says something and ends.
pub const SHORT: &str = "[[steps]]\nsay = \"Done.\"\n";

/// One command that a person has to approve; it leaves a line in `effects`.
pub const ONE_EFFECT: &str = "[[steps]]\nsay = \"One effect.\"\n\
    calls = [{ name = \"shell\", args = { command = \"echo x >> effects\" } }]\n[[steps]]\nsay = \"Done.\"\n";

/// So many commands, one a step, each with a line in `effects` after a moment.
pub fn slow_lines(count: u32) -> String {
    format!(
        "[[steps]]\nrepeat = {count}\nsay = \"Line {{i}}.\"\n\
         calls = [{{ name = \"shell\", args = {{ command = \"sleep 0.1; echo {{i}} >> effects\" }} }}]\n\
         [[steps]]\nsay = \"Done.\"\n"
    )
}

/// One command.
pub fn command(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "[[steps]]\nsay = \"A command.\"\ncalls = [{{ name = \"shell\", args = {{ command = \"{text}\" }} }}]\n\
         [[steps]]\nsay = \"Done.\"\n"
    )
}
