//! The tools that a block may call.
//!
//! - [`FileTool`], [`FILE_TOOLS`]: the tools that change files, in one table;
//! - [`Tools`]: these tools and those that a host adds, looked up by name or alias;
//! - `CallField`: the fields of file tools, and their aliases;
//! - `definition`: the definition of a host's tool, and the check of a call against it.
//!
//! Aliases serve to find a call without a fence and to repair a call. A valid call has the names themselves.

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

/// The message that a UI shows while a call arrives whose tool is no file tool.
const OTHER_STATUS: &str = "Processing...";

/// One tool. A copy costs next to nothing.
#[derive(Clone, Debug)]
pub enum Tool {
    /// A tool that changes a file.
    File(&'static FileTool),
    /// A tool that the host added.
    Custom(Arc<CustomTool>),
}

/// Tools are equal if their names are, since no two tools share one.
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

    /// The message that a UI shows while a call of the tool with this name arrives.
    pub(super) fn status_of(name: &str) -> &'static str {
        FILE_TOOLS.iter().find(|tool| tool.name == name).map_or(OTHER_STATUS, |tool| tool.status_message)
    }

    /// Whether the host added the tool. Its definition decides whether a call needs a `path`, and what that is.
    pub(super) const fn is_custom(&self) -> bool {
        matches!(self, Self::Custom(_))
    }

    /// Whether the value of this field may be a string; true for a field that the tool does not have.
    pub(super) fn may_be_text(&self, key: &str) -> bool {
        match self {
            Self::File(_) => !self.holds_edits(key),
            Self::Custom(tool) => tool.may_be_text(key),
        }
    }

    /// The fields that hold long strings, which deltas emit while they arrive.
    pub(super) fn text_fields(&self) -> &'static [CallField] {
        match self {
            Self::File(tool) => tool.text_fields,
            Self::Custom(_) => &[],
        }
    }

    /// Reports the findings about a call's fields other than `tool` and, for a tool that changes files, `path`. Stops soon after
    /// `max_errors` errors.
    pub(super) fn check(&self, call: &Value, policy: &Policy, max_errors: usize, report: &mut IssueSink<'_>) {
        match self {
            Self::File(tool) => tool.check(call, report),
            Self::Custom(tool) => tool.check(call, policy, max_errors, report),
        }
    }

    /// Resolves an alias of a field in the object at the key `parent`, or in the call itself (`None`). Returns the path of the
    /// field: the key of the object that holds it (`None`: the call itself) and its key there.
    pub(super) fn field_of_alias(&self, parent: Option<&str>, key: &str) -> Option<(Option<&str>, &str)> {
        match self {
            Self::File(tool) => {
                let parent = match parent {
                    Some(parent) => Some(CallField::find(CallField::TOP, parent)?),
                    None => CallField::TOP,
                };
                let field = CallField::find_alias(parent, key).filter(|field| tool.has(*field))?;
                Some((field.parent().map(CallField::key), field.key()))
            }
            Self::Custom(tool) if parent.is_none() => tool.field_of_alias(key).map(|key| (None, key)),
            Self::Custom(_) => None,
        }
    }

    /// Replaces aliases of fields by the fields' names, in the object at the key `parent` of a call, or in the call itself
    /// (`None`). Adds the replaced keys to `aliases`. Returns `None` if two keys are names of one field.
    ///
    /// A string of `search_replace` that stands in the call itself is moved into that object. A list of replacements moves to
    /// `edits`; under `search_replace`, a list of one becomes its item.
    pub(super) fn canonical(&self, parent: Option<&str>, object: &Object, aliases: &mut Vec<String>) -> Option<Object> {
        let mut canonical = Object::new();
        for (key, value) in object.iter() {
            // The value goes to `target`, in the call or in the object at its key `holder`.
            let (mut holder, mut target, mut is_alias) = (None, key, false);
            if let Some((field_parent, name)) = self.field_of_alias(parent, key) {
                // `object` is the holder already if it is the object at `parent`.
                holder = field_parent.filter(|_| parent.is_none());
                // If the call has the field under its name too, this key is not an alias.
                let has_field = match holder {
                    Some(holder) => object.get(holder).is_some_and(|inner| inner.get(name).is_some()),
                    None => object.contains(name),
                };
                if has_field {
                    holder = None;
                } else {
                    is_alias = true;
                    target = name;
                }
            }
            let value = match value {
                Value::Array(items) if parent.is_none() && self.holds_edits(target) => {
                    let edit = CallField::SearchReplace.key();
                    let mut edits = Vec::new();
                    for item in items.iter() {
                        edits.push(self.canonical_value(edit, item, aliases)?);
                    }
                    // e.g. "search_replace": [{"old_string": "a", "new_string": "b"}]
                    is_alias |= target == edit;
                    if target == edit && edits.len() == 1 {
                        edits.pop().unwrap_or_default()
                    } else {
                        target = CallField::Edits.key();
                        edits.into()
                    }
                }
                value if parent.is_none() => self.canonical_value(target, value, aliases)?,
                value => value.clone(),
            };
            if is_alias {
                aliases.push(owned(key));
            }
            set_new(&mut canonical, holder, target, value)?;
        }
        Some(canonical)
    }

    /// The value at a key of a call, with aliases in it replaced as by [`Self::canonical`].
    fn canonical_value(&self, key: &str, value: &Value, aliases: &mut Vec<String>) -> Option<Value> {
        Some(match value {
            Value::Object(inner) => self.canonical(Some(key), inner, aliases)?.into(),
            other => other.clone(),
        })
    }

    /// Whether this key of a file tool may hold a list of replacements.
    fn holds_edits(&self, key: &str) -> bool {
        let field = CallField::find(CallField::TOP, key);
        !self.is_custom() && matches!(field, Some(CallField::SearchReplace | CallField::Edits))
    }

    /// Whether a key, in the call or in the object of a field, is a field of file tools that this file tool does not have there.
    pub(super) fn is_foreign(&self, parent: Option<CallField>, key: &str) -> bool {
        let Self::File(tool) = self else { return false };
        let has_field = CallField::find(parent, key).is_some_and(|field| tool.has(field));
        !has_field && CallField::find_anywhere(key).is_some()
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

    /// The first tool that meets a condition; the host's tools come first.
    fn find_by(&self, meets: &dyn Fn(&Tool) -> bool) -> Option<Tool> {
        for tool in &*self.custom {
            let tool = Tool::Custom(tool.clone());
            if meets(&tool) {
                return Some(tool);
            }
        }
        FILE_TOOLS.iter().map(Tool::File).find(meets)
    }

    /// The tool with exactly this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.find_by(&|tool| tool.name() == name)
    }

    /// The tool with this name as models write it: perhaps with blanks around it, in another case, or with `functions.` before
    /// it.
    #[must_use]
    pub fn find_written(&self, name: &str) -> Option<Tool> {
        let bare = bare_name(name);
        self.find(bare).or_else(|| self.find_by(&|tool| tool.name().eq_ignore_ascii_case(bare)))
    }

    /// The tool with this name as models write it, or with this alias.
    pub(super) fn find_by_any_name(&self, name: &str) -> Option<Tool> {
        self.find_written(name).or_else(|| self.find_alias(name))
    }

    /// The tool that has this name as an alias; `None` if it is the name of a tool.
    #[must_use]
    pub fn find_alias(&self, name: &str) -> Option<Tool> {
        let is_name = self.find(name).is_some();
        let name = bare_name(name);
        let has_alias = |tool: &Tool| match tool {
            Tool::File(tool) => tool.has_alias(name),
            Tool::Custom(tool) => tool.has_alias(name),
        };
        if is_name { None } else { self.find_by(&has_alias) }
    }

    /// Whether the key is a field of some tool, or an alias of one.
    pub(super) fn knows_key(&self, key: &str) -> bool {
        let top = CallField::TOP;
        CallField::find(top, key).is_some() || CallField::find_alias(top, key).is_some() || self.has_own_key(key)
    }

    /// Whether the key is a field of one of the host's tools, or an alias of one.
    pub(super) fn has_own_key(&self, key: &str) -> bool {
        self.custom.iter().any(|tool| tool.knows_key(key))
    }

    /// The name of the first tool whose name occurs in a text.
    pub(super) fn named_in(&self, text: &str) -> Option<String> {
        self.find_by(&|tool| contains(text, tool.name())).map(|tool| owned(tool.name()))
    }

    /// The names of all tools as an error message lists them, e.g. `a, b, or c`.
    pub(super) fn name_list(&self) -> String {
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

    /// Whether a call has all fields that its tool requires, under their names or aliases. The values may still be refused, e.g.
    /// by the path policy.
    pub(super) fn is_whole_call(&self, call: &Value) -> bool {
        let Some(object) = call.as_object() else { return false };
        let Some(name) = CallField::Tool.in_object(object).and_then(Value::as_str) else { return false };
        let Some(tool) = self.find_by_any_name(name) else { return false };
        has_required_fields(&tool, call) || {
            let (top, mut aliases) = (None, Vec::new());
            let canonical = tool.canonical(top, object, &mut aliases);
            canonical.is_some_and(|call| has_required_fields(&tool, &call.into()))
        }
    }
}

