//! Rewrites text that is nearly JSON into JSON, in one pass: valid parts are copied, each change is recorded as a fix.
//!
//! A repair never closes a string and never invents a value. If the text has two readings, the repair fails.

use std::cell::Cell;

use super::fix::{FixKind, Mark};
use super::{KeyKind, RepairRules};
use crate::counted::count_work;
use crate::value::Container;
use crate::value::text::{contains, tail};

/// Surplus brackets at the end of a text are dropped up to this length in bytes, with the whitespace between them.
const MOST_CLOSERS: usize = 32;

/// The text ends before its value does, has two readings, or none that a repair knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unrepairable;

/// The token that the grammar expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Value,
    /// The first item of a list, or its end.
    FirstValue,
    Key,
    /// The first key of an object, or its end.
    FirstKey,
    Colon,
    Comma,
    End,
}

/// An open list or object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) container: Container,
    /// The offset in `out` after its last complete entry.
    pub(super) sound: usize,
    /// Set for a list in parentheses, e.g. `(1, 2)`.
    tuple: Option<Tuple>,
}

/// A list in parentheses, with its start in `out` and in the text. Without a comma it is a value in parentheses.
#[derive(Clone, Copy, Debug)]
struct Tuple {
    start: usize,
    at: usize,
    has_comma: bool,
}

/// The state of a repair.
pub(super) struct Repairer<'a> {
    pub(super) text: &'a str,
    pub(super) rules: &'a RepairRules<'a>,
    pub(super) at: usize,
    pub(super) out: String,
    /// The text before this offset was copied to `out`, replaced, or dropped.
    pub(super) kept: usize,
    pub(super) stack: Vec<Frame>,
    pub(super) expect: Next,
    pub(super) marks: Vec<Mark>,
    /// The offset in `out` after the last value or key: missing closers and commas are inserted there.
    pub(super) gap: usize,
    /// The offsets of the last comma in `out` and in the text.
    comma: (usize, usize),
    /// The offset of the last string.
    pub(super) string: usize,
    /// Whether the last value was a string.
    pub(super) is_string: bool,
    /// Whether the last value was a list or an object.
    pub(super) is_container: bool,
    /// The kind of the last key.
    pub(super) key: KeyKind,
    /// Quotes inside strings were escaped, so where those strings end was inferred: the rest must be nearly valid.
    pub(super) delicate: bool,
    /// This is a probe: it reads on from a quote that may end a string, writes nothing, and accepts few faults.
    pub(super) is_probe: bool,
    /// The probe has found a fault that it does not accept.
    pub(super) is_faulty: bool,
    /// Bytes read by probes; bounded by `PROBES`.
    pub(super) probed: Cell<usize>,
    /// Some key had no quotes.
    pub(super) has_bare_keys: bool,
    /// How many `name(` were dropped and not yet closed.
    pub(super) wrappers: usize,
    /// Several values at the top become a list.
    pub(super) list: bool,
    /// Bytes of comments passed while looking ahead; bounded by `LOOKS`.
    pub(super) looked: Cell<usize>,
    /// The offset of the last opening bracket of the text, computed on first use.
    pub(super) last_opener: Option<usize>,
}

impl<'a> Repairer<'a> {
    pub(super) fn new(text: &'a str, rules: &'a RepairRules<'a>) -> Self {
        Self {
            text,
            rules,
            at: 0,
            out: String::new(),
            kept: 0,
            stack: Vec::new(),
            expect: Next::Value,
            marks: Vec::new(),
            gap: 0,
            comma: (0, 0),
            string: 0,
            is_string: false,
            is_container: false,
            key: KeyKind::Unknown,
            delicate: false,
            is_probe: false,
            is_faulty: false,
            probed: Cell::new(0),
            has_bare_keys: false,
            wrappers: 0,
            list: false,
            looked: Cell::new(0),
            last_opener: None,
        }
    }

