//! Words for messages: kinds of values, names that were perhaps meant.

use crate::value::{Array, Value};

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

/// Of a huge list the first items are looked at: a message is not worth a walk over everything.
const COMPARED: usize = 200;

/// The names that a caller may have meant, nearest first, as a list for a message; the count where there are more.
#[cold]
pub(super) fn list_names<'a>(wanted: &str, names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(COMPARED);
    list(wanted, &mut names.take(COMPARED), more, "\"")
}

/// The same of what the items of a list have somewhere, as JSON. An item behind those that are looked at counts as one that
/// has something there.
#[cold]
pub(super) fn list_values<'v>(
    wanted: &str,
    items: &'v Array,
    of: impl Fn(&'v Value) -> Option<&'v Value>,
    quote: &str,
) -> String {
    let more = items.len().saturating_sub(COMPARED);
    let values = items.iter().take(COMPARED).filter_map(of);
    let text = |value: &Value| match value {
        Value::Array(_) | Value::Object(_) => None,
        Value::String(text) if !quote.is_empty() => Some(text.to_string()),
        value => Some(value.to_json()),
    };
    let texts: Vec<_> = values.filter_map(text).collect();
    list(wanted, &mut texts.iter().map(String::as_str), more, quote)
}

#[cold]
fn list(wanted: &str, names: &mut dyn Iterator<Item = &str>, more: usize, quote: &str) -> String {
    const SHOWN: usize = 8;
    let mut count = more;
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in names {
        count += 1;
        let distance = distance(wanted, name);
        let place = near.iter().take_while(|(other, _)| *other <= distance).count();
        near.insert(place, (distance, name));
        near.truncate(SHOWN);
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
