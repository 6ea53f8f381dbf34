//! The tools that change files: one table of their names, aliases and fields.

use super::call_field::{CallField, IssueSink, folded_eq};
use crate::block::elided::elided_line;
use crate::block::{Code, Severity};
use crate::value::text::{contains, owned};
use crate::value::{Array, Value, concat, decimal};

/// The rule that a field breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldFault {
    Missing,
    /// Missing or null, as is the other field that a call may have in its place.
    NeitherNorEdits,
    /// No list with an element, or one beside `search_replace`.
    NoListAlone,
    MissingOrNotText,
    NotText,
    Empty,
    /// The text equals `old_string`.
    NoChange,
}

/// A field, the fault to look for, and the code and the message that report it.
type FieldRule = (CallField, FieldFault, Code, &'static str);

/// A tool that changes a file. Every call needs a `path`; the rules say which other fields it needs.
#[derive(Debug)]
pub struct FileTool {
    /// The name in the `tool` field.
    pub name: &'static str,
    /// The text that a UI shows while the block arrives.
    pub status_message: &'static str,
    /// The names that models use for the tool, its own included; compared by [`folded_eq`].
    aliases: &'static [&'static str],
    rules: &'static [FieldRule],
    /// The fields that hold long strings: deltas emit them while they arrive, and no copy is made of them.
    pub(in crate::block) text_fields: &'static [CallField],
}

/// The tools that change files, in the order in which error messages list them.
pub const TOOLS: &[FileTool] = &[
    FileTool {
        name: "write_file",
        status_message: "Creating...",
        aliases: &["write_file", "create_file", "new_file"],
        rules: &[
            (CallField::Content, FieldFault::Missing, Code::MissingContent, NO_CONTENT),
            (CallField::Content, FieldFault::NotText, Code::InvalidContent, "write_file \"content\" must be a string"),
        ],
        text_fields: &[CallField::Content],
    },
    FileTool {
        name: "delete_file",
        status_message: "Deleting...",
        aliases: &["delete_file", "remove_file"],
        rules: &[],
        text_fields: &[],
    },
    FileTool {
        name: "edit_file",
        status_message: "Editing...",
        aliases: &["edit_file", "str_replace", "replace_in_file", "edit", "multi_edit"],
        rules: &[
            (CallField::SearchReplace, FieldFault::NeitherNorEdits, Code::MissingSearchReplace, NO_SEARCH_REPLACE),
            (CallField::OldString, FieldFault::MissingOrNotText, Code::InvalidSearchReplace, NO_OLD_STRING),
            (CallField::NewString, FieldFault::MissingOrNotText, Code::InvalidSearchReplace, NO_NEW_STRING),
            (CallField::OldString, FieldFault::Empty, Code::EmptyOldString, EMPTY_OLD_STRING),
            (CallField::NewString, FieldFault::NoChange, Code::NoChange, NO_CHANGE),
            (CallField::Edits, FieldFault::NoListAlone, Code::InvalidSearchReplace, NO_LIST_ALONE),
        ],
        text_fields: &[CallField::OldString, CallField::NewString],
    },
];

const NO_CONTENT: &str = "write_file tool requires \"content\" field";
const NO_SEARCH_REPLACE: &str = "edit_file tool requires \"search_replace\" field";
const NO_OLD_STRING: &str = "edit_file requires \"search_replace.old_string\"";
const NO_NEW_STRING: &str = "edit_file requires \"search_replace.new_string\"";
const EMPTY_OLD_STRING: &str = "edit_file \"search_replace.old_string\" must not be empty";
const NO_LIST_ALONE: &str =
    "edit_file \"edits\" must be a list of at least one {\"old_string\", \"new_string\"}, without \"search_replace\"";
const NO_CHANGE: &str = "edit_file \"search_replace.new_string\" must differ from \"search_replace.old_string\"";

