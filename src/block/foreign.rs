//! Reads a call that is not written in JSON (XML or Python syntax), and the closing tags after it.

use super::Settings;
use super::formats::{PythonBrackets, ends_xml, translate};
use super::tag::Grammar;
use super::tags::is_closing;
use crate::value::Value;
use crate::value::text::{first_char, part, put, tail};

/// A call in a grammar other than JSON that is still arriving.
#[derive(Debug)]
pub(super) struct ForeignCall {
    /// The text so far, including the tags before the call. The call begins at byte `start`.
    raw: String,
    start: usize,
    grammar: Grammar,
    /// The open brackets of a call in Python syntax.
    brackets: PythonBrackets,
    /// Byte offset in `raw` at which the call ends; 0 until it has ended.
    call_end: usize,
    /// Byte offset in `raw` at which the closing tags after the call end; 0 until the call has ended.
    suffix_end: usize,
    /// Byte offset in `raw` of a possible closing tag that is still incomplete.
    tag_start: Option<usize>,
}

impl ForeignCall {
    /// `raw`: the text that was read before; the call begins at its byte `start`.
    pub(super) fn new(raw: String, start: usize, grammar: Grammar) -> Self {
        let mut brackets = PythonBrackets::default();
        tail(&raw, start).bytes().for_each(|byte| _ = brackets.push(byte));
        Self { raw, start, grammar, brackets, call_end: 0, suffix_end: 0, tag_start: None }
    }

    /// Reads text up to the end of the call and of its closing tags, or up to the limit. Returns the number of bytes
    /// read, and whether reading has ended.
    pub(super) fn read(&mut self, text: &str, settings: &Settings) -> (usize, bool) {
        let mut taken = 0;
        while taken < text.len() {
            let char = first_char(tail(text, taken));
            if self.call_end > 0 && self.tag_start.is_none() {
                match char {
                    " " | "\t" | "\r" | "\n" => {}
                    "<" => self.tag_start = Some(self.raw.len()),
                    _ => return (taken, true),
                }
            }
            if self.raw.len() >= settings.limits.max_block_bytes {
                return (taken, true);
            }
            taken += char.len();
            put(&mut self.raw, char);
            if let Some(start) = self.tag_start {
                match is_closing(tail(&self.raw, start)) {
                    None => {}
                    Some(true) => (self.tag_start, self.suffix_end) = (None, self.raw.len()),
                    Some(false) => return (taken, true),
                }
            } else if self.call_end == 0 && self.is_complete(char) {
                (self.call_end, self.suffix_end) = (self.raw.len(), self.raw.len());
            }
        }
        (taken, false)
    }

    /// Whether the call ends with this character, the last one of `raw`.
    fn is_complete(&mut self, char: &str) -> bool {
        match self.grammar {
            Grammar::Xml => ends_xml(tail(&self.raw, self.start)),
            Grammar::Python => char.bytes().any(|byte| self.brackets.push(byte)),
        }
    }

    /// Returns the text of the call with its tags, the text after them, which must be read again, and the call as JSON, `{"tool":
    /// …}` with its arguments, or a list of several. The call is `None` if the text ended inside it, or cannot be translated.
    pub(super) fn into_parts(mut self, settings: &Settings) -> (String, String, Option<Value>) {
        if self.call_end == 0 {
            return (self.raw, String::new(), None);
        }
        let calls = translate(part(&self.raw, self.start..self.call_end), self.grammar, &settings.tools);
        let unread = self.raw.split_off(self.suffix_end);
        (self.raw, unread, calls)
    }
}
