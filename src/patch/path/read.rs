//! The parser of paths. For a misspelt path it finds the correct one, if the meaning is clear.

use std::sync::Arc;

use super::{Operator, PathExpr, format_path};
use crate::patch::error::{Arg, Cause, Refusal};
use crate::patch::segment::{Segment, check_name, has_control};
use crate::value::text::{is_space, trim_end, trim_start, whole_number};
use crate::value::{self, Value, run_length};

/// Longest text (bytes) for which a refusal suggests a corrected path.
const MAX_CORRECTED: usize = 300;

impl PathExpr {
    /// Parses a path of at most `max_depth` segments, of any document: see [`PathExpr::check_page`].
    ///
    /// # Errors
    /// `INVALID_PATH` with the correct spelling if it is clear; `LIMIT_EXCEEDED`.
    pub fn parse(text: &str, max_depth: usize) -> Result<Self, Refusal> {
        let mut reader = PathReader { text, at: 0, segments: Vec::new(), corrected: None };
        let read = reader.path();
        let PathReader { segments, corrected, .. } = reader;
        match (corrected, read) {
            (None, Ok(operator)) if segments.len() <= max_depth => Ok(Self { segments, operator }),
            (None, Ok(_)) => Err(Cause::PathTooLong.refuse(&[Arg::Count(segments.len()), Arg::Count(max_depth)])),
            (Some(fault), read) => Err(refuse(text, fault, read.ok(), &segments)),
            (None, Err(fault)) => Err(refuse(text, fault, None, &segments)),
        }
    }
}

/// Refuses a text for its first fault. If the parser reached the end (`operator` is there), the segments are suggested.
fn refuse(text: &str, fault: PathFault, operator: Option<Operator>, segments: &[Segment]) -> Refusal {
    let mut refusal = fault.cause.refuse(&[Arg::Cut(text.get(fault.from..fault.to).unwrap_or_default())]);
    if let Some(operator) = operator.filter(|_| text.len() <= MAX_CORRECTED)
        && let Ok(path) = format_path(segments, operator == Operator::Append)
    {
        for part in [" Use ", &path, "."] {
            refusal.solution.push_str(part);
        }
    }
    refusal
}

/// A syntax error, and its bytes.
#[derive(Clone, Copy)]
struct PathFault {
    cause: Cause,
    from: usize,
    to: usize,
}

/// Parses a path. The parser corrects an error with a clear meaning and goes on; any other error ends it.
struct PathReader<'a> {
    text: &'a str,
    at: usize,
    segments: Vec<Segment>,
    /// The first corrected error.
    corrected: Option<PathFault>,
}

