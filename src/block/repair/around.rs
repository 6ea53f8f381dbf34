//! What stands around the JSON: prose, fences, semicolons, other values; and the end of the text.

use super::Dialect;
use super::fix::FixKind;
use super::pairs::has_open_quote;
use super::syntax::{Expect, Fail, Last, Repairer};
use crate::block::lead::first_object;
use crate::value::{Container, is_quote};

impl Repairer<'_> {
    /// Passes what stands before the JSON.
    pub(super) fn begin(&mut self) {
        let start = match self.rules.dialect {
            Dialect::Block => first_object(self.text),
            Dialect::Json => behind_fence(self.text),
        };
        let Some(start) = start else { return };
        let before = self.text.get(..start).unwrap_or_default();
        if !before.trim_matches(|char: char| char.is_whitespace() || char == '\u{feff}').is_empty() {
            self.mark(FixKind::Prose, 0);
            self.replace(0, start, "");
            self.at = start;
        }
    }

    /// What stands after a value at the top.
    pub(super) fn tail(&mut self, byte: u8) -> Result<(), Fail> {
        let rest = self.rest(self.at);
        match byte {
            b'}' | b']' => return self.drop_closer(),
            b')' if self.close_wrapper() => return Ok(()),
            b'+' if self.last == Last::String => return self.concatenate(),
            b';' => {
                self.replace(self.at, self.at + 1, "");
                self.mark(FixKind::Prose, self.at);
                self.at += 1;
                return Ok(());
            }
            b',' => return self.next_value(),
            b'`' | b'~'
                if FENCES.iter().any(|marks| rest.starts_with(marks)) && self.rules.dialect == Dialect::Json =>
            {
                return self.drop_rest();
            }
            b'{' if self.rules.dialect == Dialect::Block => {
                // Several objects are several calls.
                self.expect = Expect::Value;
                return Ok(());
            }
            _ => {}
        }
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.trim_end_matches([' ', '\t', '\r']).ends_with('\n');
        if self.rules.dialect == Dialect::Json && line && self.begins_line_value() {
            self.mark(FixKind::List, self.at);
            self.keep(self.at);
            self.out.insert(self.gap, ',');
            self.list = true;
            self.expect = Expect::Value;
            return Ok(());
        }
        if self.delicate || self.quote(self.at).is_some() || !before.ends_with(char::is_whitespace) || leads_on(rest) {
            return Err(Fail::Unclear);
        }
        self.drop_rest()
    }

    /// A comma after a value at the top: another value, of which a list is made; or nothing.
    fn next_value(&mut self) -> Result<(), Fail> {
        let rest = self.rest(self.at + 1).trim_start();
        let kind = match (self.rules.dialect, rest.as_bytes().first()) {
            (_, None) => FixKind::TrailingComma,
            (_, Some(b',' | b']' | b'}')) => FixKind::ExtraComma,
            (Dialect::Block, Some(b'{')) | (Dialect::Json, Some(_)) => FixKind::List,
            (Dialect::Block, Some(_)) => return Err(Fail::Unclear),
        };
        if kind != FixKind::List {
            self.mark(kind, self.at);
            self.replace(self.at, self.at + 1, "");
        } else {
            if !self.list {
                self.mark(kind, self.at);
            }
            self.list = true;
            self.expect = Expect::Value;
        }
        self.at += 1;
        Ok(())
    }

    /// Whether a line begins that is another value: a word too, after a word.
    fn begins_line_value(&self) -> bool {
        let after_word = self.marks.last().is_some_and(|mark| mark.kind == FixKind::UnquotedString);
        self.begins_value(self.at) || after_word
    }

    /// The text ends here.
    pub(super) fn end(&mut self) -> Result<(), Fail> {
        if self.rules.partial {
            self.cut_off();
            return Ok(());
        }
        self.keep(self.text.len());
        match self.expect {
            Expect::End => return Ok(()),
            Expect::Value if self.stack.is_empty() => return Err(Fail::Open),
            Expect::Colon => return Err(Fail::Open),
            Expect::Value if self.stack.last().is_some_and(|frame| frame.container == Container::Object) => {
                return Err(Fail::Open);
            }
            Expect::Value | Expect::FirstValue | Expect::Key | Expect::FirstKey | Expect::Comma => {}
        }
        if !self.rules.complete {
            return Err(Fail::Open);
        }
        self.drop_trailing_comma();
        while !self.stack.is_empty() {
            self.add_closer();
        }
        Ok(())
    }

    /// Ends the text with what is whole of it, and closes what is open.
    pub(super) fn cut_off(&mut self) {
        let sound = match (self.expect, self.stack.last()) {
            (Expect::End, _) => None,
            (_, Some(frame)) => Some(frame.sound),
            (_, None) => Some(0),
        };
        match sound {
            None => self.keep(self.at),
            Some(sound) => self.out.truncate(sound),
        }
        while let Some(frame) = self.stack.pop() {
            self.out.push(if frame.container == Container::Object { '}' } else { ']' });
        }
    }

    /// Whether a quote in a string is that of the first key of another call: then the string has lost its end.
    pub(super) fn begins_call(&self, quote: usize) -> bool {
        let blank = |char: char| char.is_ascii_whitespace();
        let before = self.text.get(self.string..quote).unwrap_or_default().trim_end_matches(blank);
        let Some(before) = before.strip_suffix('{') else { return false };
        let key = self.rest(quote + 1).strip_prefix("tool").and_then(|rest| rest.strip_prefix('"'));
        let before = before.trim_end_matches(|char: char| blank(char) || char == '[');
        let language = before.trim_end_matches(|char: char| char.is_ascii_alphanumeric());
        let is_fenced = language.ends_with("```") || language.ends_with("~~~");
        let is_json = matches!(before.get(language.len()..), Some("" | "json" | "jsonc" | "json5"));
        key.is_some_and(|rest| rest.trim_start_matches(blank).starts_with(':')) || (is_fenced && is_json)
    }

    fn drop_rest(&mut self) -> Result<(), Fail> {
        self.mark(FixKind::Prose, self.at);
        self.keep(self.at);
        self.kept = self.text.len();
        self.at = self.kept;
        Ok(())
    }
}

