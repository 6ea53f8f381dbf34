//! Code inside of a line, in backticks.

use crate::block::line::Fence;

/// Inline code: from a run of backticks to the next run of the same length, or to the end of the line. Calls in it are not
/// executed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InlineCode {
    /// The number of backticks that opened it, or 0.
    open: usize,
    /// The number of backticks right before the next byte.
    run: usize,
    /// Whether it contains a blank, and anything after that blank.
    has_blank: bool,
    has_words: bool,
}

impl InlineCode {
    pub(super) const fn push(&mut self, byte: u8) {
        if byte == b'`' {
            self.run += 1;
        } else if self.run > 0 {
            if self.open == 0 {
                self.open = self.run;
                (self.has_blank, self.has_words) = (false, false);
            } else if self.open == self.run {
                self.open = 0;
            }
            self.run = 0;
        }
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        self.has_words |= self.has_blank && !is_blank;
        self.has_blank |= is_blank;
    }

    /// The fence that opens in the line and is not closed there; `None` if more than one word follows it.
    pub(super) const fn fence(self) -> Option<Fence> {
        let length = self.opened();
        if length < 3 || self.open > 0 && self.has_words { None } else { Some(Fence::backticks(length)) }
    }

    pub(super) const fn is_open(self) -> bool {
        self.opened() > 0
    }

    /// The number of backticks that opened it, if the text ends here; 0 outside of it.
    const fn opened(self) -> usize {
        match (self.open, self.run) {
            (0, run) => run,
            (open, run) if open == run => 0,
            (open, _) => open,
        }
    }
}
