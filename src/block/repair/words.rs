//! Repairs words without quotes: numbers, literals, keys, and strings.
//!
//! - A *word* ends at a character that may follow a value, e.g. `,` or `}`. It is a literal (`True`), a number (`.5`), or else a
//!   string without quotes (`{"mode": fast}`).
//! - In a tool block only a name or a path becomes a string, since any other word may be a variable of code or a part of a text:
//!   `"path": src/a.ts` is repaired, `"content": hello world` is not. In other JSON, text up to the next comma or bracket does.
//! - At the top, outside of lists and objects, a word may be prose before the value: `Result: {"a": 1}`.
//! - A *probe* is a trial run of the repairer for `ends`: it finds out whether the text after a quote is the rest of the block,
//!   and fails at a fault that the text of a string often has, too.

use super::fix::FixKind;
use super::syntax::{LastValueKind, Repairer};
use super::unrepairable::{RepairResult, Unrepairable};
use super::{KeyKind, first_byte, last_byte, part};
use crate::value::text::{rfind, trim_end};
use crate::value::{Container, concat, is_number, word_length, write_string};

/// Names of literals in JSON and in other languages, each with the literal of JSON.
const LITERALS: [(&str, &str); 11] = [
    ("true", "true"),
    ("false", "false"),
    ("null", "null"),
    ("True", "true"),
    ("TRUE", "true"),
    ("False", "false"),
    ("FALSE", "false"),
    ("None", "null"),
    ("NULL", "null"),
    ("Null", "null"),
    ("undefined", "null"),
];

/// The longest regular expression that is recognized, in bytes, so that a `/` costs a bounded look ahead.
const LONGEST_REGEX: usize = 200;

/// The JSON literal that a word means; `None` if it is no literal.
fn literal(word: &str) -> Option<&'static str> {
    LITERALS.iter().find(|(name, _)| *name == word).map(|(_, json)| *json)
}

