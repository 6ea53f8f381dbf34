//! Globs: the patterns of the paths that a host denies.

use super::characters::fold;
use super::normal::{Normal, is_separator};
use crate::counted::count_work;

/// A pattern for paths: `*` matches any characters within a segment, `?` one character, `**` any number of segments.
///
/// A pattern without a separator matches at any depth. A pattern whose last segment has no wildcard also matches all
/// paths below it: a host that denies `secrets` means the directory too. Case is ignored, since some file systems
/// ignore it.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    /// The segments with case folded; `None` is `**`.
    segments: Vec<Option<Vec<char>>>,
}

impl Glob {
    /// Parses a glob.
    ///
    /// # Errors
    /// What is wrong with the text, as the end of a sentence: it is empty, or uses notation such as `!` or `{a,b}`, which would
    /// match nothing.
    pub(super) fn new(text: &str) -> Result<Self, &'static str> {
        if text.starts_with('!') || has_choice(text) {
            return Err("uses a notation that globs do not have here: they know *, ** and ?");
        }
        let mut segments = Vec::new();
        let bytes = text.as_bytes();
        // A separator at the end does not count.
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

    /// Whether a path matches, given as its segments with case folded.
    pub(super) fn matches(&self, path: &[Vec<char>]) -> bool {
        let is_any_path = |at| self.segments.get(at) == Some(&None);
        matches_wildcards(self.segments.len(), path.len(), &is_any_path, &|at, segment| {
            let (Some(Some(pattern)), Some(segment)) = (self.segments.get(at), path.get(segment)) else { return false };
            matches_wildcards(pattern.len(), segment.len(), &|at| pattern.get(at) == Some(&'*'), &|at, char| {
                matches!(pattern.get(at), Some('?')) || pattern.get(at) == segment.get(char)
            })
        })
    }
}

/// Whether a glob has alternatives in braces, as in `*.{pem,key}`.
fn has_choice(text: &str) -> bool {
    let texts_after_brace = text.as_bytes().split(|byte| *byte == b'{').skip(1);
    texts_after_brace.filter_map(|rest| rest.split(|byte| *byte == b'}').next()).any(|inner| inner.contains(&b','))
}

/// Matches a pattern of length `pattern` with a text of length `text`, for segments in a path and for characters in a
/// segment alike. `is_any` says whether an item of the pattern matches any number of items, `is_like` whether an item of the
/// pattern matches an item of the text; both get indexes. Backtracking only extends the last wildcard, since any text that an
/// earlier wildcard could match the last one can match too. So the time is at most the product of the two lengths.
fn matches_wildcards(
    pattern: usize,
    text: usize,
    is_any: &dyn Fn(usize) -> bool,
    is_like: &dyn Fn(usize, usize) -> bool,
) -> bool {
    // Indexes in the pattern and in the text.
    let (mut at, mut text_at) = (0, 0);
    // Where to continue after a mismatch: the index after the last wildcard in the pattern, and the index in the text where the
    // match of that wildcard ends so far. `None` without a wildcard.
    let mut retry: Option<(usize, usize)> = None;
    while text_at < text {
        count_work(1);
        if at < pattern && is_any(at) {
            at += 1;
            retry = Some((at, text_at));
        } else if at < pattern && is_like(at, text_at) {
            at += 1;
            text_at += 1;
        } else if let Some((after, end)) = retry {
            retry = Some((after, end + 1));
            (at, text_at) = (after, end + 1);
        } else {
            return false;
        }
    }
    // Wildcards at the end match nothing more.
    (at..pattern).all(is_any)
}
