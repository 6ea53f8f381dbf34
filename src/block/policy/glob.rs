//! Globs for the paths that a host denies.

use super::characters::fold;
use super::normal::{Normal, is_separator};
use crate::counted::looked_at;

/// A pattern over the segments of a path: `*` any run within a segment, `?` one character, `**` any segments or none.
///
/// Without a separator it matches the file's name at any depth. If its last segment has no wildcard it also matches what
/// is below: a host that denies `secrets` means the directory too. Upper and lower case are the same, since they are on some
/// file systems.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    /// The segments, folded; nothing for `**`.
    segments: Vec<Option<Vec<char>>>,
}

impl Glob {
    /// # Errors
    /// What is wrong with the text: it says nothing, or uses a notation that would match nothing here.
    pub(super) fn new(text: &str) -> Result<Self, &'static str> {
        if text.starts_with('!') || has_choice(text) {
            return Err("uses a notation that globs do not have here: they know *, ** and ?");
        }
        let mut segments = Vec::new();
        let bytes = text.as_bytes();
        let end = bytes.iter().rposition(|byte| !is_separator(*byte)).unwrap_or_default();
        if !bytes.iter().take(end).any(|byte| is_separator(*byte)) {
            segments.push(None);
        }
        let normal = Normal::of(text);
        for segment in &normal.segments {
            segments.push(if *segment == "**" { None } else { Some(fold(segment)) });
        }
        match normal.segments.last() {
            None => return Err("names no file"),
            Some(last) if !last.bytes().any(|byte| matches!(byte, b'*' | b'?')) => segments.push(None),
            Some(_) => {}
        }
        Ok(Self { segments })
    }

    /// Whether a path, given as its folded segments, matches.
    pub(super) fn matches(&self, path: &[Vec<char>]) -> bool {
        wild(self.segments.len(), path.len(), &|at| self.segments.get(at) == Some(&None), &|at, place| {
            let (Some(Some(like)), Some(segment)) = (self.segments.get(at), path.get(place)) else { return false };
            wild(like.len(), segment.len(), &|at| like.get(at) == Some(&'*'), &|at, place| {
                matches!(like.get(at), Some('?')) || like.get(at) == segment.get(place)
            })
        })
    }
}

/// Whether braces hold a choice, as in `*.{pem,key}`.
fn has_choice(text: &str) -> bool {
    let opened = text.as_bytes().split(|byte| *byte == b'{').skip(1);
    opened.filter_map(|rest| rest.split(|byte| *byte == b'}').next()).any(|inner| inner.contains(&b','))
}

/// Wildcard matching, the same for segments in a path and for characters in a segment. Only the last wildcard is ever
/// tried again: an earlier one could only take what the later one can take too. So no pair is compared twice, and the
/// time is at worst the product of the two lengths.
fn wild(pattern: usize, text: usize, is_any: &dyn Fn(usize) -> bool, is_like: &dyn Fn(usize, usize) -> bool) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while place < text {
        looked_at(1);
        if at < pattern && is_any(at) {
            at += 1;
            again = Some((at, place));
        } else if at < pattern && is_like(at, place) {
            at += 1;
            place += 1;
        } else if let Some((after, from)) = again {
            again = Some((after, from + 1));
            (at, place) = (after, from + 1);
        } else {
            return false;
        }
    }
    (at..pattern).all(is_any)
}
