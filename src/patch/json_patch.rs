//! JSON Patch (RFC 6902) on a document: all six operations, atomic, as edits with inverses.
//!
//! Under rules `open` this is the RFC whole: any JSON, any key. Under the rules of a page the structure rules hold as
//! they do for patches: its parts stay, fixed places stay, ids are not taken twice. Members that an operation does not
//! know are ignored (RFC 6902, 4).

use super::error::{Arg, Cause, Checked, Refusal};
use super::path::PathExpr;
use super::run::{Outcome, Terms, check_count, check_size, make};
use super::trees::check_removable;
use super::words::list_keys;
use crate::edit::{Document, Edit};
use crate::value::text::whole;
use crate::value::{Path, Step, Value, measure, pointer};

/// Applies a list of operations, each on the result of the one before.
///
/// # Errors
/// The first operation that fails, by `index`, `op` and `path`; the document is then as it was, byte for byte.
/// `TEST_FAILED` for a `test` that does not hold.
pub fn json_patch(document: &mut Document, operations: Value, terms: Terms<'_>) -> Result<Outcome, Refusal> {
    let Value::Array(operations) = operations else {
        return Err(Cause::JsonPatchKind.refuse(&[Arg::Kind(&operations)]));
    };
    check_count(operations.len(), terms.limits)?;
    document.steps = 0;
    let mut run = Run { document, terms, copied: 0 };
    let mut outcome = Outcome::default();
    for (index, mut operation) in operations.into_iter().enumerate() {
        let mut edits = Vec::new();
        let taken = run.plan(&mut operation, &mut edits);
        let done = taken.and_then(|()| make(run.document, &mut edits, terms, &mut outcome));
        if let Err(mut refusal) = done {
            refusal.name_patch(index, &operation);
            run.document.undo(outcome.inverses);
            return Err(refusal);
        }
    }
    Ok(outcome)
}

struct Run<'d, 't> {
    document: &'d mut Document,
    terms: Terms<'t>,
    /// Bytes that `copy` has made so far: a few operations could otherwise double the document again and again.
    copied: usize,
}

/// A JSON Pointer, as it was sent and read.
struct Pointer<'v> {
    text: &'v str,
    tokens: Vec<String>,
}

impl Pointer<'_> {
    /// The first tokens, for a message.
    fn show(&self, tokens: usize) -> Arg<'_> {
        if tokens == 0 {
            return Arg::Text("The document");
        }
        let mut slashes = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'/');
        let end = slashes.nth(tokens).map_or(self.text.len(), |(end, _)| end);
        Arg::Text(self.text.get(..end).unwrap_or_default())
    }

    fn whole(&self) -> Arg<'_> {
        self.show(self.tokens.len())
    }

    /// Refuses the token at a depth, with what its holder has.
    #[cold]
    fn missing(&self, holder: Option<&Value>, depth: usize) -> Refusal {
        let token = self.tokens.get(depth).map_or("", |token| token);
        let (place, name) = (self.show(depth), Arg::Cut(token));
        match holder.unwrap_or(&Value::Null) {
            Value::Object(object) if object.is_empty() => Cause::NoMember.refuse(&[place, name, Arg::Text("no keys")]),
            Value::Object(object) => Cause::NoMember.refuse(&[place, name, Arg::Text(&list_keys(token, object))]),
            Value::Array(items) => Cause::NoSuchIndex.refuse(&[place, name, Arg::Count(items.len())]),
            other => Cause::BelowNothing.refuse(&[place, name, Arg::Kind(other)]),
        }
    }
}

impl Run<'_, '_> {
    /// Adds the edits that an operation comes to.
    fn plan(&mut self, operation: &mut Value, edits: &mut Vec<Edit>) -> Checked {
        let Value::Object(members) = operation else {
            return Err(Cause::OperationKind.refuse(&[Arg::Kind(operation)]));
        };
        let value = members.get_mut("value").map(std::mem::take);
        let name = members.get("op").and_then(Value::as_str).unwrap_or_default();
        let path = self.pointer(members.get("path"), "path")?;
        match (name, value) {
            ("add", Some(value)) => self.add(&path, value, edits),
            ("replace", Some(value)) => {
                let path = self.existing(&path)?;
                self.set(path, value, edits);
                Ok(())
            }
            ("test", Some(value)) => self.test(&path, &value),
            ("add" | "replace" | "test", None) => Err(Cause::OperationValue.refuse(&[Arg::Text(name)])),
            ("remove", _) => self.remove(&path).map(|path| edits.push(Edit::Remove { path })),
            ("move", _) => {
                let from = self.pointer(members.get("from"), "from")?;
                self.relocate(&from, &path, edits)
            }
            ("copy", _) => {
                let from = self.pointer(members.get("from"), "from")?;
                let value = self.copied(&from)?;
                self.add(&path, value, edits)
            }
            _ => Err(Cause::OperationUnknown.refuse(&[Arg::Cut(name)])),
        }
    }

