//! The tools that change files: one table of their names, aliases and fields.

use super::call_field::{CallField, IssueSink, folded_eq};
use crate::block::elided::elided_line;
use crate::block::{Code, Severity};
use crate::value::text::{contains, owned};
use crate::value::{Value, concat, decimal};

/// The rule that a field breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldFault {
    /// Not sent at all.
    Missing,
    /// Sent, but not a string.
    NotText,
    /// Missing or null, and `edits` is not sent in its place.
    MissingWithoutEdits,
    /// Sent, but not a list with an element, or sent beside `search_replace`.
    NotOnlyList,
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
    /// The rules for fields other than `tool` and `path`, in the order in which they are checked.
    rules: &'static [FieldRule],
    /// The fields that hold long strings: deltas emit them while they arrive, and no copy is made of them.
    pub(in crate::block) text_fields: &'static [CallField],
}

/// The tools that change files, in the order in which error messages list them.
pub const FILE_TOOLS: &[FileTool] = &[
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
            (CallField::SearchReplace, FieldFault::MissingWithoutEdits, Code::MissingSearchReplace, NO_SEARCH_REPLACE),
            (CallField::Edits, FieldFault::NotOnlyList, Code::InvalidSearchReplace, NOT_ONLY_LIST),
        ],
        text_fields: &[CallField::OldString, CallField::NewString],
    },
];

// The messages of the table above that are too long for its rows.
const NO_CONTENT: &str = "write_file tool requires \"content\" field";
const NO_SEARCH_REPLACE: &str = "edit_file tool requires \"search_replace\" field";
const NOT_ONLY_LIST: &str = "edit_file \"edits\" must be a non-empty list, without \"search_replace\"";

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

    /// Whether calls of this tool have the field. Not inline, since it has several callers and two loops.
    #[inline(never)]
    pub(super) fn has(&self, field: CallField) -> bool {
        matches!(field, CallField::Tool | CallField::Path)
            || self.text_fields.contains(&field)
            || self.rules.iter().any(|(checked, ..)| *checked == field)
    }

    /// Reports the fields of a call that break a rule, in the order of the rules, then the faults of its replacements. `tool`
    /// and `path` are checked elsewhere.
    pub(super) fn check(&self, call: &Value, report: &mut IssueSink<'_>) {
        let is_sent = |field: CallField| field.of(call).is_some_and(|value| *value != Value::Null);
        for (field, fault, code, message) in self.rules {
            let value = field.of(call);
            let is_broken = match fault {
                FieldFault::Missing => value.is_none(),
                FieldFault::NotText => value.is_some_and(|value| value.as_str().is_none()),
                FieldFault::MissingWithoutEdits => !is_sent(CallField::SearchReplace) && !is_sent(CallField::Edits),
                FieldFault::NotOnlyList => {
                    let is_list = matches!(value, Some(Value::Array(edits)) if !edits.is_empty());
                    is_sent(*field) && (!is_list || is_sent(CallField::SearchReplace))
                }
            };
            if is_broken {
                report(*code, owned(message), field.path(), Severity::Error);
            }
        }
        // Its ending tells the language of the text, in which `...` may be code.
        let path = CallField::Path.of(call).and_then(Value::as_str).unwrap_or_default();
        if self.has(CallField::Content) {
            let content = CallField::Content.of(call).and_then(Value::as_str).unwrap_or_default();
            let old = None;
            check_elided(content, old, path, CallField::Content.path(), report);
        } else if self.has(CallField::Edits) {
            if let Some(edit) = CallField::SearchReplace.of(call).filter(|edit| **edit != Value::Null) {
                check_edit(edit, CallField::SearchReplace.path(), path, report);
            }
            if let Some(Value::Array(edits)) = CallField::Edits.of(call) {
                for (index, edit) in edits.iter().enumerate() {
                    check_edit(edit, &concat(&["edits.", &decimal(index)]), path, report);
                }
            }
        }
    }
}

/// A rule of the replacements: the field that breaks it, the code, and the message around the field's path.
type EditRule = (CallField, Code, &'static str, &'static str);

/// The order in which the rules are checked. The last message continues with the path of `old_string`.
static EDIT_RULES: [EditRule; 4] = [
    (CallField::OldString, Code::InvalidSearchReplace, "edit_file requires \"", "\""),
    (CallField::NewString, Code::InvalidSearchReplace, "edit_file requires \"", "\""),
    (CallField::OldString, Code::EmptyOldString, "edit_file \"", "\" must not be empty"),
    (CallField::NewString, Code::NoChange, "edit_file \"", "\" must differ from "),
];

/// Reports what is wrong with one replacement, whose path in the call is `edit_path`. `path` is the path of the file.
fn check_edit(edit: &Value, edit_path: &str, path: &str, report: &mut IssueSink<'_>) {
    let text = |field: CallField| edit.get(field.key()).and_then(Value::as_str);
    let (old, new) = (text(CallField::OldString), text(CallField::NewString));
    // In the order of `EDIT_RULES`.
    let broken = [old.is_none(), new.is_none(), old == Some(""), new.is_some() && new == old];
    let old_path = concat(&["\"", edit_path, ".old_string\""]);
    for ((field, code, before, after), is_broken) in EDIT_RULES.iter().zip(broken) {
        if is_broken {
            let field = concat(&[edit_path, ".", field.key()]);
            let end = if *code == Code::NoChange { &*old_path } else { "" };
            report(*code, concat(&[before, &field, after, end]), &field, Severity::Error);
        }
    }
    check_elided(new.unwrap_or_default(), old, path, &concat(&[edit_path, ".new_string"]), report);
}

/// Warns of placeholders for omitted code, such as `// ... existing code`: writing the text would delete that code. `old` is the
/// text that an edit replaces (`None` for the text of a whole file), `path` the path of the file, and `field` the path of the
/// text in the call.
fn check_elided(new: &str, old: Option<&str>, path: &str, field: &str, report: &mut IssueSink<'_>) {
    let Some((line, line_text)) = elided_line(new, path) else { return };
    // An edit may keep such a line if the file already has it: then the replaced text contains it too.
    if !old.is_some_and(|old| contains(old, line_text)) {
        let message = concat(&["Line ", &decimal(line), " of \"", field, "\" leaves a part out; write the whole text"]);
        report(Code::ElidedContent, message, field, Severity::Warning);
    }
}
