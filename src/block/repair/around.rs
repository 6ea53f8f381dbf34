//! Drops the text around the JSON: prose, fences, semicolons, other values; and handles the end of the text.

use super::fix::FixKind;
use super::syntax::{LastValueKind, Next, Repairer};
use super::unrepairable::{Doubt, Repaired, Unrepairable};
use super::{find, first, last, part};
use crate::block::context::first_possible_call;
use crate::value::text::{head, line_length, trim_bytes};
use crate::value::{Container, is_blank, is_quote, length_before};

impl Repairer<'_> {
    /// Drops the text before the JSON.
    pub(super) fn begin(&mut self) {
        let start = if self.rules.is_block() {
            first_possible_call(self.text)
        } else {
            after_fence(self.text).or_else(|| after_prose(self.text))
        };
        if let Some(start) = start
            && !self.part(0, start).chars().all(is_any_blank)
        {
            // repair: prose before the value, e.g. `Here it is: {"a": 1}`
            self.fix(FixKind::Prose, start, "");
        }
    }

    /// Handles the text after the top-level value.
    pub(super) fn after_root(&mut self, byte: u8) -> Repaired {
        let is_block = self.rules.is_block();
        match byte {
            b'}' | b']' => return self.drop_closer(),
            b')' if self.close_wrapper() => return Ok(()),
            b'+' if self.last.value == LastValueKind::String => return self.concatenate(),
            // repair: semicolon after the value, e.g. `{"a": 1};`
            b';' => {
                self.fix(FixKind::Prose, 1, "");
                return Ok(());
            }
            b',' => return self.next_value(),
            b'`' | b'~' if !is_block && self.run(self.at, byte, 3) == 3 => return self.drop_rest(),
            b'{' if is_block => {
                // Several objects in a block are several calls.
                self.expect = Next::Value;
                return Ok(());
            }
            _ => {}
        }
        let before = self.part(0, self.at);
        // Objects or lists on lines of their own become a list, e.g. `{"a": 1}` and on the next line `{"a": 2}`.
        let is_line = last(trim_bytes(before, b" \t\r")) == b'\n';
        if !is_block && is_line && self.last.value == LastValueKind::Container && matches!(byte, b'{' | b'[') {
            // repair: objects on lines of their own, e.g. `{"a": 1}` and on the next line `{"a": 2}`
            self.record(FixKind::List, self.at);
            self.insert(',');
            self.is_list = true;
            self.expect = Next::Value;
            return Ok(());
        }
        // Another value in the same line, or a scalar on the next line, e.g. `{} {}`: either may be the intended value.
        let is_another = matches!(byte, b'{' | b'[') || self.last.value == LastValueKind::Scalar;
        if !is_block && is_another {
            return Err(Unrepairable::Ambiguous(Doubt::Value));
        }
        let is_tag = !is_block && matches!(byte, b'<' | b'.');
        let is_prose = is_tag || matches!(last(before), b' ' | b'\t' | b'\r' | b'\n' | 0x80..);
        let is_prose = is_prose && (!is_block && is_line || !seems_to_continue(self.rest(self.at)));
        if self.has_inferred_end {
            return Err(Unrepairable::Ambiguous(Doubt::End));
        }
        if self.quote(self.at).is_some() || !is_prose {
            return Err(Unrepairable::NoFix);
        }
        self.drop_rest()
    }

    /// A comma after the top-level value: another value follows, and both become a list; or the comma is dropped.
    fn next_value(&mut self) -> Repaired {
        let next = self.after_comments(self.at + 1);
        match self.byte(next) {
            // repair: surplus comma, e.g. `{"a": 1},]`
            b',' | b']' | b'}' => self.fix(FixKind::ExtraComma, 1, ""),
            byte if next < self.text.len() => {
                // Scalars do not become a list, e.g. `1, 2` or `"a", "b"`.
                let is_item = byte == b'{' || byte == b'[' && !self.rules.is_block();
                if !is_item || self.last.value != LastValueKind::Container {
                    return Err(Unrepairable::NoFix);
                }
                // repair: several values, e.g. `{"a": 1}, {"a": 2}`
                if !self.is_list {
                    self.record(FixKind::List, self.at);
                }
                self.is_list = true;
                self.expect = Next::Value;
                self.at += 1;
            }
            // repair: comma after the value, e.g. `{"a": 1},`
            _ => self.fix(FixKind::TrailingComma, 1, ""),
        }
        Ok(())
    }

    /// Handles the end of the text.
    pub(super) fn end(&mut self) -> Repaired {
        if self.rules.partial {
            self.cut_off();
            return Ok(());
        }
        self.copy_to(self.text.len());
        let lacks_value = match self.expect {
            Next::End => return Ok(()),
            Next::Value => self.container() != Some(Container::Array),
            expect => expect == Next::Colon,
        };
        if lacks_value || !self.rules.complete {
            return Err(Unrepairable::NoFix);
        }
        self.drop_trailing_comma();
        while !self.stack.is_empty() {
            self.add_closer();
        }
        Ok(())
    }

    /// Drops the incomplete entry at the end of a partial text and closes all open lists and objects.
    pub(super) fn cut_off(&mut self) {
        if self.expect == Next::End {
            self.copy_to(self.at);
        } else {
            self.out.text.truncate(self.stack.last().map_or(0, |frame| frame.entry_end));
        }
        while let Some(frame) = self.stack.pop() {
            self.out.text.push(frame.closer());
        }
    }

    /// Drops the rest of the text.
    fn drop_rest(&mut self) -> Repaired {
        // repair: text after the value, e.g. `{"a": 1} is the call.`
        self.fix(FixKind::Prose, self.text.len() - self.at, "");
        Ok(())
    }
}

