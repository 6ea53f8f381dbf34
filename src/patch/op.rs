//! The table of operations: their names, and what their patches need. [`super::handlers`] says what they do.

use super::error::{Arg, Cause, Checked, Refusal};
use super::path::{Operator, PathExpr};
use crate::value::{Value, join};

/// The arguments of an operation, from its patch.
pub(super) struct Arguments {
    /// Without segments if the patch has no path.
    pub(super) path: PathExpr,
    /// Null if the patch has no value.
    pub(super) value: Value,
    pub(super) has_value: bool,
    pub(super) items: Option<Value>,
    pub(super) index: Option<Value>,
    pub(super) all: bool,
    /// Where `move` puts its item.
    pub(super) to: Option<Value>,
}

/// The arguments that an operation requires.
#[derive(Clone, Copy)]
enum Needs {
    Nothing,
    Path,
    PathAndValue,
    PathAndItems,
    PathAndTo,
}

struct Row {
    name: &'static str,
    /// The operator that the path may end with.
    operator: Operator,
    needs: Needs,
}

/// Declares the operations once: the enum, their names, the operators of their paths, and what they need.
macro_rules! operations {
    ($($variant:ident = $name:literal, $operator:ident, $needs:ident, $doc:literal;)*) => {
        /// The operation of a patch.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Op {
            $(#[doc = $doc] $variant,)*
        }

        impl Op {
            /// All operations.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub(super) const NAMES: &'static [&'static str] = &[$($name),*];

            const fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => &Row { name: $name, operator: Operator::$operator, needs: Needs::$needs },)*
                }
            }
        }
    };
}

operations! {
    Set = "set", ItemAt, PathAndValue, "Sets a value; makes missing parents in state.";
    Add = "add", Append, PathAndItems, "Inserts at an index, or appends to a list.";
    Replace = "replace", ItemAt, PathAndValue, "Sets a value where there is one.";
    Remove = "remove", ItemById, Path, "Takes an item or a key away.";
    Move = "move", Plain, PathAndTo, "Moves an item within its list.";
    Clear = "clear", Plain, Path, "Back to what the fields declare, or to nothing.";
    Create = "create", Plain, Nothing, "In a call to `__CREATE__`: the first document.";
    Delete = "delete", Plain, Nothing, "In a call to `__DELETE__`: nothing more.";
    Increment = "increment", Plain, Path, "Adds to a number.";
    Decrement = "decrement", Plain, Path, "Subtracts from a number.";
    Toggle = "toggle", Plain, Path, "Turns a boolean over.";
    Merge = "merge", ItemAt, PathAndValue, "Sets keys of an object.";
    AppendToList = "append_to_list", Append, PathAndItems, "Appends to a list.";
    PrependToList = "prepend_to_list", Append, PathAndItems, "Puts before the first item of a list.";
    RemoveFromList = "remove_from_list", Plain, PathAndValue, "Takes matching items out of a list.";
    RemoveLast = "remove_last", Plain, Path, "Takes the last item out of a list.";
    UpdateListItem = "update_list_item", Plain, PathAndValue, "Sets keys of one item of a list.";
    FilterList = "filter_list", Plain, PathAndValue, "Keeps the items of a list that match.";
    ClearAllParams = "clear_all_params", Plain, Nothing, "All params back to what their fields declare.";
}

impl Op {
    /// The name in patches.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.get(Self::NAMES.iter().position(|own| *own == name)?).copied()
    }

    /// The operator that the path of a patch may end with.
    pub(super) const fn operator(self) -> Operator {
        self.row().operator
    }

    /// Refuses arguments that lack what the operation needs.
    pub(super) fn check(self, arguments: &Arguments) -> Checked {
        let Arguments { path, has_value, items, to, .. } = arguments;
        let cause = match self.row().needs {
            Needs::Nothing => return Ok(()),
            _ if path.segments.is_empty() => Cause::NoPath,
            Needs::PathAndValue if !has_value => Cause::NoValue,
            Needs::PathAndItems if !has_value && items.is_none() => Cause::NoValueOrItems,
            Needs::PathAndTo if to.is_none() => Cause::NoTo,
            Needs::Path | Needs::PathAndValue | Needs::PathAndItems | Needs::PathAndTo => return Ok(()),
        };
        Err(cause.refuse(&[Arg::Text(self.name())]))
    }

    pub(super) fn from_value(value: Option<&Value>) -> Result<Self, Refusal> {
        if let Some(op) = value.and_then(Value::as_str).and_then(Self::from_name) {
            return Ok(op);
        }
        let known = join(Self::NAMES, ", ");
        let (cause, found) = match value {
            Some(Value::String(name)) => (Cause::OpUnknown, Arg::Cut(name)),
            Some(other) => (Cause::OpKind, Arg::Kind(other)),
            None => (Cause::NoOp, Arg::Text("")),
        };
        Err(cause.refuse(&[found, Arg::Text(&known)]))
    }
}
