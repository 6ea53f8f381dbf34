//! The fences in a block that faults have made doubtful: which of them may end it.

use super::line::{Fence, FenceLine};
use crate::value::text::{head, part, rfind, tail};
use crate::value::{find, length_before};

/// A fence that may end the block although faults have misled the lexer, and the text before it could not be repaired.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The byte offsets in `raw` at which the fence and its line begin and end.
    pub(super) fence: usize,
    pub(super) end: usize,
    /// The number of candidates since, and of bytes that a repair has been tried on.
    pub(super) count: usize,
    pub(super) tried: usize,
}

/// The fences in a block whose strings contain raw line breaks. Fences of a text come in pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fences {
    /// The first fence that may close the block, comes after a bracket, and closes no other fence.
    pub(super) of_block: Option<Candidate>,
    /// An unclosed fence, and the candidate for the block's end that it is, if any.
    pub(super) open: Option<(Fence, Option<Candidate>)>,
}

impl Fences {
    /// The fences of a text from a place on, in a block with this opening fence.
    pub(super) fn of(text: &str, mut place: usize, opener: Option<Fence>) -> Self {
        let mut fences = Self { of_block: None, open: None };
        let mut last = 0;
        // Only lines with the marks of a fence may be one: of all others together only the last byte counts.
        while let Some(mark) = find_marks(text, place) {
            let start =
                text.get(place..mark).and_then(|lines| rfind(lines, [b'\n'; 2])).map_or(place, |line| place + line + 1);
            let line_end = find(tail(text, mark), "\n").map_or(text.len(), |line| mark + line);
            let line = part(text, start..line_end);
            let mut see = |from: usize, to: usize| {
                let lines = part(text, from..to);
                last = lines.trim_ascii_end().bytes().last().unwrap_or(last);
            };
            see(place, start);
            place = line_end + 1;
            // Where a text ends with a fence, its quote follows, e.g. "```\"}".
            let text = line.trim_ascii_start();
            let marks = text.bytes().take_while(|byte| matches!(byte, b'`' | b'~')).count();
            let ends_text = marks > 2 && matches!(text.as_bytes().get(marks), Some(b'"' | b'\''));
            let read = FenceLine::last_of(if ends_text { head(text, marks) } else { line });
            // A text may begin with a fence.
            let begun = rfind(line, [b'"', b'\'']).and_then(|quote| FenceLine::last_of(line.get(quote + 1..)?).end());
            match (read.end(), fences.open) {
                (None, None) if begun.is_some() => fences.open = begun.map(|(fence, _)| (fence, None)),
                (None, _) => see(start, line_end),
                (Some(_), Some((fence, _))) if read.closes(Some(fence)) => fences.open = None,
                (Some(_), Some(_)) => {}
                (Some((fence, _)), None) => {
                    let candidate = Candidate { fence: start, end: line_end, count: 0, tried: 0 };
                    let candidate = Some(candidate).filter(|_| read.closes(opener));
                    if fences.of_block.is_none() && candidate.is_some() && matches!(last, b'}' | b']') {
                        fences.of_block = candidate;
                    } else {
                        fences.open = Some((fence, candidate));
                    }
                }
            }
        }
        fences
    }

    /// The fence that ends the block, if the text is all of it.
    pub(super) fn last(self) -> Option<Candidate> {
        self.open.and_then(|(_, candidate)| candidate).or(self.of_block)
    }
}

/// The offset of the next run of three fence marks, from `place` on.
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
