//! Operations on a number or a boolean in state.

use super::error::{Arg, Cause, Checked, Refusal};
use super::op::{Arguments, Op};
use super::path::PathExpr;
use super::planner::{FoundPath, Planner};
use crate::value::Value;

pub(super) fn add_number(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let by = match sent.value {
        _ if !sent.has_value => 1.0,
        Value::Number(by) => by,
        other => return Err(Cause::ByKind.refuse(&[Arg::Text(planner.op.name()), Arg::Kind(&other)])),
    };
    let found = resolve_in_state(planner, &sent.path)?;
    let number = match present(planner, &found) {
        None => 0.0,
        Some(Value::Number(number)) => *number,
        Some(other) => return Err(wrong_kind(&found, other, "a number")),
    };
    let sum = if planner.op == Op::Decrement { number - by } else { number + by };
    if !sum.is_finite() {
        return Err(Cause::SumTooLarge.refuse(&[Arg::Place(&found.path)]));
    }
    // `+ 0.0` turns -0 into 0.
    planner.set_or_create(found, Value::Number(sum + 0.0))
}

pub(super) fn toggle(planner: &mut Planner<'_>, sent: Arguments) -> Checked {
    let found = resolve_in_state(planner, &sent.path)?;
    let flag = match present(planner, &found) {
        None => false,
        Some(Value::Bool(flag)) => *flag,
        Some(other) => return Err(wrong_kind(&found, other, "a boolean")),
    };
    planner.set_or_create(found, Value::Bool(!flag))
}

/// Resolves a path. Refuses a place whose value the structure rules define.
fn resolve_in_state<'p>(planner: &mut Planner<'_>, path: &'p PathExpr) -> Result<FoundPath<'p>, Refusal> {
    let found = planner.resolve(path)?;
    if planner.is_unruled(&found) {
        return Ok(found);
    }
    Err(Cause::NotInState.refuse(&[Arg::Text(&path.to_text()?), Arg::Text(planner.op.name())]))
}

/// The value of a place; `None` for a missing place.
fn present<'s>(planner: &'s Planner<'_>, found: &FoundPath<'_>) -> Option<&'s Value> {
    if found.rest.is_empty() { planner.document.value().at(&found.path) } else { None }
}

fn wrong_kind(found: &FoundPath<'_>, other: &Value, wanted: &str) -> Refusal {
    Cause::NotThat.refuse(&[Arg::Place(&found.path), Arg::Kind(other), Arg::Text(wanted)])
}
