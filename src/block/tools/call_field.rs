//! The fields of file tools (`CallField`) with their keys and aliases, the comparison of names, and the check of a path.
//! Streams track the offsets and the texts of these fields.

use crate::block::policy::{self, Policy};
use crate::block::{Code, Severity};
use crate::value::{Object, Value};

/// Receives what is wrong with a field of a call: a code, a sentence, and the field's path in the call.
pub(in crate::block) type IssueSink<'a> = dyn FnMut(Code, String, &str, Severity) + 'a;

/// Checks a path of a call with the policy and reports what is wrong with it, as issues of `field`; returns the normalised
/// path if it is allowed.
pub(in crate::block) fn check_path(
    path: &str,
    field: &str,
    policy: &Policy,
    report: &mut IssueSink<'_>,
) -> Option<String> {
    match policy::check_path(path, policy) {
        Ok(checked) => {
            for warning in checked.warnings {
                report(Code::UnsafePath, warning, field, Severity::Warning);
            }
            Some(checked.path)
        }
        Err(refusal) => {
            report(Code::UnsafePath, refusal.message, field, Severity::Error);
            None
        }
    }
}

/// A field of a file tool, or of its `search_replace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::block) enum CallField {
    /// The name of the tool.
    Tool,
    /// The path of the file.
    Path,
    /// The whole text of a file to write.
    Content,
    /// One replacement: an object with `old_string` and `new_string`.
    SearchReplace,
    /// The text to replace.
    OldString,
    /// The text to put in its place.
    NewString,
    /// Several replacements: a list of objects with the strings of `search_replace`.
    Edits,
}

/// A row of the table of fields.
struct FieldRow {
    field: CallField,
    /// The field whose object holds this one, or [`CallField::TOP`].
    parent: Option<CallField>,
    /// The key in that object.
    key: &'static str,
    /// The field as an issue names it.
    path: &'static str,
    /// Other names, and the key itself in other spellings, compared by [`folded_eq`]. Aliases of `old_string` and `new_string`
    /// count in the object of `search_replace` and in the call.
    aliases: &'static [&'static str],
}

const fn row(
    field: CallField,
    parent: Option<CallField>,
    key: &'static str,
    path: &'static str,
    aliases: &'static [&'static str],
) -> FieldRow {
    FieldRow { field, parent, key, path, aliases }
}

/// The parent of the strings of a replacement.
const EDIT: Option<CallField> = Some(CallField::SearchReplace);
// The aliases of `old_string` and `new_string`.
const OLD: &[&str] = &["oldstring", "old", "oldtext", "oldstr", "search", "find"];
const NEW: &[&str] = &["newstring", "new", "newtext", "newstr", "replace"];

/// The rows in the order of the variants.
static FIELDS: [FieldRow; 7] = [
    row(CallField::Tool, CallField::TOP, "tool", "tool", &[]),
    row(CallField::Path, CallField::TOP, "path", "path", &["path", "filepath", "filename", "file", "targetfile"]),
    row(
        CallField::Content,
        CallField::TOP,
        "content",
        "content",
        &["content", "text", "code", "contents", "filetext", "filecontent"],
    ),
    row(CallField::SearchReplace, CallField::TOP, "search_replace", "search_replace", &["searchreplace"]),
    row(CallField::OldString, EDIT, "old_string", "search_replace.old_string", OLD),
    row(CallField::NewString, EDIT, "new_string", "search_replace.new_string", NEW),
    row(CallField::Edits, CallField::TOP, "edits", "edits", &["edits"]),
];

impl CallField {
    /// The parent of a field of the call itself.
    pub(in crate::block) const TOP: Option<Self> = None;
    /// The field's row; every variant has one. Not inline, since the getters below have many callers.
    #[inline(never)]
    fn row(self) -> &'static FieldRow {
        FIELDS.get(self as usize).unwrap_or(&FIELDS[0])
    }

    /// The field with this key, in the object of `parent`.
    pub(in crate::block) fn find(parent: Option<Self>, key: &str) -> Option<Self> {
        FIELDS.iter().find(|row| row.parent == parent && row.key == key).map(|row| row.field)
    }

    /// The field that this key is an alias of, in the object of `parent`; `None` if it is the field's own key.
    pub(in crate::block) fn find_alias(parent: Option<Self>, key: &str) -> Option<Self> {
        // A key that is shorter than an alias cannot be equal to it: the aliases contain neither `_` nor `-`.
        let is_alias = |names: &[&str]| names.iter().any(|name| key.len() >= name.len() && folded_eq(name, key));
        let row = FIELDS.iter().find(|row| is_alias(row.aliases))?;
        // The call may have the strings of `search_replace` itself.
        let is_reachable = parent == Self::TOP || row.parent == parent;
        (is_reachable && (row.parent, row.key) != (parent, key)).then_some(row.field)
    }

    /// The field with this key or alias, in the call or in the object of `search_replace`.
    pub(in crate::block) fn find_anywhere(key: &str) -> Option<Self> {
        let nested = || Self::find(EDIT, key);
        Self::find(Self::TOP, key).or_else(nested).or_else(|| Self::find_alias(Self::TOP, key))
    }

    /// The field whose object holds this one, or [`Self::TOP`].
    pub(in crate::block) fn parent(self) -> Option<Self> {
        self.row().parent
    }

    /// The key in the call, or in the object of the parent.
    pub(in crate::block) fn key(self) -> &'static str {
        self.row().key
    }

    /// The field as an issue names it, e.g. `search_replace.old_string`.
    pub(in crate::block) fn path(self) -> &'static str {
        self.row().path
    }

    /// The field's value in a call; `None` if the call does not have it, or is not an object.
    pub(in crate::block) fn of(self, call: &Value) -> Option<&Value> {
        self.in_object(call.as_object()?)
    }

    /// The field's value in a call, given as an object.
    pub(in crate::block) fn in_object(self, call: &Object) -> Option<&Value> {
        match self.parent() {
            None => call.get(self.key()),
            Some(parent) => call.get(parent.key())?.get(self.key()),
        }
    }

    /// Whether the field is the text of a file, which is long and shown while it arrives.
    pub(in crate::block) const fn is_text(self) -> bool {
        match self {
            Self::Content | Self::OldString | Self::NewString => true,
            Self::Tool | Self::Path | Self::SearchReplace | Self::Edits => false,
        }
    }
}

/// Whether two names are equal without regard to case, `_` and `-`.
pub(in crate::block) fn folded_eq(name: &str, other: &str) -> bool {
    letters(name).eq(letters(other))
}

/// The bytes of a name that [`folded_eq`] compares: without `_` and `-`, in lower case.
fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase())
}
