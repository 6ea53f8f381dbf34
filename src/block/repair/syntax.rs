//! Rewrites text that is nearly JSON into JSON, in one pass: valid parts are copied, each change is recorded as a fix.
//!
//! A repair never closes a string and never invents a value. If the text has two readings, the repair fails.

use std::cell::Cell;

use super::fix::{FixKind, Mark};
use super::unrepairable::{Doubt, RepairResult, Unrepairable};
use super::{KeyKind, RepairRules};
use crate::counted::count_work;
use crate::value::Container;
use crate::value::text::{contains, tail};

/// The maximum length of surplus brackets at the end of a text that are dropped after an inferred end of a string: in bytes, with
/// the whitespace between them. With more, the inferred end counts as wrong.
const MAX_CLOSERS: usize = 32;

/// The token that the grammar expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The value at the top, after a key, or after a comma in a list.
    Value,
    /// The first item of a list, or its end.
    FirstValue,
    /// The key after a comma in an object.
    Key,
    /// The first key of an object, or its end.
    FirstKey,
    /// The colon after a key.
    Colon,
    /// The comma after an entry, or the end of the list or object.
    Comma,
    /// The end of the text, after the value at the top.
    End,
}

/// An open list or object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) container: Container,
    /// The offset in the output after its last complete entry, or after its bracket: a partial text is cut off there.
    pub(super) entry_end: usize,
    /// Set for a list in parentheses, e.g. `(1, 2)`.
    tuple: Option<Tuple>,
}

/// A list in parentheses. Without a comma it is a value in parentheses.
#[derive(Clone, Copy, Debug)]
struct Tuple {
    /// The offset of its bracket in the output.
    out_offset: usize,
    /// The offset of its parenthesis in the text.
    text_offset: usize,
    has_comma: bool,
}

/// The state of a repair: a reader with a stack of open lists and objects, and what it has written.
pub(super) struct Repairer<'a> {
    pub(super) text: &'a str,
    pub(super) rules: &'a RepairRules<'a>,
    /// The byte offset in `text` of the next token.
    pub(super) at: usize,
    pub(super) stack: Vec<Frame>,
    pub(super) expect: Next,
    pub(super) last: LastToken,
    /// Its text and its marks are empty in a probe.
    pub(super) out: RepairOutput,
    pub(super) pass: Pass,
    /// The end of a string was inferred, because unescaped quotes precede it: the rest of the text must be nearly valid.
    pub(super) has_inferred_end: bool,
    /// Some key had no quotes: then a probe accepts further keys without quotes.
    pub(super) has_bare_keys: bool,
    /// The number of `name(` that were dropped and are not closed yet.
    pub(super) wrappers: usize,
    /// There are several values at the top: brackets around the output will make them a list.
    pub(super) is_list: bool,
    pub(super) lookups: Lookups,
}

/// The purpose of a pass over the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The repair itself.
    Write,
    /// A probe reads on from a quote that may end a string. It writes nothing and accepts few faults.
    Probe,
    /// A probe that has found a fault that it does not accept.
    FailedProbe,
}

/// The repaired text so far, and the fixes in it.
#[derive(Default)]
pub(super) struct RepairOutput {
    pub(super) text: String,
    pub(super) marks: Vec<Mark>,
    /// The input before this offset was copied, replaced, or dropped.
    pub(super) copied_to: usize,
    /// The offset in `text` after the last value, key or opening bracket: missing closers, colons and commas are inserted there.
    pub(super) gap: usize,
    /// The last comma.
    comma: Comma,
}

/// Where a comma is in the output and in the text; an inserted comma has the offset in the text before which it was inserted.
#[derive(Default)]
struct Comma {
    out_offset: usize,
    text_offset: usize,
}

/// The last key, value and string.
pub(super) struct LastToken {
    /// The kind of the last key, until its value has ended or a list or object begins; `Unknown` otherwise.
    pub(super) key: KeyKind,
    pub(super) value: LastValueKind,
    /// The offset of the opening quote of the last string.
    pub(super) string: usize,
}

/// The kind of the last complete value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastValueKind {
    Scalar,
    String,
    Container,
}

/// The cost of looking ahead so far, which is bounded, and one result that is kept. Methods that look ahead change nothing else,
/// so their counters are cells.
#[derive(Default)]
pub(super) struct Lookups {
    /// Bytes read by probes; `MAX_PROBED_LENGTHS` in `ends` bounds them.
    pub(super) probed_bytes: Cell<usize>,
    /// Bytes of comments passed while looking ahead; `MAX_SKIPPED_LENGTHS` in `lookahead` bounds them.
    pub(super) comment_bytes: Cell<usize>,
    /// The offset of the last opening bracket of the text, or 0 if it has none; `None` before the first use.
    pub(super) last_opener: Option<usize>,
}

