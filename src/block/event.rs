//! The events of a stream, with the blocks and calls in them.

use super::Issue;
use super::repair::Fix;
use super::tools::{CallField, Tool};
use crate::codes::codes;
use crate::value::text::owned;
use crate::value::{Object, Value, utf16_len};

/// Something that a stream found. Every character that went in belongs to one [`Event::Text`], [`Event::Reasoning`] or
/// [`Block::raw`], but for the tags around reasoning.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Text that belongs to no block.
    Text(String),
    /// Reasoning of the model, without the tags around it. Nothing in it is a call.
    Reasoning(String),
    /// The tool of a call is known, or, the second time, its path.
    Status {
        /// The call's id.
        tool_id: ToolId,
        /// The tool, known or not.
        tool: String,
        /// The path as it was written, once it is known.
        path: Option<String>,
    },
    /// More of a field's text.
    Delta(Delta),
    /// An entry of `patches` has arrived. A preview: the block may still fail.
    Patch {
        /// The call's id.
        tool_id: ToolId,
        /// Which call of its block it is.
        index: usize,
        /// The tool of the call, as it was written.
        tool: String,
        /// Its place in `patches`.
        patch_index: usize,
        /// The byte offset in the JSON up to which the text was needed to know it.
        offset: usize,
        /// The other keys of the call, as far as they have arrived.
        call: Value,
        /// The patch.
        patch: Value,
    },
    /// A block is over.
    Block(Box<Block>),
}

/// Identifies a text that is shown while it arrives, by its call and field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextId {
    /// The call's id.
    pub tool_id: ToolId,
    /// Which call of its block it is.
    pub index: usize,
    /// `content`, `old_string` or `new_string`.
    pub field: &'static str,
}

/// More of a field's text. A preview: the block may still fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The field.
    pub of: TextId,
    /// The text, decoded.
    pub delta: String,
    /// UTF-16 units of the field so far.
    pub length: usize,
}

/// The id of a call: its number in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolId(pub(super) u32);

impl std::fmt::Display for ToolId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "tool_{}", self.0)
    }
}

codes! {
    "Whether a block came to its end." BlockStatus;
    Complete "complete" "It did.",
    Truncated "truncated" "The text ended inside it, or it was over the limit.",
}

/// A finished block. Act on [`Block::calls`] only.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The id of its first call.
    pub tool_id: ToolId,
    /// The tool of its first call, as it was written.
    pub tool: Option<String>,
    /// The path of its first call, as it was written.
    pub path: Option<String>,
    /// Whether it came to its end.
    pub status: BlockStatus,
    /// UTF-16 units of the stream before it.
    pub start: usize,
    /// UTF-16 units of the stream before what follows it.
    pub end: usize,
    /// The block as it arrived, with its fences.
    pub raw: String,
    /// Findings about the block as it arrived, in the order in which they matter.
    pub issues: Vec<Issue>,
    /// The result of a repair, if it is valid.
    pub repaired: Option<Repaired>,
    /// The calls, if all of them are valid; else none.
    pub calls: Vec<ToolCall>,
    /// Whether the text of the block is also part of [`Event::Text`], or of another block: it only reports, with the code
    /// `NOT_A_CALL`, that a call was not executed.
    pub in_text: bool,
}

/// A block that a repair made valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The block, with its fences.
    pub content: String,
    /// The changes.
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
    /// All that the block says, the fields above included.
    pub args: Object,
}

impl ToolCall {
    /// The text of the file to be written, for a tool that has one.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.text(CallField::Content)
    }

    /// The text to find and its replacement, for a tool that edits.
    #[must_use]
    pub fn search_replace(&self) -> Option<(&str, &str)> {
        Some((self.text(CallField::OldString)?, self.text(CallField::NewString)?))
    }

    fn text(&self, field: CallField) -> Option<&str> {
        field.in_object(&self.args).filter(|_| self.tool.texts().contains(&field))?.as_str()
    }
}

/// Receives what a stream finds, in order. A `Vec<Event>` is one.
pub trait Receiver {
    /// Text that belongs to no block.
    fn text(&mut self, text: &str);
    /// Reasoning.
    fn reasoning(&mut self, text: &str);
    /// A tag around reasoning, which belongs to no event.
    fn skip(&mut self, _tag: &str) {}
    /// Anything else.
    fn event(&mut self, event: Event);
}

impl Receiver for Vec<Event> {
    fn text(&mut self, text: &str) {
        match self.last_mut() {
            Some(Event::Text(own)) => own.push_str(text),
            Some(_) | None => self.push(Event::Text(owned(text))),
        }
    }

    fn reasoning(&mut self, text: &str) {
        match self.last_mut() {
            Some(Event::Reasoning(own)) => own.push_str(text),
            Some(_) | None => self.push(Event::Reasoning(owned(text))),
        }
    }

    fn event(&mut self, event: Event) {
        self.push(event);
    }
}

/// The output: the receiver, and how much it has received.
pub(super) struct Out<'a> {
    pub(super) receiver: &'a mut dyn Receiver,
    pub(super) units: usize,
}

impl Out<'_> {
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

    /// Emits a block. Its text comes next, or, for a report on text, has been emitted already.
    pub(super) fn block(&mut self, mut block: Box<Block>) {
        let units = utf16_len(&block.raw);
        // A report on text keeps the position of that text.
        if !block.in_text {
            block.start = self.units;
            self.units += units;
        }
        block.end = block.start + units;
        self.receiver.event(Event::Block(block));
    }

    pub(super) fn skip(&mut self, tag: &str) {
        self.units += utf16_len(tag);
        self.receiver.skip(tag);
    }
}
