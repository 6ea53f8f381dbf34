//! Which quote ends a string: the one that a key or an end follows.
//!
//! A quote inside of a text may look like an end by chance. What speaks against it: quotes in a text come in pairs, so an
//! end after an odd number of them is doubtful; a bracket that is open in the text would be left open; a key that the
//! object has already would be there twice. The look ahead goes to the next quote at most.

use super::Dialect;
use super::ahead::{Colon, KeyAhead, bare_length};
use super::syntax::{Fail, Repairer};
use super::text::Seen;
use crate::block::tools::Place;
use crate::value::Container;

/// The keys of an object within a call.
const EDITED: [Option<u32>; 2] = [Some(Place::OldString as u32), Some(Place::NewString as u32)];

/// The keys of calls, by their own names.
const KEYS: [&str; 6] = ["tool", "path", "content", "search_replace", "old_string", "new_string"];

/// What stands before a quote that begins a string of a text.
const BEFORE_QUOTES: [char; 9] = ['(', '[', '{', '=', ',', ':', '+', ' ', '\t'];

impl<'a> Repairer<'a> {
    /// Whether the quote before `after` ends the string.
    pub(super) fn closes(&mut self, after: usize, seen: &mut Seen) -> Result<bool, Fail> {
        Ok(self.is_followed(after, seen)? && !self.is_text(after, seen)?)
    }

    /// Whether what looks like a comment after a quote is text, as in `color: "#fff"`: one that has quotes of its own.
    fn is_text(&self, after: usize, seen: &Seen) -> Result<bool, Fail> {
        let mut before = self.text.get(..after).unwrap_or_default().chars();
        let Some(quote) = before.next_back() else { return Ok(false) };
        let (clean, even) = (seen.inner == 0, seen.inner.is_multiple_of(2));
        let mut at = after;
        loop {
            let next = self.pass(at);
            let gap = self.text.get(at..next).unwrap_or_default();
            let quotes = gap.matches(quote).count();
            if gap.contains("\\\"") {
                // Nobody escapes quotes in a comment.
                return if clean { Ok(true) } else { Err(Fail::Unclear) };
            }
            let is_escaped = gap.contains('\\');
            if quotes > 0 && at > after && (is_escaped || !quotes.is_multiple_of(2) || !clean) {
                return Err(Fail::Unclear);
            }
            if quotes > 0 && at == after {
                let adjoins = gap.starts_with(['#', '/']);
                let is_empty = before.as_str().len() == self.string + quote.len_utf8();
                let begins = before.as_str().ends_with(BEFORE_QUOTES);
                match (clean, quotes.is_multiple_of(2)) {
                    (true, _) if adjoins && (begins || is_empty) => return Ok(true),
                    (true, true) if !adjoins && !begins && !is_escaped => {}
                    (false, true) if even => return Err(Fail::Unclear),
                    (false, _) => return Ok(true),
                    (true, _) => return Err(Fail::Unclear),
                }
            }
            if !matches!(self.byte(next), Some(b',' | b'}' | b']')) {
                return Ok(false);
            }
            at = next + 1;
        }
    }

    /// Whether what follows a quote is what follows a string.
    fn is_followed(&mut self, after: usize, seen: &mut Seen) -> Result<bool, Fail> {
        let clean = seen.inner == 0;
        let container = self.stack.last().map(|frame| frame.container);
        let next = self.pass(after);
        let Some(byte) = self.byte(next) else { return Ok(self.may_end(self.stack.len(), after, seen)) };
        match byte {
            b',' => {
                let entry = self.pass(next + 1);
                let Some(first) = self.byte(entry) else {
                    return Ok(self.may_end(self.stack.len(), after, seen));
                };
                Ok(match (first, container) {
                    (b'}' | b']', Some(_)) => self.may_close(entry, after, seen),
                    (_, Some(Container::Object)) => match self.key_at(entry) {
                        Some(key) => self.may_precede(key, after, seen),
                        None if first == b'{' && self.is_item() => clean || self.is_call_at(entry),
                        None => clean && (first == b',' || (first == b'.' && self.rules.dialect == Dialect::Json)),
                    },
                    (b',', Some(Container::Array)) if clean => true,
                    (_, Some(Container::Array)) => (clean || seen.inner.is_multiple_of(2)) && self.is_value_at(entry),
                    (_, None) => clean,
                })
            }
            b'}' | b']' => Ok(self.may_close(next, after, seen)),
            b'+' if clean => {
                let entry = self.pass(next + 1);
                let joined = self.quote(entry).is_some();
                let line = self.text.get(after..entry).is_some_and(|gap| gap.contains('\n'));
                if joined && !line && self.string_text(after).is_empty() && self.rules.dialect == Dialect::Block {
                    // Nobody joins a text to nothing in its line, but a text that begins with a quote may go on like this.
                    return Err(Fail::Unclear);
                }
                // An expression: what it comes to is not in the text.
                if joined || self.rules.dialect == Dialect::Json { Ok(joined) } else { Err(Fail::Unclear) }
            }
            b'+' if self.rules.dialect == Dialect::Block => {
                // The text may join strings, or be joined: between quotes of its own it joins them.
                let is_outside = seen.escaped || seen.inner.is_multiple_of(2);
                let joined = is_outside && self.quote(self.pass(next + 1)).is_some();
                if joined { Err(Fail::Unclear) } else { Ok(false) }
            }
            b')' | b';' => Ok(clean && (self.wrappers > 0 || container.is_none())),
            _ => Ok(match container {
                // After a quote that is text only a known key with its colon is a sign of an end: this is asked of every
                // quote, and few are before a colon.
                Some(Container::Object) if !clean && !self.may_be_known(next) => false,
                Some(Container::Object) => match self.key_at(next) {
                    Some(key) if key.known.is_some() => {
                        let may = self.may_precede(key, after, seen);
                        if may && !seen.inner.is_multiple_of(2) {
                            // Neither the comma nor the quotes are as they should be.
                            return Err(Fail::Unclear);
                        }
                        may
                    }
                    Some(key) => {
                        let is_line = self.text.get(after..next).is_some_and(|blank| blank.contains('\n'));
                        let is_key = key.quoted || next > after;
                        match self.rules.dialect {
                            Dialect::Json if key.colon == Colon::Missing => clean && is_line,
                            Dialect::Json => clean && is_key,
                            Dialect::Block => clean && key.quoted && is_line && key.colon != Colon::Missing,
                        }
                    }
                    None => false,
                },
                Some(Container::Array) => clean && next > after && self.is_value_at(next),
                None => clean && self.text.get(after..next).is_some_and(|blank| blank.contains('\n')),
            }),
        }
    }

