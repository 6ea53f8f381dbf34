//! Normalises a path: the form in which tools receive it.

use crate::counted::count_work;
use crate::value::text::owned;
use crate::value::{concat, find, join};

/// A path, split and normalised: `/` between segments, no `.`, no empty segment, no `..` other than at the start.
#[derive(Clone, Debug, Default)]
pub(super) struct Normal<'a> {
    /// The root before the first segment: empty, `/`, or `//`, which some systems take for the name of a server.
    pub(super) prefix: &'static str,
    /// The segments after the root as they were written.
    pub(super) written: Vec<&'a str>,
    /// The segments of the normalised path.
    pub(super) segments: Vec<&'a str>,
    /// The changes, one sentence each.
    pub(super) warnings: Vec<String>,
}

/// The warnings, one for each kind of change.
const CHANGES: [&str; 4] = [
    "Backslashes were read as separators and written as \"/\".",
    "Repeated separators or one at the end were left out.",
    "Segments \".\" were left out.",
    "Segments \"..\" were resolved against the directories before them.",
];

/// Whether a byte separates segments, in the paths of any system.
pub(super) const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

impl<'a> Normal<'a> {
    /// Splits and normalises a path.
    pub(super) fn of(path: &'a str) -> Self {
        let prefix = match path.bytes().position(|byte| !is_separator(byte)).unwrap_or(path.len()) {
            0 => "",
            2 => "//",
            // More than two separators at the start mean one, so the others count as empty segments.
            _ => "/",
        };
        let mut normal = Self { prefix, ..Self::default() };
        // In the order of `CHANGES`.
        let mut changed = [find(path, "\\").is_some(), false, false, false];
        let mut rest = path.get(prefix.len()..).filter(|rest| !rest.is_empty());
        // Whether a segment other than `..` precedes. Before the first one, `..` stays, which changes nothing.
        let mut has_other = false;
        while let Some(text) = rest {
            let end = text.bytes().position(is_separator);
            let segment = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
            rest = end.and_then(|end| text.get(end + 1..));
            count_work(segment.len() + 1);
            normal.written.push(segment);
            has_other |= segment != "..";
            match segment {
                "" => changed[1] = true,
                "." => changed[2] = true,
                ".." => {
                    changed[3] |= has_other;
                    if normal.segments.last().is_none_or(|last| *last == "..") {
                        normal.segments.push(segment);
                    } else {
                        normal.segments.pop();
                    }
                }
                _ => normal.segments.push(segment),
            }
        }
        for (change, has_happened) in CHANGES.iter().zip(changed) {
            if has_happened {
                normal.warnings.push(owned(change));
            }
        }
        normal
    }

    /// The normalised path.
    pub(super) fn text(&self) -> String {
        concat(&[self.prefix, &join(&self.segments, "/")])
    }
}
