//! Records what the lexer reads of a block: its values, the offsets of its fields, and what a panel can show before the end.
//!
//! The recorder is the lexer's sink. It knows a call by its place (the object at the top, or an item of the list there)
//! and notes of each the tool, the path and the long texts the moment they are complete or grow.

mod preview;

use super::event::{InString, ToolId};
use super::tools::CallField;
use crate::value::text::owned;
use crate::value::{Builder, Container, Literal, Role, Runs, Sink, Value};
pub(super) use preview::{Note, Preview};

/// Whether what is read is a tool block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Not known yet.
    #[default]
    Open,
    /// It is.
    Block,
    /// It is something else.
    Text,
}

/// What the recorder knows of one call, beside its value.
#[derive(Debug, Default)]
pub(super) struct CallRecord {
    /// Its number in the stream, once its tool is known.
    pub(super) number: Option<u32>,
    /// The byte offset of its object, or of what stands in its stead.
    pub(super) offset: usize,
    pub(super) tool: Option<String>,
    pub(super) path: Option<String>,
    /// Where the values of its fields begin.
    pub(super) fields: Vec<(CallField, usize)>,
    /// Fields that were there already, and where they are there again.
    pub(super) repeated: Vec<(CallField, usize)>,
}

impl CallRecord {
    pub(super) fn has(&self, field: CallField) -> bool {
        self.fields.iter().any(|(own, _)| *own == field)
    }

    /// Whether it looks like a call that lacks its tool.
    pub(super) fn is_toolless_call(&self) -> bool {
        self.has(CallField::Path) && (self.has(CallField::Content) || self.has(CallField::SearchReplace))
    }
}

/// What the string that is being read is.
#[derive(Clone, Copy, Debug, Default)]
enum StringTarget {
    #[default]
    Other,
    /// A key of a call, or of the object of one of its fields.
    Key,
    /// The value of a field.
    Field(CallField),
}

/// A key longer than every field's is not kept whole.
const LONGEST_KEY: usize = 64;

/// Records what a lexer reads.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// `None` after the first fault: what is built then would be a guess.
    builder: Option<Builder>,
    pub(super) values: Vec<Value>,
    pub(super) calls: Vec<CallRecord>,
    pub(super) verdict: Verdict,
    pub(super) preview: Preview,
    /// The number that the next call gets.
    pub(super) next_number: u32,
    /// Whether the text of `content` is left out.
    pub(super) leaves_content: bool,
    /// The tool, if it is known from elsewhere.
    pub(super) tool: Option<String>,
    depth: usize,
    /// Where the last list or object at the top ends.
    pub(super) end: Option<usize>,
    /// Where the list at the top begins, and how many calls there were before it.
    list: usize,
    calls_before: usize,
    /// How deep the keys of the current call are; 0 outside of calls.
    call_depth: usize,
    /// The field whose value comes next, and the field whose object is open.
    field: Option<CallField>,
    parent: Option<CallField>,
    reading: StringTarget,
    key: String,
    /// The last key of a call that is none of the fields known by their place.
    pub(super) foreign_key: Option<Box<str>>,
}

impl Recorder {
    #[inline(never)]
    pub(super) fn new(next_number: u32, preview: Preview) -> Self {
        Self { builder: Some(Builder::default()), preview, next_number, ..Self::default() }
    }

    /// Whether some key stands twice in an object: the values have the later entry only.
    pub(super) fn has_repeated_key(&self) -> bool {
        self.builder.as_ref().is_some_and(Builder::has_replaced)
    }

    /// Gives up the values: a fault was found.
    pub(super) fn discard(&mut self) {
        self.builder = None;
        self.values = Vec::new();
    }

    /// What is told of the string that is being read.
    pub(super) fn in_string(&self) -> InString {
        match (self.reading, self.calls.last()) {
            (StringTarget::Field(field), Some(call)) if field.is_text() && self.preview.shows(call) => {
                InString::Shown(ToolId(self.first_number()), self.calls.len() - 1, field.key())
            }
            _ => InString::Hidden,
        }
    }