    /// Whether the string may end before this key.
    fn may_precede(&mut self, key: KeyAhead<'_>, place: usize, seen: &mut Seen) -> bool {
        let is_open_json = self.rules.dialect == Dialect::Json;
        let in_text = self.key.is_some_and(|own| self.rules.texts & 1 << own != 0);
        if in_text && key.known.is_none() && bare_length(key.text) < key.text.len().max(1) {
            // Between two quotes of a text stands anything, but no name.
            return false;
        }
        match key.colon {
            Colon::Sound if seen.inner == 0 => return true,
            Colon::Sound => {}
            Colon::Missing if is_open_json => return seen.inner.is_multiple_of(2),
            Colon::Missing => return seen.inner == 0 && key.known.is_some(),
            Colon::Arrow => {
                // Code is full of names before `=`.
                let is_key = is_open_json || key.quoted || key.known.is_some();
                self.fragile |= seen.inner == 0 && !is_key;
                return seen.inner == 0 && is_key;
            }
        }
        let even = seen.inner.is_multiple_of(2);
        let open = self.depth(place, seen) > 0;
        match key.known {
            Some(bit) if self.stack.last().is_some_and(|frame| frame.used & 1 << bit != 0) => {
                // The one before may have been text.
                self.fragile |= self.stack.last().is_some_and(|frame| frame.lacks_comma);
                false
            }
            Some(_) => {
                if open && !even {
                    self.rules.is_ambiguous.set(true);
                }
                let may = even || !open || self.rules.loose;
                // Code has such keys too, without quotes, in objects of its own, by other names: what looks like one may
                // be text.
                let is_own = self.stack.len() == 1 || EDITED.contains(&key.known);
                let is_sure = key.quoted && is_own && KEYS.contains(&key.text);
                self.fragile |= may && if even { !is_own || open && !key.quoted } else { !is_sure };
                may
            }
            None if is_open_json && even => true,
            None => {
                self.fragile |= !open;
                !open
            }
        }
    }

