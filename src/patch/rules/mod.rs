//! Structure rules: what a page's document must look like (seeds 000 and 001).
//!
//! The shapes are a table ([`vocabulary`]); the validator that walks it is in this file. A document that was valid stays valid: after a patch
//! has been applied, [`check_touched`] checks the smallest unit around each place that it touched (a field, an action, a
//! block's own properties, …), and the patch is undone where that fails. So a small patch costs a small check.
//! [`check_document`] checks a whole one. Only the properties of the table are checked, all others are kept as written.

mod catalog;
mod shape;
mod unique;
mod values;
pub mod vocabulary;
mod warning;

pub use catalog::Catalog;
pub(super) use unique::check_unique;
pub use values::Values;
pub(super) use values::{FieldIndex, ValueCheck, each_field};
pub(super) use warning::Warnings;
pub use warning::{Warning, WarningCode};

use std::cell::Cell;

use self::shape::{Is, ObjectShape, PropertyRule, TYPE_KEYS};
use self::vocabulary::{ACTION, ACTION_TYPES, BLOCK_TYPES, FIELD, FIELD_TYPES, PAGE, WITH_FIELDS};
use self::warning::{expected_by_kind, is_template, missing_property};
use super::error::{Arg, Cause, Checked, Refusal};
use super::op::Op;
use crate::limits::Limits;
use crate::value::names::Names;
use crate::value::text::owned;
use crate::value::{IdKey, Object, Path, Step, Value, concat, join};

/// The rules for a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// The rules of a page's document.
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

    /// As [`Rules::id_key`], for a list with the key `list`, or none, in this part of the document.
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
    let (cost, max) = (Cell::default(), Limits::default().max_work);
    check_touched(root, &[], catalog, (&cost, max), None)?;
    unique::check_all(root, &cost)?;
    if !catalog.has_schemas() {
        return Ok(());
    }
    let index = FieldIndex::of(root);
    let values = Values::Off;
    let mut check = ValueCheck { root, index: &index, catalog, values, cost: &cost, max, seen: Names::default() };
    check.around(&["state".into()], &mut Warnings::default())
}

/// Checks the unit around a place that an edit touched. `cost` counts the visited values; schemas may raise it to `max`.
pub(super) fn check_touched(
    root: &Value,
    path: &[Step],
    catalog: &Catalog,
    (cost, max): (&Cell<usize>, usize),
    warnings: Option<&mut Warnings>,
) -> Checked {
    Checker { catalog, place: &[], below: Vec::new(), cost, max, warnings, foreign: false }.around(root, path)
}

struct Checker<'a> {
    catalog: &'a Catalog,
    /// The place that was touched.
    place: &'a [Step],
    /// The steps below it, to where the check is.
    below: Vec<PathStep>,
    cost: &'a Cell<usize>,
    max: usize,
    /// The warnings about valid values. Without it nothing is warned of.
    warnings: Option<&'a mut Warnings>,
    /// Whether the check is in a block of one of the host's own types: only the host knows what the block contains, so
    /// nothing is warned of.
    foreign: bool,
}

