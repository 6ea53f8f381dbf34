//! Taking the patches of a call one after another.

use super::call::Patch;
use super::condition;
use super::declared::Declared;
use super::error::{Code, PatchError, Refusal};
use super::path::PathExpr;
use super::plan::plan;
use super::rules::{Catalog, Rules, Seen, check_touched, check_unique};
use super::site::{Site, check_steps, in_state};
use crate::edit::{Document, Edit, edit_from_value};
use crate::limits::Limits;
use crate::value::{Path, Step, Value, measure};

/// What happens to a call when one of its patches fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Nothing of the call remains.
    #[default]
    Rollback,
    /// What came before the failure remains.
    Stop,
    /// The failing patches are left out.
    Skip,
}

impl OnError {
    /// The mode of a name, as options write it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [("rollback", Self::Rollback), ("stop", Self::Stop), ("skip", Self::Skip)]
            .into_iter()
            .find_map(|(own, mode)| (own == name).then_some(mode))
    }
}

/// Why something of a call had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The patch's condition was false.
    Condition,
    /// A key that means nothing.
    UnknownKey(Box<str>),
    /// The patch failed, and failing ones are left out.
    Failed(Refusal),
}

/// Something of a call that had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The patch's place in the call; absent for a key of the call itself.
    pub index: Option<usize>,
    /// Its operation, as it was sent.
    pub op: Box<str>,
    /// Its path, as it was sent.
    pub path: Box<str>,
    /// Why.
    pub reason: Reason,
}

/// What became of the patches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Patches that took effect, or changed nothing because all was so already.
    pub applied: usize,
    /// What had no effect.
    pub skipped: Vec<Skipped>,
    /// The edits that were made, in order.
    pub changes: Vec<Edit>,
    /// Their inverses, in the same order.
    pub inverses: Vec<Edit>,
    /// With [`OnError::Stop`]: what stopped it.
    pub stopped: Option<Refusal>,
}

/// Under what terms patches are taken.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The rules of the document.
    pub rules: Rules,
    /// Words that the host adds.
    pub catalog: &'a Catalog,
    /// Limits.
    pub limits: &'a Limits,
    /// What happens when a patch fails.
    pub on_error: OnError,
    /// Whether the call makes the instance: its page key is not fixed yet, and it is checked whole afterwards.
    pub creating: bool,
}

/// Takes patches one after another, each on the result of the one before.
///
/// # Errors
/// With [`OnError::Rollback`] the first failure; the document is then as it was, byte for byte.
pub fn run(document: &mut Document, patches: Vec<Value>, terms: Terms<'_>) -> Result<Outcome, Refusal> {
    check_count(patches.len(), terms.limits)?;
    let mut outcome = Outcome::default();
    let mut declared = None;
    document.steps = 0;
    for (index, mut patch) in patches.into_iter().enumerate() {
        let taken = take(document, index, &mut patch, &mut declared, terms, &mut outcome);
        let over = check_steps(document, terms.limits);
        let is_over = over.is_err();
        let Err(mut refusal) = over.and(taken) else { continue };
        refusal.index = Some(index);
        refusal.op = patch.get("op").and_then(Value::as_str).map(Into::into);
        refusal.path = patch.get("path").and_then(Value::as_str).map(Into::into);
        match terms.on_error {
            _ if is_over => {
                document.undo(outcome.inverses);
                return Err(refusal);
            }
            OnError::Rollback => {
                document.undo(outcome.inverses);
                return Err(refusal);
            }
            OnError::Stop => {
                outcome.stopped = Some(refusal);
                break;
            }
            OnError::Skip => outcome.skipped.push(skipped(Some(index), &patch, Reason::Failed(refusal))),
        }
    }
    Ok(outcome)
}

/// Refuses more patches than a call may have.
pub(super) fn check_count(count: usize, limits: &Limits) -> Result<(), Refusal> {
    let max = limits.max_patches;
    if count <= max {
        return Ok(());
    }
    let message = format!("The call has {count} patches; the limit is {max}.");
    Err(PatchError::new(Code::LimitExceeded, message, "Send several calls."))
}

