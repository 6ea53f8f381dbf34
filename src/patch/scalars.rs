//! Operations on a number or a boolean in state.

use super::error::{Arg, Cause, Checked, Refusal};
use super::op::{Arguments, Op};
use super::path::PathExpr;
use super::planner::{Location, Planner};
use crate::value::Value;

/// `increment` and `decrement`: adds or subtracts `value`, 1 by default. A missing number counts as 0.
pub(super) fn add_number(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let amount = match sent.value {
        _ if !sent.has_value => 1.0,
        Value::Number(amount) => amount,
        other => return Err(Cause::AmountKind.refuse(&[Arg::Text(planner.op.name()), Arg::Kind(&other)])),
    };
    let location = resolve_in_state(planner, &sent.path)?;
    let number = match value_at(planner, &location) {
        None => 0.0,
        Some(Value::Number(number)) => *number,
        Some(other) => return Err(wrong_kind(&location, other, "a number")),
    };
    let sum = if planner.op == Op::Decrement { number - amount } else { number + amount };
    if !sum.is_finite() {
        return Err(Cause::SumTooLarge.refuse(&[Arg::Path(&location.path)]));
    }
    // `+ 0.0` turns -0 into 0.
    planner.set_or_create(location, Value::Number(sum + 0.0))
}

/// Inverts a boolean. A missing one counts as false.
pub(super) fn toggle(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let location = resolve_in_state(planner, &sent.path)?;
    let flag = match value_at(planner, &location) {
        None => false,
        Some(Value::Bool(flag)) => *flag,
        Some(other) => return Err(wrong_kind(&location, other, "a boolean")),
    };
    planner.set_or_create(location, Value::Bool(!flag))
}

/// Resolves a path. Refuses one outside of the state, where the structure rules define the values, unless the rules are open.
fn resolve_in_state<'p>(planner: &mut Planner<'_>, path: &'p PathExpr) -> Result<Location<'p>, Refusal> {
    let location = planner.resolve(path)?;
    if planner.allows_any(&location) {
        return Ok(location);
    }
    Err(Cause::NotInState.refuse(&[Arg::Text(&path.to_text()?), Arg::Text(planner.op.name())]))
}

/// The value at a path; `None` if it is missing.
fn value_at<'s>(planner: &'s Planner<'_>, location: &Location<'_>) -> Option<&'s Value> {
    if location.rest.is_empty() { planner.document.value().at(&location.path) } else { None }
}

/// The refusal of an operation on `other`, a value that is not of the kind `wanted`.
fn wrong_kind(location: &Location<'_>, other: &Value, wanted: &str) -> Refusal {
    Cause::NotOfKind.refuse(&[Arg::Path(&location.path), Arg::Kind(other), Arg::Text(wanted)])
}
