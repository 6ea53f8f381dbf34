//! JSON Patch (RFC 6902) on a document: all six operations, atomic, as edits with inverses.
//!
//! Under rules `open` this is the RFC whole: any JSON, any key. Under the rules of a page the structure rules hold as
//! they do for patches: its parts stay, fixed places stay, ids are not taken twice. Members that an operation does not
//! know are ignored (RFC 6902, 4).

use super::error::{Arg, Cause, Checked, Refusal};
use super::path::{Operator, PathExpr, Segment};
use super::run::{OnError, Outcome, Terms, check_size, make, take_each};
use super::site::Site;
use super::trees::{check_removable, replace};
use crate::edit::{Document, Edit};
use crate::value::text::whole;
use crate::value::{Object, Path, Step, Value, measure, pointer};

/// Applies a list of operations, each on the result of the one before.
///
/// # Errors
/// The first operation that fails, by `index`, `op` and `path`; the document is then as it was, byte for byte.
/// `TEST_FAILED` for a `test` that does not hold.
pub fn json_patch(document: &mut Document, operations: Value, terms: Terms<'_>) -> Result<Outcome, Refusal> {
    let Value::Array(operations) = operations else {
        return Err(Cause::JsonPatchKind.refuse(&[Arg::Kind(&operations)]));
    };
    // Bytes that `copy` has made so far: a few operations could otherwise double the document again and again.
    let mut copied = 0;
    let terms = Terms { on_error: OnError::Rollback, ..terms };
    take_each(document, operations.into_iter().collect(), terms, &mut |document, _, operation, outcome| {
        let mut declared = None;
        let mut site = Site::new(document, terms.rules, &mut declared, terms.limits);
        site.by_pointer = true;
        plan(&mut site, operation, &mut copied)?;
        let mut edits = site.edits;
        make(document, &mut edits, terms, outcome)
    })
}

/// Plans the edits that an operation comes to.
fn plan(site: &mut Site<'_>, operation: &mut Value, copied: &mut usize) -> Checked {
    let Value::Object(members) = operation else {
        return Err(Cause::OperationKind.refuse(&[Arg::Kind(operation)]));
    };
    let value = members.get_mut("value").map(std::mem::take);
    let name = members.get("op").and_then(Value::as_str).unwrap_or_default();
    let (path, text) = read(site, members, "path")?;
    match (name, value) {
        ("add", Some(value)) => add(site, &path, value),
        ("replace", Some(value)) => replace(site, &path, value),
        ("test", Some(value)) => {
            let found = site.look_up(&path.segments);
            let found = found.and_then(|path| site.document.value().at(&path));
            if found == Some(&value) {
                return Ok(());
            }
            let found = found.map_or(Arg::Text("not there"), Arg::Json);
            Err(Cause::TestFails.refuse(&[text, found, Arg::Json(&value)]))
        }
        ("add" | "replace" | "test", None) => Err(Cause::OperationValue.refuse(&[Arg::Text(name)])),
        ("remove", _) => {
            let path = removable(site, &path)?;
            site.remove(path);
            Ok(())
        }
        ("move" | "copy", _) => {
            let (from, text) = read(site, members, "from")?;
            if name == "move" {
                return relocate(site, &from, &path, text);
            }
            let from = site.reach_existing(&from)?;
            let value = site.at(&from);
            *copied += measure(value).bytes;
            let max = site.limits.max_document_bytes;
            if *copied > max {
                return Err(Cause::CopiesTooMuch.refuse(&[Arg::Count(*copied), Arg::Count(max)]));
            }
            let value = value.clone();
            add(site, &path, value)
        }
        _ => Err(Cause::OperationUnknown.refuse(&[Arg::Cut(name)])),
    }
}

/// Reads a JSON Pointer, and how a message names it. Under the rules of a page it must lead into one, as a path of a patch
/// must.
fn read<'v>(site: &Site<'_>, members: &'v Object, name: &'v str) -> Result<(PathExpr, Arg<'v>), Refusal> {
    let member = Arg::Text(name);
    let text = match members.get(name) {
        Some(Value::String(text)) => text,
        Some(other) => return Err(Cause::MemberKind.refuse(&[member, Arg::Kind(other)])),
        None => return Err(Cause::MemberAbsent.refuse(&[member])),
    };
    let Some(tokens) = pointer(text) else { return Err(Cause::MemberGrammar.refuse(&[Arg::Cut(text)])) };
    let max = site.limits.depth();
    if tokens.len() > max {
        return Err(Cause::PathTooLong.refuse(&[Arg::Count(tokens.len()), Arg::Count(max)]));
    }
    let mut path = PathExpr { segments: Vec::with_capacity(tokens.len()), operator: Operator::Plain };
    for token in &tokens {
        path.segments.push(whole(token).map_or_else(|| Segment::Key((**token).into()), Segment::Index));
    }
    if !site.rules.is_open() {
        path.check_names()?;
    }
    Ok((path, Arg::Text(if text.is_empty() { "The document" } else { text })))
}

/// Where an `add` goes, and whether it takes the place of a value there: a list makes room, a key or the whole document
/// is replaced.
fn target(site: &mut Site<'_>, path: &PathExpr) -> Result<(Path, bool), Refusal> {
    let (mut found, is_lost) = site.follow(&path.segments);
    let step = match (site.at(&found.path), found.rest) {
        (_, []) => {
            let is_taken = !matches!(found.path.last(), Some(Step::Index(_)));
            return Ok((found.path, is_taken));
        }
        (Value::Array(items), [Segment::Key(end)]) if &**end == "-" => Step::Index(items.len()),
        (Value::Array(_), [Segment::Index(index)]) if !is_lost => Step::Index(*index as usize),
        (Value::Object(_), [segment]) => Step::Key(segment.key()),
        _ => return Err(if is_lost { site.lost(&found) } else { site.missing(&found) }),
    };
    found.path.push(step);
    Ok((found.path, false))
}

fn add(site: &mut Site<'_>, path: &PathExpr, value: Value) -> Checked {
    match target(site, path)? {
        (path, true) => site.set(path, value),
        (path, false) => site.insert(path, value),
    }
    Ok(())
}

/// The path of what can be removed.
fn removable(site: &mut Site<'_>, path: &PathExpr) -> Result<Path, Refusal> {
    let path = site.reach_existing(path)?;
    check_removable(&path, site.rules)?;
    Ok(path)
}

fn relocate(site: &mut Site<'_>, from: &PathExpr, to: &PathExpr, text: Arg<'_>) -> Checked {
    if to == from {
        return site.reach_existing(from).map(drop);
    }
    if to.segments.starts_with(&from.segments) {
        return Err(Cause::MoveIntoItself.refuse(&[text]));
    }
    let from = removable(site, from)?;
    // The target is a place in the document without what moves: look it up there.
    let Ok(inverse) = site.document.apply(Edit::Remove { path: from.clone() }) else {
        return Err(Cause::Lost.refuse(&[]));
    };
    let target = target(site, to);
    site.document.undo(vec![inverse]);
    match target? {
        // The end of the list that it is at the end of.
        (path, false) if path == from => {}
        (path, false) => {
            if path.len() > from.len() {
                check_size(&path, site.at(&from), site.limits)?;
            }
            site.edits.push(Edit::Move { from, path, index: None });
        }
        (path, true) => {
            let value = site.at(&from).clone();
            // What moves to where its own parent stands goes with it.
            site.remove(from);
            site.edits.push(Edit::Set { path, value });
        }
    }
    Ok(())
}
