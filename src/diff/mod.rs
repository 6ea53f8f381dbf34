//! What differs between two texts.
//!
//! - [`text_diff`]: hunks of lines, with the words that differ within them;
//! - [`apply_hunks`]: a part of what differs, chosen by hunks;
//! - [`merge`]: two changes of one text together, unless they overlap.
//!
//! `sequence` finds the shortest edit between two lists of numbers, in bounded time; `lines` and `words` number what is
//! to be compared; `hunk` shows what was found.

mod hunk;
mod lines;
mod sequence;
mod words;

pub use hunk::{Hunk, Line, LineKind, TextOptions, apply_hunks, text_diff, write_hunks};
pub use lines::merge;