/// A name without blanks around it and without the namespace that OpenAI's models put before it.
fn bare_name(name: &str) -> &str {
    let name = name.trim_ascii();
    name.strip_prefix("functions.").unwrap_or(name)
}

/// Whether a call has all fields that the tool requires, under their names.
fn has_required_fields(tool: &Tool, call: &Value) -> bool {
    // The check of a file tool does not include its path.
    let mut has_fields = tool.is_custom() || CallField::Path.of(call).and_then(Value::as_str).is_some();
    // With these codes the fields are present, but their values are refused. That is reported when the call is checked.
    tool.check(call, &Policy::default(), Limits::default().max_issues, &mut |code, _, _, _| {
        has_fields &= matches!(code, Code::UnsafePath | Code::EmptyOldString | Code::NoChange);
    });
    has_fields
}

/// Sets a key without a value in `object`, or in the object at its key `holder`, which is made if it is missing. Merges two
/// objects at one key; `None` if the key, or a key of the merged objects, has a value already.
fn set_new(object: &mut Object, holder: Option<&str>, key: &str, value: Value) -> Option<()> {
    if let Some(holder) = holder {
        if !object.contains(holder) {
            object.set(holder, Object::new().into());
        }
        let Value::Object(inner) = object.get_mut(holder)? else { return None };
        return inner.set(key, value).is_none().then_some(());
    }
    let Some(existing) = object.get_mut(key) else {
        object.set(key, value);
        return Some(());
    };
    let (Value::Object(existing), Value::Object(entries)) = (existing, value) else { return None };
    entries.iter().all(|(key, value)| existing.set(key, value.clone()).is_none()).then_some(())
}
