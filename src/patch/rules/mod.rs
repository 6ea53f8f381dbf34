//! Structure rules: what a page's document must look like (seeds 000 and 001).
//!
//! The shapes are a table ([`catalog`]); the validator that walks it is in this file. A document that was valid stays valid: after a patch
//! has been applied, [`check_touched`] checks the smallest unit around each place that it touched (a field, an action, a
//! block's own properties, …), and the patch is undone where that fails. So a small patch costs a small check.
//! [`check_document`] checks a whole one. Only the properties of the table are checked, all others are kept as written.

mod catalog;
mod unique;

pub use catalog::{Catalog, FIELD_TYPES};
pub(super) use unique::{check_unique, each_list};

use std::cell::Cell;

use self::catalog::{Is, PAGE, PropertyRule, Shape, WITH_FIELDS, find};
use super::error::{Arg, Cause, Checked, Refusal};
use crate::value::{IdKey, Path, Step, Value};

/// Which rules a document is under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Those of a page's document.
    #[default]
    Ui,
    /// None: free JSON, any first segment.
    Open,
}

impl Rules {
    /// The name in options and in saved stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ui => "ui",
            Self::Open => "open",
        }
    }

    /// The rules of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Ui, Self::Open].into_iter().find(|rules| rules.name() == name)
    }

    pub(super) const fn is_open(self) -> bool {
        matches!(self, Self::Open)
    }

    /// Which property addresses the items of the list at a path. Everything that reads a path asks this one rule;
    /// `src/js/core/resolve.ts` repeats it for snapshots, and a property test compares the two.
    pub fn id_key(self, path: &[Step]) -> IdKey {
        self.id_key_of(path.first().and_then(Step::as_key), path.last().and_then(Step::as_key))
    }

    /// The same by the part of the document that the list is in and by its own key, if it has one.
    pub(super) fn id_key_of(self, part: Option<&str>, list: Option<&str>) -> IdKey {
        match list {
            _ if self.is_open() || part == Some("state") => IdKey::IdElseKey,
            Some("blocks" | "actions") => IdKey::Id,
            Some("fields" | "columns") => IdKey::Key,
            Some("options") => IdKey::Value,
            Some(_) | None => IdKey::IdElseKey,
        }
    }
}

/// Checks a whole document.
///
/// # Errors
/// `INVALID_STRUCTURE` or `DUPLICATE_ID`, with the place.
pub fn check_document(root: &Value, rules: Rules, catalog: &Catalog) -> Checked {
    if rules.is_open() {
        return Ok(());
    }
    check_touched(root, &[], catalog, &Cell::default())?;
    unique::check_all(root, &Cell::default())
}

/// Checks the unit around a place that an edit touched. `cost` counts what is looked at.
pub(super) fn check_touched(root: &Value, path: &[Step], catalog: &Catalog, cost: &Cell<usize>) -> Checked {
    Checker { catalog, place: &[], below: Vec::new(), cost }.around(root, path)
}

struct Checker<'a> {
    catalog: &'a Catalog,
    /// The place that was touched.
    place: &'a [Step],
    /// The steps below it, to where the check is.
    below: Vec<PathStep>,
    cost: &'a Cell<usize>,
}

/// A step down, of which only an error makes a path.
enum PathStep {
    Name(&'static str),
    Index(usize),
}

impl<'a> Checker<'a> {
    fn path(&self) -> Path {
        let mut path = self.place.to_vec();
        for step in &self.below {
            path.push(match step {
                PathStep::Name(name) => Step::from(*name),
                PathStep::Index(index) => Step::Index(*index),
            });
        }
        path
    }

    /// Follows the table to a place that was touched, and checks it, or what it stood in if it has gone.
    fn around(&mut self, root: &Value, touched: &'a [Step]) -> Checked {
        let (mut holder, mut shape): (_, Shape) = (root, &PAGE);
        let mut outer = None;
        let mut at = 0;
        while let Some(step) = touched.get(at) {
            let known = step.as_key().and_then(|name| find(shape, name));
            let known = known.filter(|property| !property.is_ignored(holder));
            let value = known.and_then(|property| holder.get(property.name));
            let (next, inner, steps) = match (known.map(|property| &property.is), touched.get(at + 1)) {
                (Some(Is::Object(inner) | Is::State(inner) | Is::Props(inner)), Some(_)) => (value, inner, 1),
                (Some(Is::List(inner)), Some(step)) => (value.and_then(|list| list.step(step)), inner, 2),
                (is, _) => {
                    // What else is in `state` or in a block's `props` counts for them too.
                    if let Some((holder, property)) = outer {
                        self.place = touched.get(..at - 1).unwrap_or_default();
                        self.property(holder, property, false)?;
                    }
                    self.place = touched.get(..at).unwrap_or_default();
                    return match (known, is) {
                        (Some(known), Some(Is::Object(_) | Is::State(_) | Is::Props(_) | Is::List(_))) => {
                            self.property(holder, known, true)
                        }
                        (Some(_), _) => self.object(holder, shape, false),
                        (None, _) => Ok(()),
                    };
                }
            };
            let (Some(next), Some(property)) = (next, known) else { return Ok(()) };
            outer = matches!(property.is, Is::State(_) | Is::Props(_)).then_some((holder, property));
            (holder, shape) = (next, *inner);
            at += steps;
        }
        self.place = touched;
        self.object(holder, shape, true)
    }

