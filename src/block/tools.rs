//! The tools that a block may call: one table of names and fields, one of places.

use super::Code;
use crate::value::{Object, Value};

/// A field that the stream knows by its place in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Tool,
    Path,
    Content,
    SearchReplace,
    OldString,
    NewString,
}

impl Place {
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
    pub(super) fn find(parent: Option<Self>, key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|place| place.address() == (parent, key))
    }

    /// The field's own key.
    pub(super) const fn key(self) -> &'static str {
        self.address().1
    }

    /// The field as an issue names it.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::OldString => "search_replace.old_string",
            Self::NewString => "search_replace.new_string",
            Self::Tool | Self::Path | Self::Content | Self::SearchReplace => self.key(),
        }
    }

    /// The field that holds this one.
    pub(super) const fn parent(self) -> Option<Self> {
        self.address().0
    }

    /// The field's value in a call.
    pub(super) fn of(self, call: &Value) -> Option<&Value> {
        self.in_object(call.as_object()?)
    }

    /// The field's value in the object of a call.
    pub(super) fn in_object(self, call: &Object) -> Option<&Value> {
        let (parent, key) = self.address();
        match parent {
            None => call.get(key),
            Some(parent) => call.get(parent.key())?.get(key),
        }
    }

    /// Whether the object that would hold the field is there.
    fn has_parent(self, call: &Value) -> bool {
        self.address().0.is_none_or(|parent| parent.of(call).is_some_and(|value| *value != Value::Null))
    }

    /// Whether the field is the text of a file, which is long and shown while it arrives.
    pub(super) const fn is_text(self) -> bool {
        match self {
            Self::Content | Self::OldString | Self::NewString => true,
            Self::Tool | Self::Path | Self::SearchReplace => false,
        }
    }
}

/// What a field must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A string, the empty one too.
    Text,
    /// There, and not null: its own fields say the rest.
    Parent,
}

/// What is wrong with a field.
pub(super) type Flaw = (Place, Code, &'static str);

#[derive(Debug)]
struct Field {
    place: Place,
    kind: Kind,
    missing: (Code, &'static str),
    invalid: (Code, &'static str),
}

/// Something that must not hold for a call whose fields are there.
#[derive(Debug)]
struct Ban {
    flaw: Flaw,
    holds: fn(&Value) -> bool,
}

/// A tool: its name, what a panel shows while its block arrives, and what its calls must have beside a path.
#[derive(Debug)]
pub struct Tool {
    /// The name in the `tool` field.
    pub name: &'static str,
    /// Shown while the block arrives.
    pub status_message: &'static str,
    fields: &'static [Field],
    bans: &'static [Ban],
}

/// What a panel shows while the block of an unknown tool arrives.
const UNKNOWN_STATUS: &str = "Processing...";

/// The tools, by name.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "write_file",
        status_message: "Creating...",
        fields: &[Field {
            place: Place::Content,
            kind: Kind::Text,
            missing: (Code::MissingContent, "write_file tool requires \"content\" field"),
            invalid: (Code::InvalidContent, "write_file \"content\" must be a string"),
        }],
        bans: &[],
    },
    Tool {
        name: "edit_file",
        status_message: "Editing...",
        fields: &[
            Field {
                place: Place::SearchReplace,
                kind: Kind::Parent,
                missing: (Code::MissingSearchReplace, "edit_file tool requires \"search_replace\" field"),
                invalid: (Code::MissingSearchReplace, "edit_file tool requires \"search_replace\" field"),
            },
            Field {
                place: Place::OldString,
                kind: Kind::Text,
                missing: (Code::InvalidSearchReplace, "edit_file requires \"search_replace.old_string\""),
                invalid: (Code::InvalidSearchReplace, "edit_file requires \"search_replace.old_string\""),
            },
            Field {
                place: Place::NewString,
                kind: Kind::Text,
                missing: (Code::InvalidSearchReplace, "edit_file requires \"search_replace.new_string\""),
                invalid: (Code::InvalidSearchReplace, "edit_file requires \"search_replace.new_string\""),
            },
        ],
        bans: &[
            Ban {
                flaw: (
                    Place::OldString,
                    Code::EmptyOldString,
                    "edit_file \"search_replace.old_string\" must not be empty",
                ),
                holds: |call| Place::OldString.of(call).and_then(Value::as_str) == Some(""),
            },
            Ban {
                flaw: (
                    Place::NewString,
                    Code::NoChange,
                    "edit_file \"search_replace.new_string\" must differ from \"search_replace.old_string\"",
                ),
                holds: |call| {
                    let old = Place::OldString.of(call).and_then(Value::as_str);
                    old.is_some() && old == Place::NewString.of(call).and_then(Value::as_str)
                },
            },
        ],
    },
    Tool { name: "delete_file", status_message: "Deleting...", fields: &[], bans: &[] },
];

impl Tool {
    /// The tool of a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// What a panel shows while a block arrives.
    pub(super) fn status_of(name: &str) -> &'static str {
        Self::find(name).map_or(UNKNOWN_STATUS, |tool| tool.status_message)
    }

    /// The long strings of a valid call of this tool.
    pub(super) fn texts(&self) -> impl Iterator<Item = Place> {
        self.fields.iter().map(|field| field.place).filter(|place| place.is_text())
    }

    /// What is wrong with a call's fields beside `tool` and `path`, in the order of the table.
    pub(super) fn flaws<'a>(&'a self, call: &'a Value) -> impl Iterator<Item = Flaw> + 'a {
        let fields = self.fields.iter().filter(|field| field.place.has_parent(call)).filter_map(|field| {
            let (code, message) = match (field.place.of(call), field.kind) {
                (None, _) => field.missing,
                (Some(Value::String(_)), Kind::Text) => return None,
                (Some(_), Kind::Text) | (Some(Value::Null), Kind::Parent) => field.invalid,
                (Some(_), Kind::Parent) => return None,
            };
            Some((field.place, code, message))
        });
        fields.chain(self.bans.iter().filter(|ban| (ban.holds)(call)).map(|ban| ban.flaw))
    }
}
