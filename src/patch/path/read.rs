//! Reading a path, and, of a misspelt one, the path that was probably meant.

use std::sync::Arc;

use super::{Arg, Cause, Operator, PathExpr, Refusal, Segment, check_name, format_path, has_control};
use crate::value::text::{is_space, trim_end, trim_start, whole};
use crate::value::{self, Value, concat, run_length, write_string};

pub(super) fn path(text: &str, max_depth: usize) -> Result<PathExpr, Refusal> {
    let mut reader = PathReader { text, at: 0, segments: Vec::new() };
    match reader.path() {
        Err(fault) => Err(reader.refuse(fault)),
        Ok(operator) => {
            let segments = reader.segments;
            if segments.len() > max_depth {
                return Err(Cause::PathTooLong.refuse(&[Arg::Count(segments.len()), Arg::Count(max_depth)]));
            }
            Ok(PathExpr { segments, operator })
        }
    }
}

/// Why a text is no path, and the bytes that are at fault.
#[derive(Clone, Copy)]
struct PathFault {
    cause: Cause,
    from: usize,
    to: usize,
}

struct PathReader<'a> {
    text: &'a str,
    at: usize,
    segments: Vec<Segment>,
}

impl<'a> PathReader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// A segment of so many bytes from here on.
    #[inline(never)]
    fn take(&mut self, segment: Segment, len: usize) {
        self.segments.push(segment);
        self.at += len;
    }

    /// What is wrong with so many bytes from here on.
    const fn fault<T>(&self, cause: Cause, len: usize) -> Result<T, PathFault> {
        Err(PathFault { cause, from: self.at, to: self.at + len })
    }

    fn path(&mut self) -> Result<Operator, PathFault> {
        match self.next() {
            None => return self.fault(Cause::PathEmpty, 0),
            Some(b'/') => return self.pointer(),
            Some(_) => {}
        }
        for list in ["blocks", "actions"] {
            if self.text.strip_prefix(list).is_some_and(|rest| rest.starts_with('-')) {
                return self.list_item(list);
            }
        }
        loop {
            match self.next() {
                Some(b'"') => {
                    let key = self.quoted()?;
                    self.take(Segment::Key(key), 0);
                }
                Some(b'[') => self.bracket()?,
                _ => self.bare()?,
            }
            // After a segment: brackets, an operator, the end, or a dot and the next segment.
            while self.next() == Some(b'[') {
                self.bracket()?;
            }
            let rest = self.rest();
            match rest {
                "" => return Ok(Operator::Plain),
                "+" => return Ok(Operator::Append),
                _ if rest.starts_with("-\"") => {
                    self.at += 1;
                    return self.item_by_quoted_id();
                }
                _ if rest.starts_with(".[") => return self.fault(Cause::DotBeforeBracket, 1),
                _ if rest.starts_with('.') => self.at += 1,
                _ => return self.fault(Cause::NoSeparator, rest.len()),
            }
        }
    }

    /// A JSON Pointer (RFC 6901); `-` at its end appends.
    fn pointer(&mut self) -> Result<Operator, PathFault> {
        let Some(names) = value::pointer(self.text) else { return self.fault(Cause::PointerTilde, 0) };
        let appends = names.len() > 1 && names.last().is_some_and(|name| name == "-");
        let named = names.get(..names.len() - usize::from(appends)).unwrap_or_default();
        if named.iter().any(|name| name == "-") {
            return self.fault(Cause::PointerEnd, 0);
        }
        for name in named {
            self.at += 1;
            let len = until(self.rest(), b"/");
            self.unquoted(name, len)?;
        }
        Ok(if appends { Operator::Append } else { Operator::Plain })
    }

    /// The segment that a name without quotes is, of so many bytes from here on: digits are an index, all else is a key.
    fn unquoted(&mut self, name: &str, len: usize) -> Result<(), PathFault> {
        let segment = unquoted(name).or_else(|cause| self.fault(cause, len))?;
        self.take(segment, len);
        Ok(())
    }

    /// A name without quotes, up to the operator that follows it.
    fn bare(&mut self) -> Result<(), PathFault> {
        let rest = self.rest();
        let mut end = 0;
        while let Some(byte) = rest.as_bytes().get(end) {
            end += match byte {
                b'.' | b'[' | b']' | b'"' | b' ' => break,
                0x80.. => match rest.get(end..).and_then(|rest| rest.chars().next()) {
                    Some(char) if !is_space(char) && !char.is_control() => char.len_utf8(),
                    _ => break,
                },
                byte if byte.is_ascii_control() => break,
                _ => 1,
            };
        }
        let (whole, after) = rest.split_at(end);
        let name = match after.chars().next() {
            Some('"') if whole.len() > 1 && whole.ends_with('-') => whole.get(..end - 1).unwrap_or_default(),
            Some('"' | ']') => {
                self.at += end;
                return self.fault(Cause::InSegment, 1);
            }
            Some(char) if char.is_control() => return self.fault(Cause::SegmentControl, 0),
            Some(char) if is_space(char) => return self.fault(Cause::Blank, end),
            stop => match whole.strip_suffix('+') {
                None => whole,
                Some(list) if stop.is_none() && !list.ends_with('+') => list,
                Some(_) => return self.fault(Cause::EndsInPlus, end),
            },
        };
        self.unquoted(name, name.len())
    }

    /// `[0]`, `[id]`, `["id"]`
    fn bracket(&mut self) -> Result<(), PathFault> {
        self.at += 1;
        let segment = if self.next() == Some(b'"') {
            Segment::Id(self.quoted()?)
        } else {
            let rest = self.rest();
            let len = until(rest, b"]");
            let inside = rest.get(..len).unwrap_or_default();
            if trim(inside).strip_prefix('\'').is_some_and(|name| name.ends_with('\'')) {
                return self.fault(Cause::SingleQuotes, len);
            }
            if len == rest.len() || has(inside, b".[\"") || has_blank(inside) {
                return self.fault(Cause::NoPlainId, len);
            }
            let segment = match unquoted(inside).or_else(|cause| self.fault(cause, len))? {
                Segment::Key(id) => Segment::Id(id),
                segment => segment,
            };
            self.at += len;
            segment
        };
        if self.next() != Some(b']') {
            return self.fault(Cause::BracketOpen, 0);
        }
        self.take(segment, 1);
        Ok(())
    }

    /// A JSON string.
    fn quoted(&mut self) -> Result<Arc<str>, PathFault> {
        let rest = self.rest();
        let mut escaped = false;
        // What has no escape in it means what it says.
        let plain = 1 + run_length(rest.get(1..).unwrap_or_default().as_bytes(), b'"');
        let mut end = plain;
        for byte in rest.bytes().skip(end) {
            end += 1;
            if byte == b'"' && !escaped {
                let text = rest.get(..end).unwrap_or_default();
                let name: Arc<str> = if end == plain + 1 {
                    text.get(1..plain).unwrap_or_default().into()
                } else {
                    match value::parse(text, 1) {
                        Ok(Value::String(name)) => (*name).into(),
                        _ if has_control(text) => return self.fault(Cause::SegmentControl, end),
                        _ => return self.fault(Cause::NoString, end),
                    }
                };
                check_name(&name).map_err(|cause| PathFault { cause, from: self.at + 1, to: self.at + end - 1 })?;
                self.at += end;
                return Ok(name);
            }
            escaped = byte == b'\\' && !escaped;
        }
        self.fault(Cause::QuoteOpen, 0)
    }

    /// `-"id"` at the end of a path.
    fn item_by_quoted_id(&mut self) -> Result<Operator, PathFault> {
        let id = self.quoted()?;
        self.take(Segment::Id(id), 0);
        self.end_after(Operator::ItemById)
    }

    /// An operator ends the path; without it, the path may go on.
    const fn end_after(&self, operator: Operator) -> Result<Operator, PathFault> {
        if self.at == self.text.len() {
            return Ok(operator);
        }
        Err(PathFault { cause: Cause::AfterOperator, from: 0, to: self.at })
    }

    /// `blocks-0`, `blocks-"old"`, `blocks-old-block`: after the first segment everything that follows is the operand.
    fn list_item(&mut self, list: &str) -> Result<Operator, PathFault> {
        self.take(Segment::Key(list.into()), list.len() + 1);
        if self.next() == Some(b'"') {
            return self.item_by_quoted_id();
        }
        let name = self.rest().get(..until(self.rest(), b".[")).unwrap_or_default();
        if (has_blank(name) || has(name, b"\"]")) && !has_control(name) {
            return self.fault(Cause::IdBlank, name.len());
        }
        if is_digits(name) {
            self.unquoted(name, name.len())?;
            return self.end_after(Operator::ItemAt);
        }
        check_name(name).or_else(|cause| self.fault(cause, name.len()))?;
        self.take(Segment::Id(name.into()), name.len());
        self.end_after(Operator::ItemById)
    }
}

