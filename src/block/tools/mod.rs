//! The tools that a block may call.
//!
//! - [`FileTool`], [`FILE_TOOLS`]: those that change files, one table;
//! - [`Tools`]: these and what a host adds, looked up by name, or by what models call them instead;
//! - `CallField`: the fields of file tools, and their other names;
//! - `definition`: what a host says of a tool of its own, and whether a call fits it.
//!
//! Other names count for finding a call without a fence and for repairing one. A call is valid only under the names of the tables.

mod call_field;
mod definition;
mod files;
mod locate;

use crate::value::text::{contains, owned};
use std::sync::Arc;

use super::Code;
use super::policy::Policy;
use crate::limits::Limits;
use crate::value::{Object, Value, concat, decimal, join};

pub(super) use call_field::{CallField, IssueSink, check_path, folded_eq};
use definition::CustomTool;
pub use files::{FILE_TOOLS, FileTool};
pub(super) use locate::{Place, locate};

/// The status message of tools without one of their own.
const OTHER_STATUS: &str = "Processing...";

/// One tool. A copy costs next to nothing.
#[derive(Clone, Debug)]
pub enum Tool {
    /// A tool that changes a file.
    File(&'static FileTool),
    /// A tool that the host added.
    Custom(Arc<CustomTool>),
}

impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Tool {
    /// The name in the `tool` field.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::File(tool) => tool.name,
            Self::Custom(tool) => &tool.name,
        }
    }

    /// The message that a UI shows while a block of this tool arrives.
    pub(super) fn status_of(name: &str) -> &'static str {
        FILE_TOOLS.iter().find(|tool| tool.name == name).map_or(OTHER_STATUS, |tool| tool.status_message)
    }

    /// Whether the path at the top of a call is the tool's own business, which says more of it than the file tools do.
    pub(super) const fn is_custom(&self) -> bool {
        matches!(self, Self::Custom(_))
    }

    /// Whether the tool's definition makes the value of this key a text.
    pub(super) fn may_be_text(&self, key: &str) -> bool {
        match self {
            Self::File(_) => !self.holds_edits(key),
            Self::Custom(tool) => tool.may_be_text(key),
        }
    }

    /// The fields that are long strings.
    pub(super) fn text_fields(&self) -> &'static [CallField] {
        match self {
            Self::File(tool) => tool.text_fields,
            Self::Custom(_) => &[],
        }
    }

    /// Reports the findings about a call's fields other than `tool` and, for a tool that changes files, `path`.
    pub(super) fn check(&self, call: &Value, policy: &Policy, most: usize, tell: &mut IssueSink<'_>) {
        match self {
            Self::File(tool) => tool.check(call, tell),
            Self::Custom(tool) => tool.check(call, policy, most, tell),
        }
    }

    /// Resolves an alias of a field, in the call or in the object under `parent`: the path of the field that the alias
    /// stands for.
    pub(super) fn field_of_alias(&self, parent: Option<&str>, key: &str) -> Option<(Option<&str>, &str)> {
        match self {
            Self::File(tool) => {
                let parent = match parent {
                    Some(parent) => Some(CallField::find(None, parent)?),
                    None => None,
                };
                let field = CallField::find_alias(parent, key).filter(|field| tool.has(*field))?;
                Some((field.parent().map(CallField::key), field.key()))
            }
            Self::Custom(tool) if parent.is_none() => tool.field_of_alias(key).map(|key| (None, key)),
            Self::Custom(_) => None,
        }
    }

    /// A call, or the object at one of its keys, under the names of the tool's fields, and which keys they took the place
    /// of; `None` if two keys mean one field.
    pub(super) fn canonical(&self, parent: Option<&str>, object: &Object, renamed: &mut Vec<String>) -> Option<Object> {
        let mut canonical = Object::new();
        for (key, value) in object.iter() {
            let (mut holder, mut target, mut is_renamed) = (None, key, false);
            if let Some((meant, name)) = self.field_of_alias(parent, key) {
                holder = meant.filter(|_| parent.is_none());
                // Under its own name the field is there: then the other key is something else.
                let is_there = match holder {
                    Some(holder) => object.get(holder).is_some_and(|inner| inner.get(name).is_some()),
                    None => object.contains(name),
                };
                if is_there {
                    holder = None;
                } else {
                    is_renamed = true;
                    target = name;
                }
            }
            let value = match value {
                Value::Array(items) if parent.is_none() && self.holds_edits(target) => {
                    let edit = CallField::SearchReplace.key();
                    let mut edits = Vec::new();
                    for item in items.iter() {
                        edits.push(self.canonical_value(edit, item, renamed)?);
                    }
                    // e.g. "search_replace": [{"old_string": "a", "new_string": "b"}]
                    is_renamed |= target == edit;
                    if target == edit && edits.len() == 1 {
                        edits.pop().unwrap_or_default()
                    } else {
                        target = CallField::Edits.key();
                        edits.into()
                    }
                }
                value if parent.is_none() => self.canonical_value(target, value, renamed)?,
                value => value.clone(),
            };
            if is_renamed {
                renamed.push(owned(key));
            }
            put(&mut canonical, holder, target, value)?;
        }
        Some(canonical)
    }

    /// The value at a key of a call, as [`Self::canonical`].
    fn canonical_value(&self, key: &str, value: &Value, renamed: &mut Vec<String>) -> Option<Value> {
        Some(match value {
            Value::Object(inner) => self.canonical(Some(key), inner, renamed)?.into(),
            other => other.clone(),
        })
    }

    /// Whether this key of a file tool may hold a list of replacements.
    fn holds_edits(&self, key: &str) -> bool {
        !self.is_custom() && matches!(CallField::find(None, key), Some(CallField::SearchReplace | CallField::Edits))
    }

    /// Whether a key, in the call or in the object of a field, is one of the file tools' but none that this one has there.
    pub(super) fn is_foreign(&self, parent: Option<CallField>, key: &str) -> bool {
        let Self::File(tool) = self else { return false };
        let is_field = CallField::find(parent, key).is_some_and(|field| tool.has(field));
        !is_field && CallField::anywhere(key).is_some()
    }
}