    /// What the string holds that is being read, up to the quote before a place.
    fn string_text(&self, place: usize) -> &'a str {
        self.text.get(self.string..place).unwrap_or_default().trim_matches(['"', '\''])
    }

    /// Whether the string may end where the text does, with so many lists and objects still open.
    fn may_end(&self, open: usize, place: usize, seen: &mut Seen) -> bool {
        if open > 0 {
            // Where brackets are missing too, the text may have been cut off in the string, perhaps right after a quote
            // of its own: not where others are escaped, where a bracket follows, or where no quote would begin.
            let text = self.string_text(place);
            let begins = text.is_empty() || text.ends_with(BEFORE_QUOTES) || ends_with_prefix(text);
            let mut tail = text.bytes().rev().skip_while(|byte| matches!(byte, b' ' | b'\t'));
            let is_part = match tail.next() {
                Some(b'(' | b'=' | b'+') => true,
                last => {
                    let is_mid = matches!(last, Some(b',' | b':')) || text.ends_with([' ', '\t']);
                    is_mid && self.depth(place, seen) > 0
                }
            };
            // Where quotes of texts are not escaped, a text may begin with one.
            let is_nothing = self.delicate && text.is_empty();
            let is_closed = open < self.stack.len() && !is_part && !is_nothing;
            if seen.inner > 0 {
                let is_block = self.rules.dialect == Dialect::Block && self.rules.complete;
                return is_block
                    && is_closed
                    && !begins
                    && seen.inner.is_multiple_of(2)
                    && self.depth(place, seen) <= 0;
            }
            return seen.escaped || is_closed || !begins || self.rules.dialect == Dialect::Json;
        }
        if seen.inner == 0 {
            return true;
        }
        let even = seen.inner.is_multiple_of(2);
        let depth = self.depth(place, seen);
        // The closers that were seen may be those of what is open in the string.
        let inside = usize::try_from(depth).is_ok_and(|depth| depth >= self.stack.len());
        depth <= 0 || even && !(self.rules.doubtful && inside)
    }

    /// Whether the string may end before these closers: those of the open lists and objects, and what may follow them.
    fn may_close(&self, closers: usize, place: usize, seen: &mut Seen) -> bool {
        let clean = seen.inner == 0;
        // JSON at large has no known keys that would tell more than the quotes do, which come in pairs.
        let is_open_json = self.rules.dialect == Dialect::Json;
        let is_paired = clean || (is_open_json && seen.inner.is_multiple_of(2));
        let mut open = self.stack.len();
        let mut fits = true;
        let mut at = closers;
        loop {
            at = self.pass(at);
            let Some(byte) = self.byte(at) else { return self.may_end(open, place, seen) };
            let inner = open.checked_sub(1).and_then(|top| self.stack.get(top)).map(|frame| frame.container);
            match (byte, inner) {
                (b'}' | b']', _) => {
                    let container = if byte == b'}' { Container::Object } else { Container::Array };
                    let outer = self.stack.iter().take(open).rposition(|frame| frame.container == container);
                    match outer {
                        Some(depth) if clean || depth + 1 == open => open = depth,
                        _ if clean => fits = false,
                        // Too many of them, and no other quote that might be the end.
                        None if open == 0 && self.only_closers(at) => {
                            return seen.inner.is_multiple_of(2) && self.depth(place, seen) <= 0;
                        }
                        _ => return false,
                    }
                    at += 1;
                }
                (b',', _) => {
                    let entry = self.pass(at + 1);
                    match (self.byte(entry), inner) {
                        (None | Some(b'}' | b']'), _) => at = entry,
                        (Some(b','), _) if is_paired => at = entry,
                        (Some(_), Some(Container::Object)) => {
                            return self.key_at(entry).is_some_and(|key| match key.colon {
                                Colon::Missing => clean && key.known.is_some() || is_open_json && is_paired,
                                _ => is_paired || key.known.is_some(),
                            });
                        }
                        (Some(_), Some(Container::Array)) => {
                            return clean || is_paired && self.is_value_at(entry) || self.is_call_at(entry);
                        }
                        (Some(_), None) => return clean || self.is_call_at(entry),
                    }
                }
                (b'{', None) => return clean || self.is_call_at(at),
                (b'`', None) if self.rules.dialect == Dialect::Json => return self.rest(at).starts_with("```"),
                // Prose does not begin with a quote, escaped or not; what is left of a text does.
                (_, None) if clean && byte != b'\\' && self.quote(at).is_none() => {
                    self.rules.is_ambiguous.set(true);
                    return !self.rules.loose;
                }
                (_, None) => return false,
                // Only a comma may be missing here.
                (_, Some(Container::Object)) if !is_open_json => {
                    return clean && fits && self.key_at(at).is_some_and(KeyAhead::is_sure);
                }
                (_, Some(Container::Array)) if !is_open_json && open == 1 => return clean && fits && byte == b'{',
                (_, Some(_)) => return clean && fits,
            }
        }
    }

    /// Whether a key with its colon stands here that may be one of the known.
    fn may_be_known(&self, at: usize) -> bool {
        let has_colon = |(_, end): (&str, usize)| self.byte(self.pass(end)) == Some(b':');
        self.rules.dialect == Dialect::Block && self.key_text(at).is_some_and(has_colon)
    }

    fn is_call_at(&self, at: usize) -> bool {
        let key = || self.key_at(self.pass(at + 1));
        self.byte(at) == Some(b'{') && key().is_some_and(|key| key.known.is_some())
    }

    fn is_value_at(&self, at: usize) -> bool {
        let first = self.byte(at).unwrap_or_default();
        matches!(first, b'{' | b'[' | b'-' | b'.' | b'0'..=b'9')
            || first.is_ascii_alphabetic()
            || self.quote(at).is_some()
    }

    /// How many brackets are open in the string up to a place.
    fn depth(&self, place: usize, seen: &mut Seen) -> isize {
        for byte in self.text.as_bytes().get(seen.counted..place).unwrap_or_default() {
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
fn ends_with_prefix(text: &str) -> bool {
    let is_prefix = |byte: &u8| matches!(byte, b'f' | b'F' | b'r' | b'R' | b'b' | b'B' | b'u' | b'U');
    match text.as_bytes() {
        [.., before, first, last] if is_prefix(first) && is_prefix(last) => !is_name(*before),
        [.., before, last] => is_prefix(last) && !is_name(*before),
        _ => false,
    }
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
