//! Finds the quote that ends a string: the one that a key or an end follows.
//!
//! A quote inside of a text may look like an end by chance. What speaks against it: quotes in a text come in pairs, so an
//! end after an odd number of them is doubtful; a bracket that is open in the text would be left open. The look ahead goes
//! to the next quote at most.

use super::lookahead::{Colon, KeyAhead};
use super::strings::Seen;
use super::syntax::{Fail, Repairer};
use super::{first, last};
use crate::value::Container;
use crate::value::text::trim_bytes;

/// What stands before a quote that begins a string of a text.
const BEFORE_QUOTES: &[u8] = b"([{=,:+ \t";

impl<'a> Repairer<'a> {
    /// Whether the quote before `after` ends the string.
    pub(super) fn closes(&mut self, after: usize, seen: &mut Seen) -> Result<bool, Fail> {
        Ok(self.is_followed(after, seen)? && !self.is_text(after, seen)?)
    }

    /// Whether what looks like a comment after a quote is text, as in `color: "#fff"`: one that has quotes of its own.
    fn is_text(&self, after: usize, seen: &Seen) -> Result<bool, Fail> {
        let clean = seen.inner == 0;
        let Some(quote) = self.part(0, after).chars().next_back() else { return Ok(false) };
        let before = self.part(self.string, after - quote.len_utf8());
        let mut at = after;
        loop {
            let next = self.pass(at);
            let gap = self.part(at, next);
            let quotes = gap.chars().filter(|char| *char == quote).count();
            let is_even = quotes.is_multiple_of(2);
            if super::find(gap, 0, "\\\"").is_some() {
                // Nobody escapes quotes in a comment.
                return if clean { Ok(true) } else { Err(Fail::Unclear) };
            }
            let is_escaped = gap.as_bytes().contains(&b'\\');
            if quotes > 0 && at > after {
                if is_escaped || !is_even || !clean {
                    return Err(Fail::Unclear);
                }
            } else if quotes > 0 {
                let adjoins = matches!(first(gap), b'#' | b'/');
                let begins = BEFORE_QUOTES.contains(&last(before));
                if !clean {
                    return if is_even && seen.is_even() { Err(Fail::Unclear) } else { Ok(true) };
                }
                if adjoins && (begins || before.len() == quote.len_utf8()) {
                    return Ok(true);
                }
                if !is_even || adjoins || begins || is_escaped {
                    return Err(Fail::Unclear);
                }
            }
            if !matches!(self.byte(next), b',' | b'}' | b']') {
                return Ok(false);
            }
            at = next + 1;
        }
    }

    /// Whether what follows a quote is what follows a string.
    fn is_followed(&mut self, after: usize, seen: &mut Seen) -> Result<bool, Fail> {
        let clean = seen.inner == 0;
        let is_block = self.rules.is_block();
        let container = self.container();
        let next = self.pass(after);
        let entry = self.pass(next + 1);
        let has_line = |to: usize| self.part(after, to).as_bytes().contains(&b'\n');
        Ok(match (self.byte(next), container) {
            (0, _) => self.may_end(self.stack.len(), after, seen),
            (b',', _) => match (self.byte(entry), container) {
                (0, _) => self.may_end(self.stack.len(), after, seen),
                (b'}' | b']', Some(_)) => self.may_close(entry, after, seen),
                (first, Some(Container::Object)) => match self.key_at(entry) {
                    Some(key) => self.may_precede(key, after, seen),
                    None if first == b'{' && self.is_item() => clean || self.is_call_at(entry),
                    None => clean && (first == b',' || (first == b'.' && !is_block)),
                },
                (b',', Some(Container::Array)) if clean => true,
                (_, Some(Container::Array)) => seen.is_even() && self.is_value_at(entry),
                (_, None) => clean,
            },
            (b'}' | b']', _) => self.may_close(next, after, seen),
            (b'+', _) if clean || is_block => {
                let joins = self.quote(entry).is_some();
                let is_unclear = if clean {
                    // Nobody joins a text to nothing in its line, but a text that begins with a quote may go on like this.
                    // Of an expression that is more than strings nobody knows what it comes to.
                    is_block && (!joins || !has_line(entry) && self.string_text(after).is_empty())
                } else {
                    // The text may join strings, or be joined: between quotes of its own it joins them.
                    joins && (seen.escaped || seen.is_even())
                };
                if is_unclear {
                    return Err(Fail::Unclear);
                }
                clean && joins
            }
            (b')' | b';', _) => clean && (self.wrappers > 0 || container.is_none()),
            // After a quote that is text only a known key with its colon is a sign of an end: this is asked of every
            // quote, and few are before a colon.
            (_, Some(Container::Object)) if !(clean || is_block && self.has_colon(next)) => false,
            (_, Some(Container::Object)) => match self.key_at(next) {
                Some(key) if key.is_known => {
                    let may = self.may_precede(key, after, seen);
                    if may && !seen.is_even() {
                        // Neither the comma nor the quotes are as they should be.
                        return Err(Fail::Unclear);
                    }
                    may
                }
                Some(key) if is_block => {
                    let has_line = has_line(next);
                    let may = clean && key.quoted && has_line && key.colon != Colon::Missing;
                    // A key whose comma is missing too; in code nothing but a name stands there by chance.
                    seen.ended |= !may && seen.is_even() && (has_line || key.quoted && self.is_name_at(next));
                    may
                }
                Some(key) if key.colon == Colon::Missing => clean && has_line(next),
                Some(key) => clean && (key.quoted || next > after),
                None => false,
            },
            (_, Some(Container::Array)) => clean && next > after && self.is_value_at(next),
            (_, None) => clean && has_line(next),
        })
    }

