//! The path grammar: three spellings, one form, told without a document.
//!
//! Dots (`state.params.count`), brackets (`blocks["form_block"]`, `blocks[0]`) and JSON Pointers (`/state/params`), with
//! the operators of seeds 000 and 001 at the end: `blocks+`, `blocks-0`, `blocks-"old"`. What the seeds leave open is
//! decided so: a quoted segment in brackets is an id in a list and a key in an object; a quoted segment after a dot
//! (`state."a.b"`) is a key, so that every list of segments can be written down and read back.

mod read;

use std::fmt::Write as _;
use std::sync::Arc;

use super::error::{Code, PatchError, Refusal};
use crate::value::{Step, Value, write_string};

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
    /// Reads a path of at most `max_depth` segments. Whether its first segments are those of a page's document is
    /// another question: [`PathExpr::check_page`].
    ///
    /// # Errors
    /// `INVALID_PATH` with the spelling that was probably meant; `LIMIT_EXCEEDED`.
    pub fn parse(text: &str, max_depth: usize) -> Result<Self, Refusal> {
        read::path(text, max_depth)
    }

    /// Whether the path begins as one into a page's document does: with one of its parts, and below `state` with
    /// `params` or `runtime`.
    ///
    /// # Errors
    /// `INVALID_PATH` with the parts that there are.
    pub fn check_page(&self) -> Result<(), Refusal> {
        const PARTS: [&str; 6] = ["page_key", "meta", "state", "layout", "blocks", "actions"];
        let refuse = |name: &str, message: &str, solution: &str| {
            let message = format!("\"{}\" {message}.", super::words::cut(name));
            Err(PatchError::new(Code::InvalidPath, message, solution))
        };
        let first = self.segments.first().map(Segment::text).unwrap_or_default();
        if let Some(list) = first.strip_suffix("/-").filter(|list| PARTS.contains(list)) {
            return refuse(&first, "is neither a path nor a pointer", &format!("Use op add, path {list}."));
        }
        if !PARTS.contains(&&*first) {
            let solution = "Begin the path with one of page_key, meta, state, layout, blocks, actions.";
            return refuse(&first, "is no part of a page's document", solution);
        }
        match self.segments.get(1).map(Segment::text) {
            Some(second) if first == "state" && second != "params" && second != "runtime" => {
                let below = |part: &str| {
                    let mut path = self.clone();
                    path.segments.insert(1, Segment::Key(part.into()));
                    path.to_text()
                };
                let solution = format!("Use {} or {}.", below("params")?, below("runtime")?);
                refuse(&second, "is no part of state", &solution)
            }
            _ => Ok(()),
        }
    }
}

impl PathExpr {
    /// The path as text: [`format_path`].
    ///
    /// # Errors
    /// As [`format_path`].
    pub fn to_text(&self) -> Result<String, Refusal> {
        format_path(&self.segments, self.operator == Operator::Append)
    }

    /// Appends `{"ok":true,"segments":[…],"remove"?:true}`, as `parsePath` of the JavaScript API answers.
    pub fn write_json(&self, out: &mut String) {
        out.push_str("{\"ok\":true,\"segments\":[");
        for (place, segment) in self.segments.iter().enumerate() {
            out.push_str(if place > 0 { ",{" } else { "{" });
            let text = |out: &mut String, name: &str, text: &str| {
                let _ = write!(out, "\"{name}\":");
                write_string(out, text);
            };
            match segment {
                Segment::Key(key) => text(out, "key", key),
                Segment::Id(id) => text(out, "id", id),
                Segment::Index(index) => {
                    let _ = write!(out, "\"index\":{index}");
                }
            }
            out.push('}');
        }
        out.push_str(match self.operator {
            Operator::Append => ",{\"end\":true}]}",
            Operator::ItemById => "],\"remove\":true}",
            Operator::Plain | Operator::ItemAt => "]}",
        });
    }

