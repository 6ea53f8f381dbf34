//! The parser of paths. For a misspelt path it finds the correct one, if the meaning is clear.

use std::sync::Arc;

use super::{Operator, PathExpr, format_path};
use crate::patch::error::{Arg, Cause, Refusal};
use crate::patch::segment::{Segment, check_name, has_control};
use crate::value::text::{is_space, trim_end, trim_start, whole_number};
use crate::value::{self, Value, run_length};

/// The longest text for which a refusal suggests a corrected path.
const MAX_CORRECTED_BYTES: usize = 300;

impl PathExpr {
    /// Parses a path of at most `max_depth` segments. Whether a page's document can have it, [`PathExpr::check_page`] says.
    ///
    /// # Errors
    /// `INVALID_PATH` with the correct spelling if it is clear; `LIMIT_EXCEEDED`.
    pub fn parse(text: &str, max_depth: usize) -> Result<Self, Refusal> {
        let mut reader = PathReader { text, at: 0, segments: Vec::new(), first_correction: None };
        let result = reader.path();
        let PathReader { segments, first_correction, .. } = reader;
        match (first_correction, result) {
            (None, Ok(operator)) if segments.len() <= max_depth => Ok(Self { segments, operator }),
            (None, Ok(_)) => Err(Cause::PathTooLong.refuse(&[Arg::Count(segments.len()), Arg::Count(max_depth)])),
            // A corrected path is refused too: the correction is only suggested.
            (Some(fault), result) => Err(refuse(text, fault, result.ok(), &segments)),
            (None, Err(fault)) => Err(refuse(text, fault, None, &segments)),
        }
    }
}

/// The refusal of a text for its first fault. If the parser could correct it and reached the end, it returned an `operator`, and
/// the path of its `segments` is suggested.
fn refuse(text: &str, fault: PathFault, operator: Option<Operator>, segments: &[Segment]) -> Refusal {
    let mut refusal = fault.cause.refuse(&[Arg::Cut(text.get(fault.start..fault.end).unwrap_or_default())]);
    if let Some(operator) = operator.filter(|_| text.len() <= MAX_CORRECTED_BYTES)
        && let Ok(path) = format_path(segments, operator)
    {
        for part in [" Use ", &path, "."] {
            refusal.solution.push_str(part);
        }
    }
    refusal
}

/// The length of a fault of which the message quotes nothing.
const NO_QUOTE: usize = 0;

/// A syntax error, with the range of its bytes in the text.
#[derive(Clone, Copy)]
struct PathFault {
    cause: Cause,
    start: usize,
    end: usize,
}

/// Parses a path. The parser corrects an error with a clear meaning and goes on; any other error ends it.
struct PathReader<'a> {
    text: &'a str,
    /// The offset in the text (bytes) of what is not parsed yet.
    at: usize,
    /// The segments so far, after corrections.
    segments: Vec<Segment>,
    /// The first corrected error.
    first_correction: Option<PathFault>,
}

impl<'a> PathReader<'a> {
    /// The text that is not parsed yet.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte; `None` at the end.
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Adds a segment, and skips its `len` bytes.
    fn push(&mut self, segment: Segment, len: usize) {
        self.segments.push(segment);
        self.at += len;
    }

    /// An error in the next `len` bytes, which the message may quote.
    const fn fault<T>(&self, cause: Cause, len: usize) -> Result<T, PathFault> {
        Err(PathFault { cause, start: self.at, end: self.at + len })
    }

    /// Records a corrected error in the next `len` bytes.
    fn correct(&mut self, cause: Cause, len: usize) {
        self.first_correction.get_or_insert(PathFault { cause, start: self.at, end: self.at + len });
    }