impl Repairer<'_> {
    /// Whether a value begins here; a word only counts if it is a literal.
    pub(super) fn begins_known_value(&self, at: usize) -> bool {
        self.begins_value(at) || literal(self.part(at, at + word_length(self.rest(at)))).is_some()
    }

    /// Reads a value without quotes: a literal, a number, or else a string.
    pub(super) fn word(&mut self) -> RepairResult {
        let word = self.part(self.at, self.at + word_length(self.rest(self.at)));
        let end = self.at + word.len();
        if !self.ends_word(end) {
            return self.unquoted(word);
        }
        if let Some(json) = literal(word) {
            // repair: literal of another language, e.g. `True` or `None`
            self.put_word(FixKind::Literal, word, json);
        } else if is_number(word) {
            self.put_word(FixKind::Number, word, word);
        } else if self.rules.is_partial && end == self.text.len() {
            self.partial_word(word);
        } else if let Some(number) = repaired_number(word) {
            // repair: number that JSON does not allow, e.g. `.5` or `+5`
            self.put_word(FixKind::Number, word, &number);
        } else {
            return self.unquoted(word);
        }
        Ok(())
    }

    /// Writes the value that a word means; it is a fix only if they differ.
    fn put_word(&mut self, kind: FixKind, word: &str, value: &str) {
        if word == value {
            self.at += word.len();
            self.copy_to(self.at);
        } else {
            self.fix(kind, word.len(), value);
        }
        self.end_value(LastValueKind::Scalar);
    }

    /// Whether a word may end before the character at `at`.
    fn ends_word(&self, at: usize) -> bool {
        match self.ascii_byte(at) {
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b'}' | b']' | b';' | b')' | b'#' => true,
            0 => at >= self.text.len(),
            b'/' => matches!(self.byte(at + 1), b'/' | b'*'),
            // A missing comma.
            byte @ (b'"' | b'{' | b'[') => match self.container() {
                // E.g. `[1 "a"]`.
                Some(Container::Array) => true,
                // A key of a tool, e.g. `{"replace_all": true "path": "a"}`.
                Some(Container::Object) if byte == b'"' => self.is_known_key_at(at),
                // A closer is missing, too, e.g. `[{"a": 1 {"a": 2}]`.
                Some(Container::Object) => byte == b'{' && self.is_list_item(),
                None => false,
            },
            _ => false,
        }
    }

    /// Reads a literal or number that is cut off at the end of a partial text, e.g. `tru` or `1.`.
    fn partial_word(&mut self, word: &str) {
        let is_number_so_far = matches!(first_byte(word), b'-' | b'0'..=b'9');
        let value = if is_number_so_far {
            // The longest valid part counts. A fraction or an exponent that is not valid has at most four bytes, as in `1.e+5`;
            // it mostly has one or two that have begun, as in `1.` or `2e+`.
            let leaves_number = |cut: &usize| is_number(part(word, 0..word.len().saturating_sub(*cut)));
            let cut = (1..=4).find(leaves_number).unwrap_or(word.len());
            part(word, 0..word.len() - cut)
        } else {
            LITERALS.iter().find(|(name, _)| name.starts_with(word)).map_or("", |(_, json)| *json)
        };
        // Without a value the entry is left out.
        if value.is_empty() {
            self.at = self.text.len();
            self.out.copied_to = self.at;
        } else {
            // The kind is not used: a partial text lists no fixes.
            self.put_word(FixKind::Literal, word, value);
        }
    }

    /// Reads a string without quotes, or a function call around a value, e.g. `callback({})`.
    fn unquoted(&mut self, word: &str) -> RepairResult {
        if self.rules.is_block() {
            return self.unquoted_name();
        }
        let end = self.at + word.len();
        let paren = self.after_comments(end);
        let is_name = matches!(self.byte(self.at), b'_' | b'a'..=b'z' | b'A'..=b'Z');
        if is_name && self.byte(paren) == b'(' && self.begins_value(self.after_comments(paren + 1)) {
            // repair: function call around a value, e.g. `callback({})`
            self.drop_next(FixKind::Wrapper, paren + 1 - self.at);
            self.wrappers += 1;
            return Ok(());
        }
        self.unquoted_text()
    }

    /// Reads a string without quotes in a tool block. Only names are accepted: the end of a text would be unknown, and a word in
    /// the place of a text or a path may be a variable. A path must contain a dot or a slash, which the name of a variable does
    /// not; so `user.name` is taken for a path.
    fn unquoted_name(&mut self) -> RepairResult {
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-' | b'@');
        let first = self.byte(self.at);
        let (mut end, mut is_path) = (self.at, false);
        while is_name_byte(self.byte(end)) {
            is_path |= matches!(self.byte(end), b'.' | b'/');
            end += 1;
        }
        let fits_key = match self.last.key {
            KeyKind::Text => false,
            KeyKind::Path => is_path,
            KeyKind::Unknown | KeyKind::Other => self.container() == Some(Container::Object),
        };
        // A word that begins like a number is no name.
        let begins_name = is_name_byte(first) && first != b'-' && !first.is_ascii_digit();
        // A name at the end of the text may be cut off.
        if !begins_name || !fits_key || !self.ends_word(end) || self.after_comments(end) == self.text.len() {
            return Err(Unrepairable::NoFix);
        }
        self.quote_text(end);
        Ok(())
    }

    /// Reads a string without quotes up to the next bracket, comma, quote or line break, outside tool blocks. In a list or an
    /// object, the text becomes a string. At the top there are three cases: prose before the value is dropped, a word inside a
    /// function call becomes a string, and anything else is refused.
    fn unquoted_text(&mut self) -> RepairResult {
        let mut stop = self.at + self.regex_or_scheme_length();
        // The byte at which the text stops; 0 at the end of the input.
        let stop_byte = loop {
            match self.ascii_byte(stop) {
                0 if stop >= self.text.len() => break 0,
                byte @ (b',' | b'[' | b']' | b'{' | b'}' | b'\n' | b'"') => break byte,
                b')' if self.wrappers > 0 => break b')',
                b'/' if matches!(self.byte(stop + 1), b'/' | b'*') => break b'/',
                _ => stop += 1,
            }
        };
        let text = trim_end(self.part(self.at, stop));
        if text.is_empty() {
            return Err(Unrepairable::NoFix);
        }
        if self.stack.is_empty() {
            // Prose before the JSON has several words or a colon; a single word may be a function, e.g. `f {`.
            let is_prose = last_byte(text) == b':' || text.bytes().any(|byte| byte.is_ascii_whitespace());
            let is_before_value = match stop_byte {
                b'{' | b'[' if !is_prose => return Err(Unrepairable::NoFix),
                b'{' | b'[' => true,
                // A line of prose, if a list or an object begins in one of the lines after it.
                b'\n' if is_prose && self.out.text.is_empty() => {
                    let last_opener = || rfind(self.text, [b'{', b'[']).unwrap_or_default();
                    *self.lookups.last_opener.get_or_insert_with(last_opener) >= stop
                }
                _ => false,
            };
            if is_before_value {
                // repair: a word or a line before the value, e.g. `Result: {"a": 1}`
                self.drop_next(FixKind::Prose, stop - self.at);
                return Ok(());
            }
            // Prose or code without JSON, e.g. `JSON.stringify(x)`; but a word in a function call is its argument, e.g. `f(a)`.
            if self.wrappers == 0 || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                return Err(Unrepairable::NoFix);
            }
        }
        // A partial text that ends here may have been cut off in this string.
        if self.rules.is_partial && stop_byte == 0 {
            return Err(Unrepairable::NoFix);
        }
        // An escaped quote: the text may be inside a string.
        if stop_byte == b'"' && last_byte(text) == b'\\' {
            return Err(Unrepairable::NoFix);
        }
        self.quote_text(self.at + text.len());
        if stop_byte == b'"' {
            // Only the first quote is missing, e.g. `[a", 1]`.
            self.at += 1;
            self.out.copied_to = self.at;
        }
        Ok(())
    }

    /// The length of a regular expression or of the scheme of a URL at `at`, since their slashes begin no comment; 0 if there is
    /// none.
    fn regex_or_scheme_length(&self) -> usize {
        let rest = self.rest(self.at).as_bytes();
        if rest.first() == Some(&b'/') {
            let ends_regex = |byte: &u8| matches!(byte, b'/' | b'\n');
            let inner_length = rest.iter().take(LONGEST_REGEX).skip(1).position(ends_regex);
            let has_closing_slash = |length: &usize| rest.get(length + 1) == Some(&b'/');
            return inner_length.filter(has_closing_slash).map_or(0, |length| length + 2);
        }
        let scheme_length = word_length(self.rest(self.at));
        let is_url = scheme_length > 0 && self.has(self.at + scheme_length, "://");
        if is_url { scheme_length + "://".len() } else { 0 }
    }

    /// Writes the input from `at` to `end` as a string value.
    fn quote_text(&mut self, end: usize) {
        // repair: string without quotes, e.g. `{"mode": fast}`
        self.quote_word(FixKind::UnquotedString, end, end);
        self.end_value(LastValueKind::String);
    }

    /// Writes the input from `at` to `end` as a string and continues at `next`.
    fn quote_word(&mut self, kind: FixKind, end: usize, next: usize) {
        self.record(kind, self.at);
        self.copy_to(self.at);
        let word = self.part(self.at, end);
        if !self.is_probe() {
            write_string(&mut self.out.text, word);
        }
        self.out.copied_to = next;
        self.at = next;
    }

    /// Reads a key without quotes.
    pub(super) fn bare_key(&mut self) -> RepairResult {
        let end = self.at + self.bare_length(self.at);
        // A partial text ends in the key: without a value the entry is left out.
        if end == self.text.len() && self.rules.is_partial {
            self.at = end;
            return Ok(());
        }
        if end == self.at {
            return Err(Unrepairable::NoFix);
        }
        // In a probe, a word before a colon may be text, unless a key before it had no quotes either.
        self.fail_probe_if(!self.has_bare_keys);
        self.has_bare_keys = true;
        let key = self.rules.key_kind(self.part(self.at, end));
        // repair: key without quotes, e.g. `{a: 1}`
        self.quote_word(FixKind::UnquotedKey, end, self.after_stray_quote(end));
        self.end_key(key);
        Ok(())
    }
}

/// Rewrites a number that JSON does not allow, e.g. `.5`, `5.` or `+5`; `None` if the word is no number.
fn repaired_number(word: &str) -> Option<String> {
    let sign_length = usize::from(matches!(first_byte(word), b'-' | b'+'));
    let digits = part(word, sign_length..word.len());
    let minus = if first_byte(word) == b'-' { "-" } else { "" };
    let leading_zero = if first_byte(digits) == b'.' { "0" } else { "" };
    // The digits of the fraction or the exponent are missing.
    let last_zero = if matches!(last_byte(digits), b'.' | b'e' | b'E' | b'+' | b'-') { "0" } else { "" };
    let number = concat(&[minus, leading_zero, digits, last_zero]);
    (digits.bytes().any(|digit| digit.is_ascii_digit()) && is_number(&number)).then_some(number)
}
