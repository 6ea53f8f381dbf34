//! Words for messages: kinds of values, names that were perhaps meant.

use crate::value::Value;

/// A value's kind for a message: `a number`, `an object`, `null`.
#[cold]
pub(crate) fn article(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => format!("a {}", value.kind()),
    }
}

/// Of a huge list the first ones are compared: a message is not worth a walk over everything.
const COMPARED: usize = 200;

/// The names that a caller may have meant, nearest first, as a list for a message; the count where there are more.
#[cold]
pub(super) fn list_names<'a>(wanted: &str, mut names: impl Iterator<Item = &'a str>) -> String {
    list(wanted, &mut names, 0, "\"")
}

/// The same of values, as JSON.
#[cold]
pub(super) fn list_values(wanted: &Value, values: &mut dyn Iterator<Item = &Value>) -> String {
    let mut texts = Vec::new();
    let mut more = 0;
    for value in values {
        match value {
            Value::Array(_) | Value::Object(_) => {}
            value if texts.len() < COMPARED => texts.push(value.to_json()),
            _ => more += 1,
        }
    }
    list(&wanted.to_json(), &mut texts.iter().map(String::as_str), more, "")
}

#[cold]
fn list(wanted: &str, names: &mut dyn Iterator<Item = &str>, more: usize, quote: &str) -> String {
    const SHOWN: usize = 8;
    let mut count = more;
    let mut near: Vec<(usize, &str)> = Vec::new();
    for (number, name) in names.enumerate() {
        count += 1;
        if number < COMPARED {
            let distance = distance(wanted, name);
            let place = near.iter().take_while(|(other, _)| *other <= distance).count();
            near.insert(place, (distance, name));
            near.truncate(SHOWN);
        }
    }
    let mut shown = String::new();
    for (_, name) in near {
        shown.push_str(if shown.is_empty() { "" } else { ", " });
        shown.push_str(quote);
        shown.push_str(cut(name));
        shown.push_str(quote);
    }
    if count > SHOWN {
        shown.push_str(&format!(" and {} more", count - SHOWN));
    }
    shown
}

/// Text from outside, cut to a length that a message can carry.
#[cold]
pub(crate) fn cut(text: &str) -> &str {
    text.char_indices().nth(60).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// How many characters differ, by insertions, removals and replacements, over the first few of both.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(24).collect(), b.chars().take(24).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&b) {
            let best = (diagonal + usize::from(!from.eq_ignore_ascii_case(to))).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, best);
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}
