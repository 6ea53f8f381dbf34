//! Measuring text: by what fits into a limit, and in UTF-16 code units while it arrives.

use crate::value::utf16_len;

/// As much of the text as fits into so many bytes.
pub(super) fn fitting(text: &str, bytes: usize) -> &str {
    let ends = (0..=bytes.min(text.len())).rev();
    ends.filter_map(|end| text.get(..end)).next().unwrap_or_default()
}

/// A text that arrives in pieces, and how many UTF-16 units it has.
#[derive(Debug, Default)]
pub(super) struct Counted {
    text: String,
    units: usize,
}

impl Counted {
    pub(super) const fn units(&self) -> usize {
        self.units
    }

    pub(super) fn push_str(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.units += utf16_len(piece);
    }

    /// Takes everything from this byte on off the end.
    pub(super) fn split_off(&mut self, at: usize) -> String {
        let tail = self.text.split_off(at);
        self.units -= utf16_len(&tail);
        tail
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl From<String> for Counted {
    fn from(text: String) -> Self {
        let units = utf16_len(&text);
        Self { text, units }
    }
}

impl std::ops::Deref for Counted {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}
