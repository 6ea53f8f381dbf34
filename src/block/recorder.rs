//! Records what the lexer reads of a block: its values, the offsets of its fields, and what a UI can show before the end.
//!
//! The recorder is the lexer's sink. It knows a call by its place: the object at the top, or an item of the list there. It
//! records the tool and the path of a call when they are complete, and its long texts as they grow.

mod sink;

use super::Tools;
use super::envelope::{self, EnvelopePart};
use super::event::{Delta, Event, TextId, ToolId};
use super::patches::{PatchList, PatchOwner};
use super::tools::CallField;
use crate::value::text::owned;
use crate::value::{Builder, Value, utf16_len};

/// Whether the input is a tool block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Verdict {
    /// More text is needed, or only the complete value shows it.
    #[default]
    Open,
    /// A tool block.
    Block,
    /// Other JSON, or text that is not JSON.
    Text,
}

/// Facts about one call, besides its value.
#[derive(Debug, Default)]
pub(super) struct CallRecord {
    /// Its number in the stream, once its tool is known.
    pub(super) number: Option<u32>,
    /// The byte offset of its object, or of the value found instead.
    pub(super) offset: usize,
    /// The name of its tool, as the model wrote it, once it has begun to arrive.
    pub(super) tool: Option<String>,
    /// Its path, as the model wrote it, once it has begun to arrive.
    pub(super) path: Option<String>,
    /// The fields whose values have begun, in order.
    pub(super) fields: Vec<CallField>,
    /// Repeated fields, and the offsets of the repetitions.
    pub(super) repeated: Vec<(CallField, usize)>,
    /// Whether the object has a key under which envelopes have calls. Only the complete object shows whether it is an envelope.
    pub(super) may_wrap: bool,
}

impl CallRecord {
    /// Whether the value of a field has begun.
    pub(super) fn has(&self, field: CallField) -> bool {
        self.fields.contains(&field)
    }

    /// Whether it looks like a call that lacks its tool.
    pub(super) fn is_toolless_call(&self) -> bool {
        self.has(CallField::Path) && (self.has(CallField::Content) || self.has(CallField::SearchReplace))
    }
}

/// What the text of the current string is used for.
#[derive(Clone, Copy, Debug, Default)]
enum StringTarget {
    /// Nothing.
    #[default]
    Other,
    /// A key, at any depth.
    Key,
    /// The value of a field of a call.
    Field(CallField),
    /// The possible name of the tool in an envelope.
    Name,
}

/// An object of an envelope inside the object of a call, e.g. `{"function": {"name": …, "arguments": {…}}}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// The object of the call, under a key such as `function`.
    Call,
    /// The object of its arguments. `tool` is not a field in it.
    Arguments,
}

/// A key or a name is kept up to about this many bytes: text is added until the limit is reached. No key of a field is as long.
const LONGEST_KEY: usize = 64;

/// The open list at the top.
#[derive(Clone, Copy, Debug)]
struct TopList {
    /// The byte offset of its bracket.
    offset: usize,
    /// The number of calls before it.
    calls_before: usize,
}