    /// Reads a JSON Pointer. Under the rules of a page it must lead into one, as a path of a patch must.
    fn pointer<'v>(&self, sent: Option<&'v Value>, member: &str) -> Result<Pointer<'v>, Refusal> {
        let member = Arg::Text(member);
        let text = match sent {
            Some(Value::String(text)) => text,
            Some(other) => return Err(Cause::MemberKind.refuse(&[member, Arg::Kind(other)])),
            None => return Err(Cause::MemberAbsent.refuse(&[member])),
        };
        let Some(tokens) = pointer(text) else { return Err(Cause::MemberGrammar.refuse(&[Arg::Cut(text)])) };
        if tokens.len() > self.terms.limits.depth() {
            return Err(Cause::PointerTooLong.refuse(&[member, Arg::Count(tokens.len())]));
        }
        if !self.terms.rules.is_open() {
            PathExpr::check_keys(&mut tokens.iter().map(String::as_str))?;
        }
        Ok(Pointer { text, tokens })
    }

    /// The place of a pointer, whose last token may lead to nothing yet.
    fn find(&self, pointer: &Pointer<'_>) -> Result<(Path, Option<&Value>), Refusal> {
        let mut path = Path::with_capacity(pointer.tokens.len());
        let mut found = Some(self.document.value());
        for (depth, token) in pointer.tokens.iter().enumerate() {
            let step = match found {
                Some(Value::Object(_)) => Some(Step::from(&**token)),
                Some(Value::Array(items)) if token == "-" => Some(Step::Index(items.len())),
                Some(Value::Array(items)) => {
                    whole(token).map(|index| index as usize).filter(|index| *index <= items.len()).map(Step::Index)
                }
                _ => None,
            };
            let next = match (&step, found) {
                (Some(step), Some(holder)) => holder.step(step),
                _ => None,
            };
            match step {
                Some(step) if next.is_some() || depth + 1 == pointer.tokens.len() => path.push(step),
                _ => return Err(pointer.missing(found, depth)),
            }
            found = next;
        }
        Ok((path, found))
    }

    fn existing(&self, pointer: &Pointer<'_>) -> Result<Path, Refusal> {
        let (mut path, value) = self.find(pointer)?;
        if value.is_some() {
            return Ok(path);
        }
        path.pop();
        Err(pointer.missing(self.document.value().at(&path), path.len()))
    }

    fn set(&self, path: Path, value: Value, edits: &mut Vec<Edit>) {
        if self.document.value().at(&path) != Some(&value) {
            edits.push(Edit::Set { path, value });
        }
    }

    /// Where an `add` goes, and whether it takes the place of a value there: a list makes room, a key or the whole document
    /// is replaced.
    fn place(&self, pointer: &Pointer<'_>) -> Result<(Path, bool), Refusal> {
        let (path, value) = self.find(pointer)?;
        let is_taken = value.is_some() && !matches!(path.last(), Some(Step::Index(_)));
        Ok((path, is_taken))
    }

    fn add(&self, pointer: &Pointer<'_>, value: Value, edits: &mut Vec<Edit>) -> Checked {
        match self.place(pointer)? {
            (path, true) => self.set(path, value, edits),
            (path, false) => edits.push(Edit::Insert { path, index: None, value }),
        }
        Ok(())
    }

    /// The path of what can be removed.
    fn remove(&self, pointer: &Pointer<'_>) -> Result<Path, Refusal> {
        let path = self.existing(pointer)?;
        check_removable(&path, self.terms.rules)?;
        Ok(path)
    }

    fn relocate(&mut self, from: &Pointer<'_>, to: &Pointer<'_>, edits: &mut Vec<Edit>) -> Checked {
        if to.tokens.len() > from.tokens.len() && to.tokens.starts_with(&from.tokens) {
            return Err(Cause::MoveIntoItself.refuse(&[from.whole()]));
        }
        if to.text == from.text {
            return self.existing(from).map(drop);
        }
        let from = self.remove(from)?;
        // The target is a place in the document without what moves: look it up there.
        let Ok(inverse) = self.document.apply(Edit::Remove { path: from.clone() }) else {
            return Err(Cause::Lost.refuse(&[]));
        };
        let place = self.place(to);
        self.document.undo(vec![inverse]);
        let moved = self.document.value().at(&from).unwrap_or(&Value::Null);
        match place? {
            // The end of the list that it is at the end of.
            (path, false) if path == from => {}
            (path, false) => {
                if path.len() > from.len() {
                    check_size(&path, moved, self.terms.limits)?;
                }
                edits.push(Edit::Move { from, path, index: None });
            }
            (path, true) => {
                let value = moved.clone();
                // What moves to where its own parent stands goes with it.
                edits.push(Edit::Remove { path: from });
                edits.push(Edit::Set { path, value });
            }
        }
        Ok(())
    }

    fn copied(&mut self, from: &Pointer<'_>) -> Result<Value, Refusal> {
        let path = self.existing(from)?;
        let value = self.document.value().at(&path).unwrap_or(&Value::Null);
        let copied = self.copied + measure(value).bytes;
        let max = self.terms.limits.max_document_bytes;
        if copied > max {
            return Err(Cause::CopiesTooMuch.refuse(&[Arg::Count(copied), Arg::Count(max)]));
        }
        self.copied = copied;
        Ok(value.clone())
    }

    fn test(&self, pointer: &Pointer<'_>, wanted: &Value) -> Checked {
        let found = self.existing(pointer).ok().and_then(|path| self.document.value().at(&path));
        if found == Some(wanted) {
            return Ok(());
        }
        let found = found.map_or(Arg::Text("not there"), Arg::Json);
        Err(Cause::TestFails.refuse(&[pointer.whole(), found, Arg::Json(wanted)]))
    }
}
