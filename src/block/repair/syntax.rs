//! Rewrites a text that is nearly JSON until it is JSON: one walk, what is sound is copied, each change is noted.
//!
//! Never more is done than the text bears out: no string is closed, no value is made up. Where the text does not say what
//! was meant, the repair gives up.

use std::cell::Cell;

use super::fix::{FixKind, Mark};
use super::pairs::Quotes;
use super::words::is_literal;
use super::{Dialect, Rules};
use crate::value::{Container, is_blank};

/// Brackets at the end of a text that are too many, with the blanks between them, are no longer than this.
const MOST_CLOSERS: usize = 32;

/// Why a text cannot be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fail {
    /// It ends before its value does.
    Open,
    /// It does not say what was meant.
    Unclear,
    /// It is nested too deeply.
    TooDeep,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expect {
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

/// A list or object that is open.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) container: Container,
    /// Which of the known keys are there already.
    pub(super) used: u64,
    /// A comma is missing before one of its keys.
    pub(super) lacks_comma: bool,
    /// Where in `out` its last whole entry ends.
    pub(super) sound: usize,
}

/// What the last value was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    String,
    Other,
}

/// The state of a repair.
pub(super) struct Repairer<'a> {
    pub(super) text: &'a str,
    /// Where blanks begin that go to the end of the text.
    pub(super) end: usize,
    pub(super) rules: &'a Rules<'a>,
    pub(super) quotes: Quotes,
    pub(super) at: usize,
    pub(super) out: String,
    /// Up to here the text is in `out`, or was left out.
    pub(super) kept: usize,
    pub(super) stack: Vec<Frame>,
    pub(super) expect: Expect,
    pub(super) marks: Vec<Mark>,
    /// Where in `out` the last value or key ends: closers and commas that are missing go there.
    pub(super) gap: usize,
    /// Where in `out` the last comma stands, and where in the text.
    comma: (usize, usize),
    /// Where the last string begins.
    pub(super) string: usize,
    pub(super) last: Last,
    /// Which known key the value belongs to.
    pub(super) key: Option<u32>,
    /// Quotes inside of strings were escaped: what follows must be sound.
    pub(super) delicate: bool,
    /// A guess was made which nothing but a sound rest can confirm.
    pub(super) fragile: bool,
    /// `name(` that were left out.
    pub(super) wrappers: usize,
    /// Several values at the top are to be made a list.
    pub(super) list: bool,
    /// Bytes of comments that looks ahead have gone through.
    pub(super) looked: Cell<usize>,
    /// Where the last bracket opens, once it was asked for.
    pub(super) last_opener: Option<usize>,
}

impl<'a> Repairer<'a> {
    pub(super) fn new(text: &'a str, rules: &'a Rules<'a>, quotes: Quotes) -> Self {
        Self {
            text,
            end: text.trim_end().len(),
            rules,
            quotes,
            at: 0,
            out: String::with_capacity(text.len() + text.len() / 16 + 16),
            kept: 0,
            stack: Vec::new(),
            expect: Expect::Value,
            marks: Vec::new(),
            gap: 0,
            comma: (0, 0),
            string: 0,
            last: Last::Other,
            key: None,
            delicate: false,
            fragile: false,
            wrappers: 0,
            list: false,
            looked: Cell::new(0),
            last_opener: None,
        }
    }