/// Records what a lexer reads.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// `None` after the first fault: what is built then would be a guess.
    builder: Option<Builder>,
    /// The complete values at the top.
    pub(super) values: Vec<Value>,
    /// A record for each value that should be a call: each value at the top, or each item if that value is a list.
    pub(super) calls: Vec<CallRecord>,
    pub(super) verdict: Verdict,
    /// Whether the texts of fields are shown while they arrive.
    pub(super) shows_texts: bool,
    /// Reports the entries of `patches` while they arrive, if the option `patches` is set.
    pub(super) patches: Option<PatchList>,
    /// Events to emit before the end of the block, in order.
    pub(super) events: Vec<Event>,
    /// Texts of the call that arrived before its tool and path were known.
    waiting_deltas: Vec<Delta>,
    /// UTF-16 units of the current string so far, if it is the text of a field.
    text_units: usize,
    /// The number that the next call gets.
    pub(super) next_number: u32,
    /// The number of the first call that has one.
    first_number: Option<u32>,
    /// The tool, if the input does not name it itself: for native arguments, and after a header that names it.
    pub(super) tool: Option<String>,
    /// The tools that an envelope may name.
    tools: Tools,
    /// The byte offset after the last complete list or object at the top; `None` before the first one.
    pub(super) values_end: Option<usize>,
    list: Option<TopList>,
    /// Whether the object of a call is open.
    in_call: bool,
    /// The field whose object is open inside the call, e.g. `search_replace`.
    parent: Option<CallField>,
    /// The objects of an envelope that are open inside the call, outermost first. Their fields count as fields of the call.
    layers: Vec<Layer>,
    /// The number of open lists and objects inside the value of a key. They are values only: nothing in them is a field.
    nested_depth: usize,
    /// The field whose value comes next; `None` if the last key is not a field.
    field: Option<CallField>,
    string_target: StringTarget,
    /// The byte offset of the last string.
    string_offset: usize,
    /// The last key, at any depth; incomplete while it arrives.
    key: String,
    /// The possible name of the tool in an envelope; incomplete while it arrives.
    name: String,
    /// The first name of a known tool, at any depth, under a key that begins with `tool`.
    certain_tool: Option<String>,
    /// The first name of a known tool under another key, such as `name`, whose value may be the name of anything.
    possible_tool: Option<String>,
    /// Whether there is a key that holds arguments.
    has_arguments: bool,
    /// The number of keys in calls so far that belong neither to fields nor to envelopes.
    pub(super) foreign_keys: usize,
}

impl Recorder {
    /// `next_number` is that of the first call; `tools` are those whose names count.
    // Not inlined: that makes the module smaller.
    #[inline(never)]
    pub(super) fn new(next_number: u32, tools: &Tools) -> Self {
        Self { builder: Some(Builder::default()), next_number, tools: tools.clone(), ..Self::default() }
    }

    /// Whether an object repeats a key: the values contain only its last entry.
    pub(super) fn has_repeated_key(&self) -> bool {
        self.builder.as_ref().is_some_and(Builder::has_replaced)
    }

    /// Gives up the values: a fault was found.
    pub(super) fn discard(&mut self) {
        self.builder = None;
        self.values = Vec::new();
    }

    /// Gives up the values at the first fault, and drops the events of patches after it. Some may have been read together with
    /// the fault: without them the events are the same however the text is cut into pieces.
    pub(super) fn discard_from(&mut self, fault: usize) {
        if self.builder.is_some() {
            self.events.retain(|event| !matches!(event, Event::Patch { offset, .. } if *offset >= fault));
        }
        self.discard();
    }

    /// Stops recording: decides the verdict by the fields so far, and discards everything else.
    pub(super) fn stop(&mut self) {
        let verdict = if self.has_field_of_call() { Verdict::Block } else { Verdict::Text };
        // All further input counts as nested, so nothing is recorded. Opening and closing brackets neither reach 0 nor overflow.
        *self = Self { verdict, nested_depth: usize::MAX / 2, ..Self::default() };
    }

    /// The id of a text of the last call.
    fn text_id_of(&self, field: CallField) -> TextId {
        let index = self.calls.len().saturating_sub(1);
        TextId { tool_id: ToolId(self.first_number()), index, field: field.key() }
    }

    /// Whether tool and path of the last call are known: only then its texts are shown.
    fn is_known(&self) -> bool {
        self.calls.last().is_some_and(|call| call.number.is_some() && call.path.is_some())
    }

    /// Emits the status of the last call if its tool is known, and its waiting texts if its path is known too.
    fn show_status(&mut self) {
        let tool_id = ToolId(self.first_number());
        let Some(call) = self.calls.last().filter(|call| call.number.is_some()) else { return };
        let tool = owned(call.tool.as_deref().unwrap_or_default());
        self.events.push(Event::Status { tool_id, tool, path: call.path.clone() });
        if call.path.is_some() {
            for delta in self.waiting_deltas.drain(..) {
                self.events.push(Event::Delta(delta));
            }
        }
    }

    /// Emits more of a field's text, or keeps it until the tool and the path of the call are known.
    fn show_text(&mut self, field: CallField, run: &str) {
        if !self.shows_texts {
            return;
        }
        self.text_units += utf16_len(run);
        let (text_id, is_known) = (self.text_id_of(field), self.is_known());
        let last = match self.events.last_mut() {
            _ if !is_known => self.waiting_deltas.last_mut(),
            Some(Event::Delta(last)) => Some(last),
            _ => None,
        };
        if let Some(last) = last.filter(|last| last.text_id == text_id) {
            last.delta.push_str(run);
            last.length = self.text_units;
            return;
        }
        let delta = Delta { text_id, delta: owned(run), length: self.text_units };
        if is_known { self.events.push(Event::Delta(delta)) } else { self.waiting_deltas.push(delta) }
    }

