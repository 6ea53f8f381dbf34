//! Repairs strings: their quotes, what must be escaped in them, and where they end.

use super::fix::FixKind;
use super::pairs::{Quotes, ends_escape, hexes};
use super::quotes::is_name;
use super::syntax::{Fail, Repairer};
use super::{first, last, part};
use crate::value::{Container, has_one_stroke, has_two_strokes, run_length, write_escape};

/// The quotes around a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuoteKind {
    /// `"`
    Double,
    /// `'`
    Single,
    /// A backtick.
    Back,
    /// Typographic quotes, two strokes.
    Smart,
    /// Typographic quotes, one stroke.
    SmartSingle,
    /// `"""` or `'''`
    Triple(u8),
}

/// An opening quote.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quote {
    kind: QuoteKind,
    pub(super) length: usize,
}

/// What a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringRole {
    Key,
    Value,
    /// It goes on with the one before.
    Joined,
}

/// Whether a string was there as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringEnd {
    Whole,
    Cut,
}

/// So many quotes in a row begin nothing but an empty string.
const LONGEST_QUOTE: usize = 7;

/// What was seen of the string that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// Quotes in it that did not end it, and whether one of them stands beside structure.
    pub(super) inner: usize,
    touches: bool,
    /// After pairs of them one looked like its end, before another key or call, and was not taken for it.
    pub(super) ended: bool,
    /// Whether quotes in it are escaped.
    pub(super) escaped: bool,
    /// Brackets that are open in it, up to `counted`.
    pub(super) depth: isize,
    pub(super) counted: usize,
    /// There were escapes that JSON does not know.
    invalid: bool,
    /// Raw line breaks, and whether what follows one would be the rest of an escape.
    lines: usize,
    broken: bool,
    /// Escapes that JSON knows.
    escapes: usize,
    /// `\n` and the like.
    letters: bool,
    /// `\"` or `\\`: somebody escaped this text.
    own: bool,
    /// `\"` between quotes that are not escaped.
    nested: bool,
}

impl Seen {
    /// Whether the quotes in it that did not end it come in pairs.
    pub(super) const fn is_even(&self) -> bool {
        self.inner.is_multiple_of(2)
    }

    /// Whether it is unclear to whom the escapes belong: to JSON, or to the code of a text that nobody escaped, in which
    /// `\n` and `\"` are escapes of its own strings. In a text that is escaped, one raw line break may have been a backslash.
    const fn is_unclear(&self, kind: QuoteKind) -> bool {
        let is_raw = self.inner > 0 || self.invalid || matches!(kind, QuoteKind::Back | QuoteKind::Triple(_));
        let may_be_escape = self.lines == 1 && self.broken && self.escapes > 1;
        may_be_escape || self.lines > 0 && self.letters && !self.own && is_raw
    }
}