    /// Whether the keys so far are those of a call. Only of such nothing more is recorded.
    pub(super) fn speaks_of_a_call(&self) -> bool {
        self.verdict == Verdict::Block || self.calls.last().is_some_and(|call| !call.fields.is_empty())
    }

    /// The number of the first call, given to it now if it has none.
    pub(super) fn block_number(&mut self) -> u32 {
        let known = self.calls.iter().find_map(|call| call.number);
        known.unwrap_or_else(|| take_number(&mut self.next_number))
    }

    /// The number that the first call has, or gets.
    pub(super) fn first_number(&self) -> u32 {
        self.calls.iter().find_map(|call| call.number).unwrap_or(self.next_number)
    }

    fn begin_call(&mut self, offset: usize) {
        self.preview.begin_call();
        self.call_depth = self.depth + 1;
        let mut call = CallRecord { offset, ..CallRecord::default() };
        if let Some(tool) = &self.tool {
            call.tool = Some(owned(tool));
            call.number = Some(take_number(&mut self.next_number));
            self.verdict = Verdict::Block;
            self.preview.known(self.calls.len(), &call);
        }
        self.calls.push(call);
    }

    /// Something stands where a call should.
    fn stray(&mut self, offset: usize) {
        if self.verdict == Verdict::Open {
            self.verdict = Verdict::Text;
        }
        self.calls.push(CallRecord { offset, ..CallRecord::default() });
    }

    fn end_call(&mut self) {
        self.call_depth = 0;
        if self.verdict == Verdict::Open {
            let toolless = self.calls.last().is_some_and(CallRecord::is_toolless_call);
            self.verdict = if toolless { Verdict::Block } else { Verdict::Text };
        }
    }

    /// A value begins.
    fn begin_value(&mut self, offset: usize) {
        let in_call = self.call_depth > 0;
        if !in_call {
            if self.depth < 2 {
                self.stray(offset);
            }
            return;
        }
        let depth = self.call_depth + usize::from(self.parent.is_some());
        let Some(field) = self.field.take_if(|_| self.depth == depth) else { return };
        let Some(call) = self.calls.last_mut() else { return };
        if call.has(field) {
            // Of an object that is there again its fields are too.
            if self.parent.is_none() || call.repeated.last().map(|(own, _)| *own) != self.parent {
                call.repeated.push((field, offset));
            }
        } else {
            call.fields.push((field, offset));
            self.reading = StringTarget::Field(field);
        }
    }

    fn end_key(&mut self) {
        self.field = CallField::find(self.parent, &self.key);
        if self.field.is_none() && self.parent.is_none() {
            self.foreign_key = Some(self.key.as_str().into());
        }
    }

    fn end_field(&mut self, field: CallField) {
        let index = self.calls.len().saturating_sub(1);
        let Some(call) = self.calls.last_mut() else { return };
        match field {
            CallField::Tool if self.tool.is_some() => {}
            CallField::Tool => {
                call.tool.get_or_insert_default();
                if call.number.is_none() {
                    call.number = Some(take_number(&mut self.next_number));
                }
                self.verdict = Verdict::Block;
                self.preview.known(index, call);
            }
            CallField::Path => {
                call.path.get_or_insert_default();
                if call.number.is_some() {
                    self.preview.known(index, call);
                }
            }
            CallField::Content | CallField::SearchReplace | CallField::OldString | CallField::NewString => {}
        }
    }
}

fn take_number(next: &mut u32) -> u32 {
    let number = *next;
    *next = next.saturating_add(1);
    number
}

impl Sink for Recorder {
    fn open(&mut self, container: Container, offset: usize) {
        if let Some(builder) = &mut self.builder {
            builder.open(container, offset);
        }
        let is_list_of_calls = self.depth == 0 && container == Container::Array;
        if is_list_of_calls {
            (self.list, self.calls_before) = (offset, self.calls.len());
        }
        if self.call_depth == 0 && self.depth < 2 && container == Container::Object {
            self.begin_call(offset);
        } else if !is_list_of_calls {
            let before = self.field;
            self.begin_value(offset);
            self.reading = StringTarget::Other;
            if before == Some(CallField::SearchReplace) && self.field.is_none() && container == Container::Object {
                self.parent = before;
            }
        }
        self.depth += 1;
    }