    /// Checks an object, with `deep` all that is in it.
    fn object(&mut self, value: &Value, shape: Shape, deep: bool) -> Checked {
        if value.as_object().is_none() {
            return Err(self.wrong_kind(value, "an object"));
        }
        for property in shape {
            self.property(value, property, deep)?;
        }
        Ok(())
    }

    fn property(&mut self, holder: &Value, property: &PropertyRule, deep: bool) -> Checked {
        if property.is_ignored(holder) {
            return Ok(());
        }
        let Some(value) = holder.get(property.name) else {
            return if property.is_needed(holder) { Err(self.needed(property)) } else { Ok(()) };
        };
        let fits = match (&property.is, value) {
            (Is::Text, Value::String(_)) | (Is::AnyList, Value::Array(_)) => true,
            (Is::Filled, Value::String(text)) => !text.is_empty(),
            (Is::Word(words), Value::String(word)) => words.know(word, self.catalog),
            (Is::Fit(fits), value) => {
                self.cost.update(|cost| cost + value.as_array().map_or(0, crate::value::Array::len));
                fits(value)
            }
            (Is::Object(shape), Value::Object(_)) => return self.inside(property, value, shape, deep),
            (Is::State(shape), Value::Object(state)) => {
                if let Some(key) = state.keys().find(|key| find(shape, key).is_none()) {
                    return Err(Cause::NotInStatePart.refuse(&[Arg::Cut(key)]));
                }
                return self.inside(property, value, shape, deep);
            }
            (Is::Props(shape), Value::Object(props)) => {
                let kind = holder.get("type").or_else(|| holder.get("layout")).and_then(Value::as_str);
                let holds = ["fields", "tabs", "panels"].iter().any(|name| props.contains(name));
                if !holds && kind.is_some_and(|kind| WITH_FIELDS.contains(&kind)) {
                    self.below.push(PathStep::Name(property.name));
                    return Err(Cause::NeedsFields.refuse(&[Arg::Place(&self.path())]));
                }
                return self.inside(property, value, shape, deep);
            }
            (Is::List(shape), Value::Array(_)) => return self.inside(property, value, shape, deep),
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.refuse(property, value)) }
    }

    fn inside(&mut self, property: &PropertyRule, value: &Value, shape: Shape, deep: bool) -> Checked {
        if !deep {
            return Ok(());
        }
        self.below.push(PathStep::Name(property.name));
        if let Value::Array(items) = value {
            self.cost.update(|cost| cost + items.len());
            for (index, item) in items.iter().enumerate() {
                self.below.push(PathStep::Index(index));
                self.object(item, shape, true)?;
                self.below.pop();
            }
        } else {
            self.object(value, shape, true)?;
        }
        self.below.pop();
        Ok(())
    }

    fn wrong_kind(&self, found: &Value, wanted: &str) -> Refusal {
        Cause::WrongKind.refuse(&[Arg::Place(&self.path()), Arg::Kind(found), Arg::Text(wanted)])
    }

    fn needed(&self, property: &PropertyRule) -> Refusal {
        let (place, name) = (Arg::Place(&self.path()), Arg::Text(property.name));
        match property.is {
            Is::Word(words) => Cause::NeedsWord.refuse(&[place, name, Arg::Text(&words.list(self.catalog))]),
            _ => Cause::Needed.refuse(&[place, name, Arg::Text(property.example)]),
        }
    }

    fn refuse(&mut self, property: &PropertyRule, found: &Value) -> Refusal {
        self.below.push(PathStep::Name(property.name));
        let (place, example) = (Arg::Place(&self.path()), Arg::Text(property.example));
        match (&property.is, found) {
            (Is::Filled, Value::String(_)) => Cause::TextEmpty.refuse(&[place, example]),
            (Is::Text | Is::Filled, _) => self.wrong_kind(found, "a string"),
            (Is::Word(words), _) => {
                Cause::UnknownWord.refuse(&[place, Arg::Json(found), Arg::Text(&words.list(self.catalog))])
            }
            (Is::Fit(_), _) => Cause::Unfit.refuse(&[place, Arg::Json(found), example]),
            (Is::AnyList | Is::List(_), _) => self.wrong_kind(found, "a list"),
            (Is::Object(_) | Is::State(_) | Is::Props(_), _) => self.wrong_kind(found, "an object"),
        }
    }
}
