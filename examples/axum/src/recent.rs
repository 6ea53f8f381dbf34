//! The last messages of a room, for pages that have missed some.

use std::collections::VecDeque;

use axum::extract::ws::Utf8Bytes;

const MESSAGES: usize = 10_000;
const BYTES: usize = 16 << 20;

#[derive(Debug, Default)]
pub(crate) struct Recent {
    texts: VecDeque<Utf8Bytes>,
    bytes: usize,
    /// The number of the last message.
    last: u64,
}

impl Recent {
    pub(crate) fn add(&mut self, number: u64, text: Utf8Bytes) {
        self.bytes += text.len();
        self.texts.push_back(text);
        self.last = number;
        while self.texts.len() > MESSAGES || self.bytes > BYTES {
            let Some(oldest) = self.texts.pop_front() else { break };
            self.bytes -= oldest.len();
        }
    }

    /// The messages after a number; `None` if not all of them are kept.
    pub(crate) fn after(&self, number: u64) -> Option<Vec<Utf8Bytes>> {
        let missed = usize::try_from(self.last.checked_sub(number)?).ok()?;
        let from = self.texts.len().checked_sub(missed)?;
        Some(self.texts.iter().skip(from).cloned().collect())
    }
}