impl Repairer<'_> {
    /// The quote with which a string begins here.
    pub(super) fn quote(&self, at: usize) -> Option<Quote> {
        let (kind, length) = match self.byte(at) {
            byte @ (b'"' | b'\'') => {
                let marks = self.run(at, byte, LONGEST_QUOTE);
                // Four may be two in a text that ends there; else they begin a text that begins with one.
                let is_whole = || matches!(self.byte(self.pass(at + marks)), 0 | b',' | b'}' | b']');
                let is_triple = matches!(marks, 3 | 6) || (matches!(marks, 4 | 5) && !is_whole());
                match byte {
                    _ if is_triple && !matches!(self.quotes, Quotes::But(..)) => (QuoteKind::Triple(byte), 3),
                    b'"' => (QuoteKind::Double, 1),
                    _ => (QuoteKind::Single, 1),
                }
            }
            b'`' if self.run(at, b'`', 3) == 3 => return None,
            b'`' => (if self.rules.is_block() { QuoteKind::Back } else { QuoteKind::SmartSingle }, 1),
            0x80.. => match self.char(at) {
                char if has_two_strokes(char) => (QuoteKind::Smart, char.len_utf8()),
                char if has_one_stroke(char) => (QuoteKind::SmartSingle, char.len_utf8()),
                _ => return None,
            },
            _ => return None,
        };
        Some(Quote { kind, length })
    }

    /// How long the quote is that may end a string here.
    pub(super) fn closing(&self, Quote { kind, .. }: Quote, at: usize) -> usize {
        let first = self.byte(at);
        let closes = match kind {
            QuoteKind::Double => first == b'"',
            QuoteKind::Single => first == b'\'',
            QuoteKind::Back => first == b'`',
            QuoteKind::Smart => first == b'"' || has_two_strokes(self.char(at)),
            QuoteKind::SmartSingle => matches!(first, b'\'' | b'`') || has_one_stroke(self.char(at)),
            // The last three of a run: those before them are text.
            QuoteKind::Triple(byte) => return 3 * usize::from(self.run(at, byte, 4) == 3),
        };
        if closes { self.char(at).len_utf8() } else { 0 }
    }

    /// The next place in a string that needs a look.
    fn next_special(&self, kind: QuoteKind, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + match kind {
            QuoteKind::Double | QuoteKind::Triple(b'"') => run_length(rest, b'"'),
            _ => {
                let special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\'' | b'\\' | b'`' | 0xc2 | 0xe2);
                rest.iter().position(special).unwrap_or(rest.len())
            }
        }
    }

    pub(super) fn string(&mut self, quote: Quote) -> Result<(), Fail> {
        self.read(quote, StringRole::Value)?;
        self.value_ends(true);
        Ok(())
    }

    pub(super) fn quoted_key(&mut self, quote: Quote) -> Result<(), Fail> {
        self.keep(self.at);
        let start = self.out.len() + 1;
        if self.read(quote, StringRole::Key)? == StringEnd::Whole {
            self.key_ends(self.rules.key(part(&self.out, start..self.out.len() - 1)));
        }
        Ok(())
    }

    fn read(&mut self, quote: Quote, role: StringRole) -> Result<StringEnd, Fail> {
        let Quote { kind, length } = quote;
        let is_key = role == StringRole::Key;
        // The key of a call has no faults of its own.
        let is_name = is_key && self.rules.is_block();
        self.string = self.at;
        if kind != QuoteKind::Double {
            self.mark(FixKind::Quotes, self.at);
        }
        self.replace(self.at, self.at + length, if role == StringRole::Joined { "" } else { "\"" });
        let start = self.out.len();
        let mut place = self.kept;
        let mut seen = Seen { counted: place, ..Seen::default() };
        loop {
            place = self.next_special(kind, place);
            let byte = self.byte(place);
            match byte {
                0 if place >= self.text.len() => return self.open_end(is_key),
                b'\\' => match self.escape(kind, place, &mut seen) {
                    0 => {
                        self.keep(place);
                        self.kept = self.text.len();
                        return self.open_end(is_key);
                    }
                    length => {
                        seen.escapes += usize::from(length > 1);
                        place += length;
                    }
                },
                0..0x20 => {
                    seen.lines += usize::from(byte == b'\n');
                    if byte == b'\n' && seen.lines == 1 {
                        let next = place + 1 + self.run(place + 1, b'\\', 1);
                        seen.broken = ends_escape(self.rest(next).as_bytes(), b"nrtbf");
                    }
                    seen.invalid |= is_name;
                    self.escape_char(FixKind::ControlCharacter, place);
                    place += 1;
                }
                _ => match self.closing(quote, place) {
                    0 if byte == b'"' => {
                        self.replace(place, place + 1, "\\\"");
                        place += 1;
                    }
                    0 => place += self.char(place).len_utf8(),
                    length => {
                        // What follows may not have arrived yet.
                        let after = place + length;
                        let ends = match (self.quotes, kind) {
                            (Quotes::Sound, QuoteKind::Double) if !self.may_be_cut(after) => true,
                            (Quotes::But(from, to), QuoteKind::Double) => !(from..=to).contains(&place),
                            _ if is_key => true,
                            _ if self.is_apostrophe(place, after) => {
                                self.delicate = true;
                                self.quote_in_text(place);
                                place = after;
                                continue;
                            }
                            _ => self.rules.partial || self.closes(after, &mut seen)?,
                        };
                        if ends {
                            self.replace(place, after, "\"");
                            self.at = after;
                            break;
                        }
                        let is_known = matches!(self.quotes, Quotes::But(..));
                        let is_torn = !is_known && seen.inner == 0 && self.looks_like_end(after, seen.escaped);
                        if is_key || is_torn || self.quotes == Quotes::Sound {
                            return Err(Fail::Unclear);
                        }
                        self.inner_quote(place)?;
                        seen.inner += 1;
                        seen.touches |= self.touches(place, after);
                        place = after;
                        // Of many in a row only the last few may be an end.
                        while self.run(place, byte, LONGEST_QUOTE + 1) > LONGEST_QUOTE {
                            self.quote_in_text(place);
                            seen.inner += 1;
                            place += 1;
                        }
                    }
                },
            }
            if is_name && seen.invalid {
                return Err(Fail::Unclear);
            }
        }
        let is_block = self.rules.is_block();
        let is_paired = if is_block && kind == QuoteKind::Double {
            self.quotes != Quotes::Unknown || seen.is_even() && !seen.nested
        } else {
            // One of an odd number that stands beside structure belongs to another string: a quote is missing.
            seen.is_even() || !seen.touches
        };
        // Three quotes around a text in quotes, or one around a text in three.
        let is_twice = matches!(kind, QuoteKind::Triple(quote)
            if self.at > self.string + 7 && self.byte(self.string + 3) == quote && self.byte(self.at - 4) == quote);
        if !is_paired || is_block && (is_twice || seen.ended || seen.is_unclear(kind)) {
            return Err(Fail::Unclear);
        }
        if seen.invalid {
            self.keep_suspects(start)?;
        }
        Ok(StringEnd::Whole)
    }

    /// Whether the text ends after a string, but for brackets: then it may have been cut off in that.
    fn may_be_cut(&self, after: usize) -> bool {
        self.rest(after).bytes().all(|byte| matches!(byte, b'}' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n'))
    }

    /// A quote that belongs to the text.
    fn inner_quote(&mut self, place: usize) -> Result<(), Fail> {
        // After an escaped backslash: a backslash is missing, or is one too many.
        let is_half_escaped = place > 0 && self.byte(place - 1) == b'\\';
        if self.rules.is_block() && (self.fragile || is_half_escaped || self.begins_call(place)) {
            return Err(Fail::Unclear);
        }
        self.delicate = true;
        self.quote_in_text(place);
        Ok(())
    }

    /// Whether the quote stands in a word, as in `it's`.
    fn is_apostrophe(&self, place: usize, after: usize) -> bool {
        let goes_on = matches!(self.byte(after), b'A'..=b'Z' | b'a'..=b'z' | 0xc3..=0xdf);
        goes_on && matches!(self.char(place), '\'' | '’') && is_name(self.byte(place - 1))
    }

    /// Whether a quote in a string stands beside what stands between strings: a colon, or in a list a comma.
    fn touches(&self, place: usize, after: usize) -> bool {
        let between = if self.container() == Some(Container::Array) { b"," } else { b":" };
        between.contains(&last(self.part(self.string, place).trim_ascii_end()))
            || between.contains(&first(self.rest(after).trim_ascii_start()))
    }

    /// Whether structure stands behind a quote: quotes in a text come in pairs, and this would be the second of one. In a call
    /// it may be of a text of code, but for one that ends a line, or where those of the text are escaped.
    fn looks_like_end(&self, after: usize, is_escaped: bool) -> bool {
        let rest = self.rest(after).trim_ascii_start();
        let ends_line = || [",\n", ",\r\n"].iter().any(|end| rest.starts_with(end));
        b",:;}]".contains(&first(rest)) && (!self.rules.is_block() || is_escaped || ends_line())
    }

    /// Only a straight quote of two strokes needs an escape in JSON; others may be longer than a byte.
    fn quote_in_text(&mut self, place: usize) {
        self.mark(FixKind::UnescapedQuote, place);
        if self.byte(place) == b'"' {
            self.replace(place, place + 1, "\\\"");
        }
    }

    /// Escapes what stands somewhere, of one byte.
    fn escape_char(&mut self, kind: FixKind, place: usize) {
        self.mark(kind, place);
        self.keep(place);
        let byte = self.byte(place);
        write_escape(&mut self.out, byte);
        self.kept += 1;
    }

    /// Reads an escape and tells how long it is; 0 where the text ends in it.
    fn escape(&mut self, kind: QuoteKind, place: usize, seen: &mut Seen) -> usize {
        let byte = self.byte(place + 1);
        seen.escaped |= matches!(byte, b'"' | b'\'' | b'`');
        match byte {
            0 if place + 1 >= self.text.len() => return 0,
            b'"' | b'\\' => {
                seen.own = true;
                seen.nested |= byte == b'"' && !seen.is_even();
                return 2;
            }
            b'n' | b'r' | b't' | b'b' | b'f' => {
                // Nobody writes the indentation of code with escapes, but who escapes it.
                let indents = byte == b't' && self.indents(place);
                seen.own |= indents;
                seen.letters |= !indents;
                return 2;
            }
            b'/' => return 2,
            b'u' => {
                let digits = self.text.as_bytes().get(place + 2..).unwrap_or_default();
                match hexes(digits) {
                    4 => return 6,
                    hex if hex == digits.len() => return 0,
                    _ => {}
                }
            }
            // These quotes need an escape in their own strings, and `${` in a template.
            b'\'' if matches!(kind, QuoteKind::Single | QuoteKind::SmartSingle | QuoteKind::Triple(b'\'')) => {
                return self.unescape(place);
            }
            b'`' | b'$' if matches!(kind, QuoteKind::Back | QuoteKind::SmartSingle) => return self.unescape(place),
            // In a call it may be code, which has strings of its own.
            b'\'' if !self.rules.is_block() => {
                self.mark(FixKind::InvalidEscape, place);
                return self.unescape(place);
            }
            _ => {}
        }
        seen.invalid = true;
        self.escape_char(FixKind::InvalidEscape, place);
        1
    }

    fn unescape(&mut self, place: usize) -> usize {
        self.replace(place, place + 1, "");
        2
    }

    /// Whether what stands here begins a line, or goes on with its beginning.
    fn indents(&self, place: usize) -> bool {
        let before = self.part(0, place);
        ["\n", "\\t", "\\n"].iter().any(|end| before.ends_with(end))
    }

    /// Where other backslashes are text, those of `\b` and `\f` are too: nobody writes a backspace, but word boundaries. What
    /// a line break or a tab is that stands in one name with another, as in `C:\Users\new`, nobody knows.
    fn keep_suspects(&mut self, start: usize) -> Result<(), Fail> {
        let text = self.out.split_off(start);
        let (mut kept, mut at, mut in_name) = (0, 0, false);
        while let Some(byte) = text.as_bytes().get(at) {
            if *byte == b'\\' {
                at += 1;
                let escape = part(&text, at..text.len()).as_bytes();
                if matches!(escape, [b'b' | b'f', ..]) {
                    self.out.push_str(part(&text, kept..at));
                    self.out.push('\\');
                    kept = at;
                }
                if in_name && matches!(escape, [b'n' | b'r' | b't', ..]) && !self.rules.partial {
                    return Err(Fail::Unclear);
                }
                in_name = matches!(escape, [b'\\' | b'b' | b'f', b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z', ..]);
            } else {
                in_name &= is_name(*byte) || matches!(byte, b'-' | b'.');
            }
            at += 1;
        }
        self.out.push_str(part(&text, kept..text.len()));
        Ok(())
    }

    /// The text ends inside the string.
    fn open_end(&mut self, is_key: bool) -> Result<StringEnd, Fail> {
        if !self.rules.partial {
            return Err(Fail::Open);
        }
        self.at = self.text.len();
        if !is_key {
            self.keep(self.at);
            self.drop_half_pair();
            self.out.push('"');
        }
        Ok(StringEnd::Cut)
    }

    /// The first half of an escaped pair whose second half has not arrived.
    fn drop_half_pair(&mut self) {
        let start = self.out.len().saturating_sub(6);
        let [before @ .., b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', _, _] =
            self.out.as_bytes()
        else {
            return;
        };
        if before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0 {
            self.out.truncate(start);
        }
    }

    /// Joins the next string to the one that has just ended.
    pub(super) fn concatenate(&mut self) -> Result<(), Fail> {
        let next = self.pass(self.at + 1);
        let Some(quote) = self.quote(next) else { return Err(Fail::Unclear) };
        self.mark(FixKind::Concatenation, self.at);
        self.out.truncate(self.gap - 1);
        self.kept = next;
        self.at = next;
        self.read(quote, StringRole::Joined)?;
        self.value_ends(true);
        Ok(())
    }
}
