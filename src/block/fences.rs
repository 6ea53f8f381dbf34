//! The fences in a block whose faults hide its end: which of them may end the block.

use super::line::{Fence, FenceLine};
use crate::value::text::{head, part, rfind, tail};
use crate::value::{NO_LOW_BYTE, find, length_before};

/// A fence that may end the block, although faults have misled the lexer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The byte offset at which the fence begins, perhaps with blanks before it, in the text of the block from its opening fence
    /// on.
    pub(super) start: usize,
    /// The byte offset at which the fence's line ends, without its line break.
    pub(super) end: usize,
    /// In the first candidate of a reader: the number of candidates so far, this one included. Else 0.
    pub(super) count: usize,
    /// In the first candidate of a reader: the bytes of JSON before each candidate, added up, since a repair is tried at
    /// each. Else 0.
    pub(super) tried_bytes: usize,
}

/// The fences in a block whose strings contain raw line breaks. Fences of a text come in pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fences {
    /// The closing fence of the block itself: the first one after a closing bracket that closes no other fence.
    pub(super) block_end: Option<Candidate>,
    /// The last fence, if no other one closes it; and the same fence as a candidate, if it may also end the block.
    pub(super) open_fence: Option<(Fence, Option<Candidate>)>,
}

impl Fences {
    /// Finds the fences of `text` from byte `offset` on, in a block that `opener` opened. While a fence is open, only a fence
    /// that closes it counts. Otherwise the first one that can close the block and follows a closing bracket is `block_end`; any
    /// other opens fenced code.
    pub(super) fn of(text: &str, mut offset: usize, opener: Option<Fence>) -> Self {
        let mut fences = Self { block_end: None, open_fence: None };
        // The last non-blank byte before the current line.
        let mut last_solid = 0;
        // Only lines with the marks of a fence may be one. Of the lines between them, only the last byte counts.
        while let Some(mark) = find_marks(text, offset) {
            let line_break = text.get(offset..mark).and_then(|lines| rfind(lines, [b'\n'; 2]));
            let start = line_break.map_or(offset, |line_break| offset + line_break + 1);
            let line_end = find(tail(text, mark), "\n").map_or(text.len(), |line_break| mark + line_break);
            let line = part(text, start..line_end);
            let mut update_last_solid = |from: usize, to: usize| {
                let lines = part(text, from..to);
                last_solid = lines.trim_ascii_end().bytes().last().unwrap_or(last_solid);
            };
            update_last_solid(offset, start);
            offset = line_end + 1;
            // A fence may be the end of a string: then the closing quote follows, e.g. "```\"}".
            let trimmed = line.trim_ascii_start();
            let marks = trimmed.bytes().take_while(|byte| matches!(byte, b'`' | b'~')).count();
            let ends_string = marks > 2 && matches!(trimmed.as_bytes().get(marks), Some(b'"' | b'\''));
            let fence_line = FenceLine::last_line_of(if ends_string { head(trimmed, marks) } else { line });
            // A fence may be the beginning of a string: then the opening quote precedes it.
            let quoted_fence =
                rfind(line, [b'"', b'\'']).and_then(|quote| FenceLine::last_line_of(line.get(quote + 1..)?).end());
            match (fence_line.end(), fences.open_fence) {
                (None, None) if quoted_fence.is_some() => {
                    fences.open_fence = quoted_fence.map(|(fence, _)| (fence, None))
                }
                (None, _) => update_last_solid(start, line_end),
                (Some(_), Some((fence, _))) if fence_line.closes(Some(fence)) => fences.open_fence = None,
                (Some(_), Some(_)) => {}
                (Some((fence, _)), None) => {
                    let candidate = Candidate { start, end: line_end, count: 0, tried_bytes: 0 };
                    let candidate = Some(candidate).filter(|_| fence_line.closes(opener));
                    if fences.block_end.is_none() && candidate.is_some() && matches!(last_solid, b'}' | b']') {
                        fences.block_end = candidate;
                    } else {
                        fences.open_fence = Some((fence, candidate));
                    }
                }
            }
        }
        fences
    }

    /// The fence that ends the block if the text has no more fences: an unclosed one that may, or else `block_end`.
    pub(super) fn end_at_text_end(self) -> Option<Candidate> {
        self.open_fence.and_then(|(_, candidate)| candidate).or(self.block_end)
    }
}

/// The byte offset of the next three equal fence marks, from `offset` on; `None` if none exist.
fn find_marks(text: &str, mut offset: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    loop {
        offset += length_before(bytes.get(offset..)?, [b'`', b'~'], NO_LOW_BYTE);
        if let [one, two, three] = bytes.get(offset..offset + 3)?
            && one == two
            && two == three
        {
            return Some(offset);
        }
        offset += 1;
    }
}
