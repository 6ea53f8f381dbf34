//! Reads a Markdown quotation that contains a fence, to find a tool block whose lines begin with `>`.
//!
//! The lines are buffered up to the end of the block or of the quotation, since the `>` marks must be removed before
//! the JSON can be parsed.

use super::Settings;
use super::line::FenceLine;
use crate::counted::count_work;
use crate::value::text::{tail, trim_bytes};

/// The quoted lines, from the opening fence on.
#[derive(Debug)]
pub(super) struct Quotation {
    /// The complete lines as they arrived; the first one without its quote marks, which were emitted as text before.
    pub(super) raw: String,
    /// The same lines without their quote marks.
    pub(super) text: String,
    /// For each line, the byte offset in `raw` of its first byte after the marks, and the offset of that byte in
    /// `text`.
    lines: Vec<(usize, usize)>,
    /// The line of the opening fence.
    opener: FenceLine,
    /// The incomplete line after `raw`.
    line: String,
    /// Whether `line` has only blanks.
    is_blank: bool,
}

impl Quotation {
    /// Begins a quotation. `line` is the line of the opening fence, without its quote marks.
    pub(super) fn new(line: String) -> Self {
        let opener = FenceLine::last_line_of(trim_bytes(&line, b"\r\n"));
        Self { text: line.clone(), lines: vec![(0, 0)], raw: line, opener, line: String::new(), is_blank: true }
    }

    /// Reads text up to the end of the quotation, of the block in it, or to the limit of a block. Returns the number of bytes
    /// read, and whether the end was reached.
    pub(super) fn read(&mut self, text: &str, settings: &Settings) -> (usize, bool) {
        let mut taken = 0;
        for char in text.chars() {
            count_work(1);
            let has_no_mark = self.is_blank && !matches!(char, ' ' | '\t' | '\r' | '>');
            if has_no_mark || self.raw.len() + self.line.len() > settings.limits.max_block_bytes {
                // A line without a quote mark ends the quotation, and so does the size limit. `line` keeps the part of the line
                // that was read until [`Self::end`]; blanks alone are then added to `raw` only, and are emitted as plain text.
                return (taken, true);
            }
            self.line.push(char);
            self.is_blank &= char.is_ascii_whitespace();
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
        self.is_blank = true;
        // Without all quote marks, and the blank after them.
        let inner = line.trim_ascii_start();
        let inner = tail(inner, inner.bytes().take_while(|byte| *byte == b'>').count());
        let inner = inner.strip_prefix(' ').unwrap_or(inner);
        self.lines.push((self.raw.len() + line.len() - inner.len(), self.text.len()));
        self.raw.push_str(&line);
        self.text.push_str(inner);
        let closing = FenceLine::last_line_of(trim_bytes(inner, b"\r\n"));
        closing.closes(self.opener.end().map(|(fence, _)| fence))
    }

    /// Ends the quotation at the end of the text.
    pub(super) fn end(&mut self) {
        if self.is_blank {
            self.raw.push_str(&std::mem::take(&mut self.line));
        } else {
            self.end_line();
        }
    }

    /// The byte offset in `raw` that corresponds to an offset in `text`. The start of a line corresponds to the place before its
    /// quote marks, so that they belong to the text after the offset.
    pub(super) fn raw_offset(&self, text_offset: usize) -> usize {
        let line = self.lines.partition_point(|(_, start)| *start < text_offset);
        let (raw, start) = self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
        raw + text_offset.saturating_sub(start)
    }
}