impl<'a> PathReader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn push(&mut self, segment: Segment, len: usize) {
        self.segments.push(segment);
        self.at += len;
    }

    /// An error in the next `len` bytes.
    const fn fault<T>(&self, cause: Cause, len: usize) -> Result<T, PathFault> {
        Err(PathFault { cause, from: self.at, to: self.at + len })
    }

    /// Records a corrected error in the next `len` bytes.
    fn correct(&mut self, cause: Cause, len: usize) {
        self.corrected.get_or_insert(PathFault { cause, from: self.at, to: self.at + len });
    }

    /// Parses the next `len` bytes as a name that lacks its quotes.
    fn guess_name(&mut self, cause: Cause, name: &str, len: usize) -> Result<(), PathFault> {
        // Single quotes mark the end of a name, whatever it contains.
        if name.is_empty() || (cause != Cause::SingleQuotes && has_any(name, b"[]\"")) {
            return self.fault(cause, len);
        }
        self.correct(cause, len);
        check_name(name).or_else(|fault| self.fault(fault.into(), len))?;
        self.push(Segment::Id(name.into()), len);
        Ok(())
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - trim_start(self.rest()).len();
    }

    fn path(&mut self) -> Result<Operator, PathFault> {
        if self.text.starts_with(|char| is_space(char) && !char.is_control()) {
            self.correct(Cause::Blank, 0);
            self.skip_blanks();
        }
        match self.next() {
            None => return self.fault(Cause::PathEmpty, 0),
            Some(b'/') => return self.pointer(),
            Some(_) => {}
        }
        let begins = |list: &&str| self.rest().strip_prefix(*list).is_some_and(|rest| rest.starts_with('-'));
        let mut operator = match ["blocks", "actions"].into_iter().find(begins) {
            Some(list) => self.list_item(list)?,
            None => self.segment()?,
        };
        // After a segment: brackets, an operator, the end, or a dot and the next segment.
        loop {
            let rest = self.rest();
            match self.next() {
                None => return Ok(operator),
                Some(_) if operator != Operator::Plain => {
                    self.correct(Cause::AfterOperator, 0);
                    operator = Operator::Plain;
                }
                Some(b'[') => self.bracket()?,
                Some(b'+') if rest == "+" => return Ok(Operator::Append),
                Some(b'-') if rest.starts_with("-\"") => {
                    self.at += 1;
                    self.quoted_id()?;
                    operator = Operator::ItemById;
                }
                Some(b'.') => {
                    self.at += 1;
                    if self.next() == Some(b'[') {
                        self.correct(Cause::DotBeforeBracket, 0);
                    }
                    self.segment()?;
                }
                Some(_) => {
                    let next = trim_start(rest);
                    let is_name =
                        next.starts_with(|char: char| !char.is_ascii() || char.is_alphanumeric() || char == '_');
                    if !is_name && next.len() == rest.len() {
                        return self.fault(Cause::NoSeparator, rest.len());
                    }
                    self.correct(Cause::NoSeparator, rest.len());
                    self.skip_blanks();
                    if is_name {
                        self.bare()?;
                    }
                }
            }
        }
    }

    fn segment(&mut self) -> Result<Operator, PathFault> {
        match self.next() {
            Some(b'"') => {
                let key = self.quoted()?;
                self.push(Segment::Key(key), 0);
            }
            Some(b'[') => self.bracket()?,
            _ => self.bare()?,
        }
        Ok(Operator::Plain)
    }

    /// A JSON Pointer (RFC 6901); `-` at its end appends.
    fn pointer(&mut self) -> Result<Operator, PathFault> {
        let Some(names) = value::pointer(self.rest()) else { return self.fault(Cause::PointerTilde, 0) };
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

    /// Adds the segment of a name without quotes, `len` bytes long.
    fn unquoted(&mut self, name: &str, len: usize) -> Result<(), PathFault> {
        match unquoted_segment(name) {
            Ok(segment) => self.push(segment, len),
            Err(Cause::IndexForm) => self.guess_name(Cause::IndexForm, name, len)?,
            Err(cause) => return self.fault(cause, len),
        }
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
        let (whole, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let name = match after.chars().next() {
            Some('"') if whole.len() > 1 && whole.ends_with('-') => whole.get(..end - 1).unwrap_or_default(),
            Some('"' | ']') => {
                self.at += end;
                return self.fault(Cause::InSegment, 1);
            }
            Some(char) if char.is_control() => return self.fault(Cause::SegmentControl, 0),
            Some(char) if is_space(char) => return self.name_before_blank(rest, end),
            stop => match whole.strip_suffix('+') {
                None => whole,
                Some(list) if stop.is_none() && !list.ends_with('+') => list,
                Some(_) => return self.guess_name(Cause::EndsInPlus, whole, end),
            },
        };
        self.unquoted(name, name.len())
    }

    /// A name with a space after `end` bytes. Spaces inside the name belong to it; the correction leaves out all others.
    fn name_before_blank(&mut self, rest: &str, end: usize) -> Result<(), PathFault> {
        let len = until(rest, b".[");
        let name = trim(rest.get(..len).unwrap_or_default());
        let list = if len == rest.len() { name.strip_suffix('+') } else { None };
        let plain = trim(list.unwrap_or(name));
        if has_blank(plain) || has_any(plain, b"]\"+") {
            return self.guess_name(Cause::Blank, name, len);
        }
        self.correct(Cause::Blank, end);
        self.text = trim_end(self.text);
        self.skip_blanks();
        self.unquoted(plain, plain.len())?;
        self.skip_blanks();
        Ok(())
    }

    /// `[0]`, `[id]`, `["id"]`
    fn bracket(&mut self) -> Result<(), PathFault> {
        self.at += 1;
        let rest = self.rest();
        let len = until(rest, b"]");
        let inside = rest.get(..len).unwrap_or_default();
        let is_closed = len < rest.len();
        let name = if is_closed { trim(inside) } else { "" };
        let single = |text: &'a str| text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if rest.starts_with('"') {
            self.quoted_id()?;
        } else if single(trim(inside)).is_some() {
            self.guess_name(Cause::SingleQuotes, single(name).unwrap_or_default(), len)?;
        } else if is_closed && !has_any(inside, b".[\"") && !has_blank(inside) {
            self.unquoted(inside, len)?;
        } else if is_digits(name) && !name.is_empty() {
            self.correct(Cause::NoPlainId, len);
            self.unquoted(name, len)?;
        } else {
            self.guess_name(Cause::NoPlainId, name, len)?;
        }
        if let Some(segment @ Segment::Key(_)) = self.segments.last_mut() {
            *segment = Segment::Id(segment.key());
        }
        if self.next() != Some(b']') {
            return self.fault(Cause::BracketOpen, 0);
        }
        self.at += 1;
        Ok(())
    }

    fn quoted_id(&mut self) -> Result<(), PathFault> {
        let id = self.quoted()?;
        self.push(Segment::Id(id), 0);
        Ok(())
    }

    fn quoted(&mut self) -> Result<Arc<str>, PathFault> {
        let rest = self.rest();
        let mut escaped = false;
        // Without escapes the characters are the name.
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
                check_name(&name).map_err(|fault| PathFault {
                    cause: fault.into(),
                    from: self.at + 1,
                    to: self.at + end - 1,
                })?;
                self.at += end;
                return Ok(name);
            }
            escaped = byte == b'\\' && !escaped;
        }
        self.fault(Cause::QuoteOpen, 0)
    }

    /// `blocks-0`, `blocks-"old"`, `blocks-old-block`: after the first segment everything that follows is the operand.
    fn list_item(&mut self, list: &str) -> Result<Operator, PathFault> {
        self.push(Segment::Key(list.into()), list.len() + 1);
        let mut operator = Operator::ItemById;
        if self.next() == Some(b'"') {
            self.quoted_id()?;
            return Ok(operator);
        }
        let name = self.rest().get(..until(self.rest(), b".[")).unwrap_or_default();
        if is_digits(name) {
            self.unquoted(name, name.len())?;
            operator = Operator::ItemAt;
        } else if (has_blank(name) || has_any(name, b"\"]")) && !has_control(name) {
            self.guess_name(Cause::IdBlank, trim(name), name.len())?;
        } else {
            check_name(name).or_else(|fault| self.fault(fault.into(), name.len()))?;
            self.push(Segment::Id(name.into()), name.len());
        }
        Ok(if self.corrected.is_none() { operator } else { Operator::Plain })
    }
}

/// The segment of a name without quotes: digits are an index, anything else is a key.
fn unquoted_segment(name: &str) -> Result<Segment, Cause> {
    check_name(name)?;
    let digits = name.strip_prefix('-').unwrap_or(name);
    if digits.is_empty() || !is_digits(digits) {
        Ok(Segment::Key(value::key(name)))
    } else if digits.len() < name.len() || (digits.len() > 1 && digits.starts_with('0')) {
        Err(Cause::IndexForm)
    } else {
        // Larger than any index: a key, e.g. a telephone number.
        Ok(whole_number(digits).map_or_else(|| Segment::Key(name.into()), Segment::Index))
    }
}

/// The number of bytes before the first of `ends`.
fn until(text: &str, ends: &[u8]) -> usize {
    text.bytes().position(|byte| ends.contains(&byte)).unwrap_or(text.len())
}

/// Whether a text contains one of these bytes.
fn has_any(text: &str, bytes: &[u8]) -> bool {
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
