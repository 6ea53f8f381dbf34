//! Reading a path.

use std::sync::Arc;

use super::{Code, Operator, PatchError, PathExpr, Refusal, Segment, check_name};
use crate::patch::words::cut;
use crate::value::{self, Value};

pub(super) fn path(text: &str, max_depth: usize) -> Result<PathExpr, Refusal> {
    if text.is_empty() {
        return Err(invalid("The path is empty.", "Name the place, such as state.params.count."));
    }
    let path = match text.strip_prefix('/') {
        Some(tokens) => pointer(text, tokens)?,
        None => Reader { text, at: 0, segments: Vec::new() }.read()?,
    };
    if path.segments.len() > max_depth {
        let message = format!("The path has {} segments; the limit is {max_depth}.", path.segments.len());
        return Err(PatchError::new(Code::LimitExceeded, message, "Use a shallower place."));
    }
    Ok(path)
}

#[cold]
fn invalid(message: impl Into<String>, solution: impl Into<String>) -> Refusal {
    PatchError::new(Code::InvalidPath, message, solution)
}

/// A JSON Pointer (RFC 6901); `-` at its end appends.
fn pointer(text: &str, tokens: &str) -> Result<PathExpr, Refusal> {
    let Some(mut names) = value::pointer(text) else {
        return Err(invalid("The pointer has a ~ that is neither ~0 nor ~1.", "Write ~ as ~0 and / as ~1."));
    };
    let mut operator = Operator::Plain;
    if tokens.ends_with("/-") {
        names.pop();
        operator = Operator::Append;
    }
    let segments = names.iter().map(|name| match &**name {
        "-" => Err(invalid("The pointer goes on after -.", "Use - only at the end of a pointer.")),
        name => unquoted(name),
    });
    Ok(PathExpr { segments: segments.collect::<Result<_, _>>()?, operator })
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
        let name = cut(name);
        let solution = format!("Count from 0, without leading zeros; a key is quoted: state.params[\"{name}\"].");
        return Err(invalid(format!("The path has {what}, {name}."), solution));
    }
    // No list is that long: so it is a key, a telephone number perhaps.
    Ok(digits.parse().map_or_else(|_| Segment::Key(name.into()), Segment::Index))
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

    fn done(self, operator: Operator) -> PathExpr {
        PathExpr { segments: self.segments, operator }
    }

    fn read(mut self) -> Result<PathExpr, Refusal> {
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
                        return Err(invalid("The path has a dot before [.", "Leave the dot before [ out."));
                    }
                }
                rest => {
                    let message =
                        format!("The path has \"{}\" where a dot, a bracket or its end should be.", cut(rest));
                    return Err(invalid(message, "Separate segments by dots."));
                }
            }
        }
    }

    fn push(&mut self, segment: Segment) -> Option<Operator> {
        self.segments.push(segment);
        None
    }

    /// `name`, `name+` at the end of the path, or `name-"id"`.
    fn bare(&mut self) -> Result<Option<Operator>, Refusal> {
        let rest = self.rest();
        let ends = |char: char| match char {
            '.' | '[' | ']' | '"' | '\0'..=' ' => true,
            '!'..='~' => false,
            char => char.is_whitespace() || char.is_control(),
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let stop = after.chars().next();
        self.at += end;
        match stop {
            Some('"') if name.len() > 1 && name.ends_with('-') => {
                self.segments.push(unquoted(name.strip_suffix('-').unwrap_or(name))?);
                self.item_by_quoted_id().map(Some)
            }
            Some('"' | ']') => {
                let solution = "Quote a whole segment: state.params[\"a.b\"], blocks[\"form_block\"].";
                Err(invalid(format!("The path has {} inside a segment.", after.get(..1).unwrap_or_default()), solution))
            }
            Some(char) if char.is_control() => check_name(after).map(|()| None),
            Some(char) if char.is_whitespace() => {
                let solution = format!("Quote a name with blanks: [\"{}\"].", cut(rest.trim()));
                Err(invalid("The path has a blank outside of quotes.", solution))
            }
            Some(_) | None => match name.strip_suffix('+') {
                None => {
                    self.segments.push(unquoted(name)?);
                    Ok(None)
                }
                Some(list) if stop.is_none() && !list.ends_with('+') => {
                    self.segments.push(unquoted(list)?);
                    Ok(Some(Operator::Append))
                }
                Some(_) => {
                    let solution =
                        format!("Use one + at the end of the path to append; quote a key: [\"{}\"].", cut(name));
                    Err(invalid(format!("The path has \"{}\", a name that ends in +.", cut(name)), solution))
                }
            },
        }
    }

    /// `[0]`, `[id]`, `["id"]`
    fn bracket(&mut self) -> Result<Option<Operator>, Refusal> {
        self.eat('[');
        let segment = if self.rest().starts_with('"') {
            Segment::Id(self.quoted()?)
        } else {
            let rest = self.rest();
            let whole = rest.split(']').next().unwrap_or_default().trim();
            if whole.len() > 1 && whole.starts_with('\'') && whole.ends_with('\'') {
                return Err(invalid("The path has a name in single quotes.", "Use double quotes."));
            }
            let end = rest.find(|char: char| matches!(char, '.' | '[' | ']' | '"') || char.is_whitespace());
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            if !after.starts_with(']') {
                let solution = format!("Close it and quote what is not a plain id: [\"{}\"].", cut(whole));
                return Err(invalid("The path has a bracket that is not closed after a plain id.", solution));
            }
            self.at += name.len();
            match unquoted(name)? {
                Segment::Key(id) => Segment::Id(id),
                segment => segment,
            }
        };
        if !self.eat(']') {
            return Err(invalid("The path has a bracket that is not closed.", "Close it: blocks[\"form_block\"]."));
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
            return Err(invalid("The path has a quote that is not closed.", "Close it: blocks[\"form_block\"]."));
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
    fn item_by_quoted_id(&mut self) -> Result<Operator, Refusal> {
        let id = self.quoted()?;
        self.segments.push(Segment::Id(id));
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(Operator::ItemById);
        }
        let better = super::format_path(&self.segments, false)? + rest;
        Err(invalid("The path goes on after an operator.", format!("Use {}.", cut(&better))))
    }

    /// `blocks-0`, `blocks-"old"`, `blocks-old-block`: after the first segment everything that follows is the operand.
    fn list_item(&mut self, list: &str) -> Result<Operator, Refusal> {
        self.segments.push(Segment::Key(list.into()));
        self.at = list.len() + 1;
        let rest = self.rest();
        if rest.starts_with('"') {
            return self.item_by_quoted_id();
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let blank = |char: char| char.is_whitespace() || matches!(char, '"' | ']');
        if name.contains(blank) {
            return Err(invalid(
                "The path has an id with blanks or quotes in it.",
                format!("Quote it: {list}-\"id\"."),
            ));
        }
        let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        let segment = if digits { unquoted(name)? } else { Segment::Id(name.into()) };
        check_name(name)?;
        self.segments.push(segment);
        if !after.is_empty() {
            let better = super::format_path(&self.segments, false)? + after;
            return Err(invalid("The path goes on after an operator.", format!("Use {}.", cut(&better))));
        }
        Ok(if digits { Operator::ItemAt } else { Operator::ItemById })
    }
}
