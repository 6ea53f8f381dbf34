//! The tools that change files: one table of their names, aliases and fields.

use super::call_field::{CallField, IssueSink, folded_eq};
use crate::block::elided::elided_line;
use crate::block::{Code, Severity};
use crate::value::text::{contains, owned};
use crate::value::{Value, concat, decimal};

/// The rule that a field breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldFault {
    Missing,
    MissingOrNull,
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
        aliases: &["edit_file", "str_replace", "replace_in_file", "edit"],
        rules: &[
            (CallField::SearchReplace, FieldFault::MissingOrNull, Code::MissingSearchReplace, NO_SEARCH_REPLACE),
            (CallField::OldString, FieldFault::MissingOrNotText, Code::InvalidSearchReplace, NO_OLD_STRING),
            (CallField::NewString, FieldFault::MissingOrNotText, Code::InvalidSearchReplace, NO_NEW_STRING),
            (CallField::OldString, FieldFault::Empty, Code::EmptyOldString, EMPTY_OLD_STRING),
            (CallField::NewString, FieldFault::NoChange, Code::NoChange, NO_CHANGE),
        ],
        text_fields: &[CallField::OldString, CallField::NewString],
    },
];

const NO_CONTENT: &str = "write_file tool requires \"content\" field";
const NO_SEARCH_REPLACE: &str = "edit_file tool requires \"search_replace\" field";
const NO_OLD_STRING: &str = "edit_file requires \"search_replace.old_string\"";
const NO_NEW_STRING: &str = "edit_file requires \"search_replace.new_string\"";
const EMPTY_OLD_STRING: &str = "edit_file \"search_replace.old_string\" must not be empty";
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
        for (field, wrong, code, message) in self.rules {
            let value = field.of(call);
            let text = value.and_then(Value::as_str);
            let is_wrong = match wrong {
                FieldFault::Missing => value.is_none(),
                FieldFault::MissingOrNull => value.is_none_or(|value| *value == Value::Null),
                FieldFault::MissingOrNotText => text.is_none(),
                FieldFault::NotText => value.is_some() && text.is_none(),
                FieldFault::Empty => text == Some(""),
                FieldFault::NoChange => text.is_some() && text == CallField::OldString.of(call).and_then(Value::as_str),
            };
            if is_wrong && field.has_parent(call) {
                tell(*code, owned(message), field.path(), Severity::Error);
            }
        }
        self.check_elided(call, tell);
    }

    /// Warns of placeholders for omitted code: writing the text would delete that code.
    fn check_elided(&self, call: &Value, tell: &mut IssueSink<'_>) {
        let text = |field: CallField| field.of(call).and_then(Value::as_str);
        let Some(field) = self.text_fields.last().copied() else { return };
        let Some((line, own)) = elided_line(text(field).unwrap_or_default(), text(CallField::Path).unwrap_or_default())
        else {
            return;
        };
        // An edit may keep such a line if the file already has it: then `old_string` contains it too.
        let is_kept = || own.is_empty() || contains(text(CallField::OldString).unwrap_or_default(), own);
        if field == CallField::Content || !is_kept() {
            let message = concat(&[
                "Line ",
                &decimal(line),
                " of \"",
                field.path(),
                "\" leaves a part out; write the whole text",
            ]);
            tell(Code::ElidedContent, message, field.path(), Severity::Warning);
        }
    }
}