fn skipped(index: Option<usize>, patch: &Value, reason: Reason) -> Skipped {
    let text = |key: &str| patch.get(key).and_then(Value::as_str).unwrap_or_default().into();
    Skipped { index, op: text("op"), path: text("path"), reason }
}

/// Takes one patch of a call.
fn take(
    document: &mut Document,
    index: usize,
    sent: &mut Value,
    declared: &mut Option<Declared>,
    terms: Terms<'_>,
    outcome: &mut Outcome,
) -> Result<(), Refusal> {
    let patch = Patch::from_value(sent, terms.limits.depth())?;
    if !terms.rules.is_open()
        && let Some(path) = &patch.path
    {
        path.check_page()?;
    }
    patch.check_needs()?;
    let founding = terms.creating && index == 0;
    let mut site = Site { document, rules: terms.rules, founding, declared, limits: terms.limits };
    for key in &patch.unknown {
        outcome.skipped.push(skipped(Some(index), sent, Reason::UnknownKey(key.clone())));
    }
    if let Some(text) = &patch.condition
        && !condition::holds(&mut site, text)?
    {
        outcome.skipped.push(skipped(Some(index), sent, Reason::Condition));
        return Ok(());
    }
    let edits = plan(&mut site, patch)?;
    if edits.iter().any(|edit| !in_state(edit.path(), &[])) {
        *declared = None;
    }
    make(document, edits, terms, outcome)
}

/// Sets one place: what a patch with `set` does, without being read from one.
pub(crate) fn set(
    document: &mut Document,
    path: &PathExpr,
    value: Value,
    terms: Terms<'_>,
) -> Result<Outcome, Refusal> {
    if !terms.rules.is_open() {
        path.check_page()?;
    }
    document.steps = 0;
    let mut declared = None;
    let mut site =
        Site { document, rules: terms.rules, founding: false, declared: &mut declared, limits: terms.limits };
    let edits = site.set(path, value)?;
    let mut outcome = Outcome::default();
    make(document, edits, terms, &mut outcome)?;
    Ok(outcome)
}

/// Makes the edits of a script, all or none, and checks the document whole: where one edit moves what another names, no
/// place can be checked by itself.
pub(super) fn edits(document: &mut Document, script: &Value, terms: Terms<'_>) -> Result<Outcome, Refusal> {
    let edits = script.as_array().and_then(|edits| edits.iter().map(edit_from_value).collect::<Option<Vec<_>>>());
    let Some(edits) = edits else {
        let solution = "Send a list of {kind, path, value}, or {kind: \"move\", from, path}.";
        return Err(PatchError::new(Code::InvalidStructure, "These are no edits.", solution));
    };
    let mut outcome = Outcome::default();
    document.steps = 0;
    make(document, edits, terms, &mut outcome)?;
    if let Err(refusal) = super::check_document(document.value(), terms.rules, terms.catalog) {
        document.undo(outcome.inverses);
        return Err(refusal);
    }
    // Whoever wrote the script may have set a place to what it was.
    let changes = outcome.changes.into_iter().zip(outcome.inverses);
    (outcome.changes, outcome.inverses) = changes.filter(|(change, inverse)| change != inverse).unzip();
    Ok(outcome)
}

/// Makes a patch's edits and checks what they touched.
pub(super) fn make(
    document: &mut Document,
    edits: Vec<Edit>,
    terms: Terms<'_>,
    outcome: &mut Outcome,
) -> Result<(), Refusal> {
    edits.iter().try_for_each(|edit| check_edit(edit, terms.limits))?;
    let before = if terms.rules.is_open() || terms.creating { None } else { fixed(document.value(), &edits) };
    let from = outcome.inverses.len();
    let mut done = Ok(());
    for edit in &edits {
        match document.apply(edit.clone()) {
            Ok(inverse) => outcome.inverses.push(inverse),
            Err(lost) => {
                done = Err(internal(lost));
                break;
            }
        }
    }
    let checked = done.and_then(|()| check(document, &edits, before, terms));
    if let Err(refusal) = checked {
        document.undo(outcome.inverses.split_off(from));
        return Err(refusal);
    }
    if outcome.changes.is_empty() {
        outcome.changes = edits;
    } else {
        outcome.changes.extend(edits);
    }
    outcome.applied += 1;
    Ok(())
}

