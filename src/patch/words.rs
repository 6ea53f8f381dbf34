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

/// A text from outside, cut to 60 characters, which suits a message.
pub(crate) fn cut(text: &str) -> &str {
    text::cut(text, 60)
}

/// The most items whose names are compared: a message is not worth a walk over a huge list.
const MAX_COMPARED: usize = 200;

/// The most names that a message lists.
const MAX_SHOWN: usize = 8;

/// The argument `quote` that writes names in double quotes.
pub(super) const IN_QUOTES: &str = "\"";
/// The argument `quote` that writes values as JSON.
pub(super) const AS_JSON: &str = "";

/// The names that differ least from the unknown name `wanted`, the nearest first, as a text for a message: `"a", "b" and 3 more`.
/// Empty without names. `names` yields the name of each item, or `None` for one that has none; `count` is the number of all
/// items. `quote` is written around each name.
pub(super) fn nearest<'n>(
    wanted: &str,
    count: usize,
    quote: &str,
    names: &mut dyn Iterator<Item = Option<Cow<'n, str>>>,
) -> String {
    // The items that are not compared count as if all had a name.
    let mut name_count = count.saturating_sub(MAX_COMPARED);
    // By distance, the smallest first; names with the same distance in the order of the items.
    let mut nearest: Vec<(usize, Cow<'n, str>)> = Vec::new();
    for name in names.take(MAX_COMPARED).flatten() {
        name_count += 1;
        let distance = distance(wanted, &name);
        let rank = nearest.iter().take_while(|(other, _)| *other <= distance).count();
        if rank < MAX_SHOWN {
            nearest.truncate(MAX_SHOWN - 1);
            nearest.insert(rank, (distance, name));
        }
    }
    let mut out = String::new();
    for (_, name) in &nearest {
        for part in [if out.is_empty() { "" } else { ", " }, quote, cut(name), quote] {
            put(&mut out, part);
        }
    }
    if name_count > MAX_SHOWN {
        write_index(put(&mut out, " and "), name_count - MAX_SHOWN);
        put(&mut out, " more");
    }
    out
}

/// As [`nearest`], for the values that `value_of` takes from the items of a list; lists and objects are left out.
pub(super) fn nearest_values<'v>(
    wanted: &str,
    items: &'v Array,
    value_of: &dyn Fn(&'v Value) -> Option<&'v Value>,
    quote: &str,
) -> String {
    let mut names = items.iter().map(|item| match value_of(item)? {
        Value::Array(_) | Value::Object(_) => None,
        Value::String(text) if quote != AS_JSON => Some(Cow::Borrowed(&**text)),
        value => Some(Cow::Owned(value.to_json())),
    });
    nearest(wanted, items.len(), quote, &mut names)
}

/// The most characters of a name that are compared, since the time grows with their square.
const MAX_COMPARED_CHARS: usize = 24;

/// The edit distance (Levenshtein) of the first [`MAX_COMPARED_CHARS`] characters of two texts, without regard to ASCII case.
fn distance(a: &str, b: &str) -> usize {
    // One row of the table of distances: `row[j]` is that of the characters of `a` so far and the first `j` of `b`.
    let mut row = [0; MAX_COMPARED_CHARS + 1];
    for (j, cell) in row.iter_mut().enumerate() {
        *cell = j;
    }
    for (i, a_char) in a.chars().take(MAX_COMPARED_CHARS).enumerate() {
        // `cell` still has the value of the row above; `diagonal` is the cell to its left in that row, `left` in this one.
        let (mut diagonal, mut left) = (i, i + 1);
        for (b_char, cell) in b.chars().zip(row.iter_mut().skip(1)) {
            // The least number of edits: a character is replaced or equal, inserted, or removed.
            let replacement = diagonal + usize::from(!a_char.eq_ignore_ascii_case(&b_char));
            let least = replacement.min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, least);
            left = least;
        }
        row[0] = i + 1;
    }
    row.get(b.chars().take(MAX_COMPARED_CHARS).count()).copied().unwrap_or_default()
}
