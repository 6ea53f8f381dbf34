//! Runs the patches of a call one after another: each is read, planned, applied and checked, and undone if it fails.

use super::call::Patch;
use super::condition;
use super::error::{Arg, Cause, Checked, Refusal};
use super::planner::{Planner, in_state};
use super::rules::{Catalog, Rules, check_document, check_touched, check_unique};
use crate::edit::{Document, Edit, edit_from_value};
use crate::limits::Limits;
use crate::value::text::boxed;
use crate::value::{Measure, Path, Step, Value, measure};

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
    pub fn from_name(name: &str) -> Option<Self> {
        let modes = [("rollback", Self::Rollback), ("stop", Self::Stop), ("skip", Self::Skip)];
        modes.into_iter().find(|(own, _)| *own == name).map(|(_, mode)| mode)
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
pub struct PatchOutcome {
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

/// The rules, words and limits under which patches are taken, and what happens when one fails.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
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

/// A piece of work on one document, as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// The patches of a call, each on the result of the one before.
    Patches(Vec<Value>),
    /// The operations of a JSON Patch (RFC 6902).
    JsonPatch(Value),
    /// A JSON Merge Patch (RFC 7396).
    MergePatch(Value),
    /// An edit script.
    Edits(Value),
}

impl Work {
    /// Does the work.
    ///
    /// # Errors
    /// Why it cannot be done; the document is then as it was, byte for byte.
    pub fn run(self, document: &mut Document, options: RunOptions<'_>) -> Result<PatchOutcome, Refusal> {
        let mut planner = Planner::new(document, options);
        match self {
            Self::Patches(patches) => planner.take_each(patches, take)?,
            Self::JsonPatch(operations) => planner.json_patch(operations)?,
            Self::MergePatch(patch) => planner.merge_patch(patch)?,
            Self::Edits(script) => planner.take_edits(&script)?,
        }
        Ok(planner.outcome)
    }
}

fn take(planner: &mut Planner<'_>, sent: &mut Value) -> Checked {
    let patch = Patch::from_value(sent, planner.options)?;
    for key in patch.unknown {
        planner.skip(sent, Reason::UnknownKey(key));
    }
    if let Some(text) = &patch.condition
        && !condition::holds(planner, text)?
    {
        planner.skip(sent, Reason::Condition);
        return Ok(());
    }
    planner.op = patch.op;
    (patch.op.row().act)(planner, patch.sent)?;
    if planner.edits.iter().any(|edit| !in_state(edit.path(), &[])) {
        planner.declared.take();
    }
    planner.make()
}

impl Planner<'_> {
    /// Makes the edits of a script, and checks the document whole: one edit may move what another names.
    fn take_edits(&mut self, script: &Value) -> Checked {
        let Value::Array(items) = script else { return Err(Cause::NoEdits.refuse(&[])) };
        for item in items {
            self.edits.push(edit_from_value(item).ok_or_else(|| Cause::NoEdits.refuse(&[]))?);
        }
        self.make()?;
        self.check_whole()?;
        let PatchOutcome { changes, inverses, .. } = &mut self.outcome;
        // Whoever wrote the script may have set a place to what it was.
        let both = std::mem::take(changes).into_iter().zip(std::mem::take(inverses));
        (*changes, *inverses) = both.filter(|(change, inverse)| change != inverse).unzip();
        Ok(())
    }

    /// Checks the document whole, and undoes all that was made if it breaks a rule.
    pub(super) fn check_whole(&mut self) -> Checked {
        check_document(self.document.value(), self.options.rules, self.options.catalog).inspect_err(|_| {
            self.document.undo(std::mem::take(&mut self.outcome.inverses));
        })
    }

    pub(super) fn take_each(&mut self, patches: Vec<Value>, take: fn(&mut Self, &mut Value) -> Checked) -> Checked {
        let max = self.options.limits.max_patches;
        if patches.len() > max {
            return Err(Cause::TooManyPatches.refuse(&[Arg::Count(patches.len()), Arg::Count(max)]));
        }
        for (index, mut patch) in patches.into_iter().enumerate() {
            self.patch_index = index;
            self.edits.clear();
            let taken = take(self, &mut patch);
            let over = self.check_cost();
            let on_error = if over.is_err() { OnError::Rollback } else { self.options.on_error };
            let Err(mut refusal) = over.and(taken) else { continue };
            refusal.name_patch(index, &patch);
            match on_error {
                OnError::Rollback => {
                    self.document.undo(std::mem::take(&mut self.outcome.inverses));
                    return Err(refusal);
                }
                OnError::Stop => {
                    self.outcome.stopped = Some(refusal);
                    break;
                }
                OnError::Skip => self.skip(&patch, Reason::Failed(refusal)),
            }
        }
        Ok(())
    }

    fn skip(&mut self, patch: &Value, reason: Reason) {
        let text = |key: &str| boxed(patch.get(key).and_then(Value::as_str).unwrap_or_default());
        let skipped = Skipped { index: Some(self.patch_index), op: text("op"), path: text("path"), reason };
        self.outcome.skipped.push(skipped);
    }

    /// Makes the planned edits and checks what they touched. Then they are among the changes of the outcome.
    pub(super) fn make(&mut self) -> Checked {
        let is_checked = !self.options.rules.is_open();
        for edit in &self.edits {
            // The answer names the place of each edit, and many edits may stand below one long key.
            let keys = edit.path().iter().filter_map(Step::as_key);
            self.cost.update(|cost| keys.fold(cost, |cost, key| cost + key.len() / 4));
            if let Edit::Set { path, value } | Edit::Insert { path, value, .. } = edit {
                check_size(path, value, self.options.limits)?;
            }
        }
        self.check_cost()?;
        let before =
            if is_checked && !self.options.creating { fixed(self.document.value(), &self.edits) } else { Vec::new() };
        let from = self.outcome.inverses.len();
        let mut made = Ok(());
        for edit in &self.edits {
            match self.document.apply(edit.clone()) {
                Ok(inverse) => self.outcome.inverses.push(inverse),
                // A fault of ours, told as what it means to the caller.
                Err(_) => {
                    made = Err(Cause::Lost.refuse(&[]));
                    break;
                }
            }
        }
        if is_checked && made.is_ok() {
            made = self.check(&before);
        }
        match made {
            Err(refusal) if self.by_pointer && refusal.is_of_rules() => self.broken = Some(refusal),
            Err(refusal) => {
                self.document.undo(self.outcome.inverses.split_off(from));
                return Err(refusal);
            }
            Ok(()) => {}
        }
        self.outcome.changes.append(&mut self.edits);
        self.outcome.applied += 1;
        Ok(())
    }

    /// The rules, in the order in which they are reported.
    fn check(&mut self, before: &[Option<Value>]) -> Checked {
        let (root, catalog, cost) = (self.document.value(), self.options.catalog, &self.cost);
        check_fixed(root, before)?;
        if self.broken.is_some() {
            return self.check_cost();
        }
        for edit in &self.edits {
            check_touched(root, edit.path(), catalog, cost)?;
            if let Edit::Move { from, path, .. } = edit {
                check_touched(root, &left(from, path), catalog, cost)?;
            }
        }
        let mut block = None;
        for edit in &self.edits {
            check_unique(self.document, edit.path(), &mut block, &self.cost)?;
        }
        self.check_cost()
    }
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

/// Places that do not change once an instance is there.
const FIXED: [(&str, &[&str]); 3] = [
    ("meta.pageKey", &["meta", "pageKey"]),
    ("page_key", &["page_key"]),
    ("meta.schemaVersion", &["meta", "schemaVersion"]),
];

fn at<'v>(root: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(root, |value, key| value.get(key))
}

