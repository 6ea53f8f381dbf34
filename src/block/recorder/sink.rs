//! The recorder as the lexer's sink: what it does at each event of the lexer. It builds the values, and follows the structure to
//! know which keys are fields of calls: those in a call, in the objects of its envelope (`layers`), and in its `search_replace`
//! (`parent`). `nested_depth` counts the lists and objects inside any other value, in which nothing is a field.

use super::{LONGEST_KEY, Layer, Recorder, StringTarget, TopList};
use crate::block::envelope::{self, EnvelopePart};
use crate::block::patches::PATCHES;
use crate::block::tools::CallField;
use crate::value::{Container, Role, Sink, Value};

impl Sink for Recorder {
    /// A list or object begins: as a part of an envelope, the list of calls, a call, `search_replace`, or any other value.
    fn open(&mut self, container: Container, offset: usize) {
        self.builder.iter_mut().for_each(|builder| builder.open(container, offset));
        let is_arguments = container == Container::Object && self.is_part(EnvelopePart::Arguments);
        let may_hold_calls = match container {
            Container::Object => self.is_part(EnvelopePart::Call),
            Container::Array => self.is_part(EnvelopePart::Calls),
        };
        if may_hold_calls && let Some(call) = self.calls.last_mut() {
            call.may_wrap = true;
        }
        match container {
            _ if self.nested_depth > 0 => self.nested_depth += 1,
            Container::Object if is_arguments || may_hold_calls => {
                // The key is of the envelope, not a field.
                self.field = None;
                self.layers.push(if is_arguments { Layer::Arguments } else { Layer::Call });
            }
            Container::Array if !self.in_call && self.list.is_none() => {
                self.list = Some(TopList { offset, calls_before: self.calls.len() });
            }
            Container::Object if !self.in_call => self.begin_call(offset),
            Container::Object if self.field == Some(CallField::SearchReplace) => {
                self.begin_value(offset);
                self.parent = Some(CallField::SearchReplace);
            }
            Container::Array | Container::Object => {
                self.begin_value(offset);
                self.nested_depth = 1;
                if container == Container::Array && self.parent.is_none() && self.key == PATCHES {
                    self.patches.iter_mut().for_each(|list| list.open(self.builder.as_ref()));
                }
            }
        }
        self.string_target = StringTarget::Other;
    }

    /// A list or object ends: the innermost one, in the reverse of the order in which `open` records them.
    fn close(&mut self, container: Container, offset: usize) {
        self.builder.iter_mut().for_each(|builder| builder.close(container, offset));
        self.field = None;
        self.show_patches(offset);
        if self.nested_depth > 0 {
            self.nested_depth -= 1;
        } else if self.parent.take().is_none() && self.layers.pop().is_none() {
            if std::mem::take(&mut self.in_call) {
                self.end_call();
            } else if let Some(list) = self.list.take().filter(|list| self.calls.len() == list.calls_before) {
                // An empty list is not a call.
                self.record_other_value(list.offset);
            }
        }
        if self.is_at_top() {
            self.values_end = Some(offset);
            self.end_root();
        }
    }

    /// A string begins: decides what `text` does with it. Only a string that is no field may be the name in an envelope.
    fn begin_string(&mut self, role: Role, offset: usize) {
        self.string_offset = offset;
        self.builder.iter_mut().for_each(|builder| builder.begin_string(role, offset));
        match role {
            Role::Key => {
                self.string_target = StringTarget::Key;
                self.key.clear();
            }
            Role::Value => {
                // Also inside arguments and other values: `named_tool` returns the name of a tool at any depth.
                let is_inner_name = self.is_inside_value() && envelope::may_hold(&self.key, EnvelopePart::Name);
                let is_name = is_inner_name || self.is_part(EnvelopePart::Name);
                self.begin_value(offset);
                self.text_units = 0;
                if is_name && matches!(self.string_target, StringTarget::Other) {
                    self.name.clear();
                    self.string_target = StringTarget::Name;
                }
            }
        }
    }

    /// A part of the current string.
    fn text(&mut self, run: &str) {
        self.builder.iter_mut().for_each(|builder| builder.text(run));
        match self.string_target {
            StringTarget::Key if self.key.len() < LONGEST_KEY => self.key.push_str(run),
            StringTarget::Name if self.name.len() < LONGEST_KEY => self.name.push_str(run),
            StringTarget::Key | StringTarget::Name | StringTarget::Other => {}
            StringTarget::Field(field) if field.is_text() => self.show_text(field, run),
            StringTarget::Field(field) => match (field, self.calls.last_mut()) {
                (CallField::Tool, Some(call)) => call.tool.get_or_insert_default().push_str(run),
                (CallField::Path, Some(call)) => call.path.get_or_insert_default().push_str(run),
                _ => {}
            },
        }
    }

    /// After the first fault, when nothing is built any more, only the texts of keys, fields and names are needed.
    fn takes_text(&self) -> bool {
        self.builder.is_some() || !matches!(self.string_target, StringTarget::Other)
    }

    /// The keys of fields and arguments are known.
    fn knows_key(&self) -> bool {
        self.field.is_some() || self.is_part(EnvelopePart::Arguments)
    }

    /// A string ends: its text is complete.
    fn end_string(&mut self, role: Role) {
        self.builder.iter_mut().for_each(|builder| builder.end_string(role));
        match std::mem::replace(&mut self.string_target, StringTarget::Other) {
            StringTarget::Key => {
                self.has_arguments |= envelope::may_hold(&self.key, EnvelopePart::Arguments);
                if self.nested_depth == 0 {
                    self.end_key();
                }
            }
            StringTarget::Field(field) => self.end_field(field),
            StringTarget::Name => self.end_name(),
            StringTarget::Other => {}
        }
        if role == Role::Value && self.nested_depth == 0 {
            self.show_patches(self.string_offset);
        }
        self.end_root();
    }

    /// A number or a literal, which is no text of a field.
    fn scalar(&mut self, value: Value, offset: usize) {
        if let Some(builder) = &mut self.builder {
            builder.scalar(value, offset);
        }
        self.begin_value(offset);
        self.string_target = StringTarget::Other;
        self.end_root();
    }
}