fn unquoted(name: &str) -> Result<Segment, Cause> {
    check_name(name)?;
    let digits = name.strip_prefix('-').unwrap_or(name);
    if digits.is_empty() || !is_digits(digits) {
        Ok(Segment::Key(value::name(name)))
    } else if digits.len() < name.len() || (digits.len() > 1 && digits.starts_with('0')) {
        Err(Cause::IndexForm)
    } else {
        // No list is that long: so it is a key, a telephone number perhaps.
        Ok(whole(digits).map_or_else(|| Segment::Key(name.into()), Segment::Index))
    }
}

/// How many bytes come before the first one of some.
fn until(text: &str, ends: &[u8]) -> usize {
    text.bytes().position(|byte| ends.contains(&byte)).unwrap_or(text.len())
}

fn has(text: &str, bytes: &[u8]) -> bool {
    until(text, bytes) < text.len()
}

fn trim(text: &str) -> &str {
    trim_end(trim_start(text))
}

fn has_blank(text: &str) -> bool {
    text.chars().any(is_space)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// So many faults of one path are fixed, and no longer path is suggested.
const MOST_FIXES: usize = 8;
const LONGEST: usize = 300;

/// What a path should have been.
impl PathReader<'_> {
    #[cold]
    fn refuse(&self, fault: PathFault) -> Refusal {
        let mut refusal = fault.cause.refuse(&[Arg::Cut(self.text.get(fault.from..fault.to).unwrap_or_default())]);
        if let Some(path) = self.meant(fault) {
            for part in [" Use ", &path, "."] {
                refusal.solution.push_str(part);
            }
        }
        refusal
    }

    /// The path that was meant, with all of its segments; nothing where a fault remains.
    fn meant(&self, fault: PathFault) -> Option<String> {
        let mut fixed = self.fix(fault);
        for _ in 0..MOST_FIXES {
            let text = fixed?;
            let mut reader = PathReader { text: &text, at: 0, segments: Vec::new() };
            fixed = match reader.path() {
                Ok(_) => return Some(text),
                Err(fault) => reader.fix(fault),
            };
        }
        None
    }

    /// The text without a fault.
    fn fix(&self, PathFault { cause, from, to }: PathFault) -> Option<String> {
        let text = self.text;
        if text.len() > LONGEST {
            return None;
        }
        let wrong = text.get(from..to)?;
        let name = trim(wrong);
        match cause {
            Cause::DotBeforeBracket => self.replace(from, to, &[]),
            Cause::AfterOperator => self.replace(from, to, &[&format_path(&self.segments, false).ok()?]),
            Cause::NoSeparator => {
                let next = trim_start(wrong);
                let is_name = next
                    .bytes()
                    .next()
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte >= b'\x80' || byte == b'_');
                if !is_name && next.len() == wrong.len() {
                    return None;
                }
                self.replace(from, to - next.len(), &[if is_name { "." } else { "" }])
            }
            Cause::IndexForm if text.starts_with('/') => {
                // A pointer has no quotes, so the path that has them is one with dots.
                let names = value::pointer(text)?;
                let appends = names.last().is_some_and(|name| name == "-");
                let mut segments = Vec::new();
                for name in names.get(..names.len() - usize::from(appends))? {
                    segments.push(unquoted(name).unwrap_or_else(|_| Segment::Id((**name).into())));
                }
                format_path(&segments, appends).ok()
            }
            Cause::Blank => {
                let to = from + until(text.get(from..)?, b".[");
                let name = trim(text.get(from..to)?);
                let list = name.strip_suffix('+').map(trim).filter(|_| to == text.len());
                let plain = list.unwrap_or(name);
                if has(name, b"\"]") {
                    None
                } else if has_blank(plain) {
                    self.quote(from, to, name)
                } else {
                    self.replace(from, to, &[plain, if list.is_some() { "+" } else { "" }])
                }
            }
            Cause::IndexForm | Cause::EndsInPlus => self.quote(from, to, name),
            Cause::IdBlank if !has(name, b"\"]") => self.quote(from, to, name),
            Cause::SingleQuotes if self.is_closed(to) => self.quote(from, to, name.get(1..name.len() - 1)?),
            Cause::NoPlainId if self.is_closed(to) && !name.is_empty() && !has(name, b"[\"") => {
                if is_digits(name) {
                    self.replace(from, to, &[name])
                } else {
                    self.quote(from, to, name)
                }
            }
            _ => None,
        }
    }

    fn is_closed(&self, at: usize) -> bool {
        self.text.as_bytes().get(at) == Some(&b']')
    }

    /// Quotes the segment in a range: in brackets, which take the place of the dot or the `-` before it.
    fn quote(&self, from: usize, to: usize, name: &str) -> Option<String> {
        let mut quoted = String::new();
        write_string(&mut quoted, name);
        match from.checked_sub(1).and_then(|before| self.text.as_bytes().get(before)) {
            Some(b'[') => self.replace(from, to, &[&quoted]),
            before => self.replace(from - usize::from(before.is_some()), to, &["[", &quoted, "]"]),
        }
    }

    /// The text with other parts in a range.
    fn replace(&self, from: usize, to: usize, parts: &[&str]) -> Option<String> {
        Some(concat(&[self.text.get(..from)?, &concat(parts), self.text.get(to..)?]))
    }
}