/// The values of the fixed places; none if no edit could touch them.
fn fixed(root: &Value, edits: &[Edit]) -> Vec<Option<Value>> {
    let is_near = |path: &[Step], fixed: &[&str]| path.iter().zip(fixed).all(|(step, key)| step.as_key() == Some(*key));
    let mut places = edits.iter().flat_map(Edit::places);
    if places.any(|path| FIXED.iter().any(|(_, fixed)| is_near(path, fixed))) {
        return FIXED.iter().map(|(_, path)| at(root, path).cloned()).collect();
    }
    Vec::new()
}

fn check_fixed(root: &Value, before: &[Option<Value>]) -> Checked {
    for ((place, path), before) in FIXED.iter().zip(before) {
        if at(root, path) != before.as_ref() {
            return Err(match before {
                Some(value) => Cause::Fixed.refuse(&[Arg::Text(place), Arg::Text(&value.to_json())]),
                None => Cause::FixedAbsent.refuse(&[Arg::Text(place)]),
            });
        }
    }
    Ok(())
}

/// Refuses a value that no document may hold at a path: too deep, or with a number beyond a double. Returns its size.
pub(crate) fn check_size(path: &[Step], value: &Value, limits: &Limits) -> Result<Measure, Refusal> {
    let measure = measure(value);
    let depth = path.len() + measure.depth;
    if depth > limits.depth() {
        Err(Cause::TooDeep.refuse(&[Arg::Count(depth), Arg::Count(limits.depth())]))
    } else if measure.infinite {
        Err(Cause::Infinite.refuse(&[]))
    } else {
        Ok(measure)
    }
}