    fn close(&mut self, container: Container, offset: usize) {
        if let Some(builder) = &mut self.builder {
            builder.close(container, offset);
        }
        self.depth = self.depth.saturating_sub(1);
        if self.call_depth > 0 && self.depth < self.call_depth {
            self.end_call();
        }
        if self.depth <= self.call_depth {
            self.parent = None;
            self.field = None;
        }
        if self.depth == 0 {
            self.end = Some(offset);
            if self.calls.len() == self.calls_before {
                // An empty list says nothing, which is not what a call says.
                self.stray(self.list);
            }
            self.end_root();
        }
    }

    fn begin_string(&mut self, role: Role, offset: usize) {
        if let Some(builder) = &mut self.builder {
            builder.begin_string(role, offset);
        }
        self.reading = StringTarget::Other;
        match role {
            Role::Key => {
                let depth = self.call_depth + usize::from(self.parent.is_some());
                if self.call_depth > 0 && self.depth == depth {
                    self.reading = StringTarget::Key;
                    self.key.clear();
                }
            }
            Role::Value => {
                self.begin_value(offset);
                if matches!(self.reading, StringTarget::Field(_)) {
                    self.preview.begin_text();
                }
            }
        }
    }

    fn text(&mut self, run: &str) {
        if self.is_left_out() {
            return;
        }
        if let Some(builder) = &mut self.builder {
            builder.text(run);
        }
        match self.reading {
            StringTarget::Other => {}
            StringTarget::Key => {
                if self.key.len() < LONGEST_KEY {
                    self.key.push_str(run);
                }
            }
            StringTarget::Field(field) => {
                let index = self.calls.len().saturating_sub(1);
                let Some(call) = self.calls.last_mut() else { return };
                match field {
                    CallField::Tool if self.tool.is_some() => {}
                    CallField::Tool => call.tool.get_or_insert_default().push_str(run),
                    CallField::Path => call.path.get_or_insert_default().push_str(run),
                    CallField::Content | CallField::OldString | CallField::NewString => {
                        self.preview.text(index, call, field, run)
                    }
                    CallField::SearchReplace => {}
                }
            }
        }
    }

    fn runs(&mut self) -> Runs<'_> {
        if self.is_left_out() {
            return Runs::Nowhere;
        }
        let built = match self.reading {
            StringTarget::Other => true,
            StringTarget::Key => false,
            StringTarget::Field(field) => {
                field == CallField::SearchReplace || (field.is_text() && !self.preview.shows_texts)
            }
        };
        match &mut self.builder {
            _ if !built => Runs::Sink,
            Some(builder) => builder.runs(),
            None => Runs::Nowhere,
        }
    }

    fn knows_key(&self) -> bool {
        self.field.is_some()
    }

    fn end_string(&mut self, role: Role) {
        if let Some(builder) = &mut self.builder {
            builder.end_string(role);
        }
        match std::mem::replace(&mut self.reading, StringTarget::Other) {
            StringTarget::Key => self.end_key(),
            StringTarget::Field(field) => self.end_field(field),
            StringTarget::Other => {}
        }
        if self.depth == 0 {
            self.end_root();
        }
    }

    fn number(&mut self, number: f64, offset: usize) {
        if let Some(builder) = &mut self.builder {
            builder.number(number, offset);
        }
        self.scalar(offset);
    }

    fn literal(&mut self, literal: Literal, offset: usize) {
        if let Some(builder) = &mut self.builder {
            builder.literal(literal, offset);
        }
        self.scalar(offset);
    }
}

impl Recorder {
    const fn is_left_out(&self) -> bool {
        self.leaves_content && matches!(self.reading, StringTarget::Field(CallField::Content))
    }

    fn scalar(&mut self, offset: usize) {
        self.begin_value(offset);
        self.reading = StringTarget::Other;
        if self.depth == 0 {
            self.end_root();
        }
    }

    /// A value at the top is complete.
    fn end_root(&mut self) {
        if let Some(value) = self.builder.as_mut().and_then(Builder::take) {
            self.values.push(value);
        }
        if self.verdict == Verdict::Open {
            self.verdict = Verdict::Text;
        }
    }
}
