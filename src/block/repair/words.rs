//! What stands without quotes: numbers, literals, keys, and strings.

use super::Dialect;
use super::ahead::{KeyAhead, bare_length};
use super::fix::FixKind;
use super::syntax::{Fail, Last, Repairer};
use crate::value::{Container, is_number, word_length, write_string};

/// What other languages call the literals of JSON.
const LITERALS: [(&str, &str); 8] = [
    ("True", "true"),
    ("TRUE", "true"),
    ("False", "false"),
    ("FALSE", "false"),
    ("None", "null"),
    ("NULL", "null"),
    ("Null", "null"),
    ("undefined", "null"),
];

/// A regular expression that is longer is not looked for.
const LONGEST_REGEX: usize = 200;

/// The literals of JSON.
pub(super) const OWN: [&str; 3] = ["true", "false", "null"];

impl Repairer<'_> {
    /// A value without quotes.
    pub(super) fn word(&mut self) -> Result<(), Fail> {
        let rest = self.rest(self.at);
        let word = rest.get(..word_length(rest)).unwrap_or_default();
        let end = self.at + word.len();
        if !self.ends_word(end) {
            return self.unquoted(word);
        }
        if OWN.contains(&word) || is_number(word) {
            self.at = end;
            self.keep(end);
        } else if let Some((_, own)) = LITERALS.iter().find(|(foreign, _)| *foreign == word) {
            self.mark(FixKind::Literal, self.at);
            self.replace(self.at, end, own);
            self.at = end;
        } else if self.rules.partial && end == self.text.len() {
            return self.partial_word(word);
        } else if let Some(number) = mended(word) {
            self.mark(FixKind::Number, self.at);
            self.replace(self.at, end, &number);
            self.at = end;
        } else {
            return self.unquoted(word);
        }
        self.value_ends(Last::Other);
        Ok(())
    }

    /// Whether nothing that stands here belongs to the word before it.
    fn ends_word(&self, at: usize) -> bool {
        match self.byte(at) {
            None | Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | b'}' | b']' | b';' | b')' | b'#') => true,
            Some(b'/') => matches!(self.byte(at + 1), Some(b'/' | b'*')),
            // A missing comma; between objects of a list a closer too.
            Some(byte @ (b'"' | b'{' | b'[')) => match self.stack.last().map(|frame| frame.container) {
                Some(Container::Array) => true,
                Some(Container::Object) if byte == b'"' => self.key_at(at).is_some_and(KeyAhead::is_known),
                Some(Container::Object) => byte == b'{' && self.is_item(),
                None => false,
            },
            Some(_) => false,
        }
    }

    /// The beginning of a literal or a number, with which the text ends.
    fn partial_word(&mut self, word: &str) -> Result<(), Fail> {
        let is_number_so_far = word.starts_with(|char: char| char == '-' || char.is_ascii_digit());
        let number = || (1..word.len()).rev().filter_map(|end| word.get(..end)).take(4).find(|own| is_number(own));
        let whole = match OWN.iter().find(|own| own.starts_with(word)) {
            Some(own) => Some(*own),
            None if is_number_so_far => number(),
            None => LITERALS.iter().find(|(foreign, _)| foreign.starts_with(word)).map(|(_, own)| *own),
        };
        if let Some(whole) = whole.filter(|_| !word.is_empty()) {
            self.replace(self.at, self.text.len(), whole);
            self.at = self.text.len();
            self.value_ends(Last::Other);
            return Ok(());
        }
        self.at = self.text.len();
        self.kept = self.at;
        Ok(())
    }

    /// A string without quotes, or the call of a function around a value.
    fn unquoted(&mut self, word: &str) -> Result<(), Fail> {
        match self.rules.dialect {
            Dialect::Block => self.unquoted_name(),
            Dialect::Json => {
                let is_name = word.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
                let end = self.at + word.len();
                let paren = self.pass(end);
                let is_call = is_name && self.byte(paren) == Some(b'(');
                if is_call && (paren == end || self.begins_value(self.pass(paren + 1))) {
                    self.mark(FixKind::Wrapper, self.at);
                    self.replace(self.at, paren + 1, "");
                    self.at = paren + 1;
                    self.wrappers += 1;
                    return Ok(());
                }
                self.unquoted_text()
            }
        }
    }

    /// In a call only a name is taken for a string: a text would not say where it ends, and a word in the place of a
    /// text or a path may be a variable.
    fn unquoted_name(&mut self) -> Result<(), Fail> {
        let rest = self.rest(self.at);
        let name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-' | b'@');
        let length = rest.bytes().take_while(|byte| name(byte)).count();
        let name = rest.get(..length).unwrap_or_default();
        let is_text = self.key.is_some_and(|key| self.rules.texts & 1 << key != 0);
        let is_path = self.key.is_some_and(|key| self.rules.paths & 1 << key != 0);
        let in_object = self.stack.last().is_some_and(|frame| frame.container == Container::Object);
        if !name.starts_with(|char: char| char.is_ascii_alphabetic() || matches!(char, '_' | '.' | '/' | '@'))
            || is_text
            || !in_object
            || (is_path && !name.contains(['.', '/']))
        {
            return Err(Fail::Unclear);
        }
        let end = self.at + length;
        // At the end of the text a name may have been cut off.
        if !self.ends_word(end) || self.pass(end) == self.text.len() {
            return Err(Fail::Unclear);
        }
        self.quote_text(end);
        Ok(())
    }

    /// A string without quotes goes on to the next bracket, comma or line.
    fn unquoted_text(&mut self) -> Result<(), Fail> {
        let rest = self.rest(self.at);
        let inner = rest.bytes().take(LONGEST_REGEX).skip(1).take_while(|byte| *byte != b'\n');
        let regex = if rest.starts_with('/') { inner.into_iter().position(|byte| byte == b'/') } else { None };
        let scheme = word_length(rest);
        let is_url = scheme > 0 && rest.get(scheme..).is_some_and(|rest| rest.starts_with("://"));
        let from = match regex {
            Some(length) => length + 2,
            None if is_url => scheme + 3,
            None => 0,
        };
        let tail = rest.get(from..).unwrap_or_default();
        let ends = |(place, byte): (usize, &u8)| match byte {
            b',' | b'[' | b']' | b'{' | b'}' | b'\n' | b'"' => true,
            b')' => self.wrappers > 0,
            b'/' => matches!(tail.as_bytes().get(place + 1), Some(b'/' | b'*')),
            _ => false,
        };
        let stop = tail.as_bytes().iter().enumerate().position(ends).map_or(rest.len(), |place| from + place);
        let text = rest.get(..stop).unwrap_or_default().trim_end();
        let next = self.byte(self.at + stop);
        if text.is_empty() {
            return Err(Fail::Unclear);
        }
        // What goes before the JSON: more than one word, so that it is no call of something.
        let is_prose = text.ends_with(':') || text.contains(char::is_whitespace);
        let goes_before = match next {
            Some(b'{' | b'[') if !is_prose && self.stack.is_empty() => return Err(Fail::Unclear),
            Some(b'{' | b'[') => true,
            Some(b'\n') if is_prose && self.stack.is_empty() && self.out.is_empty() => {
                let last = || self.text.rfind(['{', '[']).unwrap_or_default();
                *self.last_opener.get_or_insert_with(last) >= self.at + stop
            }
            _ => false,
        };
        if self.stack.is_empty() && goes_before {
            self.mark(FixKind::Prose, self.at);
            self.replace(self.at, self.at + stop, "");
            self.at += stop;
            return Ok(());
        }
        if self.rules.partial && next.is_none() {
            return Err(Fail::Open);
        }
        let end = self.at + text.len();
        self.quote_text(end);
        if next == Some(b'"') {
            // Only the first quote is missing.
            self.kept = end + 1;
            self.at = self.kept;
        }
        Ok(())
    }

    fn quote_text(&mut self, end: usize) {
        self.mark(FixKind::UnquotedString, self.at);
        self.keep(self.at);
        let text = self.text.get(self.at..end).unwrap_or_default();
        write_string(&mut self.out, text);
        self.kept = end;
        self.at = end;
        self.value_ends(Last::String);
    }

    /// A key without quotes.
    pub(super) fn bare_key(&mut self) -> Result<(), Fail> {
        let length = bare_length(self.rest(self.at));
        let end = self.at + length;
        if end == self.text.len() && self.rules.partial {
            self.at = end;
            return Ok(());
        }
        if length == 0 {
            return Err(Fail::Unclear);
        }
        let key = self.text.get(self.at..end).unwrap_or_default();
        let end = self.stray_quote(end);
        self.mark(FixKind::UnquotedKey, self.at);
        self.keep(self.at);
        write_string(&mut self.out, key);
        self.kept = end;
        self.at = end;
        self.key_ends(key);
        Ok(())
    }
}

/// A number of another grammar, or one whose last digits are missing, as JSON writes it.
fn mended(word: &str) -> Option<String> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let zero = if digits.starts_with('.') { "0" } else { "" };
    let tail = if digits.ends_with(['.', 'e', 'E', '+', '-']) { "0" } else { "" };
    let number = [sign, zero, digits, tail].concat();
    (digits.contains(|digit: char| digit.is_ascii_digit()) && is_number(&number)).then_some(number)
}

/// Whether a literal stands at the beginning, in JSON's spelling or in another's.
pub(super) fn is_literal(text: &str) -> bool {
    let word = text.get(..word_length(text)).unwrap_or_default();
    OWN.contains(&word) || LITERALS.iter().any(|(foreign, _)| *foreign == word)
}
