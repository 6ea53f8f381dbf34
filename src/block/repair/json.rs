//! `repair_json` repairs any JSON; `parse_partial_json` reads JSON that has not arrived completely.

use super::around::contains_key;
use super::escaped::remove_escape_layer;
use super::fix::{Fix, FixKind, Mark, fixes_of};
use super::syntax::{RepairOutput, Repairer};
use super::unrepairable::{RepairResult, Unrepairable};
use super::{RepairRules, part};
use crate::block::TextEnd;
use crate::block::context::first_possible_call;
use crate::limits::Limits;
use crate::value::text::{hex, owned, trim_end};
use crate::value::{is_json, run_length};

/// The result of [`repair_json`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonRepair {
    /// Valid JSON if `ok`, else the unchanged text.
    pub text: String,
    /// The changes, in the order of the text.
    pub fixes: Vec<Fix>,
    /// Whether `text` is JSON within the limits.
    pub ok: bool,
}

/// The result of [`parse_partial_json`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// JSON of the part that has arrived; empty if no value has begun.
    pub text: String,
    /// Whether the unchanged text is JSON.
    pub complete: bool,
}

/// A repaired text.
#[derive(Debug)]
pub(super) struct RepairedText {
    pub(super) text: String,
    /// The fixes, at most `max_fixes` of the rules.
    pub(super) marks: Vec<Mark>,
    /// Unescaped quotes inside strings were escaped, so the ends of those strings were inferred.
    pub(super) has_inferred_end: bool,
}

/// The rules for JSON that is not a tool block.
fn rules(limits: &Limits, is_complete: bool) -> RepairRules<'static> {
    RepairRules {
        tools: None,
        is_complete,
        has_doubtful_end: false,
        is_partial: false,
        max_depth: limits.depth(),
        // At least one fix shows that the text was changed.
        max_fixes: limits.max_issues.max(1),
    }
}

/// Repairs a text that should be JSON. Valid JSON is returned unchanged. With [`TextEnd::Complete`], lists and objects that
/// are open at the end are closed; a string never is.
#[must_use]
pub fn repair_json(text: &str, text_end: TextEnd, limits: &Limits) -> JsonRepair {
    let is_in_limits = text.len() <= limits.max_block_bytes;
    let ok = is_in_limits && is_json(text, limits.depth());
    if is_in_limits && !ok {
        let rules = rules(limits, text_end == TextEnd::Complete);
        if let Some(RepairedText { text: repaired, marks, .. }) = rules.repair_json(text) {
            return JsonRepair { fixes: fixes_of(text, &marks), text: repaired, ok: true };
        }
    }
    JsonRepair { text: owned(text), fixes: Vec::new(), ok }
}

/// Parses JSON that may end anywhere. An open string is included as far as it has arrived; a key without its value is left
/// out. Escapes of lone surrogates become U+FFFD.
#[must_use]
pub fn parse_partial_json(text: &str, limits: &Limits) -> Partial {
    let complete = is_json(text, limits.depth());
    if complete {
        return Partial { text: replace_lone_surrogates(text), complete };
    }
    let is_complete = false;
    let mut rules = rules(limits, is_complete);
    // After one of these characters the text may be complete, so it is first repaired as if it were. A word at the end may be
    // cut off.
    let may_be_complete =
        ["}", "]", ")", ";", "\"", "'", "`", "”", "’"].iter().any(|end| trim_end(text).ends_with(end));
    let mut repaired = if may_be_complete { rules.repair_json(text) } else { None };
    if repaired.is_none() {
        rules.is_partial = true;
        let was_escaped = false;
        repaired = rules.repair(text, was_escaped).ok().filter(|repaired| is_json(&repaired.text, limits.depth()));
    }
    Partial { text: repaired.map_or_else(String::new, |repaired| replace_lone_surrogates(&repaired.text)), complete }
}

impl RepairRules<'_> {
    /// Repairs a text in one pass; the result need not be JSON. `was_escaped`: a layer of escapes was removed from `text`, so
    /// that offsets in the original are unknown, and all fixes are listed as one.
    pub(super) fn repair(&self, text: &str, was_escaped: bool) -> RepairResult<RepairedText> {
        // A key before the first possible call shows that the call begins earlier, in a damaged object.
        if self.is_block() && contains_key(part(text, 0..first_possible_call(text).unwrap_or_default())) {
            return Err(Unrepairable::NoFix);
        }
        let mut repairer = Repairer::new(text, self);
        repairer.begin();
        if let Err(fail) = repairer.walk() {
            if !self.is_partial {
                return Err(fail);
            }
            // A partial text is kept up to its last complete entry before the fault.
            repairer.cut_off();
        }
        let Repairer { out: RepairOutput { mut text, mut marks, .. }, is_list, has_inferred_end, .. } = repairer;
        if is_list {
            text.insert_str(0, "[\n");
            text.push_str("\n]");
        }
        if was_escaped {
            // repair: one layer of escapes too many, e.g. `{\"a\": 1}`
            marks = vec![Mark { kind: FixKind::EscapedTwice, offset: 0, count: 1 }];
        }
        Ok(RepairedText { text, marks, has_inferred_end })
    }

    /// Repairs a text, after removing a layer of escapes if all of it has one; `None` if the result is not JSON.
    fn repair_json(&self, text: &str) -> Option<RepairedText> {
        let is_block = false;
        let unescaped = remove_escape_layer(text, is_block);
        let repaired = self.repair(unescaped.as_deref().unwrap_or(text), unescaped.is_some());
        repaired.ok().filter(|repaired| is_json(&repaired.text, self.max_depth))
    }
}

/// Replaces escapes of lone surrogates by U+FFFD.
fn replace_lone_surrogates(json: &str) -> String {
    // The UTF-16 unit of the escape `\uXXXX` at `at`; `None` if there is no such escape.
    let unit = |at: usize| hex(part(json, at..at + 6).strip_prefix("\\u")?);
    let mut out = String::with_capacity(json.len());
    // The text before `copied_to` is in `out`, with its lone surrogates replaced.
    let (mut copied_to, mut at) = (0, 0);
    while let Some(byte) = json.as_bytes().get(at) {
        let length = match byte {
            b'\\' => match (unit(at), unit(at + 6)) {
                // A surrogate pair: two escapes of six bytes.
                (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
                (Some(0xd800..0xe000), _) => {
                    out.push_str(part(json, copied_to..at));
                    out.push('\u{fffd}');
                    copied_to = at + 6;
                    6
                }
                // Past the backslash and the next character, which may be another backslash.
                _ => 2,
            },
            // Up to the next backslash; control characters between tokens are passed one by one.
            _ => run_length(part(json, at..json.len()).as_bytes(), b'\\').max(1),
        };
        at += length;
    }
    out.push_str(part(json, copied_to..json.len()));
    out
}