    /// Corrects `cause` by reading the next `len` bytes as `name`, whose double quotes are missing; if that is not possible,
    /// returns the fault. The segment is an id, since it also fits a key of an object: whether `name` is an item of a list, only
    /// the document knows.
    fn guess_name(&mut self, cause: Cause, name: &str, len: usize) -> Result<(), PathFault> {
        // Brackets and quotes in a name make unclear where it ends, except between single quotes.
        let is_unclear = cause != Cause::SingleQuotes && has_any(name, b"[]\"");
        if name.is_empty() || is_unclear {
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

    /// Parses the whole text: an optional blank, then a JSON Pointer, or a first segment (with its operator, as in `blocks-0`)
    /// and what may follow it. Every iteration of the loop reads one follower: a bracket, an operator, a dot with its segment,
    /// or something that is corrected to one. An operator that does not end the path is corrected away.
    fn path(&mut self) -> Result<Operator, PathFault> {
        // A control character, e.g. a tab, is left to `segment`, which refuses it.
        if self.text.starts_with(|char| is_space(char) && !char.is_control()) {
            self.correct(Cause::Blank, NO_QUOTE);
            self.skip_blanks();
        }
        match self.next() {
            None => return self.fault(Cause::PathEmpty, NO_QUOTE),
            Some(b'/') => return self.pointer(),
            Some(_) => {}
        }
        let is_before_dash = |list: &&str| self.rest().strip_prefix(*list).is_some_and(|rest| rest.starts_with('-'));
        let mut operator = match ["blocks", "actions"].into_iter().find(is_before_dash) {
            Some(list) => self.list_item(list)?,
            None => self.segment()?,
        };
        loop {
            let rest = self.rest();
            match self.next() {
                None => return Ok(operator),
                Some(_) if operator != Operator::Plain => {
                    self.correct(Cause::AfterOperator, NO_QUOTE);
                    operator = Operator::Plain;
                }
                Some(b'[') => self.bracket()?,
                Some(b'+') if rest == "+" => return Ok(Operator::Append),
                // `fields-"name"`, after any list.
                Some(b'-') if rest.starts_with("-\"") => {
                    self.at += 1;
                    self.quoted_id()?;
                    operator = Operator::ItemById;
                }
                Some(b'.') => {
                    self.at += 1;
                    if self.next() == Some(b'[') {
                        self.correct(Cause::DotBeforeBracket, NO_QUOTE);
                    }
                    self.segment()?;
                }
                // No separator: a name whose dot is missing, or blanks, which are skipped.
                Some(_) => {
                    let trimmed = trim_start(rest);
                    let has_blanks = trimmed.len() < rest.len();
                    let is_name =
                        trimmed.starts_with(|char: char| !char.is_ascii() || char.is_alphanumeric() || char == '_');
                    if !is_name && !has_blanks {
                        return self.fault(Cause::NoSeparator, rest.len());
                    }
                    self.correct(Cause::NoSeparator, rest.len());
                    self.skip_blanks();
                    if is_name {
                        self.plain_name()?;
                    }
                }
            }
        }
    }

    /// A segment at the beginning or after a dot: in quotes, in brackets, or a plain name. It has no operator.
    fn segment(&mut self) -> Result<Operator, PathFault> {
        match self.next() {
            Some(b'"') => {
                let key = self.read_quoted()?;
                self.segments.push(Segment::Key(key));
            }
            Some(b'[') => self.bracket()?,
            _ => self.plain_name()?,
        }
        Ok(Operator::Plain)
    }

    /// A JSON Pointer (RFC 6901); `-` at its end appends.
    fn pointer(&mut self) -> Result<Operator, PathFault> {
        let Some(names) = value::pointer(self.rest()) else { return self.fault(Cause::PointerTilde, NO_QUOTE) };
        // `/-` alone appends to no list.
        let appends = names.len() > 1 && names.last().is_some_and(|name| name == "-");
        let names = names.get(..names.len() - usize::from(appends)).unwrap_or_default();
        if names.iter().any(|name| name == "-") {
            return self.fault(Cause::PointerEnd, NO_QUOTE);
        }
        for name in names {
            // The slash. The length is that in the text, in which `~` and `/` are escaped.
            self.at += 1;
            let len = until(self.rest(), b"/");
            self.push_unquoted(name, len)?;
        }
        Ok(if appends { Operator::Append } else { Operator::Plain })
    }

    /// Adds the segment of a name without quotes, `len` bytes long.
    fn push_unquoted(&mut self, name: &str, len: usize) -> Result<(), PathFault> {
        match unquoted_segment(name) {
            Ok(segment) => self.push(segment, len),
            Err(Cause::IndexForm) => self.guess_name(Cause::IndexForm, name, len)?,
            Err(cause) => return self.fault(cause, len),
        }
        Ok(())
    }

    /// A name without quotes. It ends at `.`, `[`, `-"`, a `+` that ends the path, or the end of the path. Another `+` at its
    /// end, and any character that a name must not have without quotes, are corrected or refused.
    fn plain_name(&mut self) -> Result<(), PathFault> {
        let rest = self.rest();
        let mut end = 0;
        // Byte by byte for ASCII, since this is the common case.
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
            // `list-"id"`: the dash is an operator, which stays for `path`. `-"id"` has no list.
            Some('"') if whole.len() > 1 && whole.ends_with('-') => whole.get(..end - 1).unwrap_or_default(),
            Some('"' | ']') => {
                self.at += end;
                let byte_len = 1;
                return self.fault(Cause::InSegment, byte_len);
            }
            Some(char) if char.is_control() => return self.fault(Cause::SegmentControl, NO_QUOTE),
            Some(char) if is_space(char) => return self.name_before_blank(rest, end),
            // `.`, `[` or the end. At the end, one `+` is an operator, which stays for `path`.
            next => match whole.strip_suffix('+') {
                None => whole,
                Some(list) if next.is_none() && !list.ends_with('+') => list,
                Some(_) => return self.guess_name(Cause::EndsInPlus, whole, end),
            },
        };
        self.push_unquoted(name, name.len())
    }

    /// Reads the name that `rest` begins with; a space follows its first `end` bytes. If the text up to the next separator is one
    /// word with spaces around it, and perhaps the operator `+`, the correction leaves the spaces out: `a .b` is `a.b`. Otherwise
    /// the spaces belong to the name, which lacks its quotes: `a b` is `["a b"]`.
    fn name_before_blank(&mut self, rest: &str, end: usize) -> Result<(), PathFault> {
        let len = until(rest, b".[");
        let name = trim(rest.get(..len).unwrap_or_default());
        let list = if len == rest.len() { name.strip_suffix('+') } else { None };
        let plain = trim(list.unwrap_or(name));
        if has_blank(plain) || has_any(plain, b"]\"+") {
            return self.guess_name(Cause::Blank, name, len);
        }
        self.correct(Cause::Blank, end);
        // `a + `: the loop in `path` takes `+` for the operator only if it is the very last character.
        self.text = trim_end(self.text);
        self.skip_blanks();
        self.push_unquoted(plain, plain.len())?;
        self.skip_blanks();
        Ok(())
    }

    /// `[0]`, `[id]`, `["id"]`. Corrected: an id in single quotes, one that lacks its quotes, an index with blanks around it. Any
    /// segment but an index becomes an id.
    fn bracket(&mut self) -> Result<(), PathFault> {
        self.at += 1;
        let rest = self.rest();
        let len = until(rest, b"]");
        let inside = rest.get(..len).unwrap_or_default();
        let is_closed = len < rest.len();
        // Without a closing bracket, `name` is empty. Then `guess_name` refuses it, with the cause of its branch.
        let name = if is_closed { trim(inside) } else { "" };
        let is_plain = is_closed && !has_any(inside, b".[\"") && !has_blank(inside);
        let in_single_quotes = |text: &'a str| text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
        if rest.starts_with('"') {
            self.quoted_id()?;
        } else if in_single_quotes(trim(inside)).is_some() {
            self.guess_name(Cause::SingleQuotes, in_single_quotes(name).unwrap_or_default(), len)?;
        } else if is_plain {
            self.push_unquoted(inside, len)?;
        } else if is_digits(name) && !name.is_empty() {
            // `[ 0 ]`
            self.correct(Cause::NoPlainId, len);
            self.push_unquoted(name, len)?;
        } else {
            self.guess_name(Cause::NoPlainId, name, len)?;
        }
        if let Some(segment @ Segment::Key(_)) = self.segments.last_mut() {
            *segment = Segment::Id(segment.key());
        }
        if self.next() != Some(b']') {
            return self.fault(Cause::BracketOpen, NO_QUOTE);
        }
        self.at += 1;
        Ok(())
    }

    /// Adds the id of an item, in double quotes.
    fn quoted_id(&mut self) -> Result<(), PathFault> {
        let id = self.read_quoted()?;
        self.segments.push(Segment::Id(id));
        Ok(())
    }

    /// Reads a name in double quotes, a JSON string, and skips it.
    fn read_quoted(&mut self) -> Result<Arc<str>, PathFault> {
        let rest = self.rest();
        let mut escaped = false;
        // The offset of the first character that is not simply itself: the closing quote, an escape or a control character. If it
        // is the closing quote, the name needs no JSON parser.
        let plain_end = 1 + run_length(rest.get(1..).unwrap_or_default().as_bytes(), b'"');
        let mut end = plain_end;
        for byte in rest.bytes().skip(end) {
            end += 1;
            if byte == b'"' && !escaped {
                let text = rest.get(..end).unwrap_or_default();
                let name: Arc<str> = if end == plain_end + 1 {
                    text.get(1..plain_end).unwrap_or_default().into()
                } else {
                    let max_depth = 1;
                    match value::parse(text, max_depth) {
                        Ok(Value::String(name)) => (*name).into(),
                        _ if has_control(text) => return self.fault(Cause::SegmentControl, end),
                        _ => return self.fault(Cause::NoString, end),
                    }
                };
                // The range is that of the name, without its quotes.
                check_name(&name).map_err(|fault| PathFault {
                    cause: fault.into(),
                    start: self.at + 1,
                    end: self.at + end - 1,
                })?;
                self.at += end;
                return Ok(name);
            }
            escaped = byte == b'\\' && !escaped;
        }
        self.fault(Cause::QuoteOpen, NO_QUOTE)
    }

    /// `blocks-0`, `blocks-"old"`, `blocks-old-block`: a list and one of its items. Everything between the dash and a dot or a
    /// bracket is the index or the id.
    fn list_item(&mut self, list: &str) -> Result<Operator, PathFault> {
        let dash_len = 1;
        self.push(Segment::Key(list.into()), list.len() + dash_len);
        let mut operator = Operator::ItemById;
        if self.next() == Some(b'"') {
            self.quoted_id()?;
            return Ok(operator);
        }
        let name = self.rest().get(..until(self.rest(), b".[")).unwrap_or_default();
        if is_digits(name) {
            self.push_unquoted(name, name.len())?;
            operator = Operator::ItemAt;
        } else if (has_blank(name) || has_any(name, b"\"]")) && !has_control(name) {
            self.guess_name(Cause::IdBlank, trim(name), name.len())?;
        } else {
            check_name(name).or_else(|fault| self.fault(fault.into(), name.len()))?;
            self.push(Segment::Id(name.into()), name.len());
        }
        // A correction is written without the operator: `blocks["old"]`.
        Ok(if self.first_correction.is_none() { operator } else { Operator::Plain })
    }
}

/// The segment of a name without quotes: digits are an index, anything else is a key. `IndexForm` for a negative index, and for
/// one with leading zeros.
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

/// Whether a text contains whitespace.
fn has_blank(text: &str) -> bool {
    text.chars().any(is_space)
}

/// Whether a text has nothing but ASCII digits, or is empty.
fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