    /// Reports the patches of the last call that are complete, once its tool is known and [`PatchList::report`] finds the name of
    /// its instance. `offset`: the byte offset of the token that was read last.
    fn show_patches(&mut self, offset: usize) {
        let tool_id = ToolId(self.first_number());
        let (Some(list), Some(builder)) = (&mut self.patches, &self.builder) else { return };
        let Some(call) = self.calls.last().filter(|call| call.number.is_some()) else { return };
        let tool = call.tool.as_deref().unwrap_or_default();
        let owner = PatchOwner { tool_id, index: self.calls.len() - 1, tool, offset };
        list.report(builder, owner, &mut self.events);
    }

    /// Whether there is a call, or an object with at least one field of a call, such as `path`.
    pub(super) fn has_field_of_call(&self) -> bool {
        self.verdict == Verdict::Block || self.calls.last().is_some_and(|call| !call.fields.is_empty())
    }

    /// The number of the first call, assigned now if it has none. All events of the block use it as their id, so a UI shows one
    /// entry; `index` distinguishes the calls.
    pub(super) fn assign_first_number(&mut self) -> u32 {
        match self.first_number {
            Some(number) => number,
            None => self.assign_next_number(),
        }
    }

    /// Assigns the next free number, to a call of this block.
    pub(super) fn assign_next_number(&mut self) -> u32 {
        assign_number(&mut self.next_number, &mut self.first_number)
    }

    /// The number that the first call has, or will get.
    pub(super) fn first_number(&self) -> u32 {
        self.first_number.unwrap_or(self.next_number)
    }

    /// Begins the record of a call whose object begins at this byte offset. If the tool is known from elsewhere, it is a call
    /// already.
    fn begin_call(&mut self, offset: usize) {
        self.waiting_deltas.clear();
        self.patches.iter_mut().for_each(PatchList::restart);
        self.in_call = true;
        let mut call = CallRecord { offset, ..CallRecord::default() };
        if let Some(tool) = &self.tool {
            call.tool = Some(owned(tool));
            // An alias before arguments, e.g. `edit(…)`, may be another function: only the name of a tool is sure.
            self.certain_tool = Some(owned(tool)).filter(|tool| self.tools.find_written(tool).is_some());
            call.number = Some(assign_number(&mut self.next_number, &mut self.first_number));
            self.verdict = Verdict::Block;
        }
        self.calls.push(call);
        self.show_status();
    }

    /// Records a scalar or an empty list where a call is expected.
    fn record_other_value(&mut self, offset: usize) {
        if self.verdict == Verdict::Open {
            self.verdict = Verdict::Text;
        }
        self.calls.push(CallRecord { offset, ..CallRecord::default() });
    }

    /// Decides whether the object that ends is a call, if its keys have not decided it. An object that lacks only its tool counts
    /// as a call, so that the missing tool is reported.
    fn end_call(&mut self) {
        if self.verdict == Verdict::Open {
            let Some(call) = self.calls.last() else { return };
            self.verdict = match (call.is_toolless_call(), call.may_wrap) {
                (true, _) => Verdict::Block,
                (false, true) => Verdict::Open,
                (false, false) => Verdict::Text,
            };
        }
    }

    /// Begins the value of a key, or a value outside of calls. If the key is a field, the field is recorded and its text is used;
    /// if the call has the field already, only the repetition is recorded.
    fn begin_value(&mut self, offset: usize) {
        self.string_target = StringTarget::Other;
        if self.nested_depth > 0 {
            return;
        }
        if !self.in_call {
            return self.record_other_value(offset);
        }
        let (Some(field), Some(call)) = (self.field.take(), self.calls.last_mut()) else { return };
        if !call.has(field) {
            call.fields.push(field);
            // A given tool is not overwritten.
            if field != CallField::Tool || self.tool.is_none() {
                self.string_target = StringTarget::Field(field);
            }
        } else if self.parent.is_none() || call.repeated.last().map(|(repeated, _)| *repeated) != self.parent {
            // If the object around the field is repeated, so are all its fields: the object alone is recorded.
            call.repeated.push((field, offset));
        }
    }

