//! Reads strings and concatenations, and writes them as JSON. `ends` decides where a string ends, `escapes` what its
//! backslashes mean.

use super::ends::StringEnd;
use super::escapes::{Backslashes, EscapeReading, Facts};
use super::fix::FixKind;
use super::part;
use super::quotes::{Quote, QuoteKind, StringRole, hexes};
use super::syntax::{LastValueKind, Repairer};
use super::unrepairable::{Doubt, Repaired, Unrepairable};
use crate::value::{run_length, write_escape};

impl Repairer<'_> {
    /// The offset of the next byte in a string that may begin its closing quote, an escape or a control character.
    pub(super) fn next_special(&self, kind: QuoteKind, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        at + match kind {
            QuoteKind::Double | QuoteKind::Triple(b'"') => run_length(rest, b'"'),
            _ => {
                // 0xc2 and 0xe2 are the first bytes of typographic quotes.
                let special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\'' | b'\\' | b'`' | 0xc2 | 0xe2);
                rest.iter().position(special).unwrap_or(rest.len())
            }
        }
    }

    /// Reads a string that is a value.
    pub(super) fn string(&mut self, quote: Quote) -> Repaired {
        self.read(quote, StringRole::Value)?;
        self.end_value(LastValueKind::String);
        Ok(())
    }

    /// Reads a key.
    pub(super) fn quoted_key(&mut self, quote: Quote) -> Repaired {
        let start = self.at + quote.length;
        if let Some(end) = self.read(quote, StringRole::Key)? {
            self.end_key(self.rules.key_kind(self.part(start, end)));
        }
        Ok(())
    }

    /// Reads a string and writes it as JSON. Returns the offset of its closing quote, or `None` if a partial text ends in it.
    fn read(&mut self, quote: Quote, role: StringRole) -> Repaired<Option<usize>> {
        let Quote { kind, length } = quote;
        let start = self.at + length;
        self.last.string = self.at;
        if kind != QuoteKind::Double {
            // repair: other quotes, e.g. `'a'`, `“a”`, or three of them
            self.record(FixKind::Quotes, self.at);
        }
        let end = self.string_end(quote, start, role)?;
        self.replace(self.at, start, if role == StringRole::Joined { "" } else { "\"" });
        let Some(StringEnd { place, inner, first_inner, .. }) = end else {
            return self.cut_string(start, kind, role == StringRole::Key);
        };
        // Triple quotes around a quoted text, or the reverse, e.g. `""""doc""""`.
        let is_twice = matches!(kind, QuoteKind::Triple(quote)
            if place > start + 1 && self.byte(start) == quote && self.byte(place - 1) == quote);
        let lacks_colon = || self.out.marks.iter().any(|mark| mark.kind == FixKind::MissingColon);
        if self.rules.is_block() && (is_twice || inner > 0 && lacks_colon()) {
            return Err(Unrepairable::Ambiguous(Doubt::End));
        }
        if inner > 0 {
            self.has_inferred_end = true;
            // repair: unescaped quotes, e.g. `"say "hi" to"`
            self.record_many(FixKind::UnescapedQuote, first_inner, inner);
        }
        self.write_text(start, place, kind, role == StringRole::Key)?;
        self.at = place + self.closing(quote, place);
        self.out.copied = self.at;
        self.write("\"");
        Ok(Some(place))
    }

    /// Ends a string that is cut off in a partial text. A value keeps the part that has arrived; a key is dropped.
    fn cut_string(&mut self, start: usize, kind: QuoteKind, is_key: bool) -> Repaired<Option<usize>> {
        self.at = self.text.len();
        if !is_key {
            let end = self.whole_escapes(start);
            self.write_text(start, end, kind, false)?;
            self.write("\"");
        }
        self.out.copied = self.at;
        Ok(None)
    }

    /// The offset up to which the text is kept: without a cut escape or the first half of a surrogate pair at its end.
    fn whole_escapes(&self, start: usize) -> usize {
        let text = self.part(start, self.text.len()).as_bytes();
        let is_escape = |at: &usize| {
            let slashes = text.get(..=*at).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'\\').count();
            slashes % 2 == 1
        };
        // An escape has at most six bytes, e.g. `\u00e9`.
        let tail = text.len().saturating_sub(6)..text.len();
        let Some(last) = tail.rev().find(is_escape) else { return self.text.len() };
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
    fn write_text(&mut self, start: usize, end: usize, kind: QuoteKind, is_key: bool) -> Repaired {
        if self.is_probe() {
            return Ok(());
        }
        let body = self.part(start, end);
        let is_block = self.rules.is_block();
        let has_controls = body.bytes().any(|byte| byte < 0x20);
        let has_slash = body.as_bytes().contains(&b'\\');
        let is_sound = kind == QuoteKind::Double && !has_controls && sound_escapes(body, is_block);
        if is_sound || !has_slash && !has_controls && !body.as_bytes().contains(&b'"') {
            self.write(body);
            return Ok(());
        }
        // No key of a call has line breaks or invalid escapes: a quote is missing.
        if is_key && is_block {
            return Err(Unrepairable::NoFix);
        }
        let reading = if is_block && has_slash { Facts::of(body, kind).reading(kind)? } else { EscapeReading::PLAIN };
        self.write_body(start, body, reading);
        Ok(())
    }

    /// Writes the text of a string whose backslashes have this reading. `start` is its offset in the input.
    fn write_body(&mut self, start: usize, body: &str, reading: EscapeReading) {
        let bytes = body.as_bytes();
        let (mut kept, mut at) = (0, 0);
        loop {
            at += run_length(bytes.get(at..).unwrap_or_default(), b'"');
            let Some(byte) = bytes.get(at).copied() else { break };
            if byte != b'\\' {
                if byte < 0x20 {
                    // repair: raw line break or tab in a string
                    self.record(FixKind::ControlCharacter, start + at);
                }
                self.write(part(body, kept..at));
                write_escape(&mut self.out.text, byte);
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
                // repair: escape that JSON does not have, e.g. `"\d"`
                self.record(FixKind::InvalidEscape, start + slash);
            }
            self.write(part(body, kept..slash));
            for _ in 0..slashes {
                self.write("\\\\");
            }
            kept = at;
            if escapes {
                self.write("\\");
                at += 1;
            } else if next == b'"' {
                self.write("\\\"");
                at += 1;
                kept = at;
            }
        }
        self.write(part(body, kept..body.len()));
    }

    /// Joins the next string to the one that has just ended, e.g. `"a\n" + "b"`.
    pub(super) fn concatenate(&mut self) -> Repaired {
        let next = self.after_comments(self.at + 1);
        let Some(quote) = self.quote(next) else { return Err(Unrepairable::NoFix) };
        // repair: sum of strings, e.g. `"a" + "b"`
        self.record(FixKind::Concatenation, self.at);
        if !self.is_probe() {
            self.out.text.truncate(self.out.gap - 1);
        }
        self.out.copied = next;
        self.at = next;
        self.read(quote, StringRole::Joined)?;
        self.end_value(LastValueKind::String);
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
