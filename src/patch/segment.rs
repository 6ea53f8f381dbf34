//! Segments of paths, and resolved paths, as text.

use std::borrow::Cow;
use std::sync::Arc;

// `put` appends and returns the buffer. It and `owned` stand for `push_str` and `to_owned`, whose inlined code is larger.
use crate::value::text::{is_space, owned};
use crate::value::{Step, decimal, put, put_char, write_index, write_string};

/// One segment of a path that is not resolved yet: what it means depends on the value that it is looked up in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A key of an object.
    Key(Arc<str>),
    /// An index of a list, or a key of digits in an object.
    Index(u32),
    /// The id of an item of a list, or a key of an object.
    Id(Arc<str>),
}

impl Segment {
    /// The segment as an owned key. An index becomes its digits.
    pub fn key(&self) -> Arc<str> {
        match self {
            Self::Key(text) | Self::Id(text) => text.clone(),
            Self::Index(_) => (*self.text()).into(),
        }
    }

    /// The segment as a key, borrowed unless it is an index.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Key(text) | Self::Id(text) => Cow::Borrowed(text),
            Self::Index(index) => Cow::Owned(decimal(*index as usize)),
        }
    }
}

/// Why a text cannot be the name in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameFault {
    Empty,
    /// A control character.
    Control,
    /// A name that would reach into a prototype in JavaScript.
    Reserved,
}

/// Refuses a name that no segment may have.
pub(super) fn check_name(name: &str) -> Result<(), NameFault> {
    if name.is_empty() {
        Err(NameFault::Empty)
    } else if has_control(name) {
        Err(NameFault::Control)
    } else if matches!(name, "__proto__" | "prototype" | "constructor") {
        Err(NameFault::Reserved)
    } else {
        Ok(())
    }
}

/// The first segment whose name [`check_name`] refuses, and why.
pub(super) fn faulty_name(segments: &[Segment]) -> Option<(&str, NameFault)> {
    segments.iter().find_map(|segment| match segment {
        Segment::Key(name) | Segment::Id(name) => check_name(name).err().map(|fault| (&**name, fault)),
        Segment::Index(_) => None,
    })
}

/// Writes segments with dots, brackets and quotes. `PathExpr::parse` reads the text back if [`faulty_name`] finds nothing.
pub(super) fn write_segments(segments: &[Segment]) -> String {
    let mut out = String::new();
    for (position, segment) in segments.iter().enumerate() {
        let dot = if position > 0 { "." } else { "" };
        match segment {
            Segment::Index(index) => write_index(put(&mut out, dot), *index as usize),
            Segment::Key(name) if is_plain(name, position == 0) => _ = put(put(&mut out, dot), name),
            Segment::Key(name) => write_string(put(&mut out, dot), name),
            Segment::Id(id) => {
                write_string(put(&mut out, "["), id);
                put_char(&mut out, ']');
            }
        }
    }
    out
}

/// A resolved path as segments.
pub(super) fn segments_of(path: &[Step]) -> Vec<Segment> {
    path.iter().map(Segment::from).collect()
}

/// A resolved path for a message: as a caller would write it, or as a JSON Pointer if it has a name that no path may have. The
/// empty path is called "The document", as the beginning of a sentence.
pub(crate) fn show(path: &[Step]) -> String {
    if path.is_empty() {
        return owned("The document");
    }
    let segments = segments_of(path);
    if faulty_name(&segments).is_none() { write_segments(&segments) } else { pointer_to(path) }
}

/// A resolved path as a JSON Pointer.
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

/// An index beyond the range of [`Segment::Index`], which no list reaches, becomes a key "…".
impl From<&Step> for Segment {
    fn from(step: &Step) -> Self {
        match step {
            Step::Key(key) => Self::Key(key.clone()),
            Step::Index(index) => u32::try_from(*index).map_or_else(|_| Self::Key("…".into()), Self::Index),
        }
    }
}

/// Whether a text has a control character. Those beyond ASCII are U+0080 to U+009F: 0xc2 and a byte below 0xa0 in UTF-8.
pub(super) fn has_control(text: &str) -> bool {
    let mut previous = 0;
    for byte in text.bytes() {
        if byte.is_ascii_control() || (previous == 0xc2 && byte < 0xa0) {
            return true;
        }
        previous = byte;
    }
    false
}

/// Whether a key without quotes is parsed as this key: it has no characters with a meaning in paths, and reads neither as an
/// index, nor as an operator, nor as a JSON Pointer.
fn is_plain(key: &str, is_first: bool) -> bool {
    let is_special = |char: char| matches!(char, '.' | '[' | ']' | '"') || is_space(char);
    let digits = key.strip_prefix('-').unwrap_or(key);
    // Also for `-`, which means the end of a list.
    let is_index = digits.bytes().all(|byte| byte.is_ascii_digit());
    // `blocks-old` as the first segment means an item of `blocks`.
    let has_operator = is_first && (key.starts_with("blocks-") || key.starts_with("actions-"));
    let is_pointer = is_first && key.starts_with('/');
    !key.contains(is_special) && !key.ends_with('+') && !is_index && !has_operator && !is_pointer
}
