//! `Run`: applies what a planner plans, patch by patch, and checks it by the structure rules. A refused patch is undone.

use super::cost::check_size;
use super::error::{Arg, Cause, Checked, Refusal};
use super::options::{OnError, RunOptions};
use super::planner::{Planner, in_state};
use super::rules::{FieldIndex, ValueCheck, Warning, Warnings, check_document, check_touched, check_unique};
use crate::edit::{Document, Edit};
use crate::value::names::Names;
use crate::value::text::boxed;
use crate::value::{Path, Step, Value, sort_by_number};

/// Why a part of a call had no effect.
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
    /// The index of the patch; absent for a key of the call itself.
    pub index: Option<usize>,
    /// Its operation, as it was sent.
    pub op: Box<str>,
    /// Its path, as it was sent.
    pub path: Box<str>,
    /// Why.
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
    /// With [`RuleChecks::AtEnd`]: the first operation after which the document broke a rule.
    pub(super) broken: Option<Refusal>,
    pub(super) rule_checks: RuleChecks,
    pub(super) warnings: Warnings,
    /// For each applied patch: the number of changes after it, and its index in the call.
    ends: Vec<(usize, usize)>,
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
            broken: None,
            rule_checks: RuleChecks::AfterEachPatch,
            warnings: Warnings { max: options.limits.max_issues, ..Warnings::default() },
            ends: Vec::new(),
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
            let on_error = if within_cost.is_err() { OnError::Rollback } else { self.planner.options.on_error };
            let Err(mut refusal) = within_cost.and(result) else { continue };
            refusal.name_patch(index, &patch);
            match on_error {
                OnError::Rollback => {
                    self.roll_back_to(0);
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

    /// Reports a part of the current patch without effect.
    pub(super) fn skip(&mut self, patch: &Value, reason: Reason) {
        let text = |key: &str| boxed(patch.get(key).and_then(Value::as_str).unwrap_or_default());
        let skipped = Skipped { index: Some(self.planner.patch_index), op: text("op"), path: text("path"), reason };
        self.outcome.skipped.push(skipped);
    }

    /// Checks the document whole, and undoes everything if it breaks a rule.
    pub(super) fn check_whole(&mut self) -> Checked {
        let RunOptions { rules, catalog, .. } = self.planner.options;
        check_document(self.planner.document.value(), rules, catalog).inspect_err(|_| self.roll_back_to(0))
    }

    /// Applies the planned edits and checks the places that they touch. Then they are changes of the outcome.
    pub(super) fn apply_planned(&mut self) -> Checked {
        let options = self.planner.options;
        let is_checked = !options.rules.is_open();
        self.check_planned()?;
        let fixed = if is_checked && !options.creating {
            fixed_values(self.planner.document.value(), &self.planner.edits)
        } else {
            Vec::new()
        };
        let warnings = self.warnings.clone();
        let from = self.outcome.inverses.len();
        let mut applied = self.apply_edits();
        if is_checked && applied.is_ok() {
            applied = self.check_rules(&fixed);
        }
        match applied {
            Err(refusal) if self.rule_checks == RuleChecks::AtEnd && refusal.is_of_rules() => {
                self.broken = Some(refusal);
            }
            Err(refusal) => {
                self.roll_back_to(from);
                self.warnings = warnings;
                return Err(refusal);
            }
            Ok(()) => {}
        }
        self.outcome.changes.append(&mut self.planner.edits);
        self.ends.push((self.outcome.changes.len(), self.planner.patch_index));
        self.outcome.applied += 1;
        Ok(())
    }

    /// Checks the values that the work leaves in the state against their fields. A refused value undoes all of the work, even
    /// where failing patches are skipped: the values at the end are the result of all patches together.
    #[inline(never)]
    pub(super) fn check_values(&mut self) -> Checked {
        let Planner { options, document, cost, .. } = &self.planner;
        let changes = &self.outcome.changes;
        if options.rules.is_open() || !changes.iter().any(|edit| edit.places().iter().any(|place| in_state(place, &[])))
        {
            return Ok(());
        }
        let index = document.derived(FieldIndex::of, FieldIndex::depends_on);
        let mut check = ValueCheck {
            root: document.value(),
            index: &index,
            catalog: options.catalog,
            values: options.values,
            cost,
            max: options.limits.max_work,
            seen: Names::default(),
        };
        let mut checked = Ok(());
        // From the last patch on: a warning names the last patch that set its place.
        for (number, edit) in changes.iter().enumerate().rev() {
            let end = self.ends.partition_point(|(end, _)| *end <= number);
            self.warnings.index = self.ends.get(end).map_or(0, |(_, index)| *index);
            checked = check.around(edit.path(), &mut self.warnings).and_then(|()| self.planner.check_cost());
            if checked.is_err() {
                break;
            }
        }
        sort_by_number(&mut self.warnings.list, |warning| warning.index as u64);
        checked.map_err(|mut refusal| {
            refusal.index = Some(self.warnings.index);
            self.roll_back_to(0);
            refusal
        })
    }

    /// Refuses planned edits that would cost too much, or bring in values that no document may hold.
    fn check_planned(&self) -> Checked {
        let Planner { edits, cost, options, .. } = &self.planner;
        for edit in edits {
            // The answer contains the path of each edit, and many edits may share one long key.
            let keys = edit.path().iter().filter_map(Step::as_key);
            cost.update(|cost| keys.fold(cost, |cost, key| cost + key.len() / 4));
            if let Edit::Set { path, value } | Edit::Insert { path, value, .. } = edit {
                check_size(path, value, options.limits)?;
            }
        }
        self.planner.check_cost()
    }

    fn apply_edits(&mut self) -> Checked {
        let Planner { edits, document, .. } = &mut self.planner;
        for edit in edits {
            // The planner has found the place, so an edit that does not fit is an error of this crate.
            let inverse = document.apply(edit.clone()).map_err(|_| Cause::Lost.refuse(&[]))?;
            self.outcome.inverses.push(inverse);
        }
        Ok(())
    }

    /// Undoes the changes after the first `count`.
    fn roll_back_to(&mut self, count: usize) {
        self.planner.document.undo(self.outcome.inverses.split_off(count));
    }

    /// Checks the rules, in the order in which they are reported.
    fn check_rules(&mut self, fixed: &[Option<Value>]) -> Checked {
        let Planner { document, edits, cost, options, patch_index, .. } = &mut self.planner;
        let (root, catalog) = (document.value(), options.catalog);
        check_fixed(root, fixed)?;
        if self.broken.is_none() {
            let limit = (&*cost, options.limits.max_work);
            self.warnings.index = *patch_index;
            for edit in &*edits {
                self.warnings.follow(edit);
            }
            for edit in &*edits {
                check_touched(root, edit.path(), catalog, limit, Some(&mut self.warnings))?;
                if let Edit::Move { from, path, .. } = edit {
                    check_touched(root, &vacated(from, path), catalog, limit, Some(&mut self.warnings))?;
                }
            }
            let mut block = None;
            for edit in &*edits {
                check_unique(document, edit.path(), &mut block, cost)?;
            }
        }
        self.planner.check_cost()
    }
}

/// The path after a move of the place from which it moved its value. An insertion into a list shifts the items after it.
fn vacated(from: &[Step], path: &[Step]) -> Path {
    let mut vacated = from.to_vec();
    if let Some((Step::Index(target), list)) = path.split_last()
        && from.starts_with(list)
        && let Some(Step::Index(index)) = vacated.get_mut(list.len())
        && *target <= *index
    {
        *index += 1;
    }
    vacated
}

/// Places that cannot change after an instance was created: the path of each in messages, and its keys.
const FIXED: [(&str, &[&str]); 3] = [
    ("meta.pageKey", &["meta", "pageKey"]),
    ("page_key", &["page_key"]),
    ("meta.schemaVersion", &["meta", "schemaVersion"]),
];

fn at<'v>(root: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(root, |value, key| value.get(key))
}

/// The values of the fixed places; none if no edit touches them.
fn fixed_values(root: &Value, edits: &[Edit]) -> Vec<Option<Value>> {
    let is_near = |path: &[Step], fixed: &[&str]| path.iter().zip(fixed).all(|(step, key)| step.as_key() == Some(*key));
    let mut places = edits.iter().flat_map(Edit::places);
    if places.any(|path| FIXED.iter().any(|(_, fixed)| is_near(path, fixed))) {
        return FIXED.iter().map(|(_, path)| at(root, path).cloned()).collect();
    }
    Vec::new()
}

/// Refuses a document in which a fixed place is not as it was before.
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