    /// Reads the segments that [`PathExpr::write_json`] writes; `None` for anything else.
    #[must_use]
    pub fn from_json(segments: &Value) -> Option<Self> {
        let mut path = Self { segments: Vec::new(), operator: Operator::Plain };
        for segment in segments.as_array()? {
            let segment = segment.as_object().filter(|segment| segment.len() == 1)?;
            let (name, value) = segment.iter().next()?;
            if path.operator == Operator::Append {
                return None;
            }
            match (name, value) {
                ("key", Value::String(key)) => path.segments.push(Segment::Key((**key).into())),
                ("id", Value::String(id)) => path.segments.push(Segment::Id((**id).into())),
                ("index", Value::Number(index)) => path.segments.push(Segment::Index(index_of(*index)?)),
                ("end", Value::Bool(true)) => path.operator = Operator::Append,
                _ => return None,
            }
        }
        Some(path)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a whole number that fits")]
fn index_of(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u32)
}

impl Segment {
    /// The segment as a key, to be kept.
    #[must_use]
    pub fn key(&self) -> Arc<str> {
        match self {
            Self::Key(text) | Self::Id(text) => text.clone(),
            Self::Index(index) => index.to_string().into(),
        }
    }

    /// The segment as a key.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Key(text) | Self::Id(text) => text.as_ref().into(),
            Self::Index(index) => index.to_string().into(),
        }
    }
}

/// Writes segments with dots and quotes, so that [`PathExpr::parse`] gives them back.
///
/// # Errors
/// `INVALID_PATH` for a segment that no path can have: an empty one, one with control characters, or a name such as
/// `__proto__`.
pub fn format_path(segments: &[Segment], append: bool) -> Result<String, Refusal> {
    let mut out = String::new();
    for (place, segment) in segments.iter().enumerate() {
        let dot = if place > 0 { "." } else { "" };
        match segment {
            Segment::Index(index) => {
                let _ = write!(out, "{dot}{index}");
            }
            Segment::Key(key) => {
                check_name(key)?;
                out.push_str(dot);
                if is_plain(key, place == 0) { out.push_str(key) } else { write_string(&mut out, key) }
            }
            Segment::Id(id) => {
                check_name(id)?;
                out.push('[');
                write_string(&mut out, id);
                out.push(']');
            }
        }
    }
    if append {
        out.push('+');
    }
    if out.is_empty() || out == "+" {
        return Err(PatchError::new(Code::InvalidPath, "A path has no segments.", "Give at least one segment."));
    }
    Ok(out)
}

/// A resolved path as a caller would write it; one that cannot be written, because of a name in it, as a JSON Pointer.
#[cold]
pub(super) fn show(path: &[Step]) -> String {
    if path.is_empty() {
        return "The document".to_owned();
    }
    let pointer = || path.iter().map(|step| format!("/{}", Segment::from(step).text())).collect();
    format_path(&path.iter().map(Segment::from).collect::<Vec<_>>(), false).unwrap_or_else(|_| pointer())
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
fn check_name(name: &str) -> Result<(), Refusal> {
    let (message, solution) = if name.is_empty() {
        ("The path has an empty segment.".to_owned(), "Name every segment.")
    } else if name.chars().any(char::is_control) {
        ("The path has a control character.".to_owned(), "Leave control characters out of names.")
    } else if matches!(name, "__proto__" | "prototype" | "constructor") {
        (format!("The path has the segment \"{name}\", which is reserved."), "Use another name.")
    } else {
        return Ok(());
    };
    Err(PatchError::new(Code::InvalidPath, message, solution))
}

/// Whether a key reads back as itself without quotes.
fn is_plain(key: &str, first: bool) -> bool {
    let special = |char: char| matches!(char, '.' | '[' | ']' | '"') || char.is_whitespace();
    let digits = key.strip_prefix('-').unwrap_or(key);
    let operator = first && (key.starts_with("blocks-") || key.starts_with("actions-") || key.starts_with('/'));
    !key.contains(special) && !key.ends_with('+') && !digits.bytes().all(|byte| byte.is_ascii_digit()) && !operator
}
