//! The path grammar: three spellings, one form, told without a document.
//!
//! Dots (`state.params.count`), brackets (`blocks["form_block"]`, `blocks[0]`) and JSON Pointers (`/state/params`), with
//! the operators of seeds 000 and 001 at the end: `blocks+`, `blocks-0`, `blocks-"old"`. What the seeds leave open is
//! decided so: a quoted segment in brackets is an id in a list and a key in an object; a quoted segment after a dot
//! (`state."a.b"`) is a key, so that every list of segments can be written down and read back.

mod read;

use std::borrow::Cow;
use std::sync::Arc;

use super::error::{Arg, Cause, Checked, Refusal};
use crate::value::text::{is_space, owned};
use crate::value::{Step, Value, decimal, put, put_char, write_index, write_string};

/// One segment of a path that is not resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A key of an object.
    Key(Arc<str>),
    /// An index of a list, or a key of digits in an object.
    Index(u32),
    /// The id of an item of a list, or a key of an object.
    Id(Arc<str>),
}

/// The operator at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// None.
    Plain,
    /// `blocks+`, `/blocks/-`: the end of the list.
    Append,
    /// `blocks-0`: the item at an index, to be set or replaced.
    ItemAt,
    /// `blocks-"old"`: the item with an id, to be removed.
    ItemById,
}

/// A path as it was written, in one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathExpr {
    /// The segments, without the operator `+`.
    pub segments: Vec<Segment>,
    /// What the path ends with.
    pub operator: Operator,
}

impl PathExpr {
    /// Reads a path of at most `max_depth` segments, of any document: see [`PathExpr::check_page`].
    ///
    /// # Errors
    /// `INVALID_PATH` with the spelling that was probably meant; `LIMIT_EXCEEDED`.
    pub fn parse(text: &str, max_depth: usize) -> Result<Self, Refusal> {
        read::path(text, max_depth)
    }

    /// Whether the path begins with a part of a page's document, and goes on below `state` with `params` or `runtime`.
    ///
    /// # Errors
    /// `INVALID_PATH` with the parts that there are.
    pub fn check_page(&self) -> Checked {
        const PARTS: [&str; 6] = ["page_key", "meta", "state", "layout", "blocks", "actions"];
        let first = self.segments.first().map(Segment::text).unwrap_or_default();
        if !PARTS.contains(&&*first) {
            return Err(match first.strip_suffix("/-") {
                Some(list) if PARTS.contains(&list) => Cause::NoPointer.refuse(&[Arg::Cut(&first), Arg::Text(list)]),
                _ => Cause::NoPart.refuse(&[Arg::Cut(&first)]),
            });
        }
        let Some(second) = self.segments.get(1).filter(|_| first == "state") else { return Ok(()) };
        if let "params" | "runtime" = &*second.text() {
            return Ok(());
        }
        let (state, whole) = (format_path(self.segments.get(..1).unwrap_or_default(), false)?, self.to_text()?);
        let below = whole.get(state.len()..).unwrap_or_default();
        Err(Cause::NoPartOfState.refuse(&[Arg::Cut(&second.text()), Arg::Text(&state), Arg::Text(below)]))
    }

    /// The same of a path of which each segment must also be one that a path can have. No segments are the document itself.
    pub(super) fn check_names(&self) -> Checked {
        if self.segments.is_empty() {
            return Ok(());
        }
        self.to_text()?;
        self.check_page()
    }

    /// The path as text: [`format_path`].
    ///
    /// # Errors
    /// As [`format_path`].
    pub fn to_text(&self) -> Result<String, Refusal> {
        format_path(&self.segments, self.operator == Operator::Append)
    }

    /// Appends `{"ok":true,"segments":[…],"remove"?:true}`, as `parsePath` of the JavaScript API answers.
    pub fn write_json(&self, out: &mut String) {
        put(out, "{\"ok\":true,\"segments\":[");
        for (place, segment) in self.segments.iter().enumerate() {
            put(out, if place > 0 { ",{" } else { "{" });
            match segment {
                Segment::Key(key) => write_string(put(out, "\"key\":"), key),
                Segment::Id(id) => write_string(put(out, "\"id\":"), id),
                Segment::Index(index) => write_index(put(out, "\"index\":"), *index as usize),
            }
            put_char(out, '}');
        }
        let end = match self.operator {
            Operator::Append => ",{\"end\":true}]}",
            Operator::ItemById => "],\"remove\":true}",
            Operator::Plain | Operator::ItemAt => "]}",
        };
        put(out, end);
    }