/// A step down. Only an error makes a path of the steps.
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
        let (mut holder, mut shape) = (root, &PAGE);
        let mut outer = None;
        let mut at = 0;
        while let Some(step) = touched.get(at) {
            self.foreign = self.foreign || (shape.is_block() && is_foreign(holder, shape));
            self.place = touched.get(..at).unwrap_or_default();
            self.check_schemas(holder, shape)?;
            let known = step.as_key().and_then(|name| shape.find(name));
            let known = known.filter(|property| !property.is_ignored(holder));
            let value = known.and_then(|property| holder.get(property.name));
            let (next, inner, steps) = match (known.map(|property| &property.is), touched.get(at + 1)) {
                (Some(Is::Object(inner) | Is::State(inner) | Is::Props(inner)), Some(_)) => (value, inner, 1),
                (Some(Is::List(inner)), Some(step)) => (value.and_then(|list| list.step(step)), inner, 2),
                (is, _) => {
                    // The rules of `state` and of a block's `props` are also about their other keys.
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
                        (None, _) => {
                            if let Some(key) = step.as_key() {
                                self.advise_on(holder, shape, key);
                            }
                            Ok(())
                        }
                    };
                }
            };
            let (Some(next), Some(property)) = (next, known) else { return Ok(()) };
            outer = matches!(property.is, Is::State(_) | Is::Props(_)).then_some((holder, property));
            (holder, shape) = (next, inner);
            at += steps;
        }
        self.place = touched;
        self.object(holder, shape, true)
    }

    /// Checks an object, with `deep` all that is in it.
    fn object(&mut self, value: &Value, shape: &'static ObjectShape, deep: bool) -> Checked {
        if value.as_object().is_none() {
            return Err(self.wrong_kind(value, "an object"));
        }
        let outer = self.foreign;
        self.foreign = outer || (shape.is_block() && is_foreign(value, shape));
        for property in shape.properties {
            self.property(value, property, deep)?;
        }
        if deep {
            self.check_schemas(value, shape)?;
        }
        if self.warnings.is_some() && !shape.properties.is_empty() {
            self.advise(value, shape);
        }
        self.foreign = outer;
        Ok(())
    }

    /// Warns of the properties of an object that have no effect, and of an object without an effect. Replaces its earlier
    /// warnings.
    fn advise(&mut self, value: &Value, shape: &'static ObjectShape) {
        let unit = self.path();
        if let Some(warnings) = &mut self.warnings
            && !warnings.list.is_empty()
        {
            warnings.forget(&unit);
        }
        for key in value.as_object().into_iter().flat_map(Object::keys) {
            self.advise_on(value, shape, key);
        }
        if self.foreign {
            return;
        }
        self.advise_on_id(None, None, value, shape);
        if shape.has_effect.is_some_and(|has_effect| !has_effect(value, self.catalog)) {
            let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
            self.warn(None, None, WarningCode::NoEffect, Cause::NothingHappens, &[Arg::Cut(id)]);
        }
    }

    /// Warns of one property of an object.
    fn advise_on(&mut self, holder: &Value, shape: &'static ObjectShape, key: &str) {
        if self.warnings.is_none() || self.foreign || is_foreign(holder, shape) {
            return;
        }
        let Some(value) = holder.get(key) else { return };
        match shape.find(key) {
            None => self.advise_on_name(shape, key),
            Some(property) if property.is_ignored(holder) => {
                let own = TYPE_KEYS.iter().find_map(|key| holder.get(key)?.as_str()).unwrap_or("apply_patch");
                let args = [Arg::Text(key), Arg::Cut(own), Arg::Text(&join(property.types, ", "))];
                self.warn(Some(key), None, WarningCode::NoEffect, Cause::NoEffectForType, &args);
            }
            Some(PropertyRule { is: Is::Advice(kind), solution, .. }) if !is_template(value) => {
                let is_value = std::ptr::eq(shape, &raw const FIELD) && key == "value";
                let by_field = if is_value { values::expected_by_field(holder, value, self.cost) } else { None };
                let Some(wanted) = by_field.or_else(|| expected_by_kind(*kind, value).map(owned)) else { return };
                let sent = concat(&["Send ", &wanted, "."]);
                let solution = if solution.is_empty() { &sent } else { *solution };
                let args = [Arg::Text(key), Arg::Kind(value), Arg::Text(&wanted), Arg::Text(solution)];
                self.warn(Some(key), None, WarningCode::ValueKind, Cause::OtherKind, &args);
            }
            Some(PropertyRule { is: Is::Loose(shape), .. }) => {
                for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.cost.update(|cost| cost + 1);
                    self.advise_on_id(Some(key), Some(place), item, shape);
                }
            }
            Some(_) => {}
        }
    }

    /// Warns of an unknown name, if it is known which name its author meant.
    fn advise_on_name(&mut self, shape: &'static ObjectShape, key: &str) {
        let (cause, meant) = match (shape.suggestion(key), shape.nearest(key)) {
            (Some(sentence), _) if sentence.ends_with('.') => (Cause::NoEffectSolved, sentence),
            (Some(meant), _) => (Cause::NoEffectHere, meant),
            (None, Some(known)) => (Cause::NoEffectMisspelt, known),
            (None, None) => return,
        };
        self.warn(Some(key), None, WarningCode::NoEffect, cause, &[Arg::Cut(key), Arg::Text(meant)]);
    }

    /// Warns of an object that lacks its id or its key.
    fn advise_on_id(&mut self, key: Option<&str>, place: Option<usize>, value: &Value, shape: &'static ObjectShape) {
        if let Some((name, solution)) = missing_property(value, shape) {
            let args = [Arg::Text(name), Arg::Text(solution)];
            self.warn(key, place, WarningCode::NoId, Cause::NoId, &args);
        }
    }

    fn warn(&mut self, key: Option<&str>, item: Option<usize>, code: WarningCode, cause: Cause, args: &[Arg<'_>]) {
        let mut path = self.path();
        let unit = path.len();
        path.extend(key.map(Step::from));
        path.extend(item.map(Step::Index));
        if let Some(warnings) = &mut self.warnings {
            warnings.warn(path, unit, code, cause, args);
        }
    }

    /// Checks a block, a field or an action by the schemas that the catalog has for its type.
    fn check_schemas(&mut self, value: &Value, shape: &'static ObjectShape) -> Checked {
        let Some(list) = shape.list.filter(|_| self.catalog.has_schemas()) else { return Ok(()) };
        let (props, own) = self.catalog.schemas(list, value);
        let mut path = self.path();
        if let Some(schema) = props {
            let own = if shape.is_block() {
                path.push("props".into());
                value.get("props").cloned().unwrap_or_else(|| Object::new().into())
            } else {
                shape.own_properties(value)
            };
            schema.check(&own, &path, self.cost, self.max)?;
        }
        match (own, value.get("value")) {
            (Some(schema), Some(value)) if !is_template(value) => {
                path.push("value".into());
                schema.check(value, &path, self.cost, self.max)
            }
            _ => Ok(()),
        }
    }

    /// Checks one property of an object, with `deep` all that is in it.
    fn property(&mut self, holder: &Value, property: &PropertyRule, deep: bool) -> Checked {
        // Properties that are ignored, or only advised on, never refuse a value.
        if property.is_ignored(holder) || matches!(property.is, Is::Advice(_)) {
            return Ok(());
        }
        let Some(value) = holder.get(property.name) else {
            return if property.is_missing(holder) { Err(self.needed(property)) } else { Ok(()) };
        };
        let fits = match (&property.is, value) {
            (Is::Text, Value::String(_)) | (Is::Loose(_), Value::Array(_)) => true,
            (Is::Filled, Value::String(text)) => !text.is_empty(),
            (Is::Word(words), Value::String(word)) => words.contains(word, self.catalog),
            (Is::Operation, Value::String(name)) => Op::from_name(name).is_some(),
            (Is::Fit(fits, _), value) => {
                self.cost.update(|cost| cost + value.as_array().map_or(0, crate::value::Array::len));
                fits(value)
            }
            (Is::Object(shape), Value::Object(_)) => return self.inside(property, value, shape, deep),
            (Is::State(shape), Value::Object(state)) => {
                if let Some(key) = state.keys().find(|key| shape.find(key).is_none()) {
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

    fn inside(&mut self, property: &PropertyRule, value: &Value, shape: &'static ObjectShape, deep: bool) -> Checked {
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

    /// Refuses an object that lacks a required property.
    fn needed(&self, property: &PropertyRule) -> Refusal {
        let (place, name) = (Arg::Place(&self.path()), Arg::Text(property.name));
        match property.is {
            Is::Word(words) => Cause::NeedsWord.refuse(&[place, name, Arg::Text(&words.names(self.catalog))]),
            _ => Cause::Needed.refuse(&[place, name, Arg::Text(property.solution)]),
        }
    }

    /// Refuses the value of a property.
    fn refuse(&mut self, property: &PropertyRule, found: &Value) -> Refusal {
        self.below.push(PathStep::Name(property.name));
        let (place, example) = (Arg::Place(&self.path()), Arg::Text(property.solution));
        match (&property.is, found) {
            (Is::Filled, Value::String(_)) => Cause::TextEmpty.refuse(&[place, example]),
            (Is::Text | Is::Filled, _) => self.wrong_kind(found, "a string"),
            (Is::Word(words), _) => {
                Cause::UnknownWord.refuse(&[place, Arg::Json(found), Arg::Text(&words.names(self.catalog))])
            }
            (Is::Operation, _) => {
                Cause::UnknownWord.refuse(&[place, Arg::Json(found), Arg::Text(&join(Op::NAMES, ", "))])
            }
            (Is::Fit(..) | Is::Advice(_), _) => Cause::Unfit.refuse(&[place, Arg::Json(found), example]),
            (Is::Loose(_) | Is::List(_), _) => self.wrong_kind(found, "a list"),
            (Is::Object(_) | Is::State(_) | Is::Props(_), _) => self.wrong_kind(found, "an object"),
        }
    }
}

/// Whether a block, a field or an action is of a type that the host has added: what its properties mean only the host knows.
fn is_foreign(value: &Value, shape: &'static ObjectShape) -> bool {
    let (keys, words): (&[&str], _) = match shape {
        _ if shape.is_block() => (&["type", "layout"], &BLOCK_TYPES),
        _ if std::ptr::eq(shape, &raw const FIELD) => (&["type"], &FIELD_TYPES),
        _ if std::ptr::eq(shape, &raw const ACTION) => (&["action_type"], &ACTION_TYPES),
        _ => return false,
    };
    let word = keys.iter().find_map(|key| value.get(key)).and_then(Value::as_str);
    word.is_some_and(|word| words.find(word).is_none())
}
