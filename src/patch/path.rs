//! The path grammar: three spellings of one form, which are parsed without the document.
//!
//! Dots (`state.params.count`), brackets (`blocks["form_block"]`, `blocks[0]`) and JSON Pointers (`/state/params`), with
//! the operators of seeds 000 and 001 at the end: `blocks+`, `blocks-0`, `blocks-"old"`. Two rules go beyond the seeds: a
//! quoted segment in brackets is an id in a list and a key in an object; a quoted segment after a dot (`state."a.b"`) is a
//! key, so that every list of segments can be written down and read back.

mod read;

use super::error::{Arg, Cause, Checked, Refusal};
use super::segment::{NameFault, Segment, faulty_name, write_segments};
use crate::value::{Value, put, put_char, write_index, write_string};

/// The operator at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// None.
    Plain,
    /// `blocks+`, `/blocks/-`: the end of the list.
    Append,
    /// `blocks-0`: the item at an index, to be set or replaced.
    ItemAt,
    /// `blocks-"old"`: the item with the id `old`, to be removed.
    ItemById,
}

/// A parsed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathExpr {
    /// The segments. An item that the operator names (`0` in `blocks-0`) is the last one; `Append` has none of its own.
    pub segments: Vec<Segment>,
    /// The operator at the end.
    pub operator: Operator,
}

impl PathExpr {
    /// Checks that the path begins with a part of a page's document, and that `params` or `runtime` follows `state`.
    ///
    /// # Errors
    /// `INVALID_PATH` with the existing parts.
    pub fn check_page(&self) -> Checked {
        const PARTS: [&str; 6] = ["page_key", "meta", "state", "layout", "blocks", "actions"];
        let first = self.segments.first().map(Segment::text).unwrap_or_default();
        if !PARTS.contains(&&*first) {
            return Err(match first.strip_suffix("/-") {
                // A pointer that appends, without its slash at the beginning: `blocks/-`.
                Some(list) if PARTS.contains(&list) => Cause::NoPointer.refuse(&[Arg::Cut(&first), Arg::Text(list)]),
                _ => Cause::NoPart.refuse(&[Arg::Cut(&first)]),
            });
        }
        let Some(second) = self.segments.get(1).filter(|_| first == "state") else { return Ok(()) };
        if let "params" | "runtime" = &*second.text() {
            return Ok(());
        }
        // For `state.a.b` suggest `state.params.a.b` and `state.runtime.a.b`.
        let state = format_path(self.segments.get(..1).unwrap_or_default(), Operator::Plain)?;
        let whole_path = self.to_text()?;
        let below = whole_path.get(state.len()..).unwrap_or_default();
        Err(Cause::NoPartOfState.refuse(&[Arg::Cut(&second.text()), Arg::Text(&state), Arg::Text(below)]))
    }

    /// As [`PathExpr::check_page`] for a path that was made from a JSON Pointer or an edit instead of a path's text, so that the
    /// names of its segments are not checked yet. A path without segments is the document.
    pub(super) fn check_names(&self) -> Checked {
        if self.segments.is_empty() {
            return Ok(());
        }
        // Writing the path checks the names.
        self.to_text()?;
        self.check_page()
    }

    /// The path as text, as [`format_path`] writes it.
    ///
    /// # Errors
    /// As [`format_path`].
    pub fn to_text(&self) -> Result<String, Refusal> {
        format_path(&self.segments, self.operator)
    }

    /// Appends `{"ok":true,"segments":[…],"remove"?:true}`, the result of `parsePath` in the JavaScript API.
    pub fn write_json(&self, out: &mut String) {
        put(out, "{\"ok\":true,\"segments\":[");
        for (position, segment) in self.segments.iter().enumerate() {
            put(out, if position > 0 { ",{" } else { "{" });
            match segment {
                Segment::Key(key) => write_string(put(out, "\"key\":"), key),
                Segment::Id(id) => write_string(put(out, "\"id\":"), id),
                Segment::Index(index) => write_index(put(out, "\"index\":"), *index as usize),
            }
            put_char(out, '}');
        }
        let ending = match self.operator {
            Operator::Append => ",{\"end\":true}]}",
            Operator::ItemById => "],\"remove\":true}",
            Operator::Plain | Operator::ItemAt => "]}",
        };
        put(out, ending);
    }

    /// Reads the list `segments` that [`PathExpr::write_json`] writes; `None` for another value.
    pub fn from_json(segments: &Value) -> Option<Self> {
        let mut path = Self { segments: Vec::new(), operator: Operator::Plain };
        for segment in segments.as_array()? {
            // Each segment has one member, e.g. `{"key":"blocks"}`.
            let segment = segment.as_object().filter(|segment| segment.len() == 1)?;
            let (name, value) = segment.at(0)?;
            // Nothing may follow the end.
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

/// Writes segments with dots, brackets and quotes, so that [`PathExpr::parse`] reads the same segments. Of the operators only
/// `Append` is written, as `+`: without the others the path leads to the same value.
///
/// # Errors
/// `INVALID_PATH` for no segments, an empty segment, one with control characters, or a name such as `__proto__`.
pub fn format_path(segments: &[Segment], operator: Operator) -> Result<String, Refusal> {
    if let Some((name, fault)) = faulty_name(segments) {
        return Err(Cause::from(fault).refuse(&[Arg::Cut(name)]));
    }
    if segments.is_empty() {
        return Err(Cause::NoSegments.refuse(&[]));
    }
    let mut out = write_segments(segments);
    put(&mut out, if operator == Operator::Append { "+" } else { "" });
    Ok(out)
}

impl From<NameFault> for Cause {
    fn from(fault: NameFault) -> Self {
        match fault {
            NameFault::Empty => Self::SegmentEmpty,
            NameFault::Control => Self::SegmentControl,
            NameFault::Reserved => Self::SegmentReserved,
        }
    }
}