const FENCES: [&str; 2] = ["```", "~~~"];

/// Where what stands behind the first fence begins, wherever in its line that is, unless JSON goes before it.
fn behind_fence(text: &str) -> Option<usize> {
    let json = text.trim_start_matches(|char: char| char.is_whitespace() || char == '\u{feff}');
    if json.starts_with(|char: char| matches!(char, '{' | '[') || (is_quote(char) && !json.starts_with(FENCES[0]))) {
        return None;
    }
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let fence = from + FENCES.iter().filter_map(|marks| rest.find(marks)).min()?;
        let marks = text.get(fence..)?;
        let info = marks.trim_start_matches(['`', '~']);
        let line = text.get(..fence)?.rsplit('\n').next().unwrap_or_default();
        if line.contains(['{', '[', '"']) {
            from = text.len() - info.len();
            continue;
        }
        let line = info.find('\n').filter(|end| !info.get(..*end).is_some_and(|line| line.contains(['{', '['])));
        let word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
        let length = line.unwrap_or_else(|| info.find(|char| !word(char)).unwrap_or(info.len()));
        return Some(text.len() - info.len() + length);
    }
}

/// Whether text after a value has signs of more of it: the end of an object, or another call.
pub(in crate::block) fn leads_on(text: &str) -> bool {
    let end = text.trim_end();
    let inner = end.trim_end_matches(|char: char| matches!(char, '}' | ']') || char.is_whitespace());
    let ends_an_object = inner.len() < end.len() && inner.ends_with(['"', '\'', '`', ',', '{', '[']);
    let signs = ["\\\"", "\"tool\"", "'tool'"];
    is_torn(text)
        || ends_an_object
        || !text.bytes().filter(|byte| *byte == b'"').count().is_multiple_of(2)
        || signs.iter().any(|sign| text.contains(sign))
}

/// Whether text after a value, with other values in it, began in that: it goes on with it, or ends what it did not begin.
pub(in crate::block) fn is_torn(text: &str) -> bool {
    let count = |brackets: [char; 2]| text.matches(brackets).count();
    text.starts_with(['"', '\'', '\\', ':']) || count(['}', ']']) > count(['{', '[']) || has_open_quote(text)
}

/// Whether what goes before an object is no prose, but the beginning of another that is damaged. Comments may hold what
/// they will.
pub(super) fn holds_keys(text: &str) -> bool {
    let signs = ["//", "#", "/*", "<!--"];
    let is_comment = text.lines().any(|line| signs.iter().any(|sign| line.trim_start().starts_with(sign)));
    let mut quotes = text.match_indices('"');
    !is_comment && quotes.any(|(at, _)| text.get(at + 1..).is_some_and(|rest| rest.trim_start().starts_with(':')))
}
