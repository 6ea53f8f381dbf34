//! The fields of calls: `CallField`, the fields of file tools, whose offsets and texts a stream tracks; how names are
//! compared; and how findings about a field are reported.

use crate::block::policy::{self, Policy};
use crate::block::{Code, Severity};
use crate::value::{Object, Value};

/// Receives what is wrong with a field of a call: a code, a sentence, and the field's path in the call.
pub(in crate::block) type IssueSink<'a> = dyn FnMut(Code, String, &str, Severity) + 'a;

/// Checks a path of a call with the policy; returns the normalised path if it is allowed.
pub(in crate::block) fn check_path(
    path: &str,
    field: &str,
    policy: &Policy,
    tell: &mut IssueSink<'_>,
) -> Option<String> {
    match policy::check_path(path, policy) {
        Ok(checked) => {
            for warning in checked.warnings {
                tell(Code::UnsafePath, warning, field, Severity::Warning);
            }
            Some(checked.path)
        }
        Err(refusal) => {
            tell(Code::UnsafePath, refusal.message, field, Severity::Error);
            None
        }
    }
}

/// A field of a file tool, or of its `search_replace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::block) enum CallField {
    Tool,
    Path,
    Content,
    SearchReplace,
    OldString,
    NewString,
    /// Several replacements: a list of objects with the strings of `search_replace`.
    Edits,
}

/// A field; the object that holds it (none: the call itself) and its key there; how an issue names it; and other names, folded as
/// [`folded_eq`] does. Those of the strings of `search_replace` count in that object and at the top.
type Row = (CallField, Option<CallField>, &'static str, &'static str, &'static [&'static str]);

const EDIT: Option<CallField> = Some(CallField::SearchReplace);
const OLD: &[&str] = &["oldstring", "old", "oldtext", "oldstr", "search", "find"];
const NEW: &[&str] = &["newstring", "new", "newtext", "newstr", "replace"];

/// The rows in the order of the variants.
static FIELDS: [Row; 7] = [
    (CallField::Tool, None, "tool", "tool", &[]),
    (CallField::Path, None, "path", "path", &["path", "filepath", "filename", "file", "targetfile"]),
    (
        CallField::Content,
        None,
        "content",
        "content",
        &["content", "text", "code", "contents", "filetext", "filecontent"],
    ),
    (CallField::SearchReplace, None, "search_replace", "search_replace", &["searchreplace"]),
    (CallField::OldString, EDIT, "old_string", "search_replace.old_string", OLD),
    (CallField::NewString, EDIT, "new_string", "search_replace.new_string", NEW),
    (CallField::Edits, None, "edits", "edits", &["edits"]),
];

impl CallField {
    #[inline(never)]
    fn row(self) -> &'static Row {
        FIELDS.get(self as usize).unwrap_or(&FIELDS[0])
    }

    /// The field with this key in that object.
    pub(in crate::block) fn find(parent: Option<Self>, key: &str) -> Option<Self> {
        FIELDS.iter().find(|row| row.1 == parent && row.2 == key).map(|row| row.0)
    }

    /// The field that this key is an alias of in that object.
    pub(in crate::block) fn find_alias(parent: Option<Self>, key: &str) -> Option<Self> {
        let means = |names: &[&str]| names.iter().any(|name| key.len() >= name.len() && folded_eq(name, key));
        let (field, own_parent, own_key, ..) = FIELDS.iter().find(|row| means(row.4))?;
        let is_reachable = parent.is_none() || *own_parent == parent;
        (is_reachable && (*own_parent, *own_key) != (parent, key)).then_some(*field)
    }

    /// The field with this name or alias, at any place in a call.
    pub(in crate::block) fn anywhere(key: &str) -> Option<Self> {
        let nested = || Self::find(Some(Self::SearchReplace), key);
        Self::find(None, key).or_else(nested).or_else(|| Self::find_alias(None, key))
    }

    pub(in crate::block) fn parent(self) -> Option<Self> {
        self.row().1
    }

    pub(in crate::block) fn key(self) -> &'static str {
        self.row().2
    }

    /// The field as an issue names it.
    pub(in crate::block) fn path(self) -> &'static str {
        self.row().3
    }

    /// The field's value in a call.
    pub(in crate::block) fn of(self, call: &Value) -> Option<&Value> {
        self.in_object(call.as_object()?)
    }

    /// The field's value in the object of a call.
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

/// Whether a name is another, without regard to case, `_` and `-`.
pub(in crate::block) fn folded_eq(key: &str, name: &str) -> bool {
    letters(key).eq(letters(name))
}

/// The letters of a name that count, in lower case.
fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase())
}
