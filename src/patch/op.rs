//! The table of operations: their names, and what their patches need. [`super::handlers`] says what they do.

use super::error::{Arg, Cause, Checked, Refusal};
use super::path::{Operator, PathExpr};
use crate::value::{Value, join};

/// The members of a patch that its operation reads. The handlers check the kinds of `value`, `items`, `index` and `to`.
pub(super) struct Arguments {
    /// Without segments if the patch has no path.
    pub(super) path: PathExpr,
    /// Null if the patch has no value.
    pub(super) value: Value,
    /// Whether the patch has a value, which may be null.
    pub(super) has_value: bool,
    /// The items to insert into a list, instead of one `value`.
    pub(super) items: Option<Value>,
    /// Of `update_list_item`: the index of the item.
    pub(super) index: Option<Value>,
    /// Of a removal by value: whether all matching items are removed instead of the first.
    pub(super) all: bool,
    /// Where `move` puts its item: an index, `{"before": id}` or `{"after": id}`.
    pub(super) to: Option<Value>,
}

/// The arguments that an operation requires.
#[derive(Clone, Copy)]
enum Needs {
    Nothing,
    Path,
    PathAndValue,
    /// A path, and `value` or `items`.
    PathAndItems,
    PathAndTo,
}

/// A row of the table of operations.
struct Row {
    /// The name in patches.
    name: &'static str,
    /// The operator that the path may end with; `Plain`: none.
    operator: Operator,
    needs: Needs,
}

/// Declares the operations once. A line has the variant, the name, the operator of the path, the required arguments, and the
/// documentation.
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

            /// The names, in the order of [`Self::ALL`].
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
    Clear = "clear", Plain, Path, "Resets to the values that fields declare, or empties.";
    Create = "create", Plain, Nothing, "In a call to `__CREATE__`: sets the first document.";
    Delete = "delete", Plain, Nothing, "In a call to `__DELETE__`, which already deletes the instance: does nothing.";
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
    ClearAllParams = "clear_all_params", Plain, Nothing, "Resets all params to what their fields declare, or to empty values.";
}

impl Op {
    /// The name in patches.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation with this name in patches.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.get(Self::NAMES.iter().position(|op_name| *op_name == name)?).copied()
    }

    /// The operator that the path of a patch may end with; `Plain`: none.
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

    /// Reads the member `op` of a patch. Refuses one that is absent or unknown.
    pub(super) fn from_value(value: Option<&Value>) -> Result<Self, Refusal> {
        if let Some(op) = value.and_then(Value::as_str).and_then(Self::from_name) {
            return Ok(op);
        }
        let known = join(Self::NAMES, ", ");
        let (cause, sent) = match value {
            Some(Value::String(name)) => (Cause::OpUnknown, Arg::Cut(name)),
            Some(other) => (Cause::OpKind, Arg::Kind(other)),
            None => (Cause::NoOp, Arg::Text("")),
        };
        Err(cause.refuse(&[sent, Arg::Text(&known)]))
    }
}