    /// Completes a key of a call: it is the key of a field, of an envelope or of a host's tool, or else foreign.
    fn end_key(&mut self) {
        let in_arguments = self.is_in_arguments();
        let is_tool = |field: &CallField| *field == CallField::Tool;
        self.field = CallField::find(self.parent, &self.key).filter(|field| !(in_arguments && is_tool(field)));
        let is_known = self.field.is_some() || envelope::is_envelope_key(&self.key) || self.tools.knows_key(&self.key);
        self.foreign_keys += usize::from(!is_known && self.parent.is_none());
    }

    /// Whether the last key may hold this part of an envelope: it is a key of the call, or of an envelope's object outside of its
    /// arguments.
    fn is_part(&self, part: EnvelopePart) -> bool {
        let may_have_parts = self.in_call && self.nested_depth == 0 && self.parent.is_none() && !self.is_in_arguments();
        // `tool` is a key of calls and of envelopes.
        may_have_parts && self.field.is_none_or(|field| field == CallField::Tool) && envelope::may_hold(&self.key, part)
    }

    /// The first of `tools` that the input names, at any depth. `name` alone may be the name of anything; together with
    /// arguments it names a tool.
    pub(super) fn named_tool(&self) -> Option<&str> {
        self.certain_tool.as_deref().or(self.possible_tool.as_deref().filter(|_| self.has_arguments))
    }

    /// Records a name, at any depth, if it is the name of a known tool; the last key decides how certain that is.
    fn note_name(&mut self, name: &str) {
        let is_certain = self.key.starts_with(CallField::Tool.key());
        // Aliases such as `edit` are words that anything may be called by.
        let tool = if is_certain { self.tools.find_by_any_name(name) } else { self.tools.find_written(name) };
        if tool.is_none() {
            return;
        }
        let slot = if is_certain { &mut self.certain_tool } else { &mut self.possible_tool };
        slot.get_or_insert_with(|| owned(name));
    }

    /// Whether the innermost object of an envelope is that of the arguments.
    fn is_in_arguments(&self) -> bool {
        self.layers.last() == Some(&Layer::Arguments)
    }

    /// Whether the lexer is inside the value of a key or inside arguments.
    fn is_inside_value(&self) -> bool {
        self.nested_depth > 0 || self.is_in_arguments()
    }

    /// Completes a name in an envelope: the name of a tool makes this a call.
    fn end_name(&mut self) {
        let name = std::mem::take(&mut self.name);
        self.note_name(&name);
        if self.is_inside_value() {
            return;
        }
        let Some(call) = self.calls.last_mut().filter(|call| call.tool.is_none()) else { return };
        if self.tools.find_by_any_name(&name).is_some() {
            call.tool = Some(name);
            self.end_field(CallField::Tool);
        }
    }

    /// Completes the text of a field: a tool makes this a call, and a tool or a path is shown.
    fn end_field(&mut self, field: CallField) {
        let Some(call) = self.calls.last_mut() else { return };
        match field {
            CallField::Tool => {
                let name = owned(call.tool.get_or_insert_default());
                call.number.get_or_insert_with(|| assign_number(&mut self.next_number, &mut self.first_number));
                self.verdict = Verdict::Block;
                self.note_name(&name);
            }
            CallField::Path => _ = call.path.get_or_insert_default(),
            CallField::Content
            | CallField::SearchReplace
            | CallField::OldString
            | CallField::NewString
            | CallField::Edits => return,
        }
        self.show_status();
    }

    /// Whether no list or object is open.
    const fn is_at_top(&self) -> bool {
        self.nested_depth == 0 && !self.in_call && self.list.is_none()
    }

    /// If a value at the top is complete, adds it to the values.
    fn end_root(&mut self) {
        if self.is_at_top()
            && let Some(value) = self.builder.as_mut().and_then(Builder::take)
        {
            self.values.push(value);
        }
    }
}

/// Returns the next number and increases it; the first one that a block gets is kept in `first`.
fn assign_number(next: &mut u32, first: &mut Option<u32>) -> u32 {
    let number = *next;
    *next = next.saturating_add(1);
    first.get_or_insert(number);
    number
}
