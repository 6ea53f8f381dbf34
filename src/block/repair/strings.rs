//! Reads strings and concatenations, and writes them as JSON. `ends` decides where a string ends, `escapes` what its
//! backslashes mean.

use super::ends::StringEnd;
use super::escapes::{Backslashes, EscapeReading, Facts};
use super::fix::FixKind;
use super::part;
use super::quotes::{Quote, QuoteKind, StringRole, hexes};
use super::syntax::{LastValueKind, Repairer};
use super::unrepairable::{Doubt, RepairResult, Unrepairable};
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
    pub(super) fn string(&mut self, quote: Quote) -> RepairResult {
        self.read(quote, StringRole::Value)?;
        self.end_value(LastValueKind::String);
        Ok(())
    }

    /// Reads a key with quotes.
    pub(super) fn quoted_key(&mut self, quote: Quote) -> RepairResult {
        let start = self.at + quote.length;
        if let Some(end) = self.read(quote, StringRole::Key)? {
            self.end_key(self.rules.key_kind(self.part(start, end)));
        }
        Ok(())
    }

    /// Reads a string and writes it as JSON. Returns the offset of its closing quote, or `None` if a partial text ends in it.
    ///
    /// `string_end` finds its end. A block with two faults that both hide the ends of strings is ambiguous.
    fn read(&mut self, quote: Quote, role: StringRole) -> RepairResult<Option<usize>> {
        let Quote { kind, length } = quote;
        let start = self.at + length;
        self.last.string = self.at;
        if kind != QuoteKind::Double {
            // repair: other quotes, e.g. `'a'`, `“a”`, or three of them
            self.record(FixKind::Quotes, self.at);
        }
        let end = self.string_end(quote, start, role)?;
        // A joined string continues the one before it, whose opening quote stands already.
        self.replace(self.at, start, if role == StringRole::Joined { "" } else { "\"" });
        let Some(StringEnd { quote_at, inner_quotes, first_inner, .. }) = end else {
            return self.cut_string(start, kind, role);
        };
        // Triple quotes around a quoted text, or the reverse, e.g. `""""doc""""`.
        let has_quotes_twice = matches!(kind, QuoteKind::Triple(quote)
            if quote_at > start + 1 && self.byte(start) == quote && self.byte(quote_at - 1) == quote);
        // If a colon was missing before, unescaped quotes may be those of keys and values as well.
        let has_missing_colon = || self.out.marks.iter().any(|mark| mark.kind == FixKind::MissingColon);
        if self.rules.is_block() && (has_quotes_twice || inner_quotes > 0 && has_missing_colon()) {
            return Err(Unrepairable::Ambiguous(Doubt::End));
        }
        if inner_quotes > 0 {
            self.has_inferred_end = true;
            // repair: unescaped quotes, e.g. `"say "hi" to"`
            self.record_many(FixKind::UnescapedQuote, first_inner, inner_quotes);
        }
        self.write_text(start, quote_at, kind, role)?;
        self.at = quote_at + self.closing(quote, quote_at);
        self.out.copied_to = self.at;
        self.write("\"");
        Ok(Some(quote_at))
    }

    /// Ends a string that is cut off in a partial text. A value keeps the part that has arrived; a key is dropped.
    fn cut_string(&mut self, start: usize, kind: QuoteKind, role: StringRole) -> RepairResult<Option<usize>> {
        self.at = self.text.len();
        if role != StringRole::Key {
            let end = self.complete_end(start);
            self.write_text(start, end, kind, role)?;
            self.write("\"");
        }
        self.out.copied_to = self.at;
        Ok(None)
    }

    /// The offset up to which the cut-off string that begins at `start` is kept: without a cut escape at its end, and without the
    /// first half of a surrogate pair there.
    fn complete_end(&self, start: usize) -> usize {
        let mut text = self.part(start, self.text.len()).as_bytes();
        loop {
            // Whether the byte is a backslash that begins an escape: the last one of an odd number of backslashes.
            let is_escape = |at: &usize| {
                let slashes =
                    text.get(..=*at).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'\\').count();
                slashes % 2 == 1
            };
            // An escape has at most six bytes, e.g. `\u00e9`.
            let tail = text.len().saturating_sub(6)..text.len();
            let Some(last) = tail.rev().find(is_escape) else { break };
            let is_cut = match text.get(last + 1..).unwrap_or_default() {
                [] => true,
                [b'u', digits @ ..] if digits.len() < 4 => hexes(digits) == digits.len(),
                // A high surrogate, U+D800 to U+DBFF: its low surrogate has not arrived.
                [b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B', _, _] => true,
                _ => false,
            };
            if !is_cut {
                break;
            }
            // The cut escape may be the low surrogate of a high one before it, e.g. `\ud83d\ude0`.
            text = text.get(..last).unwrap_or_default();
        }
        start + text.len()
    }

    /// Writes the text of a string, from `start` to `end` in the input, as JSON without the quotes around it. Text that is valid
    /// in JSON is copied; in a tool block, `escapes` decides what the backslashes of any other text mean.
    fn write_text(&mut self, start: usize, end: usize, kind: QuoteKind, role: StringRole) -> RepairResult {
        if self.is_probe() {
            return Ok(());
        }
        let body = self.part(start, end);
        let is_block = self.rules.is_block();
        let has_controls = body.bytes().any(|byte| byte < 0x20);
        let has_slash = body.as_bytes().contains(&b'\\');
        let is_valid = kind == QuoteKind::Double && !has_controls && has_valid_escapes(body, is_block);
        let needs_no_escape = || !has_slash && !has_controls && !body.as_bytes().contains(&b'"');
        if is_valid || needs_no_escape() {
            self.write(body);
            return Ok(());
        }
        // No key of a call has line breaks or invalid escapes: a quote is missing.
        if role == StringRole::Key && is_block {
            return Err(Unrepairable::NoFix);
        }
        let reading = if is_block && has_slash { Facts::of(body, kind).reading(kind)? } else { EscapeReading::PLAIN };
        self.write_body(start, body, reading);
        Ok(())
    }

    /// Writes the text of a string whose backslashes have this reading. `start` is its offset in the input.
    ///
    /// Control characters and quotes are escaped. A run of backslashes is taken together with the character after it: the reading
    /// says how many backslashes the text has there, each of which is written as two, and whether the last one of the run makes
    /// that character an escape.
    fn write_body(&mut self, start: usize, body: &str, reading: EscapeReading) {
        let bytes = body.as_bytes();
        // The body before `copied_to` has been written.
        let (mut copied_to, mut at) = (0, 0);
        loop {
            at += run_length(bytes.get(at..).unwrap_or_default(), b'"');
            let Some(byte) = bytes.get(at).copied() else { break };
            if byte != b'\\' {
                if byte < 0x20 {
                    // repair: raw line break or tab in a string
                    self.record(FixKind::ControlCharacter, start + at);
                }
                self.write(part(body, copied_to..at));
                write_escape(&mut self.out.text, byte);
                at += 1;
                copied_to = at;
                continue;
            }
            let run = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'\\').count();
            let run_start = at;
            at += run;
            let next = bytes.get(at).copied().unwrap_or_default();
            let drops = reading.drops(next);
            // Whether a backslash before `next` is an escape of JSON.
            let is_json_escape = match next {
                b'"' | b'/' | b'n' | b't' | b'r' => true,
                // In a call `\b` is a regular expression, not a backspace.
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
                // A quote is escaped below in any case.
                Backslashes::Escape if is_json_escape => (run / 2, next != b'"'),
                // An escape that JSON does not have keeps its backslash.
                Backslashes::Escape => (run / 2 + 1, false),
            };
            let is_valid = reading.backslashes == Backslashes::Escape && (run % 2 == 0 || is_json_escape);
            if !(is_valid || drops && next == b'"') {
                // repair: escape that JSON does not have, e.g. `"\d"`
                self.record(FixKind::InvalidEscape, start + run_start);
            }
            self.write(part(body, copied_to..run_start));
            for _ in 0..slashes {
                self.write("\\\\");
            }
            // `next` is copied with the text after it, unless it is a quote.
            copied_to = at;
            if escapes {
                self.write("\\");
                at += 1;
            } else if next == b'"' {
                self.write("\\\"");
                at += 1;
                copied_to = at;
            }
        }
        self.write(part(body, copied_to..body.len()));
    }

    /// Joins the next string to the one that has just ended, e.g. `"a\n" + "b"`.
    pub(super) fn concatenate(&mut self) -> RepairResult {
        let next = self.after_comments(self.at + 1);
        let Some(quote) = self.quote(next) else { return Err(Unrepairable::NoFix) };
        // repair: sum of strings, e.g. `"a" + "b"`
        self.record(FixKind::Concatenation, self.at);
        if !self.is_probe() {
            // Removes the closing quote of the string before, and what follows it: `gap` is the offset after that quote.
            self.out.text.truncate(self.out.gap - 1);
        }
        self.out.copied_to = next;
        self.at = next;
        self.read(quote, StringRole::Joined)?;
        self.end_value(LastValueKind::String);
        Ok(())
    }
}

/// Whether all quotes of a text are escaped and all its escapes are valid.
fn has_valid_escapes(body: &str, is_block: bool) -> bool {
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