    /// Whether the string may end before this key.
    fn may_precede(&mut self, key: KeyAhead, place: usize, seen: &mut Seen) -> bool {
        let is_block = self.rules.is_block();
        let clean = seen.inner == 0;
        let may = match key.colon {
            Colon::Sound if clean => true,
            Colon::Sound if key.is_known => seen.is_even() || self.depth(place, seen) <= 0,
            Colon::Sound if !is_block && seen.is_even() => true,
            Colon::Sound => {
                let is_whole = self.depth(place, seen) <= 0;
                self.fragile |= is_whole;
                is_whole
            }
            Colon::Missing if !is_block => seen.is_even(),
            Colon::Missing => clean && key.is_known,
            Colon::Arrow => {
                // Code is full of names before `=`.
                let is_key = !is_block || key.quoted || key.is_known;
                self.fragile |= clean && !is_key;
                clean && is_key
            }
        };
        seen.ended |= !may && !clean && seen.is_even();
        may
    }

    /// What the string holds that is being read, up to the quote before a place.
    fn string_text(&self, place: usize) -> &'a str {
        let is_quote = |at: usize| matches!(self.byte(at), b'"' | b'\'');
        let (mut start, mut end) = (self.string, place);
        while start < end && is_quote(start) {
            start += 1;
        }
        while start < end && is_quote(end - 1) {
            end -= 1;
        }
        self.part(start, end)
    }

    /// Whether the string may end where the text does, with so many lists and objects still open.
    fn may_end(&self, open: usize, place: usize, seen: &mut Seen) -> bool {
        let clean = seen.inner == 0;
        let is_block = self.rules.is_block();
        if open == 0 {
            if clean {
                return true;
            }
            // The closers that were seen may be those of what is open in the string.
            let depth = self.depth(place, seen);
            let is_inside = self.rules.doubtful && usize::try_from(depth).is_ok_and(|depth| depth >= self.stack.len());
            return depth <= 0 || seen.is_even() && !is_inside;
        }
        // Where brackets are missing too, the text may have been cut off in the string, perhaps right after a quote of its
        // own: not where others are escaped, where a bracket follows, or where no quote would begin.
        let text = self.string_text(place);
        let begins = text.is_empty() || BEFORE_QUOTES.contains(&last(text)) || ends_with_prefix(text.as_bytes());
        let before = trim_bytes(text, b" \t");
        let is_mid = before.len() < text.len() || matches!(last(before), b',' | b':');
        let is_part = matches!(last(before), b'(' | b'=' | b'+') || is_mid && self.depth(place, seen) > 0;
        // Where quotes of texts are not escaped, a text may begin with one.
        let is_nothing = self.delicate && text.is_empty();
        let is_closed = open < self.stack.len() && !is_part && !is_nothing;
        if clean {
            return seen.escaped || is_closed || !begins || !is_block;
        }
        let is_whole = is_block && self.rules.complete;
        is_whole && is_closed && !begins && seen.is_even() && self.depth(place, seen) <= 0
    }

    /// Whether the string may end before these closers: those of the open lists and objects, and what may follow them.
    fn may_close(&mut self, mut at: usize, place: usize, seen: &mut Seen) -> bool {
        let clean = seen.inner == 0;
        // JSON at large has no known keys that would tell more than the quotes do, which come in pairs.
        let is_block = self.rules.is_block();
        let is_paired = clean || (!is_block && seen.is_even());
        let mut open = self.stack.len();
        let mut fits = true;
        loop {
            at = self.pass(at);
            let byte = self.byte(at);
            let inner = open.checked_sub(1).and_then(|top| self.stack.get(top)).map(|frame| frame.container);
            match (byte, inner) {
                (0, _) => return self.may_end(open, place, seen),
                (b'}' | b']', _) => {
                    match self.outer(byte, open) {
                        Some(depth) if clean || depth + 1 == open => open = depth,
                        _ if clean => fits = false,
                        // Too many of them, and no other quote that might be the end.
                        _ => {
                            let is_end = open == 0 && self.only_closers(at);
                            return is_end && seen.is_even() && self.depth(place, seen) <= 0;
                        }
                    }
                    at += 1;
                }
                (b',', _) => {
                    at = self.pass(at + 1);
                    match (self.byte(at), inner) {
                        (0 | b'}' | b']', _) => {}
                        (b',', _) if is_paired => {}
                        (_, Some(Container::Object)) => {
                            return self.key_at(at).is_some_and(|key| self.may_precede(key, place, seen));
                        }
                        (byte, Some(Container::Array)) => {
                            let may = clean || is_paired && self.is_value_at(at) || self.is_call_at(at);
                            seen.ended |= !may && byte == b'{' && seen.is_even();
                            return may;
                        }
                        (_, None) => return clean || self.is_call_at(at),
                    }
                }
                (b'{', None) => return clean || self.is_call_at(at),
                (b'`', None) if !is_block => return self.run(at, b'`', 3) == 3,
                // Prose does not begin with a quote, escaped or not; what is left of a text does.
                (_, None) => return clean && byte != b'\\' && self.quote(at).is_none(),
                // Only a comma may be missing here.
                (_, Some(Container::Object)) if is_block => {
                    let key = self.key_at(at);
                    let may = clean && fits && key.is_some_and(KeyAhead::is_sure);
                    seen.ended |= !may && seen.is_even() && key.is_some() && self.is_name_at(at);
                    return may;
                }
                (_, Some(_)) if !clean || !fits => return false,
                (_, Some(Container::Array)) if is_block && open == 1 => return byte == b'{',
                (_, Some(_)) => return true,
            }
        }
    }

    /// Whether a key with its colon stands here.
    fn has_colon(&self, at: usize) -> bool {
        self.key_text(at).is_some_and(|(_, _, end)| self.byte(self.pass(end)) == b':')
    }

    /// Whether the key that stands here is a name.
    fn is_name_at(&self, at: usize) -> bool {
        self.key_text(at).is_some_and(|(start, end, _)| self.part(start, end).bytes().all(is_name))
    }

    fn is_call_at(&self, at: usize) -> bool {
        self.byte(at) == b'{' && self.key_at(self.pass(at + 1)).is_some_and(|key| key.is_known)
    }

    fn is_value_at(&self, at: usize) -> bool {
        matches!(self.byte(at), b'.' | b'a'..=b'z' | b'A'..=b'Z') || self.begins_value(at)
    }

    /// How many brackets are open in the string up to a place.
    fn depth(&self, place: usize, seen: &mut Seen) -> isize {
        for byte in self.part(seen.counted, place).bytes() {
            match byte {
                b'{' | b'[' => seen.depth += 1,
                b'}' | b']' => seen.depth -= 1,
                _ => {}
            }
        }
        seen.counted = seen.counted.max(place);
        seen.depth
    }
}

/// Whether a text ends with what stands before the quote of a string in Python, as in `f"…"`.
fn ends_with_prefix(text: &[u8]) -> bool {
    let name = text.len() - text.iter().rev().take_while(|byte| is_name(**byte)).count();
    let prefix = text.get(name..).unwrap_or_default();
    let is_prefix = |byte: &u8| matches!(byte, b'f' | b'F' | b'r' | b'R' | b'b' | b'B' | b'u' | b'U');
    matches!(prefix.len(), 1 | 2) && name > 0 && prefix.iter().all(is_prefix)
}

pub(super) const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
