//! Reading a path.

use std::sync::Arc;

use super::{Code, Operator, PatchError, PathExpr, Refusal, Segment, check_name};
use crate::patch::words::cut;
use crate::value::{self, Value, write_string};

pub(super) fn path(text: &str, max_depth: usize) -> Result<PathExpr, Refusal> {
    let path = spelled(text).map_err(|fault| {
        let Fault { mut refusal, fix } = fault;
        if let Some(path) = fix.and_then(|fix| fixed(text, fix)) {
            refusal.solution.push_str(&format!(" Use {path}."));
        }
        refusal
    })?;
    if path.segments.len() > max_depth {
        let message = format!("The path has {} segments; the limit is {max_depth}.", path.segments.len());
        return Err(PatchError::new(Code::LimitExceeded, message, "Use a shallower place."));
    }
    Ok(path)
}

/// Why a text is no path, and what would make it one, if that is plain.
struct Fault {
    refusal: Refusal,
    fix: Option<Fix>,
}

/// Another text for a range of bytes.
type Fix = (std::ops::Range<usize>, String);

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, fix: None }
    }
}

/// So many faults of one path are fixed, and no longer path is suggested.
const MOST_FIXES: usize = 8;
const LONGEST: usize = 300;

/// The path that was meant, with all of its segments; nothing where a fault remains.
#[cold]
fn fixed(text: &str, fix: Fix) -> Option<String> {
    let (mut text, mut next) = (text.to_owned(), fix);
    for _ in 0..MOST_FIXES {
        if text.len() > LONGEST {
            return None;
        }
        text.replace_range(next.0, &next.1);
        match spelled(&text) {
            Ok(_) => return Some(text),
            Err(fault) => next = fault.fix?,
        }
    }
    None
}

fn spelled(text: &str) -> Result<PathExpr, Fault> {
    if text.is_empty() {
        return Err(invalid("The path is empty.", "Name the place, such as state.params.count.").into());
    }
    match text.strip_prefix('/') {
        Some(tokens) => pointer(text, tokens),
        None => Reader { text, at: 0, segments: Vec::new() }.read(),
    }
}

#[cold]
fn invalid(message: impl Into<String>, solution: impl Into<String>) -> Refusal {
    PatchError::new(Code::InvalidPath, message, solution)
}

#[cold]
fn fault(message: impl Into<String>, solution: &str, fix: Option<Fix>) -> Fault {
    Fault { refusal: invalid(message, solution), fix }
}

/// A JSON Pointer (RFC 6901); `-` at its end appends.
fn pointer(text: &str, tokens: &str) -> Result<PathExpr, Fault> {
    let Some(mut names) = value::pointer(text) else {
        return Err(invalid("The pointer has a ~ that is neither ~0 nor ~1.", "Write ~ as ~0 and / as ~1.").into());
    };
    let mut operator = Operator::Plain;
    if tokens.ends_with("/-") {
        names.pop();
        operator = Operator::Append;
    }
    if names.iter().any(|name| name == "-") {
        return Err(invalid("The pointer goes on after -.", "Use - only at the end of a pointer.").into());
    }
    let segments = names.iter().map(|name| unquoted(name)).collect::<Result<_, _>>();
    let segments = segments.map_err(|refusal| {
        // A pointer has no quotes, so the path that has them is one with dots.
        let quoted = names.iter().map(|name| unquoted(name).unwrap_or_else(|_| Segment::Id(name.as_str().into())));
        let path = super::format_path(&Vec::from_iter(quoted), operator == Operator::Append);
        Fault { refusal, fix: path.ok().map(|path| (0..text.len(), path)) }
    })?;
    Ok(PathExpr { segments, operator })
}

/// A segment without quotes: digits are an index, all else is a key.
fn unquoted(name: &str) -> Result<Segment, Refusal> {
    check_name(name)?;
    let digits = name.strip_prefix('-').unwrap_or(name);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Segment::Key(name.into()));
    }
    let is_negative = digits.len() < name.len();
    if is_negative || (digits.len() > 1 && digits.starts_with('0')) {
        let what = if is_negative { "a negative index" } else { "an index with leading zeros" };
        let solution = "Count from 0, without leading zeros; quote a key or an id of digits.";
        return Err(invalid(format!("The path has {what}, {}.", cut(name)), solution));
    }
    // No list is that long: so it is a key, a telephone number perhaps.
    Ok(digits.parse().map_or_else(|_| Segment::Key(name.into()), Segment::Index))
}

/// A name as a JSON string.
fn quote(name: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, name);
    out
}

