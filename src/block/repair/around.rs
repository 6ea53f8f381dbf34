//! Drops the text around the JSON: prose, fences, semicolons, other values; and handles the end of the text.

use super::fix::FixKind;
use super::syntax::{LastValueKind, Next, Repairer};
use super::unrepairable::{Doubt, RepairResult, Unrepairable};
use super::{find, first_byte, last_byte, part};
use crate::block::context::first_possible_call;
use crate::value::text::{head, line_length, trim_bytes};
use crate::value::{Container, NO_LOW_BYTE, is_blank, is_quote, length_before};

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
            // At the start of the repair `at` is 0. Mere whitespace is left to `skip_blanks`.
            // repair: prose before the value, e.g. `Here it is: {"a": 1}`
            self.drop_next(FixKind::Prose, start);
        }
    }

    /// Handles the text after the top-level value. Closing brackets and semicolons are dropped one by one. Further values become
    /// further calls of a block, or items of a list. Any other text is dropped as a whole if it seems to be prose; if it may
    /// belong to the value, or be the value that was meant, the repair fails.
    pub(super) fn after_root(&mut self, byte: u8) -> RepairResult {
        let is_block = self.rules.is_block();
        match byte {
            b'}' | b']' => return self.drop_closer(),
            b')' if self.close_wrapper() => return Ok(()),
            b'+' if self.last.value == LastValueKind::String => return self.concatenate(),
            // repair: semicolon after the value, e.g. `{"a": 1};`
            b';' => {
                self.drop_next(FixKind::Prose, 1);
                return Ok(());
            }
            b',' => return self.next_value(),
            // A fence.
            b'`' | b'~' if !is_block && self.run(self.at, byte, 3) == 3 => return self.drop_rest(),
            b'{' if is_block => {
                // Several objects in a block are several calls.
                self.expect = Next::Value;
                return Ok(());
            }
            _ => {}
        }
        let before = self.part(0, self.at);
        let begins_line = last_byte(trim_bytes(before, b" \t\r")) == b'\n';
        if !is_block && begins_line && self.last.value == LastValueKind::Container && matches!(byte, b'{' | b'[') {
            // repair: objects on lines of their own, e.g. `{"a": 1}` and on the next line `{"a": 2}`
            self.record(FixKind::List, self.at);
            self.insert(',');
            self.is_list = true;
            self.expect = Next::Value;
            return Ok(());
        }
        // Another list or object in the same line, e.g. `{} {}`, or any text after a scalar: either may be the intended value.
        let is_second_value = matches!(byte, b'{' | b'[') || self.last.value == LastValueKind::Scalar;
        if !is_block && is_second_value {
            return Err(Unrepairable::Ambiguous(Doubt::Value));
        }
        // Prose follows the value after whitespace, which may be a character that is not ASCII; outside blocks also directly, as
        // a tag or as the full stop of a sentence. A line of its own counts as prose there whatever it contains.
        let is_tag_or_stop = !is_block && matches!(byte, b'<' | b'.');
        let begins_prose = is_tag_or_stop || matches!(last_byte(before), b' ' | b'\t' | b'\r' | b'\n' | 0x80..);
        let is_prose = begins_prose && (!is_block && begins_line || !seems_to_continue(self.rest(self.at)));
        if self.has_inferred_end {
            return Err(Unrepairable::Ambiguous(Doubt::End));
        }
        if self.quote(self.at).is_some() || !is_prose {
            return Err(Unrepairable::NoFix);
        }
        self.drop_rest()
    }

    /// A comma after the top-level value: another value follows, and both become a list; or the comma is dropped.
    fn next_value(&mut self) -> RepairResult {
        let next = self.after_comments(self.at + 1);
        match self.byte(next) {
            // repair: surplus comma, e.g. `{"a": 1},]`
            b',' | b']' | b'}' => self.drop_next(FixKind::ExtraComma, 1),
            byte if next < self.text.len() => {
                // Scalars do not become a list, e.g. `1, 2` or `"a", "b"`; in a block only objects do, since they are calls.
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
            _ => self.drop_next(FixKind::TrailingComma, 1),
        }
        Ok(())
    }

    /// Handles the end of the text.
    pub(super) fn end(&mut self) -> RepairResult {
        if self.rules.is_partial {
            self.cut_off();
            return Ok(());
        }
        self.copy_to(self.text.len());
        // Nothing was found at the top, or a key has no value. A list may end after a comma or as an empty one.
        let lacks_value = match self.expect {
            Next::End => return Ok(()),
            Next::Value => self.container() != Some(Container::Array),
            expect => expect == Next::Colon,
        };
        if lacks_value || !self.rules.is_complete {
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
            // The value at the top is complete.
            self.copy_to(self.at);
        } else {
            self.out.text.truncate(self.stack.last().map_or(0, |frame| frame.entry_end));
        }
        while let Some(frame) = self.stack.pop() {
            self.out.text.push(frame.closer());
        }
    }

    /// Drops the rest of the text.
    fn drop_rest(&mut self) -> RepairResult {
        // repair: text after the value, e.g. `{"a": 1} is the call.`
        self.drop_next(FixKind::Prose, self.text.len() - self.at);
        Ok(())
    }
}

/// The beginnings of fences.
const FENCES: [&str; 2] = ["```", "~~~"];

/// Whether `char` is whitespace or a byte order mark. `is_blank` alone does not include the space and the tab.
fn is_any_blank(char: char) -> bool {
    is_blank(char) || matches!(char, ' ' | '\t')
}

