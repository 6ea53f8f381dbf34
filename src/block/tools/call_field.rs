//! `CallField`: the fields of file tools, whose offsets and texts a stream knows, and the other names that models give them.

use super::next_letter;
use crate::value::{Object, Value};

/// A field of a file tool, or of its `search_replace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::block) enum CallField {
    Tool,
    Path,
    Content,
    SearchReplace,
    OldString,
    NewString,
}

/// Other names of fields, as [`next_letter`] gives them. Those of the strings of `search_replace` count in that object and
/// at the top.
const ALIASES: &[(CallField, &[&str])] = &[
    (CallField::Path, &["path", "filepath", "filename", "file"]),
    (CallField::Content, &["content", "text", "code", "contents"]),
    (CallField::SearchReplace, &["searchreplace"]),
    (CallField::OldString, &["oldstring", "old", "oldtext", "oldstr", "search"]),
    (CallField::NewString, &["newstring", "new", "newtext", "newstr", "replace"]),
];

/// The longest of them.
const LONGEST: usize = "searchreplace".len();

impl CallField {
    const ALL: [Self; 6] =
        [Self::Tool, Self::Path, Self::Content, Self::SearchReplace, Self::OldString, Self::NewString];

    /// The object that holds the field (none: the call itself) and its key there.
    const fn address(self) -> (Option<Self>, &'static str) {
        match self {
            Self::Tool => (None, "tool"),
            Self::Path => (None, "path"),
            Self::Content => (None, "content"),
            Self::SearchReplace => (None, "search_replace"),
            Self::OldString => (Some(Self::SearchReplace), "old_string"),
            Self::NewString => (Some(Self::SearchReplace), "new_string"),
        }
    }

    /// The field with this key in that object.
    pub(in crate::block) fn find(parent: Option<Self>, key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.address() == (parent, key))
    }

    /// The field that is meant by this key in that object, if the key is not its own there.
    pub(in crate::block) fn find_alias(parent: Option<Self>, key: &str) -> Option<Self> {
        // Folded once, and no further than may be: every other quote of a broken text may be asked about.
        let (mut letters, mut length) = ([0; LONGEST], 0);
        let mut rest = key.as_bytes();
        while let Some(letter) = next_letter(&mut rest) {
            *letters.get_mut(length)? = letter;
            length += 1;
        }
        let key_letters = letters.get(..length)?;
        let means = |names: &[&str]| names.iter().any(|name| name.as_bytes() == key_letters);
        let (field, _) = ALIASES.iter().find(|(_, names)| means(names))?;
        let reachable = parent.is_none() || field.parent() == parent;
        (reachable && field.address() != (parent, key)).then_some(*field)
    }

    /// The field that is called so, or that is meant, wherever in a call the key stands.
    pub(in crate::block) fn anywhere(key: &str) -> Option<Self> {
        let nested = || Self::find(Some(Self::SearchReplace), key);
        Self::find(None, key).or_else(nested).or_else(|| Self::find_alias(None, key))
    }

    /// The field's own key.
    pub(in crate::block) const fn key(self) -> &'static str {
        self.address().1
    }

    /// The field as an issue names it.
    #[inline(never)]
    pub(in crate::block) const fn path(self) -> &'static str {
        match self {
            Self::OldString => "search_replace.old_string",
            Self::NewString => "search_replace.new_string",
            Self::Tool | Self::Path | Self::Content | Self::SearchReplace => self.key(),
        }
    }

    /// The field that holds this one.
    pub(in crate::block) const fn parent(self) -> Option<Self> {
        self.address().0
    }

    /// The field's value in a call.
    pub(in crate::block) fn of(self, call: &Value) -> Option<&Value> {
        self.in_object(call.as_object()?)
    }

    /// The field's value in the object of a call.
    pub(in crate::block) fn in_object(self, call: &Object) -> Option<&Value> {
        let (parent, key) = self.address();
        match parent {
            None => call.get(key),
            Some(parent) => call.get(parent.key())?.get(key),
        }
    }

    /// Whether the object that would hold the field is there.
    pub(super) fn has_parent(self, call: &Value) -> bool {
        self.address().0.is_none_or(|parent| parent.of(call).is_some_and(|value| *value != Value::Null))
    }

    /// Whether the field is the text of a file, which is long and shown while it arrives.
    pub(in crate::block) const fn is_text(self) -> bool {
        match self {
            Self::Content | Self::OldString | Self::NewString => true,
            Self::Tool | Self::Path | Self::SearchReplace => false,
        }
    }
}