/// Reads dots and brackets from left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    segments: Vec<Segment>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes a character if it comes next.
    fn eat(&mut self, char: char) -> bool {
        let next = self.rest().starts_with(char);
        self.at += if next { char.len_utf8() } else { 0 };
        next
    }

    /// What quotes a segment that ends at a place; the dot before it goes.
    fn bracketed(&self, from: usize, to: usize, name: &str) -> Fix {
        let has_dot = self.text.get(..from).is_some_and(|before| before.ends_with('.'));
        (from - usize::from(has_dot)..to, format!("[{}]", quote(name)))
    }

    /// A segment without quotes that stands in the text from a place on.
    fn segment(&self, from: usize, name: &str) -> Result<Segment, Fault> {
        unquoted(name).map_err(|refusal| {
            let fix = check_name(name).is_ok().then(|| self.bracketed(from, from + name.len(), name));
            Fault { refusal, fix }
        })
    }

    /// What makes a segment with blanks one without, or quotes it.
    fn without_blanks(&self, from: usize) -> Option<Fix> {
        let rest = self.text.get(from..)?;
        let to = from + rest.find(['.', '[']).unwrap_or(rest.len());
        let name = self.text.get(from..to)?.trim();
        let list = name.strip_suffix('+').map(str::trim_end).filter(|_| to == self.text.len());
        let plain = list.unwrap_or(name);
        if name.contains(['"', ']']) {
            None
        } else if plain.contains(char::is_whitespace) {
            Some(self.bracketed(from, to, name))
        } else {
            Some((from..to, format!("{plain}{}", if list.is_some() { "+" } else { "" })))
        }
    }

    fn done(self, operator: Operator) -> PathExpr {
        PathExpr { segments: self.segments, operator }
    }

    fn read(mut self) -> Result<PathExpr, Fault> {
        if let Some(list) = ["blocks", "actions"]
            .into_iter()
            .find(|list| self.text.strip_prefix(list).is_some_and(|rest| rest.starts_with('-')))
        {
            let operator = self.list_item(list)?;
            return Ok(self.done(operator));
        }
        loop {
            let operator = match self.rest().chars().next() {
                Some('"') => {
                    let key = self.quoted()?;
                    self.push(Segment::Key(key))
                }
                Some('[') => self.bracket()?,
                _ => self.bare()?,
            };
            if let Some(operator) = operator {
                return Ok(self.done(operator));
            }
            // After a segment: brackets, an operator, the end, or a dot and the next segment.
            while self.rest().starts_with('[') {
                self.bracket()?;
            }
            match self.rest() {
                "" => return Ok(self.done(Operator::Plain)),
                "+" => return Ok(self.done(Operator::Append)),
                rest if rest.starts_with("-\"") => {
                    self.at += 1;
                    let operator = self.item_by_quoted_id()?;
                    return Ok(self.done(operator));
                }
                _ if self.eat('.') => {
                    if self.rest().starts_with('[') {
                        let fix = (self.at - 1..self.at, String::new());
                        return Err(fault("The path has a dot before [.", "Leave the dot before [ out.", Some(fix)));
                    }
                }
                rest => {
                    let message =
                        format!("The path has \"{}\" where a dot, a bracket or its end should be.", cut(rest));
                    let next = rest.trim_start();
                    let is_name = next.starts_with(|char: char| char.is_alphanumeric() || char == '_');
                    let fix = (self.at..self.text.len() - next.len(), if is_name { "." } else { "" }.to_owned());
                    let fix = (is_name || next.len() < rest.len()).then_some(fix);
                    return Err(fault(message, "Separate segments by dots.", fix));
                }
            }
        }
    }

    fn push(&mut self, segment: Segment) -> Option<Operator> {
        self.segments.push(segment);
        None
    }

    /// `name`, `name+` at the end of the path, or `name-"id"`.
    fn bare(&mut self) -> Result<Option<Operator>, Fault> {
        let rest = self.rest();
        let ends = |char: char| match char {
            '.' | '[' | ']' | '"' | '\0'..=' ' => true,
            '!'..='~' => false,
            char => char.is_whitespace() || char.is_control(),
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let stop = after.chars().next();
        let from = self.at;
        self.at += end;
        match stop {
            Some('"') if name.len() > 1 && name.ends_with('-') => {
                let name = name.strip_suffix('-').unwrap_or(name);
                self.segments.push(self.segment(from, name)?);
                self.item_by_quoted_id().map(Some)
            }
            Some('"' | ']') => {
                let found = after.get(..1).unwrap_or_default();
                Err(invalid(format!("The path has {found} inside a segment."), "Quote the whole segment.").into())
            }
            Some(char) if char.is_control() => Ok(check_name(after).map(|()| None)?),
            Some(char) if char.is_whitespace() => {
                let solution = "Quote a name with blanks, and leave out other blanks.";
                Err(fault("The path has a blank outside of quotes.", solution, self.without_blanks(from)))
            }
            Some(_) | None => match name.strip_suffix('+') {
                None => {
                    self.segments.push(self.segment(from, name)?);
                    Ok(None)
                }
                Some(list) if stop.is_none() && !list.ends_with('+') => {
                    self.segments.push(self.segment(from, list)?);
                    Ok(Some(Operator::Append))
                }
                Some(_) => {
                    let solution = "Use one + at the end of the path to append; quote a key.";
                    let message = format!("The path has \"{}\", a name that ends in +.", cut(name));
                    Err(fault(message, solution, Some(self.bracketed(from, self.at, name))))
                }
            },
        }
    }

    /// `[0]`, `[id]`, `["id"]`
    fn bracket(&mut self) -> Result<Option<Operator>, Fault> {
        self.eat('[');
        let segment = if self.rest().starts_with('"') {
            Segment::Id(self.quoted()?)
        } else {
            let rest = self.rest();
            let whole = rest.split(']').next().unwrap_or_default();
            let inside = self.at..self.at + whole.len();
            let is_closed = whole.len() < rest.len();
            let whole = whole.trim();
            if let Some(name) = whole.strip_prefix('\'').and_then(|whole| whole.strip_suffix('\'')) {
                let fix = is_closed.then(|| (inside, quote(name)));
                return Err(fault("The path has a name in single quotes.", "Use double quotes.", fix));
            }
            let end = rest.find(|char: char| matches!(char, '.' | '[' | ']' | '"') || char.is_whitespace());
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            if !after.starts_with(']') {
                let is_index = whole.bytes().all(|byte| byte.is_ascii_digit());
                let text = if is_index { whole.to_owned() } else { quote(whole) };
                let fix = (is_closed && !whole.is_empty() && !whole.contains(['[', '"'])).then_some((inside, text));
                let message = "The path has a bracket that is not closed after a plain id.";
                return Err(fault(message, "Close it, and quote what is not a plain id.", fix));
            }
            self.at += name.len();
            match unquoted(name) {
                Ok(Segment::Key(id)) => Segment::Id(id),
                Ok(segment) => segment,
                Err(refusal) => {
                    let fix = check_name(name).is_ok().then(|| (inside, quote(name)));
                    return Err(Fault { refusal, fix });
                }
            }
        };
        if !self.eat(']') {
            return Err(invalid("The path has a bracket that is not closed.", "Close it with ] behind the id.").into());
        }
        Ok(self.push(segment))
    }

    /// A JSON string.
    fn quoted(&mut self) -> Result<Arc<str>, Refusal> {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, char)| {
            let closes = *char == '"' && !escaped;
            escaped = *char == '\\' && !escaped;
            closes
        });
        let Some((end, _)) = end else {
            return Err(invalid("The path has a quote that is not closed.", "Close it with another one."));
        };
        let text = rest.get(..=end).unwrap_or_default();
        match value::parse(text, 1) {
            Ok(Value::String(name)) => {
                check_name(&name)?;
                self.at += text.len();
                Ok((*name).into())
            }
            _ if text.chars().any(char::is_control) => check_name(text).map(|()| "".into()),
            _ => {
                Err(invalid(format!("The path has {}, which is no JSON string.", cut(text)), "Escape it as JSON does."))
            }
        }
    }

    /// `-"id"` at the end of a path.
    fn item_by_quoted_id(&mut self) -> Result<Operator, Fault> {
        let id = self.quoted()?;
        self.segments.push(Segment::Id(id));
        self.end_after(Operator::ItemById)
    }

    /// An operator ends the path; without it, the path may go on.
    fn end_after(&self, operator: Operator) -> Result<Operator, Fault> {
        if self.rest().is_empty() {
            return Ok(operator);
        }
        let fix = super::format_path(&self.segments, false)?;
        Err(fault("The path goes on after an operator.", "Write it without the operator.", Some((0..self.at, fix))))
    }

    /// `blocks-0`, `blocks-"old"`, `blocks-old-block`: after the first segment everything that follows is the operand.
    fn list_item(&mut self, list: &str) -> Result<Operator, Fault> {
        self.segments.push(Segment::Key(list.into()));
        self.at = list.len() + 1;
        let rest = self.rest();
        if rest.starts_with('"') {
            return self.item_by_quoted_id();
        }
        let name = rest.get(..rest.find(['.', '[']).unwrap_or(rest.len())).unwrap_or_default();
        let operand = list.len()..self.at + name.len();
        let blank = |char: char| char.is_whitespace() || matches!(char, '"' | ']');
        if name.contains(blank) && !name.contains(char::is_control) {
            let fix = (!name.contains(['"', ']'])).then(|| (operand, format!("[{}]", quote(name.trim()))));
            return Err(fault("The path has an id with blanks or quotes in it.", "Quote the id.", fix));
        }
        check_name(name)?;
        self.at += name.len();
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let index = unquoted(name)
                .map_err(|refusal| Fault { refusal, fix: Some((operand, format!("[{}]", quote(name)))) })?;
            self.segments.push(index);
            return self.end_after(Operator::ItemAt);
        }
        self.segments.push(Segment::Id(name.into()));
        self.end_after(Operator::ItemById)
    }
}
