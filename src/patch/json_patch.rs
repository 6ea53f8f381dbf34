//! JSON Patch (RFC 6902), with all six operations, and JSON Merge Patch (RFC 7396): both are planned as edits.
//!
//! Under the rules `open` the RFCs are complete. Under the rules `ui` the structure rules hold too. Unknown members are ignored.

use super::cost::check_size;
use super::error::{Arg, Cause, Checked, Refusal};
use super::merge::{MergeMode, merge as merge_objects, without_nulls};
use super::options::OnError;
use super::path::{Operator, PathExpr};
use super::planner::Planner;
use super::run::{Reason, RuleChecks, Run};
use super::segment::{Segment, segments_of};
use super::trees::check_removable;
use crate::edit::Edit;
use crate::value::text::whole_number;
use crate::value::{Object, Path, Step, Value, pointer};

/// The operations of RFC 6902.
const OPERATIONS: [&str; 6] = ["add", "replace", "test", "remove", "move", "copy"];

/// Applies operations, each on the result of the one before, and all or none. `TEST_FAILED` for a `test` that does not hold.
///
/// The rules of a page hold for the document after the last operation: a patch that another program has computed may give
/// two blocks the same id for the time of one operation.
pub(super) fn apply(run: &mut Run<'_>, operations: Value) -> Checked {
    run.planner.options.on_error = OnError::Rollback;
    apply_each(run, operations, apply_operation)
}

/// Applies the operations of AG-UI's `STATE_DELTA`. An operation of a name that JSON Patch does not have is skipped: a later
/// version of AG-UI may have it. One that does not apply is treated as the store's option `onError` says.
pub(super) fn apply_delta(run: &mut Run<'_>, operations: Value) -> Checked {
    apply_each(run, operations, |run, operation| {
        let name = operation.get("op").and_then(Value::as_str);
        let Some(name) = name.filter(|name| !OPERATIONS.contains(name)) else { return apply_operation(run, operation) };
        let mut refusal = Cause::OperationUnknown.refuse(&[Arg::Cut(name)]);
        refusal.name_patch(run.planner.patch_index, operation);
        run.skip(operation, Reason::Failed(refusal));
        Ok(())
    })
}

/// Plans and applies one operation. If the document breaks a rule after it for the first time, that refusal names the operation.
fn apply_operation(run: &mut Run<'_>, operation: &mut Value) -> Checked {
    plan_operation(&mut run.planner, operation)?;
    run.apply_planned()?;
    if let Some(refusal) = run.rule_refusal.as_mut().filter(|refusal| refusal.index.is_none()) {
        refusal.name_patch(run.planner.patch_index, operation);
    }
    Ok(())
}

/// Applies each operation, and checks the rules of a page after the last one.
fn apply_each(run: &mut Run<'_>, operations: Value, apply_one: fn(&mut Run<'_>, &mut Value) -> Checked) -> Checked {
    let Value::Array(operations) = operations else {
        return Err(Cause::JsonPatchKind.refuse(&[Arg::Kind(&operations)]));
    };
    run.rule_checks = RuleChecks::AtEnd;
    run.planner.by_pointer = true;
    run.each(operations.into_iter().collect(), apply_one)?;
    match run.rule_refusal.take() {
        // If the rule that was broken first is still broken, its refusal names the operation; else another rule may be broken.
        Some(first) => run.check_whole().map_err(|last| if last.message == first.message { first } else { last }),
        None => Ok(()),
    }
}

/// Merges a patch into the document: objects merge, `null` removes a key, anything else replaces.
pub(super) fn merge(run: &mut Run<'_>, patch: Value) -> Checked {
    let Planner { document, edits, .. } = &mut run.planner;
    match (document.value(), patch) {
        (Value::Object(root), Value::Object(entries)) => {
            merge_objects(root, &mut Path::new(), entries, MergeMode::MergePatch, edits);
        }
        (_, patch) => run.planner.set(Path::new(), without_nulls(patch)),
    }
    let Planner { edits, options, .. } = &run.planner;
    if !options.rules.is_open() {
        for edit in edits {
            if let Edit::Remove { path } = edit {
                check_removable(path, options.rules)?;
            }
            // Only the names: values and ids are checked after the edits are applied.
            PathExpr { segments: segments_of(edit.path()), operator: Operator::Plain }.check_names()?;
        }
    }
    run.apply_planned()
}

/// Plans the edits of one operation. Takes its `value` out; `op` and `path` stay for a refusal.
fn plan_operation(planner: &mut Planner<'_>, operation: &mut Value) -> Checked {
    let Value::Object(members) = operation else { return Err(Cause::OperationKind.refuse(&[Arg::Kind(operation)])) };
    let value = members.get_mut("value").map(std::mem::take);
    let name = members.get("op").and_then(Value::as_str).unwrap_or_default();
    let (path, text) = parse_pointer(planner, members, "path")?;
    match (name, value) {
        ("add", Some(value)) => plan_add(planner, &path, value),
        ("replace", Some(value)) => {
            let path = planner.resolve_existing(&path)?;
            planner.set(path, value);
            Ok(())
        }
        ("test", Some(value)) => {
            let existing_path = planner.look_up(&path.segments);
            let current = existing_path.and_then(|path| planner.document.value().at(&path));
            if current == Some(&value) {
                return Ok(());
            }
            let current = current.map_or(Arg::Text("not there"), Arg::Json);
            Err(Cause::TestFails.refuse(&[text, current, Arg::Json(&value)]))
        }
        ("add" | "replace" | "test", None) => Err(Cause::OperationValue.refuse(&[Arg::Text(name)])),
        ("remove", _) => {
            let path = resolve_removable(planner, &path)?;
            planner.remove(path);
            Ok(())
        }
        ("move" | "copy", _) => {
            let (from, text) = parse_pointer(planner, members, "from")?;
            if name == "move" {
                return plan_move(planner, &from, &path, text);
            }
            let from = planner.resolve_existing(&from)?;
            planner.charge_copy(planner.at(&from))?;
            let value = planner.at(&from).clone();
            plan_add(planner, &path, value)
        }
        _ => Err(Cause::OperationUnknown.refuse(&[Arg::Cut(name)])),
    }
}

