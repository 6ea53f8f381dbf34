//! The operations: one table.

use super::error::{Arg, Cause, Checked, Refusal};
use super::path::{Operator, PathExpr};
use super::planner::Planner;
use super::{lists, scalars, trees};
use crate::value::{Value, join};

pub(super) struct Sent {
    /// Without segments if there is none.
    pub(super) path: PathExpr,
    /// Null if there is none.
    pub(super) value: Value,
    pub(super) has_value: bool,
    pub(super) items: Option<Value>,
    pub(super) index: Option<Value>,
    pub(super) all: bool,
}

/// What an operation does: it adds the edits that make it so, on the document as it stands.
type Act = fn(&mut Planner<'_>, Sent) -> Checked;

#[derive(Clone, Copy)]
enum Needs {
    Nothing,
    Path,
    /// The path too.
    Value,
    /// The path too, and `value` or `items`.
    Items,
}

pub(super) struct Row {
    name: &'static str,
    /// The operator that its path may end with.
    pub(super) operator: Operator,
    needs: Needs,
    pub(super) act: Act,
}

/// Declares the operations once: the enum, their names, the operators of their paths, and what they need and do.
macro_rules! operations {
    ($($variant:ident = $name:literal, $operator:ident, $needs:ident($act:path), $doc:literal;)*) => {
        /// What a patch does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Op {
            $(#[doc = $doc] $variant,)*
        }

        impl Op {
            /// All operations.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub(super) const NAMES: &'static [&'static str] = &[$($name),*];

            pub(super) const fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => {
                        &Row { name: $name, operator: Operator::$operator, needs: Needs::$needs, act: $act }
                    })*
                }
            }
        }
    };
}

operations! {
    Set = "set", ItemAt, Value(trees::set), "Sets a value; makes missing parents in state.";
    Add = "add", Append, Items(lists::insert), "Appends to a list.";
    Replace = "replace", ItemAt, Value(trees::replace), "Sets a value where there is one.";
    Remove = "remove", ItemById, Path(trees::remove), "Takes an item or a key away.";
    Clear = "clear", Plain, Path(trees::clear), "Back to what the fields declare, or to nothing.";
    Create = "create", Plain, Nothing(trees::create), "In a call to `__CREATE__`: the first document.";
    Delete = "delete", Plain, Nothing(trees::delete), "In a call to `__DELETE__`: nothing more.";
    Increment = "increment", Plain, Path(scalars::add), "Adds to a number.";
    Decrement = "decrement", Plain, Path(scalars::add), "Subtracts from a number.";
    Toggle = "toggle", Plain, Path(scalars::toggle), "Turns a boolean over.";
    Merge = "merge", ItemAt, Value(trees::merge), "Sets keys of an object.";
    AppendToList = "append_to_list", Append, Items(lists::insert), "Appends to a list.";
    PrependToList = "prepend_to_list", Append, Items(lists::insert), "Puts before the first item of a list.";
    RemoveFromList = "remove_from_list", Plain, Value(lists::remove_from), "Takes matching items out of a list.";
    RemoveLast = "remove_last", Plain, Path(lists::remove_last), "Takes the last item out of a list.";
    UpdateListItem = "update_list_item", Plain, Value(lists::update_item), "Sets keys of one item of a list.";
    FilterList = "filter_list", Plain, Value(lists::filter), "Keeps the items of a list that match.";
    ClearAllParams = "clear_all_params", Plain, Nothing(trees::clear_all_params),
        "All params back to what their fields declare.";
}

impl Op {
    /// The name as it is sent.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.get(Self::NAMES.iter().position(|own| *own == name)?).copied()
    }

    pub(super) fn check(self, sent: &Sent) -> Checked {
        let has_value = sent.has_value || (sent.items.is_some() && matches!(self.row().needs, Needs::Items));
        let cause = match self.row().needs {
            Needs::Path | Needs::Value | Needs::Items if sent.path.segments.is_empty() => Cause::NoPath,
            Needs::Value if !has_value => Cause::NoValue,
            Needs::Items if !has_value => Cause::NoValueOrItems,
            Needs::Nothing | Needs::Path | Needs::Value | Needs::Items => return Ok(()),
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
