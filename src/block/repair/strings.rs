//! Reads strings: their quotes, their text, and concatenations. `ends` decides where a string ends, `escapes` what its
//! backslashes mean.

use super::ends::StringEnd;
use super::escapes::{Backslashes, EscapeReading, Facts};
use super::fix::FixKind;
use super::part;
use super::syntax::{Repairer, Unrepairable};
use crate::value::{has_one_stroke, has_two_strokes, run_length, write_escape};

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

impl QuoteKind {
    /// The character that must be escaped in the string.
    pub(super) const fn delimiter(self) -> Option<u8> {
        match self {
            Self::Double => Some(b'"'),
            Self::Single | Self::SmartSingle => Some(b'\''),
            Self::Back => Some(b'`'),
            Self::Smart | Self::Triple(_) => None,
        }
    }
}

/// An opening quote.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quote {
    pub(super) kind: QuoteKind,
    pub(super) length: usize,
}

/// The role of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringRole {
    Key,
    Value,
    /// The second part of a concatenation, e.g. `"a" + "b"`.
    Joined,
}

/// The longest run of quotes that is counted: six are an empty triple-quoted string.
const LONGEST_QUOTE: usize = 7;

impl Repairer<'_> {
    /// The opening quote at `at`.
    pub(super) fn quote(&self, at: usize) -> Option<Quote> {
        let (kind, length) = match self.byte(at) {
            byte @ (b'"' | b'\'') => {
                let marks = self.run(at, byte, LONGEST_QUOTE);
                // Four or five quotes open a text that begins with a quote, unless the value ends after them.
                let is_whole = || matches!(self.byte(self.pass(at + marks)), 0 | b',' | b'}' | b']');
                let is_triple = matches!(marks, 3 | 6) || (matches!(marks, 4 | 5) && !is_whole());
                match byte {
                    _ if is_triple => (QuoteKind::Triple(byte), 3),
                    b'"' => (QuoteKind::Double, 1),
                    _ => (QuoteKind::Single, 1),
                }
            }
            // A fence.
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

    /// The length of the quote at `at` if it may end a string with this opening quote; else 0.
    pub(super) fn closing(&self, Quote { kind, .. }: Quote, at: usize) -> usize {
        let first = self.byte(at);
        let closes = match kind {
            QuoteKind::Double => first == b'"',
            QuoteKind::Single => first == b'\'',
            QuoteKind::Back => first == b'`',
            QuoteKind::Smart => first == b'"' || has_two_strokes(self.char(at)),
            QuoteKind::SmartSingle => matches!(first, b'\'' | b'`') || has_one_stroke(self.char(at)),
            // The last three quotes of a run: those before them are text.
            QuoteKind::Triple(byte) => return 3 * usize::from(self.run(at, byte, 4) == 3),
        };
        if closes { self.char(at).len_utf8() } else { 0 }
    }

    /// The next offset in a string at which it may end, or at which an escape or control character stands.
    pub(super) fn next_special(&self, kind: QuoteKind, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + match kind {
            QuoteKind::Double | QuoteKind::Triple(b'"') => run_length(rest, b'"'),
            _ => {
                let special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\'' | b'\\' | b'`' | 0xc2 | 0xe2);
                rest.iter().position(special).unwrap_or(rest.len())
            }
        }
    }

    /// Reads a string that is a value.
    pub(super) fn string(&mut self, quote: Quote) -> Result<(), Unrepairable> {
        self.read(quote, StringRole::Value)?;
        self.value_ends(true);
        Ok(())
    }

    /// Reads a key.
    pub(super) fn quoted_key(&mut self, quote: Quote) -> Result<(), Unrepairable> {
        let start = self.at + quote.length;
        if let Some(end) = self.read(quote, StringRole::Key)? {
            self.key_ends(self.rules.key(self.part(start, end)));
        }
        Ok(())
    }

    /// Reads a string and writes it as JSON. Returns the offset of its closing quote, or `None` if a partial text ends in it.
    fn read(&mut self, quote: Quote, role: StringRole) -> Result<Option<usize>, Unrepairable> {
        let Quote { kind, length } = quote;
        let start = self.at + length;
        self.string = self.at;
        if kind != QuoteKind::Double {
            self.mark(FixKind::Quotes, self.at);
        }
        let end = self.string_end(quote, start, role)?;
        self.replace(self.at, start, if role == StringRole::Joined { "" } else { "\"" });
        let Some(StringEnd { place, inner, first_inner, .. }) = end else {
            return self.cut_string(start, kind, role == StringRole::Key);
        };
        // Triple quotes around a quoted text, or the reverse, e.g. `""""doc""""`.
        let is_twice = matches!(kind, QuoteKind::Triple(own)
            if place > start + 1 && self.byte(start) == own && self.byte(place - 1) == own);
        let lacks_colon = || self.marks.iter().any(|mark| mark.kind == FixKind::MissingColon);
        if self.rules.is_block() && (is_twice || inner > 0 && lacks_colon()) {
            return Err(Unrepairable);
        }
        if inner > 0 {
            self.delicate = true;
            self.mark_many(FixKind::UnescapedQuote, first_inner, inner);
        }
        self.write_text(start, place, kind, role == StringRole::Key)?;
        self.at = place + self.closing(quote, place);
        self.kept = self.at;
        self.put("\"");
        Ok(Some(place))
    }

    /// Ends a string that is cut off in a partial text. A value keeps the part that has arrived; a key is dropped.
    fn cut_string(&mut self, start: usize, kind: QuoteKind, is_key: bool) -> Result<Option<usize>, Unrepairable> {
        self.at = self.text.len();
        if !is_key {
            let end = self.whole_escapes(start);
            self.write_text(start, end, kind, false)?;
            self.put("\"");
        }
        self.kept = self.at;
        Ok(None)
    }

    /// The end of the text without an escape that is cut off, or a first half of a surrogate pair.
    fn whole_escapes(&self, start: usize) -> usize {
        let text = self.part(start, self.text.len()).as_bytes();
        let is_escape = |at: &usize| {
            let slashes = text.get(..=*at).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'\\').count();
            slashes % 2 == 1
        };
        let near = text.len().saturating_sub(6)..text.len();
        let Some(last) = near.rev().find(is_escape) else { return self.text.len() };
        let rest = text.get(last + 1..).unwrap_or_default();
        let is_open = match rest {
            [] => true,
            [b'u', digits @ ..] if digits.len() < 4 => hexes(digits) == digits.len(),
            [b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', _, _] => true,
            _ => false,
        };
        if is_open { start + last } else { self.text.len() }
    }

    /// Writes the text of a string as JSON.
    fn write_text(&mut self, start: usize, end: usize, kind: QuoteKind, is_key: bool) -> Result<(), Unrepairable> {
        if self.is_probe {
            return Ok(());
        }
        let body = self.part(start, end);
        let is_block = self.rules.is_block();
        let has_controls = body.bytes().any(|byte| byte < 0x20);
        let has_slash = body.as_bytes().contains(&b'\\');
        let is_sound = kind == QuoteKind::Double && !has_controls && sound_escapes(body, is_block);
        if is_sound || !has_slash && !has_controls && !body.as_bytes().contains(&b'"') {
            self.put(body);
            return Ok(());
        }
        // No key of a call has line breaks or invalid escapes: a quote is missing.
        if is_key && is_block {
            return Err(Unrepairable);
        }
        let reading = if is_block && has_slash { Facts::of(body, kind).reading(kind)? } else { EscapeReading::PLAIN };
        self.write_body(start, body, reading);
        Ok(())
    }

    fn write_body(&mut self, start: usize, body: &str, reading: EscapeReading) {
        let bytes = body.as_bytes();
        let (mut kept, mut at) = (0, 0);
        loop {
            at += run_length(bytes.get(at..).unwrap_or_default(), b'"');
            let Some(byte) = bytes.get(at).copied() else { break };
            if byte != b'\\' {
                if byte < 0x20 {
                    self.mark(FixKind::ControlCharacter, start + at);
                }
                self.put(part(body, kept..at));
                write_escape(&mut self.out, byte);
                at += 1;
                kept = at;
                continue;
            }
            let run = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'\\').count();
            let slash = at;
            at += run;
            let next = bytes.get(at).copied().unwrap_or_default();
            let drops = reading.drops(next);
            let is_json = match next {
                b'"' | b'/' => true,
                b'n' | b't' | b'r' => true,
                b'b' | b'f' => !self.rules.is_block(),
                b'u' => hexes(bytes.get(at + 1..).unwrap_or_default()) == 4,
                _ => false,
            };
            // The number of backslashes of the text, and whether the last one escapes the next character.
            let (slashes, escapes) = match reading.backslashes {
                Backslashes::Code => (run - usize::from(drops), false),
                Backslashes::Single if drops => (run - 1, false),
                Backslashes::Single if run == 1 && matches!(next, b'n' | b't' | b'r') => (0, true),
                Backslashes::Single => (run, false),
                Backslashes::Escape if run % 2 == 0 => (run / 2, false),
                Backslashes::Escape if drops => (run / 2, false),
                Backslashes::Escape if is_json => (run / 2, next != b'"'),
                Backslashes::Escape => (run / 2 + 1, false),
            };
            let is_sound = reading.backslashes == Backslashes::Escape && (run % 2 == 0 || is_json);
            if !(is_sound || drops && next == b'"') {
                self.mark(FixKind::InvalidEscape, start + slash);
            }
            self.put(part(body, kept..slash));
            for _ in 0..slashes {
                self.put("\\\\");
            }
            kept = at;
            if escapes {
                self.put("\\");
                at += 1;
            } else if next == b'"' {
                self.put("\\\"");
                at += 1;
                kept = at;
            }
        }
        self.put(part(body, kept..body.len()));
    }

    /// Joins the next string to the one that has just ended, e.g. `"a\n" + "b"`.
    pub(super) fn concatenate(&mut self) -> Result<(), Unrepairable> {
        let next = self.pass(self.at + 1);
        let Some(quote) = self.quote(next) else { return Err(Unrepairable) };
        self.mark(FixKind::Concatenation, self.at);
        if !self.is_probe {
            self.out.truncate(self.gap - 1);
        }
        self.kept = next;
        self.at = next;
        self.read(quote, StringRole::Joined)?;
        self.value_ends(true);
        Ok(())
    }
}

/// Whether all quotes of a text are escaped and all its escapes are valid.
fn sound_escapes(body: &str, is_block: bool) -> bool {
    let bytes = body.as_bytes();
    let mut at = 0;
    loop {
        at += run_length(bytes.get(at..).unwrap_or_default(), b'"');
        match bytes.get(at) {
            None => return true,
            Some(b'\\') => match bytes.get(at + 1) {
                // In a call `\b` is a regular expression, not a backspace, e.g. `"\bword"`.
                Some(b'b' | b'f') if is_block => return false,
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') if hexes(bytes.get(at + 2..).unwrap_or_default()) == 4 => at += 6,
                _ => return false,
            },
            Some(_) => return false,
        }
    }
}

/// The number of hexadecimal digits at the start of `text`, at most four.
pub(super) fn hexes(text: &[u8]) -> usize {
    text.iter().take(4).take_while(|digit| digit.is_ascii_hexdigit()).count()
}

pub(super) const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
