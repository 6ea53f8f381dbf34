//! The tools that change files: the table of their names, their fields, and what models call them instead.

use super::{Flaw, Place, folded_eq};
use crate::block::{Code, Severity};
use crate::value::Value;
use crate::value::text::owned;

/// What a field must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A string, the empty one too.
    Text,
    /// There, and not null: its own fields say the rest.
    Parent,
}

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
    flaw: (Place, Code, &'static str),
    holds: fn(&Value) -> bool,
}

/// A tool that changes a file: its name, what a panel shows while its block arrives, and what its calls must have beside
/// a path.
#[derive(Debug)]
pub struct FileTool {
    /// The name in the `tool` field.
    pub name: &'static str,
    /// Shown while the block arrives.
    pub status_message: &'static str,
    /// What else models call it, folded as `folded_eq` does.
    aliases: &'static [&'static str],
    fields: &'static [Field],
    bans: &'static [Ban],
    /// Its fields that are long strings, which are passed on without a copy.
    pub(in crate::block) texts: &'static [Place],
}

/// The tools that change files, in the order in which messages name them.
pub const TOOLS: &[FileTool] = &[
    FileTool {
        name: "write_file",
        status_message: "Creating...",
        aliases: &["write_file", "create_file", "new_file"],
        fields: &[Field {
            place: Place::Content,
            kind: Kind::Text,
            missing: (Code::MissingContent, "write_file tool requires \"content\" field"),
            invalid: (Code::InvalidContent, "write_file \"content\" must be a string"),
        }],
        bans: &[],
        texts: &[Place::Content],
    },
    FileTool {
        name: "delete_file",
        status_message: "Deleting...",
        aliases: &["delete_file", "remove_file"],
        fields: &[],
        bans: &[],
        texts: &[],
    },
    FileTool {
        name: "edit_file",
        status_message: "Editing...",
        aliases: &["edit_file", "str_replace", "replace_in_file", "edit"],
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
        texts: &[Place::OldString, Place::NewString],
    },
];

impl FileTool {
    /// Whether the tool is what is meant by a name.
    pub(super) fn is_meant_by(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| folded_eq(alias, name))
    }

    /// Whether calls of this tool have the field.
    #[inline(never)]
    pub(super) fn has(&self, place: Place) -> bool {
        matches!(place, Place::Tool | Place::Path) || self.fields.iter().any(|field| field.place == place)
    }

    /// What is wrong with a call's fields beside `tool` and `path`, in the order of the table.
    pub(super) fn flaws(&self, call: &Value) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        let mut add = |place: Place, (code, message): (Code, &str)| {
            let (message, path) = (owned(message), owned(place.path()));
            flaws.push(Flaw { code, message, path, place: Some(place), severity: Severity::Error });
        };
        for Field { place, kind, missing, invalid } in self.fields {
            match (place.of(call), kind) {
                _ if !place.has_parent(call) => {}
                (None, _) => add(*place, *missing),
                (Some(Value::String(_)), Kind::Text) => {}
                (Some(_), Kind::Text) | (Some(Value::Null), Kind::Parent) => add(*place, *invalid),
                (Some(_), Kind::Parent) => {}
            }
        }
        for Ban { flaw: (place, code, message), holds } in self.bans {
            if holds(call) {
                add(*place, (*code, message));
            }
        }
        flaws
    }
}
