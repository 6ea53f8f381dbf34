//! Code inside of a line, in backticks.

use crate::block::line::Fence;

/// Inline code: from a run of backticks to the next run of the same length, or to the end of the line. Calls in it are not
/// executed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InlineCode {
    /// The number of backticks that opened the code, or 0 outside of it.
    opener_length: usize,
    /// The number of backticks right before the next byte.
    run_length: usize,
    /// Whether a blank has followed the opening backticks, and anything else after that blank.
    has_blank: bool,
    has_words: bool,
}

impl InlineCode {
    /// Reads the next byte of the line. A run of backticks counts when the byte after it is read: it opens code, or closes code
    /// that a run of the same length has opened.
    pub(super) const fn push(&mut self, byte: u8) {
        if byte == b'`' {
            self.run_length += 1;
        } else if self.run_length > 0 {
            if self.opener_length == 0 {
                self.opener_length = self.run_length;
                (self.has_blank, self.has_words) = (false, false);
            } else if self.opener_length == self.run_length {
                self.opener_length = 0;
            }
            self.run_length = 0;
        }
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        self.has_words |= self.has_blank && !is_blank;
        self.has_blank |= is_blank;
    }

    /// The fence that begins in the line and is not closed there: three backticks or more, with at most one word after them, its
    /// language. `None` otherwise: with more words after them, the backticks are text. `has_words` says something about them only
    /// once another byte has followed them (`opener_length > 0`).
    pub(super) const fn fence(self) -> Option<Fence> {
        let length = self.open_length();
        if length < 3 || self.opener_length > 0 && self.has_words { None } else { Some(Fence::backticks(length)) }
    }

    /// Whether the next byte is in inline code.
    pub(super) const fn is_open(self) -> bool {
        self.open_length() > 0
    }

    /// The number of backticks that opened the code around the next byte, unless that is a backtick; 0 outside of code.
    const fn open_length(self) -> usize {
        match (self.opener_length, self.run_length) {
            // The run opens code if no further backtick follows.
            (0, run) => run,
            // The run closes the code.
            (opener, run) if opener == run => 0,
            (opener, _) => opener,
        }
    }
}
