//! Words for error messages: kinds of values, and existing names similar to an unknown one.

use std::borrow::Cow;

use crate::value::{Array, Value, put, text, write_index};

/// The kind of a value with its article: `a number`, `an object`, `null`.
pub(crate) const fn article(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A text from outside, cut to a length that suits a message.
pub(crate) fn cut(text: &str) -> &str {
    text::cut(text, 60)
}

/// How many names are compared at most: a message is not worth a walk over a huge list.
const MAX_COMPARED: usize = 200;

/// The most names in a list.
const MAX_SHOWN: usize = 8;

/// The names that differ least from an unknown one, as a list for a message, nearest first, and how many more there are.
/// `count` is the number of all items, `names` yields the name of each.
pub(super) fn nearest<'n>(
    wanted: &str,
    count: usize,
    quote: &str,
    names: &mut dyn Iterator<Item = Option<Cow<'n, str>>>,
) -> String {
    let mut more = count.saturating_sub(MAX_COMPARED);
    let mut nearest: Vec<(usize, Cow<'n, str>)> = Vec::new();
    for name in names.take(MAX_COMPARED).flatten() {
        more += 1;
        let distance = distance(wanted, &name);
        let place = nearest.iter().take_while(|(other, _)| *other <= distance).count();
        if place < MAX_SHOWN {
            nearest.truncate(MAX_SHOWN - 1);
            nearest.insert(place, (distance, name));
        }
    }
    let mut out = String::new();
    for (_, name) in &nearest {
        for part in [if out.is_empty() { "" } else { ", " }, quote, cut(name), quote] {
            put(&mut out, part);
        }
    }
    if more > MAX_SHOWN {
        write_index(put(&mut out, " and "), more - MAX_SHOWN);
        put(&mut out, " more");
    }
    out
}

/// As [`nearest`], for a property of the items of a list. Without a quote, values are written as JSON.
pub(super) fn nearest_values<'v>(
    wanted: &str,
    items: &'v Array,
    of: &dyn Fn(&'v Value) -> Option<&'v Value>,
    quote: &str,
) -> String {
    let mut names = items.iter().map(|item| match of(item)? {
        Value::Array(_) | Value::Object(_) => None,
        Value::String(text) if !quote.is_empty() => Some(Cow::Borrowed(&**text)),
        value => Some(Cow::Owned(value.to_json())),
    });
    nearest(wanted, items.len(), quote, &mut names)
}

/// The most characters of a name that are compared.
const LONGEST: usize = 24;

/// The edit distance (Levenshtein) of the first [`LONGEST`] characters of two texts.
fn distance(a: &str, b: &str) -> usize {
    // One row of the table of distances: `row[j]` is that of the characters of `a` so far and the first `j` of `b`.
    let mut row = [0; LONGEST + 1];
    for (place, cell) in row.iter_mut().enumerate() {
        *cell = place;
    }
    for (i, from) in a.chars().take(LONGEST).enumerate() {
        let (mut diagonal, mut left) = (i, i + 1);
        for (to, cell) in b.chars().zip(row.iter_mut().skip(1)) {
            let best = (diagonal + usize::from(!from.eq_ignore_ascii_case(&to))).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, best);
            left = best;
        }
        row[0] = i + 1;
    }
    row.get(b.chars().take(LONGEST).count()).copied().unwrap_or_default()
}
