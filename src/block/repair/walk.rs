//! Walks over the structure of JSON without repairing it: which token may follow which.

use std::cell::Cell;

use super::part;
use crate::counted::looked_at;
use crate::limits::DEEPEST;
use crate::value::{Container, is_number, length_before};

/// What may come next.
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

/// Whether a character may stand outside of strings.
pub(super) const fn is_structure(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n') || is_word(byte)
}

/// Whether a character may stand in a number or a literal.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// What all walks over a text share.
#[derive(Default)]
pub(super) struct WalkContext {
    /// The longest string that was passed: many tries come by it.
    pub(super) longest: Cell<(usize, usize)>,
    /// So many steps may still be taken.
    pub(super) left: Cell<usize>,
}

/// The lists and objects that are open, so that a copy of a walk needs no memory of its own.
#[derive(Clone, Copy)]
pub(super) struct Stack {
    /// A bit for each: whether it is an object.
    objects: [u64; DEEPEST / 64],
    pub(super) depth: usize,
}

impl Stack {
    pub(super) fn push(&mut self, container: Container) {
        if let Some(bits) = self.objects.get_mut(self.depth / 64) {
            let bit = 1 << (self.depth % 64);
            *bits = if container == Container::Object { *bits | bit } else { *bits & !bit };
            self.depth += 1;
        }
    }

    pub(super) fn last(&self) -> Option<Container> {
        let top = self.depth.checked_sub(1)?;
        let is_object = self.objects.get(top / 64)? >> (top % 64) & 1 == 1;
        Some(if is_object { Container::Object } else { Container::Array })
    }
}

/// A walk over the structure of JSON.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) stack: Stack,
    pub(super) expect: Next,
    pub(super) max_depth: usize,
    pub(super) shared: &'a WalkContext,
}

impl<'a> Walk<'a> {
    pub(super) const fn new(text: &'a str, at: usize, max_depth: usize, shared: &'a WalkContext) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at,
            stack: Stack { objects: [0; DEEPEST / 64], depth: 0 },
            expect: Next::Value,
            max_depth,
            shared,
        }
    }

    /// Whether all is sound from here to the end.
    pub(super) fn reads_to_its_end(mut self) -> bool {
        loop {
            self.blanks();
            if self.at >= self.bytes.len() {
                return self.expect == Next::End;
            }
            if !self.pay(1) || !self.step() {
                return false;
            }
        }
    }

    pub(super) fn pay(&self, steps: usize) -> bool {
        let left = self.shared.left.get().saturating_sub(steps);
        self.shared.left.set(left);
        left > 0
    }

    pub(super) fn blanks(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        looked_at(blanks + 1);
        self.at += blanks;
    }

    /// Passes a bracket, a comma, a colon, a word or a string, and tells whether it may stand here.
    pub(super) fn step(&mut self) -> bool {
        match self.bytes.get(self.at) {
            None => false,
            Some(b'"') => match self.string_end(self.at + 1) {
                Some(end) => {
                    let start = std::mem::replace(&mut self.at, end + 1);
                    self.string_ends(start)
                }
                None => false,
            },
            Some(byte @ (b'{' | b'}' | b'[' | b']' | b',' | b':')) => {
                self.at += 1;
                self.structure(*byte)
            }
            Some(_) => {
                let length = self.word_length(self.at);
                let is_value = self.is_value(self.at, length);
                self.at += length;
                is_value && self.value_ends()
            }
        }
    }

    /// How long what is neither structure nor a blank nor a quote is.
    pub(super) fn word_length(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length =
            rest.iter().take_while(|byte| **byte != b'"' && (is_word(**byte) || !is_structure(**byte))).count();
        looked_at(length + 1);
        length
    }

    /// Whether a number or a literal stands here.
    pub(super) fn is_value(&self, at: usize, length: usize) -> bool {
        let word = part(self.text, at..at + length);
        matches!(word, "true" | "false" | "null") || is_number(word)
    }

    /// Passes what stands here, whatever it is, and tells what: 0 at the end.
    pub(super) fn token(&mut self) -> u8 {
        self.blanks();
        let length = self.word_length(self.at);
        let byte = self.bytes.get(self.at).copied().unwrap_or_default();
        self.at = match byte {
            b'"' => self.string_end(self.at + 1).map_or(self.bytes.len(), |end| end + 1),
            _ => self.at + length.max(1),
        };
        if length > 0 { b'0' } else { byte }
    }

    /// The first quote from a place on, but for those that are escaped.
    pub(super) fn string_end(&self, from: usize) -> Option<usize> {
        let (start, end) = self.shared.longest.get();
        if start == from && end > 0 {
            return Some(end);
        }
        let mut at = from;
        let found = loop {
            at += length_before(self.bytes.get(at..).unwrap_or_default(), *b"\"\\", 0);
            match self.bytes.get(at) {
                None => break None,
                Some(b'"') => break Some(at),
                Some(_) => at += 2,
            }
        };
        self.pay((at - from.min(at)) / 8);
        let at = found?;
        if at - from > end - start {
            self.shared.longest.set((from, at));
        }
        Some(at)
    }

    /// What may come behind a bracket, a comma or a colon, or, for `-`, behind a value; nothing where that may not stand.
    pub(super) fn next(&self, byte: u8) -> Option<Next> {
        let behind = if self.stack.depth == 1 { Next::End } else { Next::Comma };
        Some(match (byte, self.expect, self.stack.last()) {
            (b'{' | b'[', Next::Value | Next::FirstValue | Next::End, _) if self.stack.depth < self.max_depth => {
                if byte == b'{' { Next::FirstKey } else { Next::FirstValue }
            }
            (b'}', Next::FirstKey | Next::Comma, Some(Container::Object))
            | (b']', Next::FirstValue | Next::Comma, Some(Container::Array)) => behind,
            (b',', Next::Comma, Some(Container::Object)) => Next::Key,
            (b',', Next::Comma, Some(Container::Array)) => Next::Value,
            (b':', Next::Colon, _) => Next::Value,
            (b'-', Next::Value | Next::FirstValue, Some(_)) => Next::Comma,
            _ => return None,
        })
    }

    pub(super) fn structure(&mut self, byte: u8) -> bool {
        let Some(expect) = self.next(byte) else { return false };
        match byte {
            b'{' => self.stack.push(Container::Object),
            b'[' => self.stack.push(Container::Array),
            b'}' | b']' => self.stack.depth -= 1,
            _ => {}
        }
        self.expect = expect;
        true
    }

    pub(super) fn value_ends(&mut self) -> bool {
        self.structure(b'-')
    }

    /// A string that began at a place has ended: a key is a name.
    pub(super) fn string_ends(&mut self, start: usize) -> bool {
        if matches!(self.expect, Next::Key | Next::FirstKey) {
            self.expect = Next::Colon;
            let key = self.bytes.get(start..self.at).unwrap_or_default();
            return key.iter().any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
        }
        self.value_ends()
    }
}
