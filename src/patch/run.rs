//! `Run`: applies the edits that a planner plans, patch by patch, and checks the document by the structure rules. A refused
//! patch is undone.

use super::cost::check_size;
use super::error::{Arg, Cause, Checked, Refusal};
use super::options::{OnError, RunOptions};
use super::planner::{NO_REST, Planner, in_state};
use super::rules::{ValueCheck, Warning, Warnings, check_document, check_touched, check_unique};
use crate::edit::{Document, Edit, FieldIndex};
use crate::value::names::Names;
use crate::value::text::boxed;
use crate::value::{Path, Step, Value, sort_by_number};

/// Why a patch, or a key of a patch or of the call, had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The patch's condition was false.
    Condition,
    /// An unknown key.
    UnknownKey(Box<str>),
    /// The patch failed, and failing patches are skipped.
    Failed(Refusal),
}

/// A part of a call without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The index of the patch in the call; absent for a key of the call itself.
    pub index: Option<usize>,
    /// The operation of the patch, as it was sent; empty if none exists.
    pub op: Box<str>,
    /// The path of the patch, as it was sent; empty if none exists.
    pub path: Box<str>,
    /// Why it had no effect.
    pub reason: Reason,
}

/// The effects of the patches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchOutcome {
    /// The number of applied patches, including those that changed nothing.
    pub applied: usize,
    /// The parts without effect.
    pub skipped: Vec<Skipped>,
    /// The applied edits, in order.
    pub changes: Vec<Edit>,
    /// Their inverses, in the same order.
    pub inverses: Vec<Edit>,
    /// With [`OnError::Stop`]: why the run stopped.
    pub stopped: Option<Refusal>,
    /// Patches that took effect, but probably not the one that their author meant.
    pub warnings: Vec<Warning>,
}

/// Patches on one document, one after another.
pub(super) struct Run<'a> {
    pub(super) planner: Planner<'a>,
    pub(super) outcome: PatchOutcome,
    /// With [`RuleChecks::AtEnd`]: the refusal of the first operation after which the document broke a structure rule. The
    /// later operations are not checked by these rules, only the document at the end.
    pub(super) rule_refusal: Option<Refusal>,
    pub(super) rule_checks: RuleChecks,
    /// The warnings so far. They become `outcome.warnings` when the work is done.
    pub(super) warnings: Warnings,
    /// For each applied patch: the length of `outcome.changes` after it, and its index in the call.
    patch_ends: Vec<(usize, usize)>,
}

/// When a document that breaks a structure rule is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleChecks {
    /// After the patch that breaks it.
    AfterEachPatch,
    /// After the last operation: a later one may repair what an earlier one breaks.
    AtEnd,
}

impl<'a> Run<'a> {
    pub(super) fn new(document: &'a mut Document, options: RunOptions<'a>) -> Self {
        Self {
            planner: Planner::new(document, options),
            outcome: PatchOutcome::default(),
            rule_refusal: None,
            rule_checks: RuleChecks::AfterEachPatch,
            warnings: Warnings { max: options.limits.max_issues, ..Warnings::default() },
            patch_ends: Vec::new(),
        }
    }

