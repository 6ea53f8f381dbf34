//! Globs for the paths that a host denies.

use super::characters::fold;
use super::normal::{Normal, SEPARATORS};

/// A pattern over the segments of a path: `*` any run within a segment, `?` one character, `**` any segments or none.
///
/// Without a separator it matches the file's name at any depth. If its last segment has no wildcard it also matches what
/// is below: a host that denies `secrets` means the directory too. Upper and lower case are the same, since they are on some
/// file systems.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq)]
enum Segment {
    Any,
    Like(Vec<char>),
}

impl Glob {
    /// # Errors
    /// What is wrong with the text: it says nothing, or uses a notation that would match nothing here.
    pub(super) fn new(text: &str) -> Result<Self, &'static str> {
        let is_choice = |part: &str| part.split('}').next().is_some_and(|part| part.contains(','));
        if text.starts_with('!') || text.split('{').skip(1).any(is_choice) {
            return Err("uses a notation that globs do not have here: they know *, ** and ?");
        }
        let mut segments: Vec<Segment> =
            Normal::of(text).segments.iter().map(|segment| Segment::new(segment)).collect();
        let Some(last) = segments.last() else { return Err("names no file") };
        if matches!(last, Segment::Like(last) if !last.contains(&'*') && !last.contains(&'?')) {
            segments.push(Segment::Any);
        }
        if !text.trim_end_matches(SEPARATORS).contains(SEPARATORS) {
            segments.insert(0, Segment::Any);
        }
        Ok(Self { segments })
    }

    /// Whether a path, given as its folded segments, matches.
    pub(super) fn matches(&self, path: &[Vec<char>]) -> bool {
        wild(
            &self.segments,
            path,
            |pattern| *pattern == Segment::Any,
            |pattern, segment| match pattern {
                Segment::Any => true,
                Segment::Like(like) => wild(like, segment, |c| *c == '*', |c, own| *c == '?' || c == own),
            },
        )
    }
}

impl Segment {
    fn new(text: &str) -> Self {
        if text == "**" { Self::Any } else { Self::Like(fold(text)) }
    }
}

/// Wildcard matching, the same for segments in a path and for characters in a segment. Only the last wildcard is ever
/// tried again: an earlier one could only take what the later one can take too. So no pair is compared twice, and the
/// time is at worst the product of the two lengths.
fn wild<P, T>(pattern: &[P], text: &[T], is_any: impl Fn(&P) -> bool, is_like: impl Fn(&P, &T) -> bool) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while let Some(own) = text.get(place) {
        match pattern.get(at) {
            Some(part) if is_any(part) => {
                again = Some((at + 1, place));
                at += 1;
            }
            Some(part) if is_like(part, own) => {
                at += 1;
                place += 1;
            }
            _ => match again {
                Some((after, from)) => {
                    again = Some((after, from + 1));
                    at = after;
                    place = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(is_any))
}