    /// Reads the segments that [`PathExpr::write_json`] writes; `None` for anything else.
    pub fn from_json(segments: &Value) -> Option<Self> {
        let mut path = Self { segments: Vec::new(), operator: Operator::Plain };
        for segment in segments.as_array()? {
            let segment = segment.as_object().filter(|segment| segment.len() == 1)?;
            let (name, value) = segment.at(0)?;
            if path.operator == Operator::Append {
                return None;
            }
            match (&**name, value) {
                ("key", Value::String(key)) => path.segments.push(Segment::Key((**key).into())),
                ("id", Value::String(id)) => path.segments.push(Segment::Id((**id).into())),
                ("index", index) => path.segments.push(Segment::Index(u32::try_from(index.as_index()?).ok()?)),
                ("end", Value::Bool(true)) => path.operator = Operator::Append,
                _ => return None,
            }
        }
        Some(path)
    }
}

impl Segment {
    /// The segment as a key, to be kept.
    pub fn key(&self) -> Arc<str> {
        match self {
            Self::Key(text) | Self::Id(text) => text.clone(),
            Self::Index(_) => (*self.text()).into(),
        }
    }

    /// The segment as a key.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Key(text) | Self::Id(text) => Cow::Borrowed(text),
            Self::Index(index) => Cow::Owned(decimal(*index as usize)),
        }
    }
}

/// Writes segments with dots and quotes, so that [`PathExpr::parse`] gives them back.
///
/// # Errors
/// `INVALID_PATH` for an empty segment, one with control characters, or a name such as `__proto__`.
pub fn format_path(segments: &[Segment], append: bool) -> Result<String, Refusal> {
    let mut out = String::new();
    for (place, segment) in segments.iter().enumerate() {
        let dot = if place > 0 { "." } else { "" };
        match segment {
            Segment::Index(index) => write_index(put(&mut out, dot), *index as usize),
            Segment::Key(name) | Segment::Id(name) => {
                check_name(name).map_err(|cause| cause.refuse(&[Arg::Cut(name)]))?;
                let is_key = matches!(segment, Segment::Key(_));
                put(&mut out, if is_key { dot } else { "[" });
                if is_key && is_plain(name, place == 0) {
                    put(&mut out, name);
                } else {
                    write_string(&mut out, name);
                }
                put(&mut out, if is_key { "" } else { "]" });
            }
        }
    }
    if out.is_empty() {
        return Err(Cause::NoSegments.refuse(&[]));
    }
    put(&mut out, if append { "+" } else { "" });
    Ok(out)
}

pub(super) fn unresolved(path: &[Step]) -> Vec<Segment> {
    path.iter().map(Segment::from).collect()
}

/// A resolved path as a caller would write it; one that cannot be written, because of a name in it, as a JSON Pointer.
pub(super) fn show(path: &[Step]) -> String {
    if path.is_empty() {
        return owned("The document");
    }
    format_path(&unresolved(path), false).unwrap_or_else(|_| pointer_to(path))
}

pub(super) fn pointer_to(path: &[Step]) -> String {
    let mut pointer = String::new();
    for step in path {
        put_char(&mut pointer, '/');
        for char in Segment::from(step).text().chars() {
            match char {
                '~' => _ = put(&mut pointer, "~0"),
                '/' => _ = put(&mut pointer, "~1"),
                char => pointer.push(char),
            }
        }
    }
    pointer
}

impl From<&Step> for Segment {
    fn from(step: &Step) -> Self {
        match step {
            Step::Key(key) => Self::Key(key.clone()),
            Step::Index(index) => u32::try_from(*index).map_or_else(|_| Self::Key("…".into()), Self::Index),
        }
    }
}

/// Refuses names that no path may have: seed-independent, they would reach into prototypes or be invisible.
fn check_name(name: &str) -> Result<(), Cause> {
    if name.is_empty() {
        Err(Cause::SegmentEmpty)
    } else if has_control(name) {
        Err(Cause::SegmentControl)
    } else if matches!(name, "__proto__" | "prototype" | "constructor") {
        Err(Cause::SegmentReserved)
    } else {
        Ok(())
    }
}

/// Whether a text has a control character: of those beyond ASCII, U+0080 to U+009F, the first byte is 0xc2.
pub(super) fn has_control(text: &str) -> bool {
    let mut before = 0;
    for byte in text.bytes() {
        if byte.is_ascii_control() || (before == 0xc2 && byte < 0xa0) {
            return true;
        }
        before = byte;
    }
    false
}

/// Whether a key reads back as itself without quotes.
fn is_plain(key: &str, first: bool) -> bool {
    let special = |char: char| matches!(char, '.' | '[' | ']' | '"') || is_space(char);
    let digits = key.strip_prefix('-').unwrap_or(key);
    let operator = first && (key.starts_with("blocks-") || key.starts_with("actions-") || key.starts_with('/'));
    !key.contains(special) && !key.ends_with('+') && !digits.bytes().all(|byte| byte.is_ascii_digit()) && !operator
}
