//! The fences in a block whose faults hide its end: which of them may end the block.

use super::line::{Fence, FenceLine};
use crate::value::text::{head, part, rfind, tail};
use crate::value::{find, length_before};

/// A fence that may end the block, although faults have misled the lexer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The byte offset in `raw` of the start of the fence's line.
    pub(super) fence: usize,
    /// The byte offset in `raw` of the end of the fence's line.
    pub(super) end: usize,
    /// The number of candidates so far, this first one included.
    pub(super) count: usize,
    /// The bytes of JSON before each of them, added up: repairs may read as many.
    pub(super) tried: usize,
}

/// The fences in a block whose strings contain raw line breaks. Fences of a text come in pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fences {
    /// The closing fence of the block itself: the first one after a closing bracket that closes no other fence.
    pub(super) block_end: Option<Candidate>,
    /// An unclosed fence, and the candidate for the block's end if it may be that too.
    pub(super) open: Option<(Fence, Option<Candidate>)>,
}

impl Fences {
    /// Finds the fences of `text` from byte `place` on, in a block that `opener` opened.
    pub(super) fn of(text: &str, mut place: usize, opener: Option<Fence>) -> Self {
        let mut fences = Self { block_end: None, open: None };
        // The last non-blank byte before the current line.
        let mut last = 0;
        // Only lines with the marks of a fence may be one. Of the lines between them, only the last byte counts.
        while let Some(mark) = find_marks(text, place) {
            let start =
                text.get(place..mark).and_then(|lines| rfind(lines, [b'\n'; 2])).map_or(place, |line| place + line + 1);
            let line_end = find(tail(text, mark), "\n").map_or(text.len(), |line| mark + line);
            let line = part(text, start..line_end);
            let mut update_last = |from: usize, to: usize| {
                let lines = part(text, from..to);
                last = lines.trim_ascii_end().bytes().last().unwrap_or(last);
            };
            update_last(place, start);
            place = line_end + 1;
            // A fence may be the end of a string: then the closing quote follows, e.g. "```\"}".
            let text = line.trim_ascii_start();
            let marks = text.bytes().take_while(|byte| matches!(byte, b'`' | b'~')).count();
            let ends_text = marks > 2 && matches!(text.as_bytes().get(marks), Some(b'"' | b'\''));
            let fence_line = FenceLine::last_of(if ends_text { head(text, marks) } else { line });
            // A fence may be the beginning of a string: then the opening quote precedes it.
            let after_quote =
                rfind(line, [b'"', b'\'']).and_then(|quote| FenceLine::last_of(line.get(quote + 1..)?).end());
            match (fence_line.end(), fences.open) {
                (None, None) if after_quote.is_some() => fences.open = after_quote.map(|(fence, _)| (fence, None)),
                (None, _) => update_last(start, line_end),
                (Some(_), Some((fence, _))) if fence_line.closes(Some(fence)) => fences.open = None,
                (Some(_), Some(_)) => {}
                (Some((fence, _)), None) => {
                    let candidate = Candidate { fence: start, end: line_end, count: 0, tried: 0 };
                    let candidate = Some(candidate).filter(|_| fence_line.closes(opener));
                    if fences.block_end.is_none() && candidate.is_some() && matches!(last, b'}' | b']') {
                        fences.block_end = candidate;
                    } else {
                        fences.open = Some((fence, candidate));
                    }
                }
            }
        }
        fences
    }

    /// The fence that ends the block if the text has no more fences: an unclosed one that may, or else `block_end`.
    pub(super) fn end_at_text_end(self) -> Option<Candidate> {
        self.open.and_then(|(_, candidate)| candidate).or(self.block_end)
    }
}

/// The byte offset of the next three equal fence marks, from `place` on.
fn find_marks(text: &str, mut place: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    loop {
        place += length_before(bytes.get(place..)?, [b'`', b'~'], 0);
        if let [one, two, three] = bytes.get(place..place + 3)?
            && one == two
            && two == three
        {
            return Some(place);
        }
        place += 1;
    }
}
