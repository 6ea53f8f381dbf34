//! Reads strings: runs of text, escapes, surrogate pairs.

use super::{Container, Expect, FaultKind, Lexer, Role, Sink, Stop, Token, blank_lines_length, char_len};
use crate::value::scan::run_length;
use crate::value::text::hex;

impl Lexer {
    /// The role of a string that begins here; `None` where the grammar allows no string.
    const fn role(&self) -> Option<Role> {
        match self.expect {
            Expect::Value | Expect::ValueOrClose | Expect::Joint => Some(Role::Value),
            Expect::Key | Expect::KeyOrClose => Some(Role::Key),
            Expect::Colon | Expect::CommaOrClose(_) | Expect::End => None,
        }
    }

    /// Reads a string without escapes that ends in the current piece, the most frequent case; `None` for other strings.
    pub(super) fn whole_string(&mut self, text: &str, sink: &mut dyn Sink) -> Option<(usize, Stop)> {
        let role = self.role()?;
        let after_quote = text.get(1..)?;
        let run = run_length(after_quote.as_bytes(), b'"');
        if after_quote.as_bytes().get(run) != Some(&b'"') {
            return None;
        }
        sink.string(role, after_quote.get(..run)?, self.offset);
        let length_with_quotes = run + 2;
        Some((length_with_quotes, self.string_ends(role)))
    }

    /// Updates the expectation after a string in quotes.
    fn string_ends(&mut self, role: Role) -> Stop {
        if role == Role::Value {
            return self.value_ends();
        }
        (self.expect, self.is_key_bare) = (Expect::Colon, false);
        Stop::Input
    }

    /// Begins a string whose opening quote is the current character. Where the grammar allows no string, that is a fault. After a
    /// value of an object, a tolerant lexer assumes that a comma is missing, and reads a key; elsewhere it reads a value.
    pub(super) fn begin_string(&mut self, quote: u8, sink: &mut dyn Sink) -> Stop {
        let role = match self.role() {
            Some(role) => role,
            None => {
                // An unexpected value is a reason for doubt, unless it only lacks its colon. Of a key the next token decides.
                let is_key = matches!(self.expect, Expect::CommaOrClose(Container::Object));
                if !is_key && !self.lacks_colon(sink) {
                    self.doubt();
                }
                // For a quote that is not ASCII, `tolerant.rs` has recorded the fault, and this one is ignored.
                if self.record_fault(FaultKind::Unexpected(char::from(quote)), self.offset) == Stop::Fault {
                    return Stop::Fault;
                }
                if is_key { Role::Key } else { Role::Value }
            }
        };
        sink.begin_string(role, self.offset);
        (self.token, self.quote, self.role) = (Token::String, quote, role);
        Stop::Input
    }

    /// Reads a run of text in a string, and the character that ends the run, at which faults are recorded: hence the offset.
    pub(super) fn string(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let run = self.plain_run(text, sink);
        let Some(rest) = text.get(run..).filter(|rest| !rest.is_empty()) else { return (run, Stop::Input) };
        self.offset += run;
        let (end_length, stop) = self.end_run(rest, sink);
        (run + end_length, stop)
    }

    /// Reads the character that ends a run of text in a string: a backslash, a control character, or the closing quote.
    pub(super) fn end_run(&mut self, text: &str, sink: &mut dyn Sink) -> (usize, Stop) {
        let role = self.role;
        let byte = text.as_bytes().first().copied().unwrap_or_default();
        match byte {
            b'\\' => self.token = Token::Escape,
            // No control character, so the closing quote.
            0x20.. => {
                self.end_high_surrogate(sink);
                sink.end_string(role);
                self.token = Token::None;
                return (char_len(text), self.string_ends(role));
            }
            _ => {
                let char = char::from(byte);
                if self.record_fault(FaultKind::Control(char), self.offset) == Stop::Fault {
                    return (0, Stop::Fault);
                }
                self.end_high_surrogate(sink);
                // A key does not span lines: what seemed to be its opening quote may belong to a text.
                self.is_misled |= role == Role::Key && byte == b'\n';
                if byte == b'\n' {
                    let length = blank_lines_length(text);
                    sink.text(text.get(..length).unwrap_or_default());
                    return (length, Stop::Line);
                }
                sink.text(char.encode_utf8(&mut [0; 4]));
            }
        }
        (1, Stop::Input)
    }

