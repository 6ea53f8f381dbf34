//! The operations: one table.

use super::call::{Patch, article};
use super::error::{Code, PatchError, Refusal, cut};
use super::site::Site;
use super::{lists, scalars, trees};
use crate::edit::Edit;
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

/// From a patch to the edits that make it so, on the document as it stands.
type Plan = fn(&mut Site<'_>, Patch) -> Result<Vec<Edit>, Refusal>;

/// Declares the operations once: the enum, their names, what they need and how they are planned.
macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $needs:ident, $plan:path;)*) => {
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

            pub(super) fn plan(self) -> Plan {
                match self {
                    $(Self::$variant => $plan,)*
                }
            }
        }
    };
}

operations! {
    /// Sets a value; makes missing parents in state.
    Set = "set", Value, trees::set;
    /// Appends to a list.
    Add = "add", ValueOrItems, lists::append;
    /// Sets a value where there is one.
    Replace = "replace", Value, trees::replace;
    /// Takes an item or a key away.
    Remove = "remove", Path, trees::remove;
    /// Back to what the fields declare, or to nothing.
    Clear = "clear", Path, trees::clear;
    /// In a call to `__CREATE__`: the first document.
    Create = "create", Nothing, trees::create;
    /// In a call to `__DELETE__`: nothing more.
    Delete = "delete", Nothing, trees::delete;
    /// Adds to a number.
    Increment = "increment", Path, scalars::increment;
    /// Subtracts from a number.
    Decrement = "decrement", Path, scalars::decrement;
    /// Turns a boolean over.
    Toggle = "toggle", Path, scalars::toggle;
    /// Sets keys of an object.
    Merge = "merge", Value, trees::merge;
    /// Appends to a list.
    AppendToList = "append_to_list", ValueOrItems, lists::append;
    /// Puts before the first item of a list.
    PrependToList = "prepend_to_list", ValueOrItems, lists::prepend;
    /// Takes matching items out of a list.
    RemoveFromList = "remove_from_list", Value, lists::remove_from;
    /// Takes the last item out of a list.
    RemoveLast = "remove_last", Path, lists::remove_last;
    /// Sets keys of one item of a list.
    UpdateListItem = "update_list_item", Value, lists::update_item;
    /// Keeps the items of a list that match.
    FilterList = "filter_list", Value, lists::filter;
    /// All params back to what their fields declare.
    ClearAllParams = "clear_all_params", Nothing, trees::clear_all_params;
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

    /// Whether a patch carries what the operation needs.
    pub(super) fn check_needs(self, patch: &Patch) -> Result<(), Refusal> {
        let name = self.name();
        if self.needs() != Needs::Nothing && patch.path.is_none() {
            let solution = "Send the path of what to change, such as state.params.count.";
            return Err(PatchError::new(Code::InvalidPath, format!("{name} has no \"path\"."), solution));
        }
        let missing = match self.needs() {
            Needs::Value if patch.value.is_none() => "\"value\" (null is a value)",
            Needs::ValueOrItems if patch.value.is_none() && patch.items.is_none() => "\"value\" or \"items\"",
            Needs::Value | Needs::ValueOrItems | Needs::Path | Needs::Nothing => return Ok(()),
        };
        Err(PatchError::new(Code::MissingValue, format!("{name} has no value."), format!("Send {missing} with it.")))
    }
}