/// The offset after the first fence and its info string, wherever in its line the fence is; `None` without a fence, or if the
/// text begins with JSON.
fn after_fence(text: &str) -> Option<usize> {
    let (start, first_char) = text.char_indices().find(|(_, char)| !is_any_blank(*char))?;
    let begins_json = |char: char| matches!(char, '{' | '[') || (is_quote(char) && char != '`');
    // One or two backticks are the quotes of a string.
    if begins_json(first_char) || (first_char == '`' && !part(text, start..text.len()).starts_with(FENCES[0])) {
        return None;
    }
    // `line_start` is the start of the current line, or the end of the text once the line contains JSON.
    let (mut line_start, mut at) = (0, 0);
    // Finds the first fence that has no JSON before it in its line.
    loop {
        match *text.as_bytes().get(at)? {
            b'\n' => line_start = at + 1,
            b'{' | b'[' | b'"' => line_start = text.len(),
            b'`' | b'~' if FENCES.iter().any(|marks| part(text, at..text.len()).starts_with(marks)) => {
                if line_start <= at {
                    break;
                }
                // With the step below, past three characters of this fence.
                at += 2;
            }
            _ => {}
        }
        at += 1;
    }
    let byte = |at: usize| text.as_bytes().get(at).copied().unwrap_or_default();
    // The JSON begins on the next line; or on this one, after the first word of the info string.
    while matches!(byte(at), b'`' | b'~') {
        at += 1;
    }
    let mut info_end = at;
    while info_end < text.len() && !matches!(byte(info_end), b'\n' | b'{' | b'[') {
        info_end += 1;
    }
    if byte(info_end) == b'\n' {
        return Some(info_end);
    }
    while matches!(byte(at), b'_' | b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | 0x80..) {
        at += 1;
    }
    Some(at)
}

/// The offset of the first list or object that begins a line, after lines of prose or a tag, e.g. `<tool_call>`; `None` if the
/// text does not begin with prose, or without such a line.
fn after_prose(text: &str) -> Option<usize> {
    let trimmed = text.trim_ascii_start();
    let line = head(trimmed, line_length(trimmed)).trim_ascii_end();
    // A tag, Markdown, or a word.
    let may_be_prose = matches!(first_byte(trimmed), b'<' | b'*' | b'#' | b'>' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..);
    // Of the characters that are not ASCII, quotes and whitespace begin no prose.
    let is_quote_or_blank = trimmed.chars().next().is_some_and(|char| is_quote(char) || is_any_blank(char));
    // A function call around the value is left to `words`, e.g. `callback(`.
    if !may_be_prose || is_quote_or_blank || line.ends_with('(') {
        return None;
    }
    let mut at = 0;
    while let Some(end) = find(text, at, "\n") {
        at = end + 1;
        let rest = part(text, at..text.len());
        let blanks = rest.len() - rest.trim_ascii_start().len();
        if matches!(first_byte(part(rest, blanks..rest.len())), b'{' | b'[') {
            return Some(at + blanks);
        }
    }
    None
}

/// Whether text after a value seems to belong to it: it contains the end of an object, an open string, or another call.
pub(in crate::block) fn seems_to_continue(text: &str) -> bool {
    let trimmed = text.trim_ascii_end();
    let without_closers = trim_bytes(trimmed, b"}] \t\r\n");
    // The closing brackets follow a string, a comma or an empty list or object.
    let ends_an_object = without_closers.len() < trimmed.len()
        && matches!(last_byte(without_closers), b'"' | b'\'' | b'`' | b',' | b'{' | b'[');
    let quotes = text.bytes().filter(|byte| *byte == b'"').count();
    is_rest_of_value(text)
        || ends_an_object
        || quotes % 2 == 1
        // An escaped quote, or the key of a tool.
        || ["\\\"", "\"tool\"", "'tool'"].iter().any(|sign| find(text, 0, sign).is_some())
}

/// Whether text after a value seems to be the rest of that value: it begins with a quote, a backslash or a colon, closes a
/// bracket that it has not opened, or ends inside a string.
pub(in crate::block) fn is_rest_of_value(text: &str) -> bool {
    let mut depth = 0_isize;
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    matches!(first_byte(text), b'"' | b'\'' | b'\\' | b':') || depth < 0 || has_open_quote(text)
}

/// Whether a text that begins outside a string ends inside one.
fn has_open_quote(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut is_open) = (0, false);
    loop {
        at += length_before(bytes.get(at..).unwrap_or_default(), *b"\"\\", NO_LOW_BYTE);
        match bytes.get(at) {
            None => return is_open,
            Some(b'"') => {
                is_open = !is_open;
                at += 1;
            }
            // An escape.
            Some(_) => at += 2,
        }
    }
}

/// Whether the text before an object is the beginning of a damaged object, and not prose: it contains a key and its colon. Text
/// with a line that begins a comment counts as prose.
pub(super) fn contains_key(text: &str) -> bool {
    let comment_marks = ["//", "#", "/*", "<!--"];
    let mut line_start = 0;
    while line_start < text.len() {
        let line_end = find(text, line_start, "\n").unwrap_or(text.len());
        let line = part(text, line_start..line_end).trim_ascii_start();
        if comment_marks.iter().any(|mark| line.starts_with(mark)) {
            return false;
        }
        line_start = line_end + 1;
    }
    let mut after_quote = 0;
    while let Some(quote) = find(text, after_quote, "\"") {
        after_quote = quote + 1;
        if first_byte(part(text, after_quote..text.len()).trim_ascii_start()) == b':' {
            return true;
        }
    }
    false
}