/// The tools that calls may name.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    custom: Arc<[Arc<CustomTool>]>,
}

impl Tools {
    /// Reads the tools that a host adds: a list of `{name, aliases?, schema}`. A schema may use `type`, `enum`,
    /// `properties`, `required`, `additionalProperties: false` and `items`. A property may have `aliases`. The path policy
    /// checks properties with `format: "path"`, and any `path` at the top level that lacks `format: "pointer"`.
    ///
    /// # Errors
    /// A sentence that names the first definition that is invalid, or whose names are taken.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        match definition::read_all(value) {
            Ok(tools) => Ok(Self { custom: tools.into() }),
            Err(index) => Err(concat(&["tools[", &decimal(index), "] is no definition of a new tool."])),
        }
    }

    /// The first tool that fulfils a condition; the host's tools come first.
    fn first(&self, holds: &dyn Fn(&Tool) -> bool) -> Option<Tool> {
        for tool in &*self.custom {
            let tool = Tool::Custom(tool.clone());
            if holds(&tool) {
                return Some(tool);
            }
        }
        FILE_TOOLS.iter().map(Tool::File).find(holds)
    }

    /// The tool of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.first(&|tool| tool.name() == name)
    }

    /// The tool of a name as models write it: with blanks around it, in another case, with `functions.` before it.
    #[must_use]
    pub fn find_written(&self, name: &str) -> Option<Tool> {
        let bare = bare_name(name);
        self.find(bare).or_else(|| self.first(&|tool| tool.name().eq_ignore_ascii_case(bare)))
    }

    /// The tool that a model means by a name, its aliases included.
    pub(super) fn find_by_any_name(&self, name: &str) -> Option<Tool> {
        self.find_written(name).or_else(|| self.find_alias(name))
    }

    /// The tool that has this name as an alias.
    #[must_use]
    pub fn find_alias(&self, name: &str) -> Option<Tool> {
        let known = self.find(name).is_some();
        let name = bare_name(name);
        let is_meant = |tool: &Tool| match tool {
            Tool::File(tool) => tool.has_alias(name),
            Tool::Custom(tool) => tool.has_alias(name),
        };
        if known { None } else { self.first(&is_meant) }
    }

    /// Whether some tool has a field that is called so, or that this key means.
    pub(super) fn knows_key(&self, key: &str) -> bool {
        CallField::find(None, key).is_some() || CallField::find_alias(None, key).is_some() || self.has_own_key(key)
    }

    /// Whether one of the host's tools has.
    pub(super) fn has_own_key(&self, key: &str) -> bool {
        self.custom.iter().any(|tool| tool.knows_key(key))
    }

    /// The first tool whose name occurs in a text.
    pub(super) fn named_in(&self, text: &str) -> Option<String> {
        self.first(&|tool| contains(text, tool.name())).map(|tool| owned(tool.name()))
    }

    /// The names, as a sentence lists them.
    pub(super) fn sentence(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for tool in FILE_TOOLS {
            names.push(tool.name);
        }
        for tool in &*self.custom {
            names.push(&tool.name);
        }
        let last = names.pop().unwrap_or_default();
        concat(&[&join(&names, ", "), ", or ", last])
    }

    /// Whether a call is valid, aliases included, except for the path policy.
    pub(super) fn is_whole_call(&self, call: &Value) -> bool {
        let Some(object) = call.as_object() else { return false };
        let Some(name) = CallField::Tool.in_object(object).and_then(Value::as_str) else { return false };
        let Some(tool) = self.find_by_any_name(name) else { return false };
        is_whole(&tool, call) || {
            let canonical = tool.canonical(None, object, &mut Vec::new());
            canonical.is_some_and(|call| is_whole(&tool, &call.into()))
        }
    }
}

/// A name without blanks around it and without the namespace that OpenAI's models put before it.
fn bare_name(name: &str) -> &str {
    let name = name.trim_ascii();
    name.strip_prefix("functions.").unwrap_or(name)
}

fn is_whole(tool: &Tool, call: &Value) -> bool {
    let mut is_whole = tool.is_custom() || CallField::Path.of(call).and_then(Value::as_str).is_some();
    // Its fields are there; what they say is for the check.
    tool.check(call, &Policy::default(), Limits::default().max_issues, &mut |code, _, _, _| {
        is_whole &= matches!(code, Code::UnsafePath | Code::EmptyOldString | Code::NoChange);
    });
    is_whole
}

/// Sets a key in an object, or in the object under `holder`. Two objects are merged. `None`: another value is there already.
fn put(object: &mut Object, holder: Option<&str>, key: &str, value: Value) -> Option<()> {
    if let Some(holder) = holder {
        if !object.contains(holder) {
            object.set(holder, Object::new().into());
        }
        let Value::Object(inner) = object.get_mut(holder)? else { return None };
        return inner.set(key, value).is_none().then_some(());
    }
    let Some(before) = object.get_mut(key) else {
        object.set(key, value);
        return Some(());
    };
    let (Value::Object(before), Value::Object(more)) = (before, value) else { return None };
    more.iter().all(|(key, value)| before.set(key, value.clone()).is_none()).then_some(())
}