impl<'a> Repairer<'a> {
    pub(super) fn new(text: &'a str, rules: &'a RepairRules<'a>) -> Self {
        Self {
            text,
            rules,
            at: 0,
            stack: Vec::new(),
            expect: Next::Value,
            last: LastToken { key: KeyKind::Unknown, value: LastValueKind::Scalar, string: 0 },
            out: RepairOutput::default(),
            pass: Pass::Write,
            has_inferred_end: false,
            has_bare_keys: false,
            wrappers: 0,
            is_list: false,
            lookups: Lookups::default(),
        }
    }

    /// A repairer that reads on after a quote at `at`, to find out whether that quote ends a string.
    pub(super) fn probe_from(&self, at: usize) -> Self {
        let mut probe = Self::new(self.text, self.rules);
        probe.pass = Pass::Probe;
        probe.at = at;
        probe.stack = self.stack.clone();
        // Only values are probed, not keys.
        probe.expect = if probe.stack.is_empty() { Next::End } else { Next::Comma };
        probe.has_bare_keys = self.has_bare_keys;
        // With an inferred end, `drop_closer` accepts surplus brackets only at the end of the text.
        probe.has_inferred_end = true;
        probe
    }

    pub(super) fn is_probe(&self) -> bool {
        self.pass != Pass::Write
    }

    /// Fails a probe at a fault that a string's text often has too: the quote before it then need not be the end of the string.
    pub(super) fn fail_probe_if(&mut self, is_fault: bool) {
        if is_fault && self.is_probe() {
            self.pass = Pass::FailedProbe;
        }
    }

    /// Repairs the text from `at` to its end.
    pub(super) fn walk(&mut self) -> RepairResult {
        loop {
            if self.pass == Pass::FailedProbe {
                return Err(Unrepairable::NoFix);
            }
            self.skip_blanks();
            if self.at >= self.text.len() {
                return self.end();
            }
            let sign = self.ascii_byte(self.at);
            // They differ at full-width punctuation.
            if sign != self.byte(self.at) {
                self.narrow(sign);
            }
            self.step(sign)?;
        }
    }

    /// Writes full-width punctuation in ASCII, e.g. `：` as `:`. Then `at` is its third and last byte, which the next step passes
    /// as it would pass the ASCII character; that step copies nothing, since `copied_to` is after it.
    fn narrow(&mut self, sign: u8) {
        // repair: full-width punctuation, e.g. `｛"a"：1｝`
        self.record(FixKind::FullWidth, self.at);
        self.copy_to(self.at);
        self.write(char::from(sign).encode_utf8(&mut [0; 4]));
        self.at += 2;
        self.out.copied_to = self.at + 1;
    }

    /// The innermost open list or object.
    pub(super) fn container(&self) -> Option<Container> {
        self.stack.last().map(|frame| frame.container)
    }

    /// Copies the text up to `end`, except what `copied_to` covers.
    pub(super) fn copy_to(&mut self, end: usize) {
        self.write(self.part(self.out.copied_to, end));
        self.out.copied_to = self.out.copied_to.max(end);
    }

    /// Appends to the output, except in a probe.
    pub(super) fn write(&mut self, text: &str) {
        if !self.is_probe() {
            self.out.text.push_str(text);
        }
    }

    /// Replaces `start..end` of the text.
    pub(super) fn replace(&mut self, start: usize, end: usize, replacement: &str) {
        self.copy_to(start);
        self.write(replacement);
        self.out.copied_to = end;
    }

    /// Drops the next `length` bytes, and records the fix.
    pub(super) fn drop_next(&mut self, kind: FixKind, length: usize) {
        self.fix(kind, length, "");
    }

    /// Replaces the next `length` bytes, records the fix and continues after them.
    pub(super) fn fix(&mut self, kind: FixKind, length: usize, replacement: &str) {
        self.record(kind, self.at);
        self.replace(self.at, self.at + length, replacement);
        self.at += length;
    }

    /// Inserts a character into the output after the last value or key.
    pub(super) fn insert(&mut self, char: char) {
        self.copy_to(self.at);
        if !self.is_probe() {
            // The bytes after the gap are moved.
            count_work(self.out.text.len() - self.out.gap);
            self.out.text.insert(self.out.gap, char);
        }
    }

    /// Records a fix. Fixes of one kind inside one string are counted in one entry.
    pub(super) fn record(&mut self, kind: FixKind, offset: usize) {
        self.record_many(kind, offset, 1);
    }