    /// Repairs the text from `at` to its end.
    pub(super) fn walk(&mut self) -> Result<(), Unrepairable> {
        loop {
            if self.is_faulty {
                return Err(Unrepairable);
            }
            self.skip_blanks();
            if self.at >= self.text.len() {
                return self.end();
            }
            let sign = self.sign(self.at);
            if sign != self.byte(self.at) {
                self.narrow(sign);
            }
            self.step(sign)?;
        }
    }

    /// Writes full-width punctuation in ASCII, e.g. `：` as `:`; its last byte is then read as that sign.
    fn narrow(&mut self, sign: u8) {
        self.mark(FixKind::FullWidth, self.at);
        self.keep(self.at);
        self.put(char::from(sign).encode_utf8(&mut [0; 4]));
        self.at += 2;
        self.kept = self.at + 1;
    }

    /// The innermost open list or object.
    pub(super) fn container(&self) -> Option<Container> {
        self.stack.last().map(|frame| frame.container)
    }

    /// Copies the text up to `end`.
    pub(super) fn keep(&mut self, end: usize) {
        self.put(self.part(self.kept, end));
        self.kept = self.kept.max(end);
    }

    /// Appends to the output, except in a probe.
    pub(super) fn put(&mut self, text: &str) {
        if !self.is_probe {
            self.out.push_str(text);
        }
    }

    /// Replaces `start..end` of the text by `with`.
    pub(super) fn replace(&mut self, start: usize, end: usize, with: &str) {
        self.keep(start);
        self.put(with);
        self.kept = end;
    }

    /// Replaces the next `length` bytes, records the fix and continues after them.
    pub(super) fn fix(&mut self, kind: FixKind, length: usize, with: &str) {
        self.mark(kind, self.at);
        self.replace(self.at, self.at + length, with);
        self.at += length;
    }

    /// Inserts a character after the last value or key.
    pub(super) fn insert(&mut self, char: char) {
        self.keep(self.at);
        if !self.is_probe {
            count_work(self.out.len() - self.gap);
            self.out.insert(self.gap, char);
        }
    }

    /// Records a fix. Fixes of one kind inside one string are counted in one entry.
    pub(super) fn mark(&mut self, kind: FixKind, offset: usize) {
        self.mark_many(kind, offset, 1);
    }