/// Parses the JSON Pointer of a member. Returns its path, and its text for messages.
fn parse_pointer<'v>(
    planner: &Planner<'_>,
    members: &'v Object,
    name: &'v str,
) -> Result<(PathExpr, Arg<'v>), Refusal> {
    let member = Arg::Text(name);
    let text = match members.get(name) {
        Some(Value::String(text)) => text,
        Some(other) => return Err(Cause::MemberKind.refuse(&[member, Arg::Kind(other)])),
        None => return Err(Cause::MemberAbsent.refuse(&[member])),
    };
    let Some(tokens) = pointer(text) else {
        return Err(Cause::MemberKind.refuse(&[Arg::Cut(text), Arg::Text("not a JSON Pointer")]));
    };
    let max = planner.options.limits.depth();
    if tokens.len() > max {
        return Err(Cause::PathTooLong.refuse(&[Arg::Count(tokens.len()), Arg::Count(max)]));
    }
    let mut path = PathExpr { segments: Vec::with_capacity(tokens.len()), operator: Operator::Plain };
    // What a token of digits means depends on the value: see `Segment::Index`.
    for token in &tokens {
        path.segments.push(whole_number(token).map_or_else(|| Segment::Key((**token).into()), Segment::Index));
    }
    if !planner.options.rules.is_open() {
        path.check_names()?;
    }
    Ok((path, Arg::Text(if text.is_empty() { "The document" } else { text })))
}

/// What an `add` does with its value at a path.
enum AddTarget {
    /// Replaces the existing value of a key, or the document.
    Replace(Path),
    /// Inserts a key, or an item of a list.
    Insert(Path),
}

/// The target of an `add` with this path.
fn add_target(planner: &mut Planner<'_>, path: &PathExpr) -> Result<AddTarget, Refusal> {
    let (mut location, is_unreachable) = planner.follow(&path.segments);
    let step = match (planner.at(&location.path), location.rest) {
        // The whole path exists.
        (_, []) => {
            let is_item = matches!(location.path.last(), Some(Step::Index(_)));
            let target = if is_item { AddTarget::Insert } else { AddTarget::Replace };
            return Ok(target(location.path));
        }
        (Value::Array(items), [Segment::Key(key)]) if &**key == "-" => Step::Index(items.len()),
        (Value::Array(_), [Segment::Index(index)]) if !is_unreachable => Step::Index(*index as usize),
        (Value::Object(_), [segment]) => Step::Key(segment.key()),
        _ => {
            return Err(if is_unreachable {
                planner.unreachable_path(&location)
            } else {
                planner.missing_path(&location)
            });
        }
    };
    location.path.push(step);
    Ok(AddTarget::Insert(location.path))
}

/// Plans the edit of an `add`, or of the second half of a `copy`.
fn plan_add(planner: &mut Planner<'_>, path: &PathExpr, value: Value) -> Checked {
    match add_target(planner, path)? {
        AddTarget::Replace(path) => planner.set(path, value),
        AddTarget::Insert(path) => planner.insert(path, value),
    }
    Ok(())
}

/// Resolves a path, and refuses a value that no document can be without.
fn resolve_removable(planner: &mut Planner<'_>, path: &PathExpr) -> Result<Path, Refusal> {
    let path = planner.resolve_existing(path)?;
    check_removable(&path, planner.options.rules)?;
    Ok(path)
}

/// Plans a `move`. `from_text` is the path `from` for a refusal.
fn plan_move(planner: &mut Planner<'_>, from: &PathExpr, to: &PathExpr, from_text: Arg<'_>) -> Checked {
    if to == from {
        return planner.resolve_existing(from).map(drop);
    }
    if to.segments.starts_with(&from.segments) {
        return Err(Cause::MoveIntoItself.refuse(&[from_text]));
    }
    let from = resolve_removable(planner, from)?;
    // RFC 6902: the target is resolved after the removal, which is undone at once: the document must not change yet.
    let Ok(inverse) = planner.document.apply(Edit::Remove { path: from.clone() }) else {
        return Err(Cause::PathVanished.refuse(&[]));
    };
    let target = add_target(planner, to);
    planner.document.undo(vec![inverse]);
    match target? {
        // The last item moves to the end of its list.
        AddTarget::Insert(path) if path == from => {}
        AddTarget::Insert(path) => {
            // The value moves deeper, perhaps too deep.
            if path.len() > from.len() {
                let values = check_size(&path, planner.at(&from), planner.options.limits)?.values;
                planner.cost.update(|cost| cost + values);
                planner.check_cost()?;
            }
            planner.edits.push(Edit::Move { from, path, index: None });
        }
        AddTarget::Replace(path) => {
            planner.charge_copy(planner.at(&from))?;
            let value = planner.at(&from).clone();
            // The removal is planned first: the value may replace its own parent.
            planner.remove(from);
            planner.edits.push(Edit::Set { path, value });
        }
    }
    Ok(())
}
