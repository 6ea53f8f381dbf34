//! The rest of a block over the limit: read to its end, so that what it quotes is not taken for blocks, but not kept.

use super::body::{Body, Closing, Found, Pace};
use super::line::FenceLine;
use super::stream::Out;
use crate::value::{Container, Literal, Role, Sink};

/// The rest of a block.
#[derive(Debug)]
pub(super) struct Rest {
    body: Body,
    /// A line that may be the opener of another block.
    held: String,
}

impl Rest {
    pub(super) const fn new(body: Body) -> Self {
        Self { body, held: String::new() }
    }

    /// Passes the next step on as text, and tells how many bytes that was and what was found.
    pub(super) fn take(&mut self, text: &str, out: &mut Out<'_>) -> (usize, Found) {
        let words = self.body.skip_words(text);
        let (taken, found) =
            if words > 0 { (words, Found::More) } else { self.body.take(text, Pace::Careful, Closing::Braced, &mut Nothing) };
        self.held.push_str(text.get(..taken).unwrap_or_default());
        let kept = if found == Found::Fence { 0 } else { self.body.looked_at() };
        let passed = self.held.len().saturating_sub(kept);
        out.text(self.held.get(..passed).unwrap_or_default());
        self.held.drain(..passed);
        (taken, found)
    }

    /// The text ends here.
    pub(super) fn end(&self, out: &mut Out<'_>) {
        out.text(&self.held);
    }

    /// The line of the opener that was found.
    pub(super) fn opener(&mut self) -> (FenceLine, String) {
        (self.body.line(), std::mem::take(&mut self.held))
    }
}

/// A sink for what is of no interest.
struct Nothing;

impl Sink for Nothing {
    fn open(&mut self, _: Container, _: usize) {}
    fn close(&mut self, _: Container, _: usize) {}
    fn begin_string(&mut self, _: Role, _: usize) {}
    fn text(&mut self, _: &str) {}
    fn end_string(&mut self, _: Role) {}
    fn number(&mut self, _: f64, _: usize) {}
    fn literal(&mut self, _: Literal, _: usize) {}
}
