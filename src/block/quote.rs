//! Reads a Markdown quotation that contains a fence, to find a tool block whose lines begin with `>`.
//!
//! The lines are buffered up to the end of the block or of the quotation, since the `>` marks must be removed before
//! the JSON can be parsed.

use super::Settings;
use super::line::FenceLine;
use crate::value::text::{tail, trim_bytes};

/// The quoted lines, from the opening fence on.
#[derive(Debug)]
pub(super) struct Quotation {
    /// The complete lines as they arrived.
    pub(super) raw: String,
    /// The same lines without their quote marks.
    pub(super) text: String,
    /// For each line, the byte offset in `raw` of its first byte after the marks, and the offset of that byte in
    /// `text`.
    lines: Vec<(usize, usize)>,
    opener: FenceLine,
    /// The incomplete line after `raw`.
    line: String,
}

impl Quotation {
    /// Begins a quotation. `line` is the line of the opening fence, without its quote marks.
    pub(super) fn new(line: String) -> Self {
        let opener = FenceLine::last_of(trim_bytes(&line, b"\r\n"));
        Self { text: line.clone(), lines: vec![(0, 0)], raw: line, opener, line: String::new() }
    }

    /// Reads text up to the end of the quotation or of the block in it. Returns the number of bytes read, and whether
    /// the end was reached.
    pub(super) fn read(&mut self, text: &str, settings: &Settings) -> (usize, bool) {
        let mut taken = 0;
        for char in text.chars() {
            let is_first = self.line.trim_ascii_start().is_empty();
            if is_first && !matches!(char, ' ' | '\t' | '\r' | '>') || self.raw.len() > settings.limits.max_block_bytes
            {
                // A line without a quote mark ends the quotation. Its leading blanks stay in `line`, and become text.
                return (taken, true);
            }
            self.line.push(char);
            taken += char.len_utf8();
            if char == '\n' && self.end_line() {
                return (taken, true);
            }
        }
        (taken, false)
    }

    /// Adds the complete line to the buffers; returns whether it closes the block.
    fn end_line(&mut self) -> bool {
        let line = std::mem::take(&mut self.line);
        let inner = line.trim_ascii_start();
        let inner = tail(inner, inner.bytes().take_while(|byte| *byte == b'>').count());
        let inner = inner.strip_prefix(' ').unwrap_or(inner);
        self.lines.push((self.raw.len() + line.len() - inner.len(), self.text.len()));
        self.raw.push_str(&line);
        self.text.push_str(inner);
        let closing = FenceLine::last_of(trim_bytes(inner, b"\r\n"));
        closing.closes(self.opener.end().map(|(fence, _)| fence))
    }

    /// Ends the quotation at the end of the text.
    pub(super) fn end(&mut self) {
        if self.line.trim_ascii_start().is_empty() {
            self.raw.push_str(&std::mem::take(&mut self.line));
        } else {
            self.end_line();
        }
    }

    /// The byte offset in `raw` that corresponds to the offset `place` in `text`.
    pub(super) fn raw_offset(&self, place: usize) -> usize {
        let line = self.lines.partition_point(|(_, unquoted)| *unquoted < place);
        let (raw, unquoted) = self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
        raw + place.saturating_sub(unquoted)
    }
}
