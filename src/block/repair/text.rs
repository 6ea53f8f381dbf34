//! Strings: their quotes, what must be escaped in them, and where they end.

use super::Dialect;
use super::fix::FixKind;
use super::pairs::Quotes;
use super::syntax::{Fail, Last, Repairer};
use crate::value::{has_one_stroke, has_two_strokes, run_length};

/// The quotes around a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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
    kind: Kind,
    length: usize,
}

/// A key, or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Key,
    Value,
}

/// Whether a string was there as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Whole,
    Cut,
}

/// So many quotes in a row begin nothing but an empty string.
const LONGEST_QUOTE: usize = 7;

/// What was seen of the string that is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Quotes in it that did not end it.
    pub(super) inner: usize,
    /// Whether quotes in it are escaped.
    pub(super) escaped: bool,
    /// Brackets that are open in it, up to `counted`.
    pub(super) depth: isize,
    pub(super) counted: usize,
}

impl Quote {
    pub(super) const fn length(self) -> usize {
        self.length
    }
}

impl Repairer<'_> {
    /// The quote with which a string begins here.
    pub(super) fn quote(&self, at: usize) -> Option<Quote> {
        let rest = self.rest(at);
        let quote = |kind, length| Some(Quote { kind, length });
        match rest.as_bytes().first()? {
            byte @ (b'"' | b'\'') => {
                let alone = if *byte == b'"' { Kind::Double } else { Kind::Single };
                if self.byte(at + 1) != Some(*byte) {
                    return quote(alone, 1);
                }
                let marks = rest.bytes().take(LONGEST_QUOTE).take_while(|own| own == byte).count();
                // Four may be two in a text that ends there; else they begin a text that begins with one.
                let is_whole = || matches!(self.byte(self.pass(at + marks)), None | Some(b',' | b'}' | b']'));
                match marks {
                    _ if matches!(self.quotes, Quotes::But(..)) => quote(alone, 1),
                    3 | 6 => quote(Kind::Triple(*byte), 3),
                    4 | 5 if !is_whole() => quote(Kind::Triple(*byte), 3),
                    _ => quote(alone, 1),
                }
            }
            b'`' if rest.starts_with("```") => None,
            b'`' if self.rules.dialect == Dialect::Json => quote(Kind::SmartSingle, 1),
            b'`' => quote(Kind::Back, 1),
            0x80.. => match rest.chars().next()? {
                char if has_two_strokes(char) => quote(Kind::Smart, char.len_utf8()),
                char if has_one_stroke(char) => quote(Kind::SmartSingle, char.len_utf8()),
                _ => None,
            },
            _ => None,
        }
    }

    /// How long the quote is that may end a string here.
    pub(super) fn closing(&self, Quote { kind, .. }: Quote, at: usize) -> Option<usize> {
        let first = self.byte(at)?;
        let char = || self.rest(at).chars().next().unwrap_or_default();
        let closes = match kind {
            Kind::Double => first == b'"',
            Kind::Single => first == b'\'',
            Kind::Back => first == b'`',
            Kind::Smart => first == b'"' || (first == 0xe2 && has_two_strokes(char())),
            Kind::SmartSingle => {
                matches!(first, b'\'' | b'`') || (matches!(first, 0xc2 | 0xe2) && has_one_stroke(char()))
            }
            Kind::Triple(byte) => {
                // The last three of a run: those before them are text.
                let marks = self.rest(at).bytes().take(4).take_while(|own| *own == byte).count();
                return (marks == 3).then_some(3);
            }
        };
        closes.then(|| utf8_length(first))
    }

    /// The next place in a string that needs a look.
    pub(super) fn next_special(&self, Quote { kind, .. }: Quote, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let length = match kind {
            Kind::Double | Kind::Triple(b'"') => run_length(rest, b'"'),
            _ => {
                let special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\'' | b'\\' | b'`' | 0xc2 | 0xe2);
                rest.iter().position(special).unwrap_or(rest.len())
            }
        };
        at + length
    }

    pub(super) fn string(&mut self, quote: Quote) -> Result<(), Fail> {
        self.read(quote, Role::Value)?;
        self.value_ends(Last::String);
        Ok(())
    }

    pub(super) fn quoted_key(&mut self, quote: Quote) -> Result<(), Fail> {
        self.keep(self.at);
        let start = self.out.len() + 1;
        if self.read(quote, Role::Key)? == Ended::Cut {
            return Ok(());
        }
        let key = self.out.get(start..self.out.len() - 1).unwrap_or_default().to_owned();
        self.key_ends(&key);
        Ok(())
    }

    fn read(&mut self, quote: Quote, role: Role) -> Result<Ended, Fail> {
        let Quote { kind, length } = quote;
        self.string = self.at;
        if kind != Kind::Double {
            self.mark(FixKind::Quotes, self.at);
        }
        self.replace(self.at, self.at + length, "\"");
        let mut place = self.kept;
        let mut seen = Seen { inner: 0, escaped: false, depth: 0, counted: place };
        let mut escapes = Escapes::default();
        loop {
            place = self.next_special(quote, place);
            let Some(byte) = self.byte(place) else { return self.open_end(role) };
            match byte {
                b'\\' => match self.escape(kind, place, &mut escapes, seen.inner) {
                    Some(_) if escapes.invalid && self.is_name(role) => return Err(Fail::Unclear),
                    Some(next) => {
                        seen.escaped |= matches!(self.byte(place + 1), Some(b'"' | b'\'' | b'`'));
                        place = next;
                    }
                    None => {
                        self.keep(place);
                        self.kept = self.text.len();
                        return self.open_end(role);
                    }
                },
                0..0x20 => {
                    if self.is_name(role) {
                        return Err(Fail::Unclear);
                    }
                    escapes.lines |= byte == b'\n';
                    self.mark(FixKind::ControlCharacter, place);
                    self.control(place, byte);
                    place += 1;
                }
                _ => match self.closing(quote, place) {
                    Some(length) => {
                        // What follows may not have arrived yet.
                        let after = place + length;
                        let ends = match (self.quotes, kind) {
                            (Quotes::Sound, Kind::Double) if !self.may_be_cut(after) => true,
                            (Quotes::But(from, to), Kind::Double) => !(from..=to).contains(&place),
                            _ => role == Role::Key || self.rules.partial || self.closes(after, &mut seen)?,
                        };
                        if !ends && (role == Role::Key || self.quotes == Quotes::Sound) {
                            return Err(Fail::Unclear);
                        }
                        if ends {
                            self.replace(place, place + length, "\"");
                            self.at = place + length;
                            break;
                        }
                        self.inner_quote(place, byte)?;
                        seen.inner += 1;
                        place = self.quote_run(place + length, byte, &mut seen);
                    }
                    None if byte == b'"' => {
                        self.replace(place, place + 1, "\\\"");
                        place += 1;
                    }
                    None => place += self.rest(place).chars().next().map_or(1, char::len_utf8),
                },
            }
        }
        let is_paired = seen.inner.is_multiple_of(2) || kind != Kind::Double || self.quotes != Quotes::Unknown;
        if self.rules.dialect == Dialect::Block && (!is_paired || escapes.are_unclear(kind, seen.inner, self.quotes)) {
            return Err(Fail::Unclear);
        }
        if escapes.invalid {
            self.keep_suspects(&escapes.suspects);
        }
        Ok(Ended::Whole)
    }

    /// Whether this is the key of a call, which has no faults of its own.
    fn is_name(&self, role: Role) -> bool {
        role == Role::Key && self.rules.dialect == Dialect::Block
    }

    /// Whether the text ends after a string, but for brackets: then it may have been cut off in that.
    fn may_be_cut(&self, after: usize) -> bool {
        self.rest(after).bytes().all(|byte| matches!(byte, b'}' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n'))
    }

    /// A quote that belongs to the text.
    fn inner_quote(&mut self, place: usize, byte: u8) -> Result<(), Fail> {
        // After an escaped backslash: a backslash is missing, or is one too many.
        let is_half_escaped = place.checked_sub(1).and_then(|before| self.byte(before)) == Some(b'\\');
        if self.rules.dialect == Dialect::Block && (self.fragile || is_half_escaped || self.begins_call(place)) {
            return Err(Fail::Unclear);
        }
        self.delicate = true;
        self.mark(FixKind::UnescapedQuote, place);
        if byte == b'"' {
            self.replace(place, place + 1, "\\\"");
        }
        Ok(())
    }

    /// Passes quotes that stand after one like them that is text: they are text too, but for the last few, with which a key
    /// may begin.
    fn quote_run(&mut self, place: usize, byte: u8, seen: &mut Seen) -> usize {
        let rest = self.text.as_bytes().get(place..).unwrap_or_default();
        let run = rest.iter().take_while(|own| **own == byte && matches!(byte, b'"' | b'\'')).count();
        let count = run.saturating_sub(LONGEST_QUOTE);
        if count == 0 {
            return place;
        }
        self.mark_all(FixKind::UnescapedQuote, place, count);
        if byte == b'"' {
            self.replace(place, place + count, &"\\\"".repeat(count));
        }
        seen.inner += count;
        place + count
    }

    fn control(&mut self, place: usize, byte: u8) {
        let letter = match byte {
            b'\n' => 'n',
            b'\r' => 'r',
            b'\t' => 't',
            0x08 => 'b',
            0x0c => 'f',
            _ => 'u',
        };
        self.replace(place, place + 1, "");
        self.out.push('\\');
        self.out.push(letter);
        if letter == 'u' {
            for digit in [0, 0, byte >> 4, byte & 15] {
                self.out.push(char::from_digit(digit.into(), 16).unwrap_or_default());
            }
        }
    }

    /// Reads an escape and tells where it ends; `None` where the text ends in it.
    fn escape(&mut self, kind: Kind, place: usize, escapes: &mut Escapes, inner: usize) -> Option<usize> {
        let byte = self.byte(place + 1)?;
        match byte {
            b'"' | b'\\' => {
                escapes.own = true;
                escapes.nested |= byte == b'"' && !inner.is_multiple_of(2);
            }
            // Nobody writes the indentation of code with escapes, but who escapes it.
            b't' if self.indents(place) => escapes.own = true,
            b'n' | b't' | b'r' | b'b' | b'f' => escapes.letters = true,
            _ => {}
        }
        match byte {
            b'b' | b'f' => {
                self.keep(place);
                escapes.suspects.push(self.out.len());
                return Some(place + 2);
            }
            b'"' | b'\\' | b'/' | b'n' | b'r' | b't' => return Some(place + 2),
            b'u' => {
                let digits = self.text.as_bytes().get(place + 2..).unwrap_or_default();
                let hex = digits.iter().take(4).take_while(|digit| digit.is_ascii_hexdigit()).count();
                if hex == 4 {
                    return Some(place + 6);
                }
                if hex == digits.len() {
                    return None;
                }
            }
            // These quotes need an escape in their own strings, and `${` in a template.
            b'\'' if matches!(kind, Kind::Single | Kind::SmartSingle | Kind::Triple(b'\'')) => {
                self.replace(place, place + 1, "");
                return Some(place + 2);
            }
            b'`' | b'$' if matches!(kind, Kind::Back | Kind::SmartSingle) => {
                self.replace(place, place + 1, "");
                return Some(place + 2);
            }
            _ => {}
        }
        escapes.invalid = true;
        self.mark(FixKind::InvalidEscape, place);
        self.replace(place, place + 1, "\\\\");
        Some(place + 1)
    }

    /// Whether what stands here begins a line, or goes on with its beginning.
    fn indents(&self, place: usize) -> bool {
        let before = self.text.as_bytes().get(..place).unwrap_or_default();
        before.ends_with(b"\n") || before.ends_with(b"\\t") || before.ends_with(b"\\n")
    }

    /// Where other backslashes are text, those of `\b` and `\f` are too: nobody writes a backspace, but word boundaries.
    fn keep_suspects(&mut self, suspects: &[usize]) {
        let Some(first) = suspects.first() else { return };
        let tail = self.out.split_off(*first);
        let mut from = 0;
        for place in suspects {
            let place = place - first;
            self.out.push_str(tail.get(from..place).unwrap_or_default());
            self.out.push('\\');
            from = place;
        }
        self.out.push_str(tail.get(from..).unwrap_or_default());
    }

    /// The text ends inside the string.
    fn open_end(&mut self, role: Role) -> Result<Ended, Fail> {
        if !self.rules.partial {
            return Err(Fail::Open);
        }
        self.at = self.text.len();
        if role == Role::Value {
            self.keep(self.at);
            self.drop_half_pair();
            self.out.push('"');
        }
        Ok(Ended::Cut)
    }

    /// The first half of an escaped pair whose second half has not arrived.
    fn drop_half_pair(&mut self) {
        let start = self.out.len().saturating_sub(6);
        let Some(tail) = self.out.get(start..).and_then(|tail| tail.strip_prefix("\\u")) else { return };
        let before = self.out.as_bytes().get(..start).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        let is_high = u16::from_str_radix(tail, 16).is_ok_and(|unit| (0xd800..0xdc00).contains(&unit));
        if is_high && backslashes % 2 == 0 {
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
        let joint = self.out.len();
        self.read(quote, Role::Value)?;
        self.out.remove(joint);
        self.value_ends(Last::String);
        Ok(())
    }
}

/// How long a character is that begins with this byte and is no longer than three.
const fn utf8_length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0.. => 3,
    }
}

/// The escapes of a string.
#[derive(Debug, Default)]
struct Escapes {
    /// There were some that JSON does not know.
    invalid: bool,
    /// Where in `out` those stand that may be regular expressions.
    suspects: Vec<usize>,
    /// Raw line breaks.
    lines: bool,
    /// `\n` and the like.
    letters: bool,
    /// `\"` or `\\`: somebody escaped this text.
    own: bool,
    /// `\"` between quotes that are not escaped.
    nested: bool,
}

impl Escapes {
    /// Whether it is unclear to whom they belong: to JSON, or to the code of a text that nobody escaped, in which `\n` and
    /// `\"` are escapes of its own strings.
    fn are_unclear(&self, kind: Kind, inner: usize, quotes: Quotes) -> bool {
        let is_raw = inner > 0 || self.invalid || matches!(kind, Kind::Back | Kind::Triple(_));
        let is_nested = self.nested && kind == Kind::Double && quotes == Quotes::Unknown;
        (self.lines && self.letters && !self.own && is_raw) || is_nested
    }
}
