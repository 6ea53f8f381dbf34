//! The events of a stream, the blocks and calls in them, and the trait that receives them.

use super::Issue;
use super::repair::Fix;
use super::tools::{CallField, Tool};
use crate::codes::codes;
use crate::value::text::owned;
use crate::value::{Object, Value, utf16_len};

/// Whether a text that ends may have been cut off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextEnd {
    /// The text may have been cut off.
    #[default]
    MaybeCut,
    /// The text is whole: a bracket that is missing at its end was forgotten.
    Complete,
}

/// A finding of a stream. Every character of the input belongs to exactly one [`Event::Text`], [`Event::Reasoning`] or
/// [`Block::raw`]. The exceptions: tags around reasoning are dropped, and a block with [`Block::in_text`] repeats text.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Text that belongs to no block.
    Text(String),
    /// Reasoning of the model, without the tags around it. Calls in it are not executed.
    Reasoning(String),
    /// The tool of a call has arrived. A second status follows when its path has arrived.
    Status {
        /// The call's id.
        tool_id: ToolId,
        /// The name of the tool as the model wrote it; it may be unknown.
        tool: String,
        /// The path as the model wrote it, once it has arrived.
        path: Option<String>,
    },
    /// Another part of a field's text.
    Delta(Delta),
    /// An item of `patches` has arrived. This is a preview: the block may still turn out to be invalid.
    Patch {
        /// The call's id.
        tool_id: ToolId,
        /// The index of the call in its block.
        index: usize,
        /// The name of the tool as the model wrote it.
        tool: String,
        /// The index of the patch in `patches`.
        patch_index: usize,
        /// The byte offset in the JSON of the last token that the preview depends on.
        offset: usize,
        /// The other members of the call that have arrived.
        call: Value,
        /// The patch.
        patch: Value,
    },
    /// A block has ended.
    Block(Box<Block>),
}

/// Identifies a text that deltas emit while it arrives: a field of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextId {
    /// The call's id.
    pub tool_id: ToolId,
    /// The index of the call in its block.
    pub index: usize,
    /// `content`, `old_string` or `new_string`.
    pub field: &'static str,
}

/// Another part of a field's text. This is a preview: the block may still turn out to be invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The field.
    pub text_id: TextId,
    /// The decoded text of the part.
    pub delta: String,
    /// The length of the field so far, this part included, in UTF-16 units.
    pub length: usize,
}

/// The id of a call: its number in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolId(pub(super) u32);

/// The number of the first call of a stream.
pub(super) const FIRST_NUMBER: u32 = 1;

impl std::fmt::Display for ToolId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "tool_{}", self.0)
    }
}

codes! {
    /// Whether a block is complete.
    BlockStatus;
    Complete "complete" "The end of the block has arrived.",
    Truncated "truncated" "The text ended inside the block, or the block was over the limit.",
}

/// A finished block. Act on [`Block::calls`] only.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The id of its first call.
    pub tool_id: ToolId,
    /// The tool of its first call, as the model wrote it.
    pub tool: Option<String>,
    /// The path of its first call, as the model wrote it.
    pub path: Option<String>,
    /// Whether the block is complete.
    pub status: BlockStatus,
    /// The position in the stream at which the block begins, in UTF-16 units.
    pub start: usize,
    /// The position in the stream at which the block ends, in UTF-16 units.
    pub end: usize,
    /// The text of the block as it arrived, with its fences.
    pub raw: String,
    /// The issues of the block as it arrived, the most important first.
    pub issues: Vec<Issue>,
    /// The result of a repair, if it is valid.
    pub repaired: Option<Repaired>,
    /// The calls, if all of them are valid; else none.
    pub calls: Vec<ToolCall>,
    /// Whether an [`Event::Text`] or another block contains the text of this block too. Such a block has no calls: it
    /// only reports, with the code `NOT_A_CALL`, that text which looks like a call is not executed.
    pub in_text: bool,
}

/// A block that a repair made valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The repaired text of the block, with its fences.
    pub content: String,
    /// The changes that the repair made.
    pub fixes: Vec<Fix>,
}

/// A valid call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Unique in its stream.
    pub id: ToolId,
    /// The tool.
    pub tool: Tool,
    /// The path, checked and normalised; empty if the tool has none.
    pub path: String,
    /// All members of the call, `tool` and `path` included, without an envelope around them.
    pub args: Object,
}

impl ToolCall {
    /// The text to write, for `write_file`; `None` for other tools.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.text(CallField::Content)
    }

    /// The text to find and its replacement, for `edit_file`; `None` for other tools, and for a call with `edits`.
    #[must_use]
    pub fn search_replace(&self) -> Option<(&str, &str)> {
        Some((self.text(CallField::OldString)?, self.text(CallField::NewString)?))
    }

    /// The text of a field; `None` if the tool or the call does not have it.
    fn text(&self, field: CallField) -> Option<&str> {
        field.in_object(&self.args).filter(|_| self.tool.text_fields().contains(&field))?.as_str()
    }
}

/// Receives the findings of a stream in order. `Vec<Event>` implements it and collects all events.
pub trait Receiver {
    /// Receives text that belongs to no block.
    fn text(&mut self, text: &str);
    /// Receives reasoning, without the tags around it.
    fn reasoning(&mut self, text: &str);
    /// Receives a tag around reasoning. No event contains it, but positions in the stream count it.
    fn skip(&mut self, _tag: &str) {}
    /// Receives any other event.
    fn event(&mut self, event: Event);
}

impl Receiver for Vec<Event> {
    fn text(&mut self, text: &str) {
        match self.last_mut() {
            Some(Event::Text(last)) => last.push_str(text),
            Some(_) | None => self.push(Event::Text(owned(text))),
        }
    }

    fn reasoning(&mut self, text: &str) {
        match self.last_mut() {
            Some(Event::Reasoning(last)) => last.push_str(text),
            Some(_) | None => self.push(Event::Reasoning(owned(text))),
        }
    }

    fn event(&mut self, event: Event) {
        self.push(event);
    }
}

/// The output: the receiver, and the number of UTF-16 units of the stream that it has received, tags included.
pub(super) struct Output<'a> {
    pub(super) receiver: &'a mut dyn Receiver,
    pub(super) units: usize,
}

impl Output<'_> {
    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.units += utf16_len(text);
            self.receiver.text(text);
        }
    }

    pub(super) fn reasoning(&mut self, text: &str) {
        if !text.is_empty() {
            self.units += utf16_len(text);
            self.receiver.reasoning(text);
        }
    }

    /// Emits a block, and sets its positions: the block begins where the output ends now.
    pub(super) fn block(&mut self, mut block: Box<Block>) {
        let units = utf16_len(&block.raw);
        // A report on text that was already emitted has its position, and adds none to the output.
        if !block.in_text {
            block.start = self.units;
            self.units += units;
        }
        block.end = block.start + units;
        self.receiver.event(Event::Block(block));
    }

    /// Drops a tag around reasoning, or marks: no event contains it, but positions count it.
    pub(super) fn skip(&mut self, tag: &str) {
        self.units += utf16_len(tag);
        self.receiver.skip(tag);
    }
}
