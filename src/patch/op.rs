//! The operations: one table. How each is planned stands in `plan`.

use super::error::{Code, PatchError, Refusal};
use super::words::{article, cut};
use crate::value::Value;

/// What an operation must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// `path` and `value`.
    Value,
    /// `path`, and `value` or `items`.
    ValueOrItems,
    /// `path`.
    Path,
    /// Nothing.
    Nothing,
}

/// Declares the operations once: the enum, their names and what they need.
macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $needs:ident;)*) => {
        /// What a patch does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Op {
            $($(#[$doc])* $variant,)*
        }

        impl Op {
            /// All operations.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name as it is sent.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What it must be given.
            #[must_use]
            pub const fn needs(self) -> Needs {
                match self {
                    $(Self::$variant => Needs::$needs,)*
                }
            }

        }
    };
}

operations! {
    /// Sets a value; makes missing parents in state.
    Set = "set", Value;
    /// Appends to a list.
    Add = "add", ValueOrItems;
    /// Sets a value where there is one.
    Replace = "replace", Value;
    /// Takes an item or a key away.
    Remove = "remove", Path;
    /// Back to what the fields declare, or to nothing.
    Clear = "clear", Path;
    /// In a call to `__CREATE__`: the first document.
    Create = "create", Nothing;
    /// In a call to `__DELETE__`: nothing more.
    Delete = "delete", Nothing;
    /// Adds to a number.
    Increment = "increment", Path;
    /// Subtracts from a number.
    Decrement = "decrement", Path;
    /// Turns a boolean over.
    Toggle = "toggle", Path;
    /// Sets keys of an object.
    Merge = "merge", Value;
    /// Appends to a list.
    AppendToList = "append_to_list", ValueOrItems;
    /// Puts before the first item of a list.
    PrependToList = "prepend_to_list", ValueOrItems;
    /// Takes matching items out of a list.
    RemoveFromList = "remove_from_list", Value;
    /// Takes the last item out of a list.
    RemoveLast = "remove_last", Path;
    /// Sets keys of one item of a list.
    UpdateListItem = "update_list_item", Value;
    /// Keeps the items of a list that match.
    FilterList = "filter_list", Value;
    /// All params back to what their fields declare.
    ClearAllParams = "clear_all_params", Nothing;
}

impl Op {
    /// The operation of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// All names, for a message.
    #[must_use]
    pub fn names() -> String {
        Self::ALL.iter().map(|op| op.name()).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn from_value(value: Option<&Value>) -> Result<Self, Refusal> {
        let message = match value {
            Some(Value::String(name)) => match Self::from_name(name) {
                Some(op) => return Ok(op),
                None => format!("There is no operation \"{}\".", cut(name)),
            },
            Some(other) => format!("\"op\" is {}.", article(other)),
            None => "The patch has no \"op\".".to_owned(),
        };
        Err(PatchError::new(Code::InvalidOp, message, format!("Use one of {}.", Self::names())))
    }
}