    /// Goes through the text.
    pub(super) fn run(&mut self) -> Result<(), Fail> {
        self.begin();
        loop {
            self.skip_blanks();
            let Some(byte) = self.byte(self.at) else { return self.end() };
            match self.expect {
                Expect::Value | Expect::FirstValue => self.value(byte)?,
                Expect::Key | Expect::FirstKey => self.key(byte)?,
                Expect::Colon => self.colon(byte)?,
                Expect::Comma => self.comma(byte)?,
                Expect::End => self.tail(byte)?,
            }
        }
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn rest(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    /// Copies the text up to `end`.
    pub(super) fn keep(&mut self, end: usize) {
        self.out.push_str(self.text.get(self.kept..end).unwrap_or_default());
        self.kept = self.kept.max(end);
    }

    /// Leaves a part of the text out, and puts something in its place.
    pub(super) fn replace(&mut self, start: usize, end: usize, with: &str) {
        self.keep(start);
        self.out.push_str(with);
        self.kept = end;
    }

    /// Notes a fix. Those of one kind inside of one string count as one.
    pub(super) fn mark(&mut self, kind: FixKind, offset: usize) {
        self.mark_all(kind, offset, 1);
    }

    /// Notes so many fixes of one kind.
    pub(super) fn mark_all(&mut self, kind: FixKind, offset: usize, count: usize) {
        let inside = matches!(kind, FixKind::ControlCharacter | FixKind::UnescapedQuote | FixKind::InvalidEscape);
        let mut own = self.marks.iter_mut().rev().take_while(|mark| inside && mark.offset >= self.string);
        if let Some(mark) = own.find(|mark| mark.kind == kind) {
            mark.count += count;
        } else if self.marks.len() < self.rules.most {
            let place = self.marks.iter().rposition(|mark| mark.offset <= offset).map_or(0, |place| place + 1);
            self.marks.insert(place, Mark { kind, offset, count });
        }
    }

    /// Passes blanks and comments.
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' | b'#' | b'<' | 0x0b | 0x0c | 0x80.. => {
                    let (length, kind) = match self.comment(self.at) {
                        Some(length) => (length, FixKind::Comment),
                        None => match self.rest(self.at).chars().next() {
                            Some(blank) if is_blank(blank) => (blank.len_utf8(), FixKind::Blank),
                            _ => return,
                        },
                    };
                    self.mark(kind, self.at);
                    let is_mark = self.rest(self.at).starts_with('\u{feff}');
                    let with = if kind == FixKind::Blank && !is_mark { " " } else { "" };
                    self.replace(self.at, self.at + length, with);
                    self.at += length;
                }
                _ => return,
            }
        }
    }

    /// How long the comment is that begins here.
    pub(super) fn comment(&self, at: usize) -> Option<usize> {
        let rest = self.rest(at);
        for (begin, end) in [("/*", "*/"), ("<!--", "-->")] {
            if rest.starts_with(begin) {
                return Some(rest.find(end).map_or(rest.len(), |place| place + end.len()));
            }
        }
        let is_line = rest.starts_with("//") || rest.starts_with('#');
        is_line.then(|| rest.find('\n').unwrap_or(rest.len()))
    }

    fn value(&mut self, byte: u8) -> Result<(), Fail> {
        let in_object = self.stack.last().is_some_and(|frame| frame.container == Container::Object);
        match byte {
            b'{' => self.open(Container::Object),
            b'[' => self.open(Container::Array),
            b'}' | b']' if !in_object && !self.stack.is_empty() => self.close(byte),
            b',' if !in_object && !self.stack.is_empty() => self.drop_byte(FixKind::ExtraComma),
            b'.' if self.ellipsis() => Ok(()),
            _ => match self.quote(self.at) {
                Some(quote) => self.string(quote),
                None => self.word(),
            },
        }
    }

    fn open(&mut self, container: Container) -> Result<(), Fail> {
        if self.stack.len() >= self.rules.max_depth {
            return Err(Fail::TooDeep);
        }
        self.at += 1;
        self.keep(self.at);
        self.gap = self.out.len();
        self.stack.push(Frame { container, used: 0, lacks_comma: false, sound: self.gap });
        self.key = None;
        self.expect = match container {
            Container::Array => Expect::FirstValue,
            Container::Object => Expect::FirstKey,
        };
        Ok(())
    }

    fn close(&mut self, byte: u8) -> Result<(), Fail> {
        let container = if byte == b'}' { Container::Object } else { Container::Array };
        let Some(depth) = self.stack.iter().rposition(|frame| frame.container == container) else {
            return self.drop_closer();
        };
        self.drop_trailing_comma();
        while self.stack.len() > depth + 1 {
            self.add_closer();
        }
        self.stack.pop();
        self.at += 1;
        self.keep(self.at);
        self.value_ends(Last::Other);
        Ok(())
    }

    pub(super) fn drop_closer(&mut self) -> Result<(), Fail> {
        // After escaped quotes a bracket too many may be a sign that a string was ended too early.
        if self.delicate && !self.only_closers(self.at) {
            return Err(Fail::Unclear);
        }
        self.drop_byte(FixKind::ExtraCloser)
    }

    /// Whether nothing but a few brackets stands from here on.
    pub(super) fn only_closers(&self, at: usize) -> bool {
        let rest = self.text.get(at..self.end).unwrap_or_default();
        rest.len() <= MOST_CLOSERS
            && rest.bytes().all(|byte| matches!(byte, b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n'))
    }

    fn drop_byte(&mut self, kind: FixKind) -> Result<(), Fail> {
        self.mark(kind, self.at);
        self.replace(self.at, self.at + 1, "");
        self.at += 1;
        Ok(())
    }

    /// The comma before what turned out to be the end of a list or object.
    pub(super) fn drop_trailing_comma(&mut self) {
        if matches!(self.expect, Expect::Value | Expect::Key) {
            self.keep(self.at);
            self.out.remove(self.comma.0);
            self.mark(FixKind::TrailingComma, self.comma.1);
            self.expect = Expect::Comma;
        }
    }

    /// Closes the innermost list or object, after its last entry.
    pub(super) fn add_closer(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        self.keep(self.at);
        let closer = if frame.container == Container::Object { '}' } else { ']' };
        self.out.insert(self.gap, closer);
        self.gap += 1;
        self.mark(FixKind::MissingCloser, self.at);
    }

    /// A value ends where the text was kept to.
    pub(super) fn value_ends(&mut self, last: Last) {
        self.gap = self.out.len();
        self.last = last;
        self.key = None;
        match self.stack.last_mut() {
            Some(frame) => {
                frame.sound = self.gap;
                self.expect = Expect::Comma;
            }
            None => self.expect = Expect::End,
        }
    }

    fn key(&mut self, byte: u8) -> Result<(), Fail> {
        match byte {
            b'}' | b']' => self.close(byte),
            b',' => self.drop_byte(FixKind::ExtraComma),
            b'.' if self.ellipsis() => Ok(()),
            b'{' if self.expect == Expect::Key && self.is_item() => {
                self.close_item();
                Ok(())
            }
            b'{' if self.stack.len() == 1 && self.expect == Expect::FirstKey => self.drop_byte(FixKind::ExtraOpener),
            _ => match self.quote(self.at) {
                Some(quote) => self.quoted_key(quote),
                None => self.bare_key(),
            },
        }
    }

    /// A key is complete.
    pub(super) fn key_ends(&mut self, key: &str) {
        self.key = (self.rules.known)(key);
        if let (Some(bit), Some(frame)) = (self.key, self.stack.last_mut()) {
            frame.used |= 1 << bit;
        }
        self.gap = self.out.len();
        self.expect = Expect::Colon;
    }

    fn colon(&mut self, byte: u8) -> Result<(), Fail> {
        self.expect = Expect::Value;
        match byte {
            b':' => {
                self.at += 1;
                Ok(())
            }
            b'=' => {
                let length = if self.byte(self.at + 1) == Some(b'>') { 2 } else { 1 };
                self.mark(FixKind::MissingColon, self.at);
                self.replace(self.at, self.at + length, ":");
                self.at += length;
                Ok(())
            }
            _ if self.begins_value(self.at) || is_literal(self.rest(self.at)) => {
                self.mark(FixKind::MissingColon, self.at);
                self.keep(self.at);
                self.out.insert(self.gap, ':');
                Ok(())
            }
            _ => Err(Fail::Unclear),
        }
    }

    /// Whether a value begins here, but for words.
    pub(super) fn begins_value(&self, at: usize) -> bool {
        matches!(self.byte(at), Some(b'{' | b'[' | b'-' | b'0'..=b'9')) || self.quote(at).is_some()
    }

    fn comma(&mut self, byte: u8) -> Result<(), Fail> {
        let Some(top) = self.stack.last() else { return Err(Fail::Unclear) };
        let (container, next) = match top.container {
            Container::Object => (Container::Object, Expect::Key),
            Container::Array => (Container::Array, Expect::Value),
        };
        match byte {
            b',' => {
                self.at += 1;
                self.keep(self.at);
                self.comma = (self.out.len() - 1, self.at - 1);
                self.expect = next;
                return Ok(());
            }
            b'}' | b']' => return self.close(byte),
            b'+' if self.last == Last::String => return self.concatenate(),
            b')' if self.close_wrapper() => return Ok(()),
            b'.' if self.ellipsis() => return Ok(()),
            b'{' if container == Container::Object && self.is_item() => {
                self.close_item();
                return Ok(());
            }
            _ => {}
        }
        // Without its comma an entry is one only if it begins like one.
        let begins = match container {
            Container::Object => self.key_at(self.at).is_some(),
            Container::Array => self.begins_value(self.at) || byte.is_ascii_alphabetic(),
        };
        if !begins {
            return Err(Fail::Unclear);
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.lacks_comma = true;
        }
        self.mark(FixKind::MissingComma, self.at);
        self.keep(self.at);
        self.out.insert(self.gap, ',');
        self.comma = (self.gap, self.at);
        self.expect = next;
        Ok(())
    }

    /// Whether the innermost object is an item of a list.
    pub(super) fn is_item(&self) -> bool {
        let outer = self.stack.len().checked_sub(2).and_then(|place| self.stack.get(place));
        outer.is_some_and(|frame| frame.container == Container::Array)
    }

    /// Closes an item of a list where the next begins.
    fn close_item(&mut self) {
        self.drop_trailing_comma();
        self.add_closer();
        self.expect = Expect::Comma;
        if let Some(frame) = self.stack.last_mut() {
            frame.sound = self.gap;
        }
    }

    /// Leaves the closing bracket of `name(…)` out.
    pub(super) fn close_wrapper(&mut self) -> bool {
        let is_wrapped = self.wrappers > 0;
        if is_wrapped {
            self.wrappers -= 1;
            self.replace(self.at, self.at + 1, "");
            self.at += 1;
        }
        is_wrapped
    }

    /// Leaves `...` out, which only a reader of JSON at large may do: in a call it stands for what is not there.
    fn ellipsis(&mut self) -> bool {
        let is_one = self.rules.dialect == Dialect::Json && self.rest(self.at).starts_with("...");
        if is_one {
            self.mark(FixKind::Ellipsis, self.at);
            self.replace(self.at, self.at + 3, "");
            self.at += 3;
        }
        is_one
    }
}
