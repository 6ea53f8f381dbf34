//! Words for messages: kinds of values, names that were perhaps meant.

use crate::value::{Array, Object, Value, put, text, write_index};

/// A value's kind for a message: `a number`, `an object`, `null`.
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

/// Text from outside, cut to a length that a message can carry.
#[cold]
pub(crate) fn cut(text: &str) -> &str {
    text::cut(text, 60)
}

/// Of a huge list the first items are looked at: a message is not worth a walk over everything.
pub(super) const COMPARED: usize = 200;

/// So many names are shown.
const SHOWN: usize = 8;

/// The names that a caller may have meant: those that differ least from the one that was sent.
pub(super) struct Suggestions<'w> {
    wanted: &'w str,
    count: usize,
    nearest: Vec<(usize, String)>,
}

impl<'w> Suggestions<'w> {
    pub(super) const fn new(wanted: &'w str) -> Self {
        Self { wanted, count: 0, nearest: Vec::new() }
    }

    #[cold]
    pub(super) fn take(&mut self, name: &str) {
        self.count += 1;
        let distance = distance(self.wanted, name);
        let place = self.nearest.iter().take_while(|(other, _)| *other <= distance).count();
        if place < SHOWN {
            self.nearest.truncate(SHOWN - 1);
            self.nearest.insert(place, (distance, text::owned(cut(name))));
        }
    }

    /// The names, the nearest first; the count where there are more, with `more` that were not looked at.
    #[cold]
    pub(super) fn list(self, more: usize, quote: &str) -> String {
        let mut out = String::new();
        for (_, name) in &self.nearest {
            for part in [if out.is_empty() { "" } else { ", " }, quote, name, quote] {
                put(&mut out, part);
            }
        }
        let count = self.count + more;
        if count > SHOWN {
            write_index(put(&mut out, " and "), count - SHOWN);
            put(&mut out, " more");
        }
        out
    }
}

/// The keys of an object that a caller may have meant, as a list for a message.
#[cold]
pub(super) fn list_keys(wanted: &str, object: &Object) -> String {
    let mut near = Suggestions::new(wanted);
    for key in object.keys().take(COMPARED) {
        near.take(key);
    }
    near.list(object.len().saturating_sub(COMPARED), "\"")
}

/// The same of what the items of a list have somewhere, as JSON. An item behind those that are looked at counts as one that
/// has something there.
#[cold]
pub(super) fn list_values<'v>(
    wanted: &str,
    items: &'v Array,
    of: &dyn Fn(&'v Value) -> Option<&'v Value>,
    quote: &str,
) -> String {
    let mut near = Suggestions::new(wanted);
    for item in items.iter().take(COMPARED) {
        match of(item) {
            None | Some(Value::Array(_) | Value::Object(_)) => {}
            Some(Value::String(text)) if !quote.is_empty() => near.take(text),
            Some(value) => near.take(&value.to_json()),
        }
    }
    near.list(items.len().saturating_sub(COMPARED), quote)
}

/// So many characters of a name are compared.
const LONGEST: usize = 24;

/// How many characters differ, by insertions, removals and replacements, over the first few of both.
fn distance(a: &str, b: &str) -> usize {
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