    /// Reads the common part of a string at once: runs of text, and escapes except surrogates. A tolerant lexer also reads
    /// control characters after its first fault, except line feeds, after which a fence may follow. Returns the offset of the
    /// first character that is not read.
    ///
    /// `end` is the offset up to which the text has been read, `pushed` the offset up to which it has been pushed, which is
    /// where an escape ended last. `buffer` joins short runs for the sink.
    fn plain_run(&mut self, text: &str, sink: &mut dyn Sink) -> usize {
        let (bytes, quote) = (text.as_bytes(), self.quote);
        if self.high_surrogate.is_some() {
            // Only up to the next escape, which may be the second half of the pair.
            let end = run_length(bytes, quote);
            if end > 0 {
                self.end_high_surrogate(sink);
                sink.text(text.get(..end).unwrap_or_default());
            }
            return end;
        }
        // Later faults are not recorded, so that a control character is then text like any other.
        let takes_control = self.is_tolerant() && self.fault.is_some();
        let takes_text = sink.takes_text();
        let mut buffer = std::mem::take(&mut self.scratch);
        buffer.clear();
        let mut push = |run: &str, order: RunOrder| {
            // Short runs are joined: there may be one for every second byte.
            if order == RunOrder::Last || run.len() + buffer.len() > MAX_BUFFERED {
                if !buffer.is_empty() {
                    sink.text(&buffer);
                    buffer.clear();
                }
                if !run.is_empty() {
                    sink.text(run);
                }
            } else {
                buffer.push_str(run);
            }
        };
        let (mut pushed, mut end) = (0, 0);
        let mut utf8 = [0; 4];
        loop {
            end += run_length(bytes.get(end..).unwrap_or_default(), quote);
            // An escape: its character, if it can be decoded here, and its length.
            let (character, length) = match bytes.get(end) {
                Some(b'\\') => match bytes.get(end + 1) {
                    // `\u` and four digits.
                    Some(b'u') => (unit_escape(bytes.get(end + 2..).unwrap_or_default(), &mut utf8), 6),
                    Some(letter) => (letter_escape(*letter), 2),
                    // The escape continues in the next piece.
                    None => break,
                },
                // A control character, but not a line feed, which is 10.
                Some(0..=9 | 11..0x20) if takes_control => {
                    end += 1;
                    continue;
                }
                _ => break,
            };
            let Some(character) = character else { break };
            if takes_text {
                push(text.get(pushed..end).unwrap_or_default(), RunOrder::NotLast);
                // The character of `\"`, `\\` and `\/` is in the text itself: it begins the next run.
                pushed = end + 1;
                let is_in_text = length == 2 && bytes.get(pushed) == character.as_bytes().first();
                if !is_in_text {
                    push(character, RunOrder::NotLast);
                    pushed = end + length;
                }
            }
            end += length;
        }
        if takes_text {
            push(text.get(pushed..end).unwrap_or_default(), RunOrder::Last);
        }
        self.scratch = buffer;
        end
    }

