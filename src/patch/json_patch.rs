//! JSON Patch (RFC 6902) on a document: all six operations, atomic, as edits with inverses.
//!
//! Under rules `open` this is the RFC whole: any JSON, any key. Under the rules of a page the structure rules hold as
//! they do for patches: its parts stay, fixed places stay, ids are not taken twice. Members that an operation does not
//! know are ignored (RFC 6902, 4).

use super::error::{Arg, Cause, Checked, Refusal};
use super::path::{PathExpr, Segment};
use super::run::{Outcome, Terms, check_count, check_size, make};
use super::trees::check_removable;
use super::words::{article, list_keys};
use crate::edit::{Document, Edit};
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
        let done = taken.and_then(|()| make(run.document, edits, terms, &mut outcome));
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

impl Run<'_, '_> {
    /// Adds the edits that an operation comes to.
    fn plan(&mut self, operation: &mut Value, edits: &mut Vec<Edit>) -> Checked {
        let Value::Object(members) = operation else {
            return Err(Cause::OperationKind.refuse(&[Arg::Kind(operation)]));
        };
        let name = members.get("op").and_then(Value::as_str).unwrap_or_default().to_owned();
        let path = self.pointer(members.get("path"), "path")?;
        let value = match &*name {
            "add" | "replace" | "test" => match members.get_mut("value") {
                Some(value) => std::mem::take(value),
                None => return Err(Cause::OperationValue.refuse(&[Arg::Text(&name)])),
            },
            _ => Value::Null,
        };
        let from = match &*name {
            "move" | "copy" => self.pointer(members.get("from"), "from")?,
            _ => Vec::new(),
        };
        match &*name {
            "add" => self.add(&path, value, edits),
            "replace" => {
                let path = self.existing(&path)?;
                self.set(path, value, edits);
                Ok(())
            }
            "remove" => self.remove(&path).map(|path| edits.push(Edit::Remove { path })),
            "move" => self.relocate(&from, &path, edits),
            "copy" => {
                let value = self.copied(&from)?;
                self.add(&path, value, edits)
            }
            "test" => self.test(&path, &value),
            _ => Err(Cause::OperationUnknown.refuse(&[Arg::Cut(&name)])),
        }
    }

    /// Reads a JSON Pointer. Under the rules of a page it must lead into one, as a path of a patch must.
    fn pointer(&self, sent: Option<&Value>, member: &str) -> Result<Vec<String>, Refusal> {
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
            PathExpr::check_keys(tokens.iter().map(|token| Segment::Key(token.as_str().into())).collect())?;
        }
        Ok(tokens)
    }

    /// The place of tokens, whose last one may lead to nothing yet.
    fn find(&self, tokens: &[String]) -> Result<(Path, Option<&Value>), Refusal> {
        let mut path = Path::with_capacity(tokens.len());
        let mut found = Some(self.document.value());
        for (depth, token) in tokens.iter().enumerate() {
            let step = match found {
                Some(Value::Object(_)) => Some(Step::from(&**token)),
                Some(Value::Array(items)) if token == "-" => Some(Step::Index(items.len())),
                Some(Value::Array(items)) => index(token).filter(|index| *index <= items.len()).map(Step::Index),
                _ => None,
            };
            let next = match (&step, found) {
                (Some(step), Some(holder)) => holder.step(step),
                _ => None,
            };
            match step {
                Some(step) if next.is_some() || depth + 1 == tokens.len() => path.push(step),
                _ => return Err(missing(found, tokens, depth)),
            }
            found = next;
        }
        Ok((path, found))
    }

    fn existing(&self, tokens: &[String]) -> Result<Path, Refusal> {
        let (mut path, value) = self.find(tokens)?;
        if value.is_some() {
            return Ok(path);
        }
        path.pop();
        Err(missing(self.document.value().at(&path), tokens, path.len()))
    }

    fn set(&self, path: Path, value: Value, edits: &mut Vec<Edit>) {
        if self.document.value().at(&path) != Some(&value) {
            edits.push(Edit::Set { path, value });
        }
    }

    /// Where an `add` goes, and whether it takes the place of a value there: a list makes room, a key or the whole document
    /// is replaced.
    fn place(&self, tokens: &[String]) -> Result<(Path, bool), Refusal> {
        let (path, value) = self.find(tokens)?;
        let is_taken = value.is_some() && !matches!(path.last(), Some(Step::Index(_)));
        Ok((path, is_taken))
    }

    fn add(&self, tokens: &[String], value: Value, edits: &mut Vec<Edit>) -> Checked {
        match self.place(tokens)? {
            (path, true) => self.set(path, value, edits),
            (path, false) => edits.push(Edit::Insert { path, index: None, value }),
        }
        Ok(())
    }

    /// The path of what can be removed.
    fn remove(&self, tokens: &[String]) -> Result<Path, Refusal> {
        let path = self.existing(tokens)?;
        check_removable(&path, self.terms.rules)?;
        Ok(path)
    }

    fn relocate(&mut self, from: &[String], tokens: &[String], edits: &mut Vec<Edit>) -> Checked {
        if tokens.len() > from.len() && tokens.starts_with(from) {
            return Err(Cause::MoveIntoItself.refuse(&[Arg::Text(&shown(from))]));
        }
        if tokens == from {
            return self.existing(from).map(drop);
        }
        let from = self.remove(from)?;
        // The target is a place in the document without what moves: look it up there.
        let Ok(inverse) = self.document.apply(Edit::Remove { path: from.clone() }) else {
            return Err(Cause::Lost.refuse(&[]));
        };
        let place = self.place(tokens);
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

    fn copied(&mut self, from: &[String]) -> Result<Value, Refusal> {
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

    fn test(&self, tokens: &[String], wanted: &Value) -> Checked {
        let found = self.existing(tokens).ok().and_then(|path| self.document.value().at(&path));
        if found == Some(wanted) {
            return Ok(());
        }
        let found = found.map_or(Arg::Text("not there"), Arg::Json);
        Err(Cause::TestFails.refuse(&[Arg::Text(&shown(tokens)), found, Arg::Json(wanted)]))
    }
}

/// An index as RFC 6901 writes it: `0`, or digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || (token.bytes().all(|byte| byte.is_ascii_digit()) && !token.starts_with('0'));
    if plain { token.parse().ok() } else { None }
}

/// Refuses the token at a depth, with what its holder has.
#[cold]
fn missing(holder: Option<&Value>, tokens: &[String], depth: usize) -> Refusal {
    let token = tokens.get(depth).map_or("", |token| token);
    let place = shown(tokens.get(..depth).unwrap_or_default());
    let (cause, more) = match holder.unwrap_or(&Value::Null) {
        Value::Object(object) if object.is_empty() => (Cause::NoMember, "no keys".to_owned()),
        Value::Object(object) => (Cause::NoMember, list_keys(token, object)),
        Value::Array(items) => (Cause::NoSuchIndex, items.len().to_string()),
        other => (Cause::BelowNothing, article(other).to_owned()),
    };
    cause.refuse(&[Arg::Text(&place), Arg::Cut(token), Arg::Text(&more)])
}

/// Tokens as a JSON Pointer, for a message.
#[cold]
fn shown(tokens: &[String]) -> String {
    if tokens.is_empty() {
        return "The document".to_owned();
    }
    let mut text = String::new();
    for token in tokens {
        text.push('/');
        for char in token.chars() {
            match char {
                '~' => text.push_str("~0"),
                '/' => text.push_str("~1"),
                char => text.push(char),
            }
        }
    }
    text
}
