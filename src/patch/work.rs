//! `Work`: the formats in which a change of a document is sent, and how each is applied.

use super::call::Patch;
use super::condition;
use super::error::{Cause, Checked, Refusal};
use super::handlers::handler;
use super::json_patch;
use super::options::RunOptions;
use super::planner::{NO_REST, Planner, in_state};
use super::run::{PatchOutcome, Reason, Run};
use crate::edit::{Document, edit_from_value};
use crate::value::Value;

/// A change of one document, as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// The patches of a call, each on the result of the one before.
    Patches(Vec<Value>),
    /// The operations of a JSON Patch (RFC 6902).
    JsonPatch(Value),
    /// The operations of AG-UI's `STATE_DELTA`: a JSON Patch whose unknown operations are skipped.
    StateDelta(Value),
    /// A JSON Merge Patch (RFC 7396).
    MergePatch(Value),
    /// An edit script: a list of edits as [`crate::edit::edit_to_json`] writes them.
    Edits(Value),
}

impl Work {
    /// Applies the work to the document.
    ///
    /// # Errors
    /// The refusal; the document is then as it was, byte for byte.
    pub fn run(self, document: &mut Document, options: RunOptions<'_>) -> Result<PatchOutcome, Refusal> {
        let mut run = Run::new(document, options);
        match self {
            Self::Patches(patches) => run.each(patches, apply_patch)?,
            Self::JsonPatch(operations) => json_patch::apply(&mut run, operations)?,
            Self::StateDelta(operations) => json_patch::apply_delta(&mut run, operations)?,
            Self::MergePatch(patch) => json_patch::merge(&mut run, patch)?,
            Self::Edits(script) => apply_script(&mut run, &script)?,
        }
        run.check_values()?;
        run.outcome.warnings = run.warnings.list;
        Ok(run.outcome)
    }
}

/// Parses one patch, plans its edits and applies them. A patch whose condition is false is skipped.
fn apply_patch(run: &mut Run<'_>, sent: &mut Value) -> Checked {
    let patch = Patch::from_value(sent, run.planner.options)?;
    for key in patch.unknown_keys {
        run.skip(sent, Reason::UnknownKey(key));
    }
    if let Some(text) = &patch.condition
        && !condition::holds(&mut run.planner, text)?
    {
        run.skip(sent, Reason::Condition);
        return Ok(());
    }
    run.planner.op = patch.op;
    handler(patch.op)(&mut run.planner, patch.arguments)?;
    let Planner { edits, declared_values, .. } = &mut run.planner;
    // An edit outside of the state may change a field, and so the default that it declares: the cache is cleared.
    if edits.iter().any(|edit| !in_state(edit.path(), NO_REST)) {
        declared_values.take();
    }
    run.apply_planned()
}

/// Applies an edit script, and checks the whole document: after all edits, the path of an earlier one may lead elsewhere.
fn apply_script(run: &mut Run<'_>, script: &Value) -> Checked {
    let Value::Array(items) = script else { return Err(Cause::NoEdits.refuse(&[])) };
    for item in items {
        run.planner.edits.push(edit_from_value(item).ok_or_else(|| Cause::NoEdits.refuse(&[]))?);
    }
    run.apply_planned()?;
    run.check_whole()?;
    let PatchOutcome { changes, inverses, .. } = &mut run.outcome;
    // An edit that sets the value that is already there equals its inverse. Such edits are not reported.
    let pairs = std::mem::take(changes).into_iter().zip(std::mem::take(inverses));
    (*changes, *inverses) = pairs.filter(|(change, inverse)| change != inverse).unzip();
    Ok(())
}
