//! The events before the end of a block: statuses, and the texts of its fields as they arrive.

use super::{CallField, CallRecord};
use crate::block::event::{CallText, Delta, Event, ToolId};
use crate::value::text::owned;
use crate::value::utf16_len;

/// Gathers what is to be shown until someone takes it.
#[derive(Debug, Default)]
pub(in crate::block) struct Preview {
    /// Whether the texts of fields are shown while they arrive.
    pub(in crate::block) shows_texts: bool,
    pub(in crate::block) events: Vec<Event>,
    /// Texts of the call that arrived before its tool and path were known.
    pub(super) waiting: Vec<(CallField, String)>,
    /// UTF-16 units of the field so far.
    pub(super) length: usize,
}

impl Preview {
    /// The tool of a call is known, perhaps its path too.
    pub(super) fn known(&mut self, tool_id: ToolId, index: usize, record: &CallRecord) {
        let tool = owned(record.tool.as_deref().unwrap_or_default());
        self.events.push(Event::Status { tool_id, tool, path: record.path.clone() });
        if record.path.is_some() {
            for (field, text) in std::mem::take(&mut self.waiting) {
                self.length = 0;
                self.show(CallText { tool_id, index, field: field.key() }, &text);
            }
        }
    }

    /// More of a field's text.
    pub(super) fn text(&mut self, tool_id: ToolId, index: usize, record: &CallRecord, field: CallField, run: &str) {
        if !self.shows_texts {
            return;
        }
        if self.shows(record) {
            return self.show(CallText { tool_id, index, field: field.key() }, run);
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

    fn show(&mut self, of: CallText, run: &str) {
        self.length += utf16_len(run);
        match self.events.last_mut() {
            Some(Event::Delta(last)) if last.of == of => {
                last.delta.push_str(run);
                last.length = self.length;
            }
            Some(_) | None => self.events.push(Event::Delta(Delta { of, delta: owned(run), length: self.length })),
        }
    }
}