/// The rules, in the order in which they are reported.
fn check(
    document: &mut Document,
    edits: &[Edit],
    before: Option<[Option<Value>; 3]>,
    terms: Terms<'_>,
) -> Result<(), Refusal> {
    if terms.rules.is_open() {
        return Ok(());
    }
    if let Some(before) = before {
        check_fixed(document.value(), &before)?;
    }
    let seen = Seen::default();
    for edit in edits {
        check_touched(document.value(), edit.path(), terms.catalog, &seen)?;
        if let Edit::Move { from, path, .. } = edit {
            check_touched(document.value(), &left(from, path), terms.catalog, &seen)?;
        }
    }
    document.steps += seen.steps.get();
    let mut block = None;
    for edit in edits {
        check_unique(document, edit.path(), &mut block)?;
    }
    check_steps(document, terms.limits)
}

/// The place that a move has left, as it is called once its value stands at `path`, where a list made room for it.
fn left(from: &[Step], path: &[Step]) -> Path {
    let mut left = from.to_vec();
    if let Some((Step::Index(target), list)) = path.split_last()
        && from.starts_with(list)
        && let Some(Step::Index(index)) = left.get_mut(list.len())
        && *target <= *index
    {
        *index += 1;
    }
    left
}

/// An edit that does not fit the document it was planned on: a fault of ours, told as what it means to the caller.
pub(super) fn internal(lost: crate::edit::NoSuchPlace) -> Refusal {
    PatchError::new(Code::PathNotFound, format!("The patch went wrong: {lost}."), "Read the instance again.")
}

/// Places that do not change once an instance is there.
const FIXED: [&[&str]; 3] = [&["meta", "pageKey"], &["page_key"], &["meta", "schemaVersion"]];

/// The values of the fixed places, if one of the edits could touch them.
fn fixed(root: &Value, edits: &[Edit]) -> Option<[Option<Value>; 3]> {
    let near = |path: &[Step]| {
        FIXED.iter().any(|fixed| path.iter().zip(*fixed).all(|(step, key)| step.as_key() == Some(*key)))
    };
    let touches = |edit: &Edit| near(edit.path()) || matches!(edit, Edit::Move { from, .. } if near(from));
    edits.iter().any(touches).then(|| FIXED.map(|path| at(root, path).cloned()))
}

fn at<'v>(root: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(root, |value, key| value.get(key))
}

fn check_fixed(root: &Value, before: &[Option<Value>; 3]) -> Result<(), Refusal> {
    match FIXED.iter().zip(before).find(|(path, before)| at(root, path) != before.as_ref()) {
        None => Ok(()),
        Some((path, before)) => {
            let place = path.join(".");
            let value = before.as_ref().map_or_else(|| "absent".to_owned(), Value::to_json);
            let message = format!("{place} is fixed once the instance is there; it is {value}.");
            let solution = match before {
                Some(_) => format!("Keep {place} as it is, or create another instance."),
                None => format!("Leave {place} out, or create another instance with it."),
            };
            Err(PatchError::new(Code::SchemaMutation, message, solution))
        }
    }
}

/// Refuses a value that no document may hold: too deep at its place, or with a number beyond a double.
fn check_edit(edit: &Edit, limits: &Limits) -> Result<(), Refusal> {
    match edit {
        Edit::Set { path, value } | Edit::Insert { path, value, .. } => check_size(path, value, limits),
        Edit::Remove { .. } | Edit::Move { .. } => Ok(()),
    }
}

/// Refuses a value that no document may hold at a path.
pub(crate) fn check_size(path: &[Step], value: &Value, limits: &Limits) -> Result<(), Refusal> {
    let measure = measure(value);
    let depth = path.len() + measure.depth;
    if depth > limits.depth() {
        let message = format!("The document would be {depth} levels deep; the limit is {}.", limits.depth());
        return Err(PatchError::new(Code::LimitExceeded, message, "Send a flatter value."));
    }
    if measure.infinite {
        let message = "The value has a number that is larger than a double can hold.";
        return Err(PatchError::new(Code::InvalidStructure, message, "Send a number below 1.8e308, or a string."));
    }
    Ok(())
}
