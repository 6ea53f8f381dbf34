//! The ways in which models damage a whole file when they write it into a JSON string.

use serde_json::Value;

/// A way of writing a text as an invalid JSON string.
pub(crate) struct Damage {
    pub(crate) name: &'static str,
    /// Returns the damaged text with its quotes; `None` if the text has nothing to damage.
    pub(crate) write: fn(&str) -> Option<String>,
    /// At least `least_right` of a thousand files must be repaired correctly, and at most `most_wrong` wrongly.
    pub(crate) least_right: usize,
    pub(crate) most_wrong: usize,
}

/// The eleven damages.
pub(crate) const DAMAGES: [Damage; 11] = [
    Damage { name: "nothing escaped", write: nothing_escaped, least_right: 900, most_wrong: 25 },
    Damage { name: "raw line breaks and backslashes", write: only_quotes_escaped, least_right: 920, most_wrong: 25 },
    Damage { name: "raw line breaks", write: raw_line_breaks, least_right: 995, most_wrong: 0 },
    Damage { name: "one raw line break", write: one_raw_line_break, least_right: 990, most_wrong: 0 },
    Damage { name: "every fourth line break raw", write: every_fourth_raw, least_right: 990, most_wrong: 0 },
    Damage { name: "raw quotes", write: raw_quotes, least_right: 880, most_wrong: 0 },
    Damage { name: "single backslashes", write: single_backslashes, least_right: 0, most_wrong: 80 },
    Damage { name: "escaped apostrophes", write: escaped_apostrophes, least_right: 970, most_wrong: 5 },
    Damage { name: "triple quotes", write: triple_quotes, least_right: 800, most_wrong: 25 },
    Damage { name: "raw template literal", write: raw_template, least_right: 820, most_wrong: 25 },
    Damage { name: "escaped template literal", write: escaped_template, least_right: 990, most_wrong: 5 },
];

/// A text escaped as JSON, without its quotes.
fn escaped(text: &str) -> String {
    let json = Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// Escapes each line. Splitting the escaped text instead would also split at `\\\\n`, a backslash and an `n`.
fn escaped_lines(text: &str) -> Vec<String> {
    text.split('\n').map(escaped).collect()
}

/// Joins the escaped lines of a text; `is_raw` decides by number which line breaks are raw.
fn joined(text: &str, is_raw: impl Fn(usize) -> bool) -> String {
    let mut out = String::new();
    for (number, line) in escaped_lines(text).iter().enumerate() {
        if number > 0 {
            out.push_str(if is_raw(number) { "\n" } else { "\\n" });
        }
        out.push_str(line);
    }
    quoted(&out)
}

fn nothing_escaped(text: &str) -> Option<String> {
    Some(quoted(text))
}

fn only_quotes_escaped(text: &str) -> Option<String> {
    Some(quoted(&text.replace('"', "\\\"")))
}

fn raw_line_breaks(text: &str) -> Option<String> {
    text.contains('\n').then(|| joined(text, |_| true))
}

fn one_raw_line_break(text: &str) -> Option<String> {
    let middle = text.matches('\n').count() / 2;
    (middle > 0).then(|| joined(text, |number| number == middle))
}

fn every_fourth_raw(text: &str) -> Option<String> {
    (text.matches('\n').count() >= 4).then(|| joined(text, |number| number % 4 == 0))
}

fn raw_quotes(text: &str) -> Option<String> {
    text.contains('"').then(|| quoted(&escaped(text).replace("\\\"", "\"")))
}

fn single_backslashes(text: &str) -> Option<String> {
    let written = || escaped(&text.replace('\\', "\u{e000}")).replace('\u{e000}', "\\");
    text.contains('\\').then(|| quoted(&written()))
}

fn escaped_apostrophes(text: &str) -> Option<String> {
    text.contains('\'').then(|| quoted(&escaped(text).replace('\'', "\\'")))
}

fn triple_quotes(text: &str) -> Option<String> {
    Some(format!("\"\"\"{text}\"\"\""))
}

fn raw_template(text: &str) -> Option<String> {
    Some(format!("`{text}`"))
}

fn escaped_template(text: &str) -> Option<String> {
    let text = text.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${");
    Some(format!("`{text}`"))
}

/// A message with one block that writes a damaged file. In one of four blocks the content precedes the path, in one another key
/// follows it, and in two it is the last key.
pub(crate) fn message(path: &str, written: &str, number: usize) -> (String, String) {
    let json = match number % 4 {
        0 => format!(
            "{{\n  \"tool\": \"write_file\",\n  \"path\": \"{path}\",\n  \"content\": {written},\n  \"description\": \"Adds the file\"\n}}"
        ),
        1 => format!("{{\"tool\": \"write_file\", \"content\": {written}, \"path\": \"{path}\"}}"),
        2 => format!("{{\"tool\": \"write_file\", \"path\": \"{path}\", \"content\": {written}}}"),
        _ => format!("{{\n  \"tool\": \"write_file\",\n  \"path\": \"{path}\",\n  \"content\": {written}\n}}"),
    };
    (format!("I write the file:\n\n```json\n{json}\n```\n\nThat is all.\n"), json)
}