    pub(super) fn mark_many(&mut self, kind: FixKind, offset: usize, count: usize) {
        if self.is_probe {
            let is_small = matches!(
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
            self.is_faulty |= !is_small;
            return;
        }
        if matches!(kind, FixKind::ControlCharacter | FixKind::UnescapedQuote | FixKind::InvalidEscape) {
            for mark in self.marks.iter_mut().rev() {
                if mark.offset < self.string {
                    break;
                }
                if mark.kind == kind {
                    mark.count += count;
                    return;
                }
            }
        }
        if self.marks.len() < self.rules.most {
            self.marks.push(Mark { kind, offset, count });
        }
    }

    /// Skips whitespace and comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.byte(self.at) {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' | b'#' | b'<' => match self.comment(self.at, usize::MAX) {
                    Some((length, _)) => {
                        self.is_faulty |= self.is_probe && contains(self.part(self.at, self.at + length), "\"");
                        self.fix(FixKind::Comment, length, "");
                    }
                    None => return,
                },
                _ => match self.blank(self.at) {
                    0 => return,
                    blank => {
                        let is_mark = self.char(self.at) == '\u{feff}';
                        self.fix(FixKind::Blank, blank, if is_mark { "" } else { " " });
                    }
                },
            }
        }
    }

    /// Reads one token: a bracket, a comma, a colon, a key or a value.
    fn step(&mut self, byte: u8) -> Result<(), Unrepairable> {
        let is_object = self.container() == Some(Container::Object);
        let may_end = match self.expect {
            Next::End => return self.tail(byte),
            Next::Colon => return self.colon(byte),
            Next::Value | Next::FirstValue => self.container() == Some(Container::Array),
            Next::Key | Next::FirstKey | Next::Comma => true,
        };
        let is_comma = self.expect == Next::Comma;
        match byte {
            b'}' | b']' if may_end => return self.close(byte),
            b')' if may_end && self.stack.last().is_some_and(|frame| frame.tuple.is_some()) => return self.close(byte),
            b'(' if !self.rules.is_block() && matches!(self.expect, Next::Value | Next::FirstValue) => {
                return self.open_tuple();
            }
            b',' if may_end && !is_comma => self.fix(FixKind::ExtraComma, 1, ""),
            // E.g. `[1, ...]`. In a call an ellipsis marks missing text, so it is not dropped.
            b'.' if !self.rules.is_block() && self.stands(self.at, "...") => self.fix(FixKind::Ellipsis, 3, ""),
            b'{' if is_object && (is_comma || self.expect == Next::Key) && self.is_item() => self.close_item(),
            b'{' if self.expect == Next::FirstKey && self.stack.len() == 1 => self.fix(FixKind::ExtraOpener, 1, ""),
            _ if is_comma => return self.comma(byte),
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

    fn open(&mut self, byte: u8) -> Result<(), Unrepairable> {
        if self.stack.len() >= self.rules.max_depth {
            return Err(Unrepairable);
        }
        self.at += 1;
        self.keep(self.at);
        self.gap = self.out.len();
        self.key = KeyKind::Unknown;
        let container = if byte == b'{' { Container::Object } else { Container::Array };
        self.stack.push(Frame { container, sound: self.gap, tuple: None });
        self.expect = if byte == b'{' { Next::FirstKey } else { Next::FirstValue };
        Ok(())
    }

    /// Opens a list in parentheses, e.g. `(1, 2)`.
    fn open_tuple(&mut self) -> Result<(), Unrepairable> {
        self.keep(self.at);
        let (start, at) = (self.out.len(), self.at);
        self.open(b'[')?;
        if !self.is_probe {
            self.out.truncate(start);
            self.out.push('[');
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.tuple = Some(Tuple { start, at, has_comma: false });
        }
        Ok(())
    }

    /// Ends a list in parentheses, or drops the parentheses around a single value, e.g. `("a")`.
    fn close_tuple(&mut self, Tuple { start, at, has_comma }: Tuple) {
        let is_list = has_comma || self.expect == Next::FirstValue;
        self.mark(if is_list { FixKind::List } else { FixKind::Wrapper }, at);
        self.replace(self.at - 1, self.at, if is_list { "]" } else { "" });
        if !is_list && !self.is_probe {
            let rest = self.out.split_off(start);
            self.out.push_str(tail(&rest, 1));
        }
    }

    fn close(&mut self, byte: u8) -> Result<(), Unrepairable> {
        let Some(depth) = self.outer(byte, self.stack.len()) else { return self.drop_closer() };
        self.drop_trailing_comma();
        while self.stack.len() > depth + 1 {
            self.add_closer();
        }
        let tuple = self.stack.pop().and_then(|frame| frame.tuple);
        self.at += 1;
        match tuple {
            None => self.keep(self.at),
            Some(_) if byte == b']' => return Err(Unrepairable),
            Some(tuple) => self.close_tuple(tuple),
        }
        self.value_ends(false);
        self.is_container = true;
        Ok(())
    }

    /// The index of the innermost of the outer `open` lists and objects that `closer` can close.
    pub(super) fn outer(&self, closer: u8, open: usize) -> Option<usize> {
        let container = if closer == b'}' { Container::Object } else { Container::Array };
        self.stack.iter().take(open).rposition(|frame| frame.container == container)
    }

    pub(super) fn drop_closer(&mut self) -> Result<(), Unrepairable> {
        // After escaped quotes a surplus bracket may mean that a string was ended too early.
        if self.delicate && !self.only_closers(self.at) {
            return Err(Unrepairable);
        }
        self.fix(FixKind::ExtraCloser, 1, "");
        Ok(())
    }

    /// Whether the rest of the text is a few closing brackets.
    pub(super) fn only_closers(&self, at: usize) -> bool {
        let is_closer = |byte: u8| matches!(byte, b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
        self.text.len() - at <= MOST_CLOSERS && self.rest(at).bytes().all(is_closer)
    }

    /// Removes the comma before the end of a list or object, e.g. `[1,]`.
    pub(super) fn drop_trailing_comma(&mut self) {
        if matches!(self.expect, Next::Value | Next::Key) {
            self.keep(self.at);
            if !self.is_probe {
                let rest = self.out.split_off(self.comma.0);
                self.out.push_str(tail(&rest, 1));
            }
            self.mark(FixKind::TrailingComma, self.comma.1);
            self.expect = Next::Comma;
        }
    }

    /// Inserts the closing bracket of the innermost list or object, e.g. `{"a": [1}`.
    pub(super) fn add_closer(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        self.insert(frame.closer());
        self.gap += 1;
        self.mark(FixKind::MissingCloser, self.at);
    }

    /// Updates the state after a value that has been written.
    pub(super) fn value_ends(&mut self, is_string: bool) {
        self.gap = self.out.len();
        self.is_string = is_string;
        self.is_container = false;
        self.key = KeyKind::Unknown;
        self.expect = if self.stack.is_empty() { Next::End } else { Next::Comma };
        if let Some(frame) = self.stack.last_mut() {
            frame.sound = self.gap;
        }
    }

    /// Updates the state after a key that has been written.
    pub(super) fn key_ends(&mut self, key: KeyKind) {
        self.key = key;
        self.gap = self.out.len();
        self.expect = Next::Colon;
    }

    fn colon(&mut self, byte: u8) -> Result<(), Unrepairable> {
        self.expect = Next::Value;
        match byte {
            b':' => self.at += 1,
            b'=' => self.fix(FixKind::MissingColon, 1 + usize::from(self.byte(self.at + 1) == b'>'), ":"),
            _ if self.begins_known_value(self.at) => {
                self.mark(FixKind::MissingColon, self.at);
                self.insert(':');
            }
            _ => return Err(Unrepairable),
        }
        Ok(())
    }

    /// Whether a value other than a word begins here.
    pub(super) fn begins_value(&self, at: usize) -> bool {
        matches!(self.byte(at), b'{' | b'[' | b'-' | b'0'..=b'9') || self.quote(at).is_some()
    }

    /// Reads the comma after an entry, or inserts it, e.g. `[1 2]`.
    fn comma(&mut self, byte: u8) -> Result<(), Unrepairable> {
        let is_object = self.container() == Some(Container::Object);
        let next = if is_object { Next::Key } else { Next::Value };
        match byte {
            b',' => {
                self.at += 1;
                self.keep(self.at);
                self.comma = (self.out.len().saturating_sub(1), self.at - 1);
                if let Some(tuple) = self.stack.last_mut().and_then(|frame| frame.tuple.as_mut()) {
                    tuple.has_comma = true;
                }
                self.expect = next;
                return Ok(());
            }
            b'+' if self.is_string => return self.concatenate(),
            b')' if self.close_wrapper() => return Ok(()),
            _ => {}
        }
        // Only what begins like an entry may lack the comma before it.
        let begins = if is_object {
            self.key_at(self.at).is_some()
        } else {
            self.begins_value(self.at) || byte.is_ascii_alphabetic()
        };
        if !begins {
            return Err(Unrepairable);
        }
        self.mark(FixKind::MissingComma, self.at);
        self.insert(',');
        self.comma = (self.gap, self.at);
        self.expect = next;
        Ok(())
    }

    /// Whether the innermost object is an item of a list.
    pub(super) fn is_item(&self) -> bool {
        matches!(self.stack.as_slice(), [.., outer, _] if outer.container == Container::Array)
    }

    /// Closes an item of a list where the next item begins, e.g. `[{"a": 1, {"a": 2}]`.
    fn close_item(&mut self) {
        self.drop_trailing_comma();
        self.add_closer();
        self.expect = Next::Comma;
        if let Some(frame) = self.stack.last_mut() {
            frame.sound = self.gap;
        }
    }

    /// Drops the closing parenthesis of `name(…)`.
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
    pub(super) fn closer(&self) -> char {
        if self.container == Container::Object { '}' } else { ']' }
    }
}