const FENCES: [&str; 2] = ["```", "~~~"];

/// Whether `char` is whitespace or a byte order mark.
fn is_any_blank(char: char) -> bool {
    is_blank(char) || matches!(char, ' ' | '\t')
}

/// The offset after the first fence, wherever in its line the fence is; `None` if JSON precedes it.
fn after_fence(text: &str) -> Option<usize> {
    let (start, begins) = text.char_indices().find(|(_, char)| !is_any_blank(*char))?;
    let is_json = |char: char| matches!(char, '{' | '[') || (is_quote(char) && char != '`');
    if is_json(begins) || (begins == '`' && !part(text, start..text.len()).starts_with(FENCES[0])) {
        return None;
    }
    // `line` is the start of the current line, or the end of the text once the line contains JSON.
    let (mut line, mut at) = (0, 0);
    loop {
        // The next fence without JSON before it in its line.
        match *text.as_bytes().get(at)? {
            b'\n' => line = at + 1,
            b'{' | b'[' | b'"' => line = text.len(),
            b'`' | b'~' if FENCES.iter().any(|marks| part(text, at..text.len()).starts_with(marks)) => {
                if line <= at {
                    break;
                }
                at += 2;
            }
            _ => {}
        }
        at += 1;
    }
    let byte = |at: usize| text.as_bytes().get(at).copied().unwrap_or_default();
    // The JSON begins after the marks and the info string, on the next line or on this one.
    while matches!(byte(at), b'`' | b'~') {
        at += 1;
    }
    let mut end = at;
    while end < text.len() && !matches!(byte(end), b'\n' | b'{' | b'[') {
        end += 1;
    }
    if byte(end) == b'\n' {
        return Some(end);
    }
    while matches!(byte(at), b'_' | b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | 0x80..) {
        at += 1;
    }
    Some(at)
}

/// The offset of the first line that begins with a list or an object, after lines of prose or a tag, e.g. `<tool_call>`.
fn after_prose(text: &str) -> Option<usize> {
    let begins = text.trim_ascii_start();
    let line = head(begins, line_length(begins)).trim_ascii_end();
    let is_prose = matches!(first(begins), b'<' | b'*' | b'#' | b'>' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..);
    let is_quoted = begins.chars().next().is_some_and(|char| is_quote(char) || is_any_blank(char));
    if !is_prose || is_quoted || line.ends_with('(') {
        return None;
    }
    let mut at = 0;
    while let Some(end) = find(text, at, "\n") {
        at = end + 1;
        let rest = part(text, at..text.len());
        let blanks = rest.len() - rest.trim_ascii_start().len();
        if matches!(first(part(rest, blanks..rest.len())), b'{' | b'[') {
            return Some(at + blanks);
        }
    }
    None
}

/// Whether text after a value seems to belong to it: it contains the end of an object, an open string, or another call.
pub(in crate::block) fn seems_to_continue(text: &str) -> bool {
    let end = text.trim_ascii_end();
    let inner = trim_bytes(end, b"}] \t\r\n");
    let ends_an_object = inner.len() < end.len() && matches!(last(inner), b'"' | b'\'' | b'`' | b',' | b'{' | b'[');
    let quotes = text.bytes().filter(|byte| *byte == b'"').count();
    is_rest_of_value(text)
        || ends_an_object
        || quotes % 2 == 1
        || ["\\\"", "\"tool\"", "'tool'"].iter().any(|sign| find(text, 0, sign).is_some())
}

/// Whether text after a value seems to be the rest of that value: it starts like one, closes a bracket that it has not
/// opened, or ends inside a string.
pub(in crate::block) fn is_rest_of_value(text: &str) -> bool {
    let mut depth = 0_isize;
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    matches!(first(text), b'"' | b'\'' | b'\\' | b':') || depth < 0 || has_open_quote(text)
}

/// Whether a text that begins outside a string ends inside one.
fn has_open_quote(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut is_open) = (0, false);
    loop {
        at += length_before(bytes.get(at..).unwrap_or_default(), *b"\"\\", 0);
        match bytes.get(at) {
            None => return is_open,
            Some(b'"') => {
                is_open = !is_open;
                at += 1;
            }
            Some(_) => at += 2,
        }
    }
}

/// Whether the text before an object is the beginning of a damaged object, and not prose: it contains a key and its colon. Text
/// with a line that begins a comment counts as prose.
pub(super) fn holds_keys(text: &str) -> bool {
    let comment_marks = ["//", "#", "/*", "<!--"];
    let mut line = 0;
    while line < text.len() {
        let end = find(text, line, "\n").unwrap_or(text.len());
        let inner = part(text, line..end).trim_ascii_start();
        if comment_marks.iter().any(|mark| inner.starts_with(mark)) {
            return false;
        }
        line = end + 1;
    }
    let mut from = 0;
    while let Some(quote) = find(text, from, "\"") {
        from = quote + 1;
        if first(part(text, from..text.len()).trim_ascii_start()) == b':' {
            return true;
        }
    }
    false
}
