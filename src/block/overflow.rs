//! The rest of a block over the limit: read to its end, so that a fence inside of it opens no other block, and not kept.

use super::body::{Body, BodyStep, Pace};
use super::event::Out;
use crate::value::text::head;

/// The rest of a block.
#[derive(Debug)]
pub(super) struct Overflow {
    /// Its recorder does not listen any more.
    body: Body,
    /// A line that may be the opener of another block.
    held: String,
}

impl Overflow {
    pub(super) fn new(body: Body) -> Self {
        Self { body, held: String::new() }
    }

    /// Passes the next step on as text, and tells how many bytes that was and what was found.
    pub(super) fn take(&mut self, text: &str, out: &mut Out<'_>) -> (usize, BodyStep) {
        let words = self.body.skip_words(text);
        let (taken, found) = if words > 0 { (words, BodyStep::More) } else { self.body.take(text, Pace::Careful) };
        self.held.push_str(head(text, taken));
        let kept = if found == BodyStep::Fence { 0 } else { self.body.looked_at() };
        let passed = self.held.len().saturating_sub(kept);
        out.text(head(&self.held, passed));
        self.held.drain(..passed);
        (taken, found)
    }

    /// The text ends here.
    pub(super) fn end(&self, out: &mut Out<'_>) {
        out.text(&self.held);
    }

    /// The opener that was found, and what is kept of what follows it.
    pub(super) fn opener(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}