    /// Reads the character after the backslash of an escape.
    pub(super) fn escape(&mut self, byte: u8, sink: &mut dyn Sink) -> (usize, Stop) {
        if byte == b'u' {
            self.token = Token::Unicode;
            // The offset of the backslash.
            self.start = self.offset.saturating_sub(1);
            self.scratch.clear();
            return (1, Stop::Input);
        }
        self.end_high_surrogate(sink);
        self.token = Token::String;
        let Some(character) = letter_escape(byte) else {
            // The backslash of an invalid escape is taken for text, and the character after it is read next. But in a string in
            // single quotes or backticks, an escaped quote is the quote alone, and does not end the string: `'it\'s'`.
            let stop = self.record_fault(FaultKind::Escape, self.offset);
            if byte != self.quote {
                sink.text("\\");
                return (0, stop);
            }
            sink.text(char::from(byte).encode_utf8(&mut [0; 4]));
            return (1, stop);
        };
        sink.text(character);
        (1, Stop::Input)
    }

    /// Handles an escaped UTF-16 unit, which may be half of a surrogate pair.
    fn unit(&mut self, unit: u16, sink: &mut dyn Sink) {
        // Each half of a pair has ten bits of a character from U+10000 on.
        if let Some((high, _)) = self.high_surrogate
            && let 0xdc00..0xe000 = unit
            && let Some(char) = char::from_u32(0x1_0000 + ((u32::from(high) & 0x3ff) << 10 | u32::from(unit) & 0x3ff))
        {
            self.high_surrogate = None;
            sink.text(char.encode_utf8(&mut [0; 4]));
            return;
        }
        self.end_high_surrogate(sink);
        match unit {
            // A first half waits for its second half.
            0xd800..0xdc00 => self.high_surrogate = Some((unit, self.start)),
            0xdc00..0xe000 => self.send_lone_surrogate(self.start, sink),
            _ => sink.text(char::from_u32(u32::from(unit)).unwrap_or_default().encode_utf8(&mut [0; 4])),
        }
    }

    /// Replaces the first half of a surrogate pair, if its second half does not follow.
    pub(super) fn end_high_surrogate(&mut self, sink: &mut dyn Sink) {
        if let Some((_, offset)) = self.high_surrogate.take() {
            self.send_lone_surrogate(offset, sink);
        }
    }

    /// Sends U+FFFD in place of half a surrogate pair.
    fn send_lone_surrogate(&mut self, offset: usize, sink: &mut dyn Sink) {
        self.lone_surrogate.get_or_insert(offset);
        sink.text("\u{fffd}");
    }

    /// Reads one hexadecimal digit of an escape. If another character comes too early, the escape is taken for text.
    pub(super) fn unicode(&mut self, first: u8, sink: &mut dyn Sink) -> (usize, Stop) {
        if !first.is_ascii_hexdigit() {
            let stop = self.record_fault(FaultKind::UnicodeEscape, self.offset);
            self.end_high_surrogate(sink);
            sink.text("\\u");
            sink.text(&self.scratch);
            self.token = Token::String;
            return (0, stop);
        }
        self.scratch.push(char::from(first));
        if self.scratch.len() == 4 {
            self.token = Token::String;
            self.unit(hex(&self.scratch).unwrap_or_default(), sink);
        }
        (1, Stop::Input)
    }
}

/// The most bytes of short runs that are joined before they are sent to the sink.
const MAX_BUFFERED: usize = 512;

/// Whether another run of the string follows before `plain_run` returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunOrder {
    NotLast,
    Last,
}

/// The character of an escape of one letter; `None` for any other letter. Inline, since the loop of `plain_run` is hot.
#[inline(always)]
const fn letter_escape(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'n' => "\n",
        b'"' => "\"",
        b'\\' => "\\",
        b't' => "\t",
        b'r' => "\r",
        b'/' => "/",
        b'b' => "\u{8}",
        b'f' => "\u{c}",
        _ => return None,
    })
}

/// The character of an escape of four digits, encoded in `utf8`; `None` for a surrogate, and without four digits.
fn unit_escape<'a>(digits: &[u8], utf8: &'a mut [u8; 4]) -> Option<&'a str> {
    let digits = digits.first_chunk::<4>()?;
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let unit = digits.iter().try_fold(0, |unit, byte| Some(unit << 4 | digit(byte)?))?;
    Some(char::from_u32(unit)?.encode_utf8(utf8))
}
