//! Reads a call in a grammar of its own, up to its end and the closing tags behind it.

use super::Settings;
use super::formats::{Grammar, is_whole, translate};
use super::tags::is_closing;
use crate::value::Value;
use crate::value::text::{first_char, part, put, tail};

/// A call that is being read.
#[derive(Debug)]
pub(super) struct ForeignCall {
    /// The text so far, tags before it included; where the call begins in it.
    raw: String,
    start: usize,
    grammar: Grammar,
    /// Where the call ends, and the closing tags behind it.
    end: usize,
    suffix_end: usize,
    /// Where a tag behind the call begins.
    tag: Option<usize>,
}

impl ForeignCall {
    pub(super) fn new(raw: String, start: usize, grammar: Grammar) -> Self {
        Self { raw, start, grammar, end: 0, suffix_end: 0, tag: None }
    }

    /// Takes text up to the end of the call; tells how many bytes, and whether it is over.
    pub(super) fn take(&mut self, text: &str, settings: &Settings) -> (usize, bool) {
        let mut taken = 0;
        while taken < text.len() {
            let char = first_char(tail(text, taken));
            if self.end > 0 && self.tag.is_none() {
                match char {
                    " " | "\t" | "\r" | "\n" => {}
                    "<" => self.tag = Some(self.raw.len()),
                    _ => return (taken, true),
                }
            }
            if self.raw.len() >= settings.limits.max_block_bytes {
                return (taken, true);
            }
            taken += char.len();
            put(&mut self.raw, char);
            if let Some(start) = self.tag {
                match is_closing(tail(&self.raw, start)) {
                    None => {}
                    Some(true) => (self.tag, self.suffix_end) = (None, self.raw.len()),
                    Some(false) => return (taken, true),
                }
            } else if self.end == 0 && is_whole(tail(&self.raw, self.start), self.grammar) {
                (self.end, self.suffix_end) = (self.raw.len(), self.raw.len());
            }
        }
        (taken, false)
    }

    /// The text of the call with its tags, the text behind it, and the calls in the flat form: nothing if it is not whole.
    pub(super) fn into_calls(mut self, settings: &Settings) -> (String, String, Option<Value>) {
        if self.end == 0 {
            return (self.raw, String::new(), None);
        }
        let calls = translate(part(&self.raw, self.start..self.end), self.grammar, &settings.tools);
        let back = self.raw.split_off(self.suffix_end);
        (self.raw, back, calls)
    }
}
