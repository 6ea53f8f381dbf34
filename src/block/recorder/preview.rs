//! Notes for the events before the end of a block: statuses, and the texts of its fields as they arrive.

use super::{CallField, CallRecord};
use crate::value::text::owned;
use crate::value::utf16_len;

/// Something to be shown, in order.
#[derive(Debug)]
pub(in crate::block) enum Note {
    /// The tool of a call is known, or, the second time, its path too.
    Status { call: usize, with_path: bool },
    /// So many bytes of [`Preview::shown`] are the next text of a field; `length` is how many UTF-16 units of the field
    /// there are then.
    Delta { call: usize, field: CallField, bytes: usize, length: usize },
}

/// Gathers what is to be shown until someone takes it.
#[derive(Debug, Default)]
pub(in crate::block) struct Preview {
    /// Whether the texts of fields are shown while they arrive.
    pub(super) shows_texts: bool,
    pub(in crate::block) notes: Vec<Note>,
    /// The texts of the deltas, one after the other.
    pub(in crate::block) shown: String,
    /// Texts that arrived before the tool and the path were known.
    waiting: Vec<(CallField, String)>,
    length: usize,
}

impl Preview {
    pub(in crate::block) fn new(shows_texts: bool) -> Self {
        Self { shows_texts, ..Self::default() }
    }

    /// Forgets what was taken.
    pub(in crate::block) fn clear(&mut self) {
        self.notes.clear();
        self.shown.clear();
    }

    /// The tool of a call is known, perhaps its path too.
    pub(super) fn known(&mut self, call: usize, record: &CallRecord) {
        let with_path = record.path.is_some();
        self.notes.push(Note::Status { call, with_path });
        if with_path {
            for (field, text) in std::mem::take(&mut self.waiting) {
                self.length = 0;
                self.show(call, field, &text);
            }
        }
    }

    /// A field's text begins.
    pub(super) const fn begin_text(&mut self) {
        self.length = 0;
    }

    /// A call begins; what the one before still waits with is of no use any more.
    pub(super) fn begin_call(&mut self) {
        self.waiting.clear();
    }

    /// More of a field's text.
    pub(super) fn text(&mut self, call: usize, record: &CallRecord, field: CallField, run: &str) {
        if !self.shows_texts {
            return;
        }
        if self.shows(record) {
            self.show(call, field, run);
            return;
        }
        match self.waiting.last_mut() {
            Some((own, text)) if *own == field => text.push_str(run),
            Some(_) | None => self.waiting.push((field, owned(run))),
        }
    }

    /// Whether the texts of a call are shown at once.
    pub(super) fn shows(&self, record: &CallRecord) -> bool {
        self.shows_texts && record.number.is_some() && record.path.is_some()
    }

    fn show(&mut self, call: usize, field: CallField, run: &str) {
        self.length += utf16_len(run);
        self.shown.push_str(run);
        match self.notes.last_mut() {
            Some(Note::Delta { call: own_call, field: own, bytes, length }) if *own == field && *own_call == call => {
                *bytes += run.len();
                *length = self.length;
            }
            Some(_) | None => {
                self.notes.push(Note::Delta { call, field, bytes: run.len(), length: self.length });
            }
        }
    }
}