impl FileTool {
    /// The names that models use for the tool. Comparisons ignore case, `_` and `-`.
    #[must_use]
    pub const fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// Whether a name is an alias of the tool.
    pub(super) fn has_alias(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| folded_eq(alias, name))
    }

    /// Whether calls of this tool have the field.
    #[inline(never)]
    pub(super) fn has(&self, field: CallField) -> bool {
        matches!(field, CallField::Tool | CallField::Path) || self.rules.iter().any(|(own, ..)| *own == field)
    }

    /// Reports the fields of a call that break a rule, in the order of the rules. `tool` and `path` are checked
    /// elsewhere.
    pub(super) fn check(&self, call: &Value, tell: &mut IssueSink<'_>) {
        let is_sent = |field: CallField| field.of(call).is_some_and(|value| *value != Value::Null);
        for (field, wrong, code, message) in self.rules {
            let value = field.of(call);
            let text = value.and_then(Value::as_str);
            let is_wrong = match wrong {
                FieldFault::Missing => value.is_none(),
                FieldFault::NeitherNorEdits => !is_sent(CallField::SearchReplace) && !is_sent(CallField::Edits),
                FieldFault::NoListAlone => {
                    let is_list = matches!(value, Some(Value::Array(edits)) if !edits.is_empty());
                    is_sent(*field) && (!is_list || is_sent(CallField::SearchReplace))
                }
                FieldFault::MissingOrNotText => text.is_none(),
                FieldFault::NotText => value.is_some() && text.is_none(),
                FieldFault::Empty => text == Some(""),
                FieldFault::NoChange => text.is_some() && text == CallField::OldString.of(call).and_then(Value::as_str),
            };
            if is_wrong && field.has_parent(call) {
                tell(*code, owned(message), field.path(), Severity::Error);
            }
            if *field == CallField::Edits
                && let Some(Value::Array(edits)) = value
            {
                check_edits(edits, CallField::Path.of(call).and_then(Value::as_str).unwrap_or_default(), tell);
            }
        }
        let text = |field: CallField| field.of(call).and_then(Value::as_str).unwrap_or_default();
        if let Some(field) = self.text_fields.last() {
            let old = if *field == CallField::Content { None } else { Some(text(CallField::OldString)) };
            check_elided(text(*field), old, text(CallField::Path), field.path(), tell);
        }
    }
}

/// Reports what is wrong with each of the replacements of a call.
fn check_edits(edits: &Array, path: &str, tell: &mut IssueSink<'_>) {
    for (index, edit) in edits.iter().enumerate() {
        let text = |field: CallField| edit.get(field.key()).and_then(Value::as_str);
        let (old, new) = (text(CallField::OldString), text(CallField::NewString));
        let (field, code, rule) = match (old, new) {
            (None, _) => (CallField::OldString, Code::InvalidSearchReplace, A_STRING),
            (_, None) => (CallField::NewString, Code::InvalidSearchReplace, A_STRING),
            (Some(""), _) => (CallField::OldString, Code::EmptyOldString, "not be empty"),
            _ if old == new => (CallField::NewString, Code::NoChange, "differ from its old_string"),
            _ => (CallField::NewString, Code::ElidedContent, ""),
        };
        let field = concat(&["edits.", &decimal(index), ".", field.key()]);
        if rule.is_empty() {
            check_elided(new.unwrap_or_default(), old, path, &field, tell);
        } else {
            tell(code, concat(&["edit_file \"", &field, "\" must ", rule]), &field, Severity::Error);
        }
    }
}

const A_STRING: &str = "be a string";

/// Warns of placeholders for omitted code: writing the text would delete that code. `old` is the text that an edit replaces.
fn check_elided(new: &str, old: Option<&str>, path: &str, field: &str, tell: &mut IssueSink<'_>) {
    let Some((line, own)) = elided_line(new, path) else { return };
    // An edit may keep such a line if the file already has it: then the replaced text contains it too.
    if !old.is_some_and(|old| own.is_empty() || contains(old, own)) {
        let message = concat(&["Line ", &decimal(line), " of \"", field, "\" leaves a part out; write the whole text"]);
        tell(Code::ElidedContent, message, field, Severity::Warning);
    }
}