    /// Records `count` fixes of one kind, of which the first is at `offset`. In a probe, most kinds are faults that fail it.
    pub(super) fn record_many(&mut self, kind: FixKind, offset: usize, count: usize) {
        if self.is_probe() {
            // A probe that inserted brackets, commas or colons would accept nearly any text. Some of the accepted kinds have
            // further conditions where they are recorded, e.g. unquoted keys and comments.
            let is_accepted = matches!(
                kind,
                FixKind::Quotes
                    | FixKind::UnquotedKey
                    | FixKind::TrailingComma
                    | FixKind::UnescapedQuote
                    | FixKind::Comment
                    | FixKind::FullWidth
                    | FixKind::Blank
                    | FixKind::ExtraCloser
            );
            self.fail_probe_if(!is_accepted);
            return;
        }
        if matches!(kind, FixKind::ControlCharacter | FixKind::UnescapedQuote | FixKind::InvalidEscape) {
            // These occur inside strings: a mark of the current string counts them all.
            for mark in self.out.marks.iter_mut().rev() {
                if mark.offset < self.last.string {
                    break;
                }
                if mark.kind == kind {
                    mark.count += count;
                    return;
                }
            }
        }
        if self.out.marks.len() < self.rules.max_fixes {
            self.out.marks.push(Mark { kind, offset, count });
        }
    }

