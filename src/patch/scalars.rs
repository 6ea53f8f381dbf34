//! Operations on a number or a boolean in state.

use super::call::Patch;
use super::error::{Code, PatchError, Refusal};
use super::site::{Found, Site, check_operator, in_state};
use super::words::article;
use crate::edit::Edit;
use crate::value::Value;

pub(super) fn increment(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    add(site, patch, 1.0)
}

pub(super) fn decrement(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    add(site, patch, -1.0)
}

fn add(site: &mut Site<'_>, patch: Patch, sign: f64) -> Result<Vec<Edit>, Refusal> {
    let by = match &patch.value {
        None => 1.0,
        Some(Value::Number(by)) => *by,
        Some(other) => {
            let message = format!("{} by {}.", patch.op.name(), article(other));
            return Err(PatchError::new(Code::InvalidStructure, message, "Send a number as value, or none for 1."));
        }
    };
    let found = target(site, &patch)?;
    let number = match present(site, &found) {
        None => 0.0,
        Some(Value::Number(number)) => *number,
        Some(other) => return Err(wrong_kind(site, &found, other, "a number")),
    };
    let sum = number + sign * by;
    if !sum.is_finite() {
        let message = format!("{} becomes larger than a number can be.", site.show(&found.path));
        return Err(PatchError::new(Code::InvalidStructure, message, "Use a smaller value."));
    }
    // `+ 0.0` turns -0 into 0.
    site.put(found, Value::Number(sum + 0.0))
}

pub(super) fn toggle(site: &mut Site<'_>, patch: Patch) -> Result<Vec<Edit>, Refusal> {
    let found = target(site, &patch)?;
    let flag = match present(site, &found) {
        None => false,
        Some(Value::Bool(flag)) => *flag,
        Some(other) => return Err(wrong_kind(site, &found, other, "a boolean")),
    };
    site.put(found, Value::Bool(!flag))
}

fn target<'p>(site: &mut Site<'_>, patch: &'p Patch) -> Result<Found<'p>, Refusal> {
    let Some(path) = &patch.path else { return Ok(Found { path: Vec::new(), rest: &[] }) };
    check_operator(path, &[], patch.op)?;
    let found = site.find(&path.segments)?;
    if !site.rules.is_open() && !in_state(&found.path, found.rest) {
        let place = path.to_text()?;
        let message = format!("{place} is not below state.params or state.runtime, where {} works.", patch.op.name());
        return Err(PatchError::new(Code::InvalidPath, message, "Use a path below one of them, or op set."));
    }
    Ok(found)
}

fn present<'s>(site: &'s Site<'_>, found: &Found<'_>) -> Option<&'s Value> {
    if found.rest.is_empty() { site.document.value().at(&found.path) } else { None }
}

#[cold]
fn wrong_kind(site: &Site<'_>, found: &Found<'_>, other: &Value, wanted: &str) -> Refusal {
    let message = format!("{} is {}, not {wanted}.", site.show(&found.path), article(other));
    let solution = format!("Use the path of {wanted}, or set it to {wanted} first.");
    PatchError::new(Code::InvalidStructure, message, solution)
}
