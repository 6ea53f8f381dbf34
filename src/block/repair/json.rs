//! Any JSON: repaired, or read as far as it has come.

use std::cell::Cell;

use super::escaped::unescaped;
use super::fix::{Fix, place};
use super::syntax::Fail;
use super::{Dialect, Repaired, Rules};
use crate::block::Close;
use crate::limits::Limits;
use crate::value::is_json;

/// What became of a text that should be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonRepair {
    /// JSON if `ok`, else the text as it was.
    pub text: String,
    /// What was done.
    pub fixes: Vec<Fix>,
    /// Whether the text is JSON.
    pub ok: bool,
}

/// What is there of a text that should be JSON and may end anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The JSON of what is there: empty if that is nothing.
    pub text: String,
    /// Whether the text is JSON as it stands.
    pub complete: bool,
}

/// The rules for JSON at large, which has no known keys.
fn rules(limits: &Limits) -> Rules<'static> {
    Rules {
        dialect: Dialect::Json,
        complete: true,
        doubtful: false,
        partial: false,
        loose: false,
        is_ambiguous: Cell::new(false),
        max_depth: limits.depth(),
        most: limits.max_issues,
        known: &|_| None,
        texts: 0,
        paths: 0,
    }
}

/// Repairs a text that should be JSON. Sound JSON comes back as it is. A text that ends inside a list or object is closed
/// with [`Close::Complete`]; one that ends inside a string is not.
#[must_use]
pub fn repair_json(text: &str, close: Close, limits: &Limits) -> JsonRepair {
    let same = |ok| JsonRepair { text: text.to_owned(), fixes: Vec::new(), ok };
    if text.len() > limits.max_block_bytes {
        return same(false);
    }
    if is_json(text, limits.depth()) {
        return same(true);
    }
    let rules = Rules { complete: close == Close::Complete, ..rules(limits) };
    let Ok(Repaired { text: repaired, marks, .. }) = rules.repair_any(text) else { return same(false) };
    if !is_json(&repaired, limits.depth()) {
        return same(false);
    }
    JsonRepair { fixes: place(text, &marks), text: repaired, ok: true }
}

/// Reads what is there of a text that should be JSON and may end anywhere: an open string as far as it has come, without
/// a key that has no value yet. Escapes of halves of surrogate pairs become U+FFFD.
#[must_use]
pub fn parse_partial_json(text: &str, limits: &Limits) -> Partial {
    let Partial { text, complete } = read_partial(text, limits);
    Partial { text: without_halves(text), complete }
}

fn read_partial(text: &str, limits: &Limits) -> Partial {
    if is_json(text, limits.depth()) {
        return Partial { text: text.to_owned(), complete: true };
    }
    let whole = Rules { complete: false, ..rules(limits) };
    // A word at the end may go on.
    let is_over = text.trim_end().ends_with(['}', ']', ')', ';', '"', '\'', '`', '”', '’']);
    if is_over
        && let Ok(repaired) = whole.repair_any(text)
        && is_json(&repaired.text, limits.depth())
    {
        return Partial { text: repaired.text, complete: false };
    }
    let partial = Rules { partial: true, ..rules(limits) };
    let text = partial.repair(text).map(|repaired| repaired.text).unwrap_or_default();
    let is_there = is_json(&text, limits.depth());
    Partial { text: if is_there { text } else { String::new() }, complete: false }
}

/// JSON without escapes of halves of surrogate pairs.
fn without_halves(json: String) -> String {
    if !json.contains("\\u") {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = &*json;
    while let Some(place) = rest.find('\\') {
        let (before, escape) = rest.split_at(place);
        out.push_str(before);
        let unit = |from: usize| {
            let digits = escape.get(from..from + 6)?.strip_prefix("\\u")?;
            u16::from_str_radix(digits, 16).ok()
        };
        let length = match (unit(0), unit(6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => {
                out.push('\u{fffd}');
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        let (own, more) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(own);
        rest = more;
    }
    out.push_str(rest);
    out
}

impl Rules<'_> {
    /// Repairs a text by whichever reading makes sense of it.
    pub(super) fn repair_any(&self, text: &str) -> Result<Repaired, Fail> {
        if let Some(inner) = unescaped(text, self.dialect) {
            return self.repair_escaped(&inner);
        }
        self.repair(text).or_else(|fail| match fail {
            Fail::TooDeep => Err(fail),
            Fail::Open | Fail::Unclear if !self.is_ambiguous.get() => Err(fail),
            Fail::Open | Fail::Unclear => Rules { loose: true, is_ambiguous: Cell::new(true), ..*self }.repair(text),
        })
    }
}