    /// Skips whitespace and comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.byte(self.at) {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' | b'#' | b'<' => match self.comment(self.at, self.text.len()) {
                    // A comment that is not closed extends to the end of the text.
                    Some((length, _)) => {
                        // A comment with a quote may be text of the string.
                        self.fail_probe_if(contains(self.part(self.at, self.at + length), "\""));
                        // repair: comment, e.g. `[1, /* two */ 2]`
                        self.drop_next(FixKind::Comment, length);
                    }
                    None => return,
                },
                _ => match self.blank(self.at) {
                    0 => return,
                    blank => {
                        let is_byte_order_mark = self.char(self.at) == '\u{feff}';
                        // repair: whitespace that JSON does not have, e.g. a no-break space
                        self.fix(FixKind::Blank, blank, if is_byte_order_mark { "" } else { " " });
                    }
                },
            }
        }
    }

    /// Reads one token: a bracket, a comma, a colon, a key or a value. `byte`: the byte at `at`, or the ASCII form of full-width
    /// punctuation. Tokens that may stand in several states of the grammar come first, then those that `expect` asks for.
    fn step(&mut self, byte: u8) -> RepairResult {
        let is_object = self.container() == Some(Container::Object);
        // Whether the innermost list or object may end here, perhaps after a surplus comma.
        let may_close = match self.expect {
            Next::End => return self.after_root(byte),
            Next::Colon => return self.colon(byte),
            Next::Value | Next::FirstValue => self.container() == Some(Container::Array),
            Next::Key | Next::FirstKey | Next::Comma => true,
        };
        let expects_comma = self.expect == Next::Comma;
        match byte {
            b'}' | b']' if may_close => return self.close(byte),
            b')' if may_close && self.stack.last().is_some_and(|frame| frame.tuple.is_some()) => {
                return self.close(byte);
            }
            b'(' if !self.rules.is_block() && matches!(self.expect, Next::Value | Next::FirstValue) => {
                return self.open_tuple();
            }
            // repair: surplus comma, e.g. `[1,, 2]`
            b',' if may_close && !expects_comma => self.drop_next(FixKind::ExtraComma, 1),
            // E.g. `[1, ...]`. In a call an ellipsis marks missing text, so it is not dropped.
            b'.' if !self.rules.is_block() && self.has(self.at, "...") => self.drop_next(FixKind::Ellipsis, 3),
            // No object stands where a key or a comma should: the item before it lacks its bracket.
            b'{' if is_object && (expects_comma || self.expect == Next::Key) && self.is_list_item() => {
                self.close_item()
            }
            // repair: surplus opening bracket, e.g. `{{"a": 1}`
            b'{' if self.expect == Next::FirstKey && self.stack.len() == 1 => self.drop_next(FixKind::ExtraOpener, 1),
            _ if expects_comma => return self.comma(byte),
            b'{' | b'[' if matches!(self.expect, Next::Value | Next::FirstValue) => return self.open(byte),
            _ => {
                let is_key = matches!(self.expect, Next::Key | Next::FirstKey);
                return match self.quote(self.at) {
                    Some(quote) if is_key => self.quoted_key(quote),
                    Some(quote) => self.string(quote),
                    None if is_key => self.bare_key(),
                    None => self.word(),
                };
            }
        }
        Ok(())
    }

    /// Opens a list or object.
    fn open(&mut self, byte: u8) -> RepairResult {
        if self.stack.len() >= self.rules.max_depth {
            return Err(Unrepairable::NoFix);
        }
        self.at += 1;
        self.copy_to(self.at);
        self.out.gap = self.out.text.len();
        self.last.key = KeyKind::Unknown;
        let container = if byte == b'{' { Container::Object } else { Container::Array };
        self.stack.push(Frame { container, entry_end: self.out.gap, tuple: None });
        self.expect = if byte == b'{' { Next::FirstKey } else { Next::FirstValue };
        Ok(())
    }

    /// Opens a list in parentheses, e.g. `(1, 2)`.
    fn open_tuple(&mut self) -> RepairResult {
        self.copy_to(self.at);
        let (out_offset, text_offset) = (self.out.text.len(), self.at);
        self.open(b'[')?;
        // `open` has copied the parenthesis. A bracket takes its place, so the offsets that `open` has set stay right.
        if !self.is_probe() {
            self.out.text.truncate(out_offset);
            self.out.text.push('[');
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.tuple = Some(Tuple { out_offset, text_offset, has_comma: false });
        }
        Ok(())
    }

    /// Ends a list in parentheses, or drops the parentheses around a single value, e.g. `("a")`. `at` is after the closing one.
    fn close_tuple(&mut self, Tuple { out_offset, text_offset, has_comma }: Tuple) {
        // `()` is an empty list.
        let is_list = has_comma || self.expect == Next::FirstValue;
        // repair: parentheses, e.g. `(1, 2)` or `("a")`
        self.record(if is_list { FixKind::List } else { FixKind::Wrapper }, text_offset);
        self.replace(self.at - 1, self.at, if is_list { "]" } else { "" });
        if !is_list && !self.is_probe() {
            // Without the bracket that `open_tuple` wrote.
            let rest = self.out.text.split_off(out_offset);
            self.out.text.push_str(tail(&rest, 1));
        }
    }

    /// Closes the list or object that this bracket closes, after adding missing brackets inside it; drops a bracket that closes
    /// none.
    fn close(&mut self, byte: u8) -> RepairResult {
        let Some(index) = self.closed_by(byte, self.stack.len()) else { return self.drop_closer() };
        self.drop_trailing_comma();
        while self.stack.len() > index + 1 {
            self.add_closer();
        }
        let tuple = self.stack.pop().and_then(|frame| frame.tuple);
        self.at += 1;
        match tuple {
            None => self.copy_to(self.at),
            // A parenthesis is not closed by a bracket, e.g. `(1, 2]`.
            Some(_) if byte == b']' => return Err(Unrepairable::NoFix),
            Some(tuple) => self.close_tuple(tuple),
        }
        self.end_value(LastValueKind::Container);
        Ok(())
    }

    /// The index in `stack` of the list or object that `closer` closes, if only the outermost `open_count` ones are still open;
    /// `None` if it closes none of them.
    pub(super) fn closed_by(&self, closer: u8, open_count: usize) -> Option<usize> {
        let container = if closer == b'}' { Container::Object } else { Container::Array };
        self.stack.iter().take(open_count).rposition(|frame| frame.container == container)
    }

    /// Drops a closing bracket that closes nothing.
    pub(super) fn drop_closer(&mut self) -> RepairResult {
        // A surplus bracket may belong to a string whose end was inferred too early.
        if self.has_inferred_end && !self.only_closers(self.at) {
            return Err(Unrepairable::Ambiguous(Doubt::End));
        }
        // repair: surplus closing bracket, e.g. `{"a": 1}}`
        self.drop_next(FixKind::ExtraCloser, 1);
        Ok(())
    }

    /// Whether the text from `at` on is a few closing brackets.
    pub(super) fn only_closers(&self, at: usize) -> bool {
        let is_closer = |byte: u8| matches!(byte, b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
        self.text.len() - at <= MAX_CLOSERS && self.rest(at).bytes().all(is_closer)
    }

    /// Removes the comma before the end of a list or object, e.g. `[1,]`. Called where the list or object may end: there only a
    /// comma can precede an expected `Value` or `Key`.
    pub(super) fn drop_trailing_comma(&mut self) {
        if matches!(self.expect, Next::Value | Next::Key) {
            self.copy_to(self.at);
            if !self.is_probe() {
                // Without the comma, which is one byte.
                let rest = self.out.text.split_off(self.out.comma.out_offset);
                self.out.text.push_str(tail(&rest, 1));
            }
            // repair: trailing comma, e.g. `[1,]`
            self.record(FixKind::TrailingComma, self.out.comma.text_offset);
            self.expect = Next::Comma;
        }
    }

    /// Inserts the closing bracket of the innermost list or object, e.g. `{"a": [1}`.
    pub(super) fn add_closer(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        self.insert(frame.closer());
        self.out.gap += 1;
        // repair: missing closing bracket, e.g. `{"a": [1}`
        self.record(FixKind::MissingCloser, self.at);
    }

    /// Updates the state after a value that has been written.
    pub(super) fn end_value(&mut self, kind: LastValueKind) {
        self.out.gap = self.out.text.len();
        self.last.value = kind;
        self.last.key = KeyKind::Unknown;
        self.expect = if self.stack.is_empty() { Next::End } else { Next::Comma };
        if let Some(frame) = self.stack.last_mut() {
            frame.entry_end = self.out.gap;
        }
    }

    /// Updates the state after a key that has been written.
    pub(super) fn end_key(&mut self, key: KeyKind) {
        self.last.key = key;
        self.out.gap = self.out.text.len();
        self.expect = Next::Colon;
    }

    /// Reads the separator between a key and its value, or inserts it, e.g. `{"a" 1}`.
    fn colon(&mut self, byte: u8) -> RepairResult {
        self.expect = Next::Value;
        match byte {
            b':' => self.at += 1,
            // repair: another separator, e.g. `{"a" = 1}` or `{"a" => 1}`
            b'=' => self.fix(FixKind::MissingColon, 1 + usize::from(self.byte(self.at + 1) == b'>'), ":"),
            _ if self.begins_known_value(self.at) => {
                // repair: missing colon, e.g. `{"a" 1}`
                self.record(FixKind::MissingColon, self.at);
                self.insert(':');
            }
            _ => return Err(Unrepairable::NoFix),
        }
        Ok(())
    }

    /// Whether a value other than a word begins at `at`.
    pub(super) fn begins_value(&self, at: usize) -> bool {
        matches!(self.byte(at), b'{' | b'[' | b'-' | b'0'..=b'9') || self.quote(at).is_some()
    }

    /// Reads the comma after an entry, or inserts it, e.g. `[1 2]`.
    fn comma(&mut self, byte: u8) -> RepairResult {
        let is_object = self.container() == Some(Container::Object);
        let next = if is_object { Next::Key } else { Next::Value };
        match byte {
            b',' => {
                self.at += 1;
                self.copy_to(self.at);
                // Saturating, since the output of a probe is empty.
                self.out.comma = Comma { out_offset: self.out.text.len().saturating_sub(1), text_offset: self.at - 1 };
                if let Some(tuple) = self.stack.last_mut().and_then(|frame| frame.tuple.as_mut()) {
                    tuple.has_comma = true;
                }
                self.expect = next;
                return Ok(());
            }
            b'+' if self.last.value == LastValueKind::String => return self.concatenate(),
            b')' if self.close_wrapper() => return Ok(()),
            _ => {}
        }
        // A comma is inserted only before text that begins like an entry.
        let begins_entry = if is_object {
            self.key_at(self.at).is_some()
        } else {
            self.begins_value(self.at) || byte.is_ascii_alphabetic()
        };
        if !begins_entry {
            return Err(Unrepairable::NoFix);
        }
        // repair: missing comma, e.g. `[1 2]`
        self.record(FixKind::MissingComma, self.at);
        self.insert(',');
        self.out.comma = Comma { out_offset: self.out.gap, text_offset: self.at };
        self.expect = next;
        Ok(())
    }

    /// Whether the innermost object is an item of a list.
    pub(super) fn is_list_item(&self) -> bool {
        matches!(self.stack.as_slice(), [.., outer, _] if outer.container == Container::Array)
    }

    /// Closes an item of a list where the next item begins, e.g. `[{"a": 1, {"a": 2}]`. The next step inserts the comma.
    fn close_item(&mut self) {
        self.drop_trailing_comma();
        self.add_closer();
        self.expect = Next::Comma;
        if let Some(frame) = self.stack.last_mut() {
            frame.entry_end = self.out.gap;
        }
    }

    /// Drops the closing parenthesis of `name(…)`; returns whether there was one to close.
    pub(super) fn close_wrapper(&mut self) -> bool {
        let is_wrapped = self.wrappers > 0;
        if is_wrapped {
            self.wrappers -= 1;
            self.replace(self.at, self.at + 1, "");
            self.at += 1;
        }
        is_wrapped
    }
}

impl Frame {
    /// The closing bracket in JSON.
    pub(super) fn closer(&self) -> char {
        if self.container == Container::Object { '}' } else { ']' }
    }
}