    /// Runs `run_one` on each patch. A refused patch rolls all of them back, ends the run or is skipped, as the options say.
    pub(super) fn each(&mut self, patches: Vec<Value>, run_one: fn(&mut Self, &mut Value) -> Checked) -> Checked {
        let max = self.planner.options.limits.max_patches;
        if patches.len() > max {
            return Err(Cause::TooManyPatches.refuse(&[Arg::Count(patches.len()), Arg::Count(max)]));
        }
        for (index, mut patch) in patches.into_iter().enumerate() {
            self.planner.patch_index = index;
            self.planner.edits.clear();
            let result = run_one(self, &mut patch);
            let within_cost = self.planner.check_cost();
            // The steps of all patches add up: a call that exceeds them cannot go on with its next patch.
            let on_error = if within_cost.is_err() { OnError::Rollback } else { self.planner.options.on_error };
            let Err(mut refusal) = within_cost.and(result) else { continue };
            refusal.name_patch(index, &patch);
            match on_error {
                OnError::Rollback => {
                    self.roll_back();
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

    /// Reports that the current patch, or a key of it, had no effect. `patch` is the patch as it was sent.
    pub(super) fn skip(&mut self, patch: &Value, reason: Reason) {
        let text = |key: &str| boxed(patch.get(key).and_then(Value::as_str).unwrap_or_default());
        let skipped = Skipped { index: Some(self.planner.patch_index), op: text("op"), path: text("path"), reason };
        self.outcome.skipped.push(skipped);
    }

    /// Checks the whole document, and undoes all patches if it breaks a rule.
    pub(super) fn check_whole(&mut self) -> Checked {
        let RunOptions { rules, catalog, .. } = self.planner.options;
        check_document(self.planner.document.value(), rules, catalog).inspect_err(|_| self.roll_back())
    }

    /// Applies the planned edits, checks the values that they touch, and moves the edits to `outcome.changes`. If they are
    /// refused, they are undone and their warnings dropped. With [`RuleChecks::AtEnd`] edits that break a rule are kept, and
    /// the refusal is recorded in `rule_refusal`.
    pub(super) fn apply_planned(&mut self) -> Checked {
        let options = self.planner.options;
        let has_rules = !options.rules.is_open();
        self.check_planned()?;
        let fixed_before = if has_rules && !options.creates_instance {
            fixed_values(self.planner.document.value(), &self.planner.edits)
        } else {
            Vec::new()
        };
        let warnings_before = self.warnings.clone();
        let inverses_before = self.outcome.inverses.len();
        let mut result = self.apply_edits();
        if has_rules && result.is_ok() {
            result = self.check_rules(&fixed_before);
        }
        match result {
            Err(refusal) if self.rule_checks == RuleChecks::AtEnd && refusal.is_of_rules() => {
                self.rule_refusal = Some(refusal);
            }
            Err(refusal) => {
                self.roll_back_to(inverses_before);
                self.warnings = warnings_before;
                return Err(refusal);
            }
            Ok(()) => {}
        }
        self.outcome.changes.append(&mut self.planner.edits);
        self.patch_ends.push((self.outcome.changes.len(), self.planner.patch_index));
        self.outcome.applied += 1;
        Ok(())
    }

    /// Checks the values in the state after the last patch against the fields that show them. A refused value undoes all
    /// patches, even where failing patches are skipped: the values at the end are the result of all patches together.
    ///
    /// Not inline, which makes the module smaller.
    #[inline(never)]
    pub(super) fn check_values(&mut self) -> Checked {
        let Planner { options, document, cost, .. } = &self.planner;
        let changes = &self.outcome.changes;
        let touches_state = |edit: &Edit| edit.both_paths().iter().any(|path| in_state(path, NO_REST));
        if options.rules.is_open() || !changes.iter().any(touches_state) {
            return Ok(());
        }
        let index = document.field_index(FieldIndex::of);
        let mut check = ValueCheck {
            root: document.value(),
            index,
            catalog: options.catalog,
            values: options.values,
            cost,
            max: options.limits.max_work,
            checked_paths: Names::default(),
        };
        let mut result = Ok(());
        // From the last change back: each value is checked once, and a warning names the last patch that changed it.
        for (change_index, edit) in changes.iter().enumerate().rev() {
            let position = self.patch_ends.partition_point(|(end, _)| *end <= change_index);
            self.warnings.index = self.patch_ends.get(position).map_or(0, |(_, patch_index)| *patch_index);
            result = check.around(edit.path(), &mut self.warnings).and_then(|()| self.planner.check_cost());
            if result.is_err() {
                break;
            }
        }
        // The loop has added warnings from the last patch to the first.
        sort_by_number(&mut self.warnings.list, |warning| warning.index as u64);
        result.map_err(|mut refusal| {
            refusal.index = Some(self.warnings.index);
            self.roll_back();
            refusal
        })
    }

    /// Refuses planned edits that would cost too many steps, or have values that no document may contain.
    fn check_planned(&self) -> Checked {
        let Planner { edits, cost, options, .. } = &self.planner;
        for edit in edits {
            // The reply repeats the path of each edit, and many edits may share one long key: a step for each 4 bytes.
            let keys = edit.path().iter().filter_map(Step::as_key);
            cost.update(|cost| keys.fold(cost, |cost, key| cost + key.len() / 4));
            if let Edit::Set { path, value } | Edit::Insert { path, value, .. } = edit {
                check_size(path, value, options.limits)?;
            }
        }
        self.planner.check_cost()
    }

    /// Applies the planned edits, and records their inverses. If an edit fails, those of the edits before it stay recorded.
    fn apply_edits(&mut self) -> Checked {
        let Planner { edits, document, .. } = &mut self.planner;
        for edit in edits {
            // The planner has resolved the paths of patches. Only the paths of an edit script need not exist.
            let inverse = document.apply(edit.clone()).map_err(|_| Cause::PathVanished.refuse(&[]))?;
            self.outcome.inverses.push(inverse);
        }
        Ok(())
    }

    /// Undoes all applied edits.
    fn roll_back(&mut self) {
        self.roll_back_to(0);
    }

    /// Undoes all applied edits but the first `count`.
    fn roll_back_to(&mut self, count: usize) {
        self.planner.document.undo(self.outcome.inverses.split_off(count));
    }

    /// Checks the document after the planned edits: the fixed values, then the structure rules, then that ids are unique. The
    /// first rule that is broken is reported. `fixed_before` is the result of [`fixed_values`] before the edits.
    fn check_rules(&mut self, fixed_before: &[Option<Value>]) -> Checked {
        let Planner { document, edits, cost, options, patch_index, .. } = &mut self.planner;
        let (root, catalog) = (document.value(), options.catalog);
        check_fixed(root, fixed_before)?;
        if self.rule_refusal.is_none() {
            let limit = (&*cost, options.limits.max_work);
            self.warnings.index = *patch_index;
            // Before the checks: they drop the earlier warnings of an object, which they find by its path after the edits.
            for edit in &*edits {
                self.warnings.follow(edit);
            }
            for edit in &*edits {
                check_touched(root, edit.path(), catalog, limit, Some(&mut self.warnings))?;
                if let Edit::Move { from, path, .. } = edit {
                    check_touched(root, &vacated_path(from, path), catalog, limit, Some(&mut self.warnings))?;
                }
            }
            let mut checked_block = None;
            for edit in &*edits {
                check_unique(document, edit.path(), &mut checked_block, cost)?;
            }
        }
        self.planner.check_cost()
    }
}

/// The path from which a move took its value, as it is after the move: an insertion into a list on the way to it, at or before
/// its index, shifts that index.
fn vacated_path(from: &[Step], path: &[Step]) -> Path {
    let mut source = from.to_vec();
    if let Some((Step::Index(target), list)) = path.split_last()
        && from.starts_with(list)
        && let Some(Step::Index(index)) = source.get_mut(list.len())
        && *target <= *index
    {
        *index += 1;
    }
    source
}

/// The values that cannot change after an instance was created: the path of each as messages write it, and as keys.
const FIXED: [(&str, &[&str]); 3] = [
    ("meta.pageKey", &["meta", "pageKey"]),
    ("page_key", &["page_key"]),
    ("meta.schemaVersion", &["meta", "schemaVersion"]),
];

/// The value at a path of keys.
fn at<'v>(root: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(root, |value, key| value.get(key))
}

/// The values of [`FIXED`], `None` for an absent one. The list is empty if no edit is at, above or below one of them.
fn fixed_values(root: &Value, edits: &[Edit]) -> Vec<Option<Value>> {
    // `zip` ends with the shorter path, so a path above or below a fixed value is near it.
    let is_near = |path: &[Step], fixed: &[&str]| path.iter().zip(fixed).all(|(step, key)| step.as_key() == Some(*key));
    let mut paths = edits.iter().flat_map(Edit::both_paths);
    if paths.any(|path| FIXED.iter().any(|(_, fixed)| is_near(path, fixed))) {
        return FIXED.iter().map(|(_, path)| at(root, path).cloned()).collect();
    }
    Vec::new()
}

/// Refuses a document in which a fixed value has changed. `before`: the result of [`fixed_values`] before the edits.
fn check_fixed(root: &Value, before: &[Option<Value>]) -> Checked {
    for ((shown_path, path), before) in FIXED.iter().zip(before) {
        if at(root, path) != before.as_ref() {
            return Err(match before {
                Some(value) => Cause::Fixed.refuse(&[Arg::Text(shown_path), Arg::Text(&value.to_json())]),
                None => Cause::FixedAbsent.refuse(&[Arg::Text(shown_path)]),
            });
        }
    }
    Ok(())
}
