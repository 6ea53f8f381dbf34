//! Structure rules: what a page's document must look like (seeds 000 and 001).
//!
//! The shapes are a table ([`vocabulary`]); the validator that walks it is in this file. A document that was valid stays valid:
//! after a patch has been applied, [`check_touched`] checks the smallest object around each value that it touched (a field, an
//! action, a block's own properties, …), and the patch is undone if the check fails. So a small patch costs a small check.
//! [`check_document`] checks a whole document. Only the properties of the table are checked, all others are kept as written.
//!
//! The same walk warns of valid values that probably do not do what their author meant ([`warning`]).

mod catalog;
mod shape;
mod unique;
mod values;
pub mod vocabulary;
mod warning;

pub use catalog::Catalog;
pub(super) use unique::check_unique;
pub use values::Values;
pub(super) use values::{BoundField, ValueCheck, each_bound_field};
pub(super) use warning::Warnings;
pub use warning::{Warning, WarningCode};

use std::cell::Cell;

use self::shape::{Is, ObjectShape, PropertyRule, TYPE_KEYS};
use self::vocabulary::{ACTION, ACTION_TYPES, BLOCK_TYPES, FIELD, FIELD_TYPES, PAGE, WITH_FIELDS};
use self::warning::{expected_by_kind, is_template, missing_property};
use super::error::{Arg, Cause, Checked, Refusal};
use super::op::Op;
use crate::edit::FieldIndex;
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
    /// None: the document is any JSON, and a path may begin with any segment.
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

    /// The rules with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Ui, Self::Open].into_iter().find(|rules| rules.name() == name)
    }

    pub(super) const fn is_open(self) -> bool {
        matches!(self, Self::Open)
    }

    /// The property by whose value paths name the items of the list at `path`. `src/js/core/resolve.ts` repeats this rule for
    /// snapshots, and a property test compares the two.
    pub fn id_key(self, path: &[Step]) -> IdKey {
        self.id_key_of(path.first().and_then(Step::as_key), path.last().and_then(Step::as_key))
    }

    /// As [`Rules::id_key`], for a list with the key `list` (`None` for a list in a list) in the part of the document with the
    /// key `part`, such as `blocks`.
    pub(super) fn id_key_of(self, part: Option<&str>, list: Option<&str>) -> IdKey {
        match list {
            // The lists in `state` are the page's own, whatever their keys.
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
/// `INVALID_STRUCTURE` or `DUPLICATE_ID`; the message has the path.
pub fn check_document(root: &Value, rules: Rules, catalog: &Catalog) -> Checked {
    if rules.is_open() {
        return Ok(());
    }
    // The steps of the check do not count as those of a call.
    let (cost, max) = (Cell::default(), Limits::default().max_work);
    let (whole_document, no_warnings) = (&[], None);
    check_touched(root, whole_document, catalog, (&cost, max), no_warnings)?;
    unique::check_all(root, &cost)?;
    if !catalog.has_schemas() {
        return Ok(());
    }
    // The values of fields must fit the catalog's schemas. A value of another kind is no reason to refuse a document.
    let index = FieldIndex::of(root);
    let values = Values::Off;
    let mut check =
        ValueCheck { root, index: &index, catalog, values, cost: &cost, max, checked_paths: Names::default() };
    check.around(&["state".into()], &mut Warnings::default())
}

/// Checks the object around the path of an edit, after the edit. `cost` counts the visited values; a schema whose check would
/// raise it above `max` refuses the value. With `None` as `warnings` it does not warn.
pub(super) fn check_touched(
    root: &Value,
    path: &[Step],
    catalog: &Catalog,
    (cost, max): (&Cell<usize>, usize),
    warnings: Option<&mut Warnings>,
) -> Checked {
    Checker { catalog, base: &[], below: Vec::new(), cost, max, warnings, in_host_block: false }.around(root, path)
}

/// How much of an object or a property is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The properties of the object alone, or the value of the property alone.
    Shallow,
    /// Also all objects in it.
    Deep,
}

/// What a warning is about.
#[derive(Clone, Copy)]
enum Subject<'a> {
    /// The object that is being checked.
    Object,
    /// Its property with this key.
    Property(&'a str),
    /// The item with this index of the list with this key.
    Item(&'a str, usize),
}

/// The walk over the objects that are checked.
struct Checker<'a> {
    catalog: &'a Catalog,
    /// The path of the value at which the walk down has begun: the touched path or a beginning of it.
    base: &'a [Step],
    /// The steps from the value at `base` to the value that is being checked.
    below: Vec<PathStep>,
    /// `cost`, `max` and `warnings` are arguments of [`check_touched`].
    cost: &'a Cell<usize>,
    max: usize,
    warnings: Option<&'a mut Warnings>,
    /// Whether the walk is in a block of one of the host's own types: only the host knows what the block contains, so there
    /// are no warnings about it.
    in_host_block: bool,
}

/// A step down. Unlike [`Step`] it needs no copy of the name: a path is made only for a refusal or a warning.
enum PathStep {
    Name(&'static str),
    Index(usize),
}

impl<'a> Checker<'a> {
    /// The path of the value that is being checked.
    fn path(&self) -> Path {
        let mut path = self.base.to_vec();
        for step in &self.below {
            path.push(match step {
                PathStep::Name(name) => Step::from(*name),
                PathStep::Index(index) => Step::Index(*index),
            });
        }
        path
    }

    /// Follows the table along a touched path as far as the path leads through objects with shapes. What is checked depends on
    /// the end of that way:
    /// - an object with a shape: the object with all that is in it;
    /// - a property that contains objects with shapes: the property with all that is in it;
    /// - another known property, or a value in it: the object that has the property, but nothing deeper;
    /// - an unknown property: nothing. It can only cause warnings.
    ///
    /// The catalog's schemas check all objects on the way, since a schema may be about anything in its object.
    fn around(&mut self, root: &Value, touched: &'a [Step]) -> Checked {
        // The object at `touched[..depth]`, and its shape.
        let (mut holder, mut shape) = (root, &PAGE);
        let mut depth = 0;
        // If `holder` is the value of `state` or of a block's `props`: the object around it, and that property.
        let mut state_or_props = None;
        while let Some(step) = touched.get(depth) {
            self.in_host_block = self.in_host_block || (shape.is_block() && is_of_host_type(holder, shape));
            self.base = touched.get(..depth).unwrap_or_default();
            self.check_schemas(holder, shape)?;
            // `None` for an unknown property, and for one that an object of this type ignores.
            let rule = step.as_key().and_then(|name| shape.find(name));
            let rule = rule.filter(|rule| !rule.is_ignored(holder));
            let value = rule.and_then(|rule| holder.get(rule.name));
            // The next holder, its shape, and the number of steps to it.
            let (next, inner, steps) = match (rule.map(|rule| &rule.is), touched.get(depth + 1)) {
                (Some(Is::Object(inner) | Is::State(inner) | Is::Props(inner)), Some(_)) => (value, inner, 1),
                (Some(Is::List(inner)), Some(step)) => (value.and_then(|list| list.step(step)), inner, 2),
                (is, _) => {
                    // The rules of `state` and of a block's `props`, one step up, are also about their other keys.
                    if let Some((outer, rule)) = state_or_props {
                        self.base = touched.get(..depth - 1).unwrap_or_default();
                        self.property(outer, rule, Extent::Shallow)?;
                    }
                    self.base = touched.get(..depth).unwrap_or_default();
                    return match (rule, is) {
                        (Some(rule), Some(Is::Object(_) | Is::State(_) | Is::Props(_) | Is::List(_))) => {
                            self.property(holder, rule, Extent::Deep)
                        }
                        (Some(_), _) => self.object(holder, shape, Extent::Shallow),
                        (None, _) => {
                            if let Some(key) = step.as_key() {
                                self.advise_on(holder, shape, key);
                            }
                            Ok(())
                        }
                    };
                }
            };
            // A value on the way is gone, as after the removal of an item: nothing is left to check there.
            let (Some(next), Some(rule)) = (next, rule) else { return Ok(()) };
            state_or_props = matches!(rule.is, Is::State(_) | Is::Props(_)).then_some((holder, rule));
            (holder, shape) = (next, inner);
            depth += steps;
        }
        self.base = touched;
        self.object(holder, shape, Extent::Deep)
    }

    /// Checks an object. The catalog's schemas check it only if `extent` is deep.
    fn object(&mut self, value: &Value, shape: &'static ObjectShape, extent: Extent) -> Checked {
        if value.as_object().is_none() {
            return Err(self.wrong_kind(value, "an object"));
        }
        let was_in_host_block = self.in_host_block;
        self.in_host_block = was_in_host_block || (shape.is_block() && is_of_host_type(value, shape));
        for property in shape.properties {
            self.property(value, property, extent)?;
        }
        // `around` has already used the schemas of an object that it passes.
        if extent == Extent::Deep {
            self.check_schemas(value, shape)?;
        }
        // An object that may have any keys has no properties to warn of.
        if self.warnings.is_some() && !shape.properties.is_empty() {
            self.advise(value, shape);
        }
        self.in_host_block = was_in_host_block;
        Ok(())
    }

    /// Replaces the warnings about an object: those about its properties, about its missing id, and about an action without an
    /// effect.
    fn advise(&mut self, value: &Value, shape: &'static ObjectShape) {
        let path = self.path();
        if let Some(warnings) = &mut self.warnings {
            warnings.forget(&path);
        }
        for key in value.as_object().into_iter().flat_map(Object::keys) {
            self.advise_on(value, shape, key);
        }
        if self.in_host_block {
            return;
        }
        self.advise_on_id(Subject::Object, value, shape);
        if shape.has_effect.is_some_and(|has_effect| !has_effect(value, self.catalog)) {
            let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
            self.warn(Subject::Object, WarningCode::NoEffect, Cause::NothingHappens, &[Arg::Cut(id)]);
        }
    }

    /// Warns of one property of an object: of an unknown name, a property that its type does not have, a value of the wrong kind,
    /// or items without an id.
    fn advise_on(&mut self, holder: &Value, shape: &'static ObjectShape, key: &str) {
        if self.warnings.is_none() || self.in_host_block || is_of_host_type(holder, shape) {
            return;
        }
        let Some(value) = holder.get(key) else { return };
        match shape.find(key) {
            None => self.advise_on_name(shape, key),
            Some(property) if property.is_ignored(holder) => {
                // An action without a type is an `apply_patch`.
                let type_name = TYPE_KEYS.iter().find_map(|key| holder.get(key)?.as_str()).unwrap_or("apply_patch");
                let args = [Arg::Text(key), Arg::Cut(type_name), Arg::Text(&join(property.types, ", "))];
                self.warn(Subject::Property(key), WarningCode::NoEffect, Cause::NoEffectForType, &args);
            }
            Some(PropertyRule { is: Is::Advice(kind), solution, .. }) if !is_template(value) => {
                // The kind of a field's `value` depends on the type of the field.
                let is_field_value = std::ptr::eq(shape, &raw const FIELD) && key == "value";
                let field_wants =
                    if is_field_value { values::expected_by_field(holder, value, self.cost) } else { None };
                let Some(wanted) = field_wants.or_else(|| expected_by_kind(*kind, value).map(owned)) else { return };
                let sent = concat(&["Send ", &wanted, "."]);
                let solution = if solution.is_empty() { &sent } else { *solution };
                let args = [Arg::Text(key), Arg::Kind(value), Arg::Text(&wanted), Arg::Text(solution)];
                self.warn(Subject::Property(key), WarningCode::ValueKind, Cause::OtherKind, &args);
            }
            Some(PropertyRule { is: Is::Loose(shape), .. }) => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.cost.update(|cost| cost + 1);
                    self.advise_on_id(Subject::Item(key, index), item, shape);
                }
            }
            Some(_) => {}
        }
    }

    /// Warns of an unknown name, if there is a name that its author probably meant.
    fn advise_on_name(&mut self, shape: &'static ObjectShape, key: &str) {
        let (cause, suggestion) = match (shape.suggestion(key), shape.nearest(key)) {
            (Some(sentence), _) if sentence.ends_with('.') => (Cause::NoEffectSolved, sentence),
            (Some(name), _) => (Cause::NoEffectHere, name),
            (None, Some(known)) => (Cause::NoEffectMisspelt, known),
            (None, None) => return,
        };
        self.warn(Subject::Property(key), WarningCode::NoEffect, cause, &[Arg::Cut(key), Arg::Text(suggestion)]);
    }

    /// Warns of an object or an item, `value`, that lacks its id or its key.
    fn advise_on_id(&mut self, subject: Subject<'_>, value: &Value, shape: &'static ObjectShape) {
        if let Some((name, solution)) = missing_property(value, shape) {
            let args = [Arg::Text(name), Arg::Text(solution)];
            self.warn(subject, WarningCode::NoId, Cause::NoId, &args);
        }
    }

    /// Adds a warning.
    fn warn(&mut self, subject: Subject<'_>, code: WarningCode, cause: Cause, args: &[Arg<'_>]) {
        let mut path = self.path();
        let object_depth = path.len();
        match subject {
            Subject::Object => {}
            Subject::Property(key) => path.push(key.into()),
            Subject::Item(key, index) => path.extend([key.into(), Step::Index(index)]),
        }
        if let Some(warnings) = &mut self.warnings {
            warnings.warn(path, object_depth, code, cause, args);
        }
    }

    /// Checks a block, a field or an action by the schemas that the catalog has for its type: one for the properties that
    /// only this type has (of a block: its `props`), one for a field's value.
    fn check_schemas(&mut self, object: &Value, shape: &'static ObjectShape) -> Checked {
        let Some(list) = shape.list.filter(|_| self.catalog.has_schemas()) else { return Ok(()) };
        let (props_schema, value_schema) = self.catalog.schemas(list, object);
        let mut path = self.path();
        if let Some(schema) = props_schema {
            let props = if shape.is_block() {
                path.push("props".into());
                object.get("props").cloned().unwrap_or_else(|| Object::new().into())
            } else {
                shape.properties_of_type(object)
            };
            schema.check(&props, &path, self.cost, self.max)?;
        }
        match (value_schema, object.get("value")) {
            (Some(schema), Some(value)) if !is_template(value) => {
                path.push("value".into());
                schema.check(value, &path, self.cost, self.max)
            }
            _ => Ok(()),
        }
    }

    /// Checks one property of an object.
    fn property(&mut self, holder: &Value, property: &PropertyRule, extent: Extent) -> Checked {
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
                // The function may visit each item of a list.
                self.cost.update(|cost| cost + value.as_array().map_or(0, crate::value::Array::len));
                fits(value)
            }
            (Is::Object(shape), Value::Object(_)) => return self.contents(property, value, shape, extent),
            (Is::State(shape), Value::Object(state)) => {
                if let Some(key) = state.keys().find(|key| shape.find(key).is_none()) {
                    return Err(Cause::NotInStatePart.refuse(&[Arg::Cut(key)]));
                }
                return self.contents(property, value, shape, extent);
            }
            (Is::Props(shape), Value::Object(props)) => {
                let block_type = holder.get("type").or_else(|| holder.get("layout")).and_then(Value::as_str);
                let has_fields = ["fields", "tabs", "panels"].iter().any(|name| props.contains(name));
                if !has_fields && block_type.is_some_and(|block_type| WITH_FIELDS.contains(&block_type)) {
                    self.below.push(PathStep::Name(property.name));
                    return Err(Cause::NeedsFields.refuse(&[Arg::Path(&self.path())]));
                }
                return self.contents(property, value, shape, extent);
            }
            (Is::List(shape), Value::Array(_)) => return self.contents(property, value, shape, extent),
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.refuse(property, value)) }
    }

    /// If the check is deep: checks the value of a property, which is an object or a list of objects. `shape` is the shape of
    /// that object or of each item.
    fn contents(
        &mut self,
        property: &PropertyRule,
        value: &Value,
        shape: &'static ObjectShape,
        extent: Extent,
    ) -> Checked {
        if extent == Extent::Shallow {
            return Ok(());
        }
        self.below.push(PathStep::Name(property.name));
        if let Value::Array(items) = value {
            self.cost.update(|cost| cost + items.len());
            for (index, item) in items.iter().enumerate() {
                self.below.push(PathStep::Index(index));
                self.object(item, shape, extent)?;
                self.below.pop();
            }
        } else {
            self.object(value, shape, extent)?;
        }
        self.below.pop();
        Ok(())
    }

    /// The refusal of the value that is being checked, which should be of the kind `wanted`.
    fn wrong_kind(&self, value: &Value, wanted: &str) -> Refusal {
        Cause::WrongKind.refuse(&[Arg::Path(&self.path()), Arg::Kind(value), Arg::Text(wanted)])
    }

    /// The refusal of an object that lacks a required property.
    fn needed(&self, property: &PropertyRule) -> Refusal {
        let (path, name) = (Arg::Path(&self.path()), Arg::Text(property.name));
        match property.is {
            Is::Word(words) => Cause::NeedsWord.refuse(&[path, name, Arg::Text(&words.names(self.catalog))]),
            _ => Cause::Needed.refuse(&[path, name, Arg::Text(property.solution)]),
        }
    }

    /// The refusal of the value of a property that does not take it.
    fn refuse(&mut self, property: &PropertyRule, value: &Value) -> Refusal {
        // Not popped: the first refusal ends the check.
        self.below.push(PathStep::Name(property.name));
        let (path, solution) = (Arg::Path(&self.path()), Arg::Text(property.solution));
        match (&property.is, value) {
            (Is::Filled, Value::String(_)) => Cause::TextEmpty.refuse(&[path, solution]),
            (Is::Text | Is::Filled, _) => self.wrong_kind(value, "a string"),
            (Is::Word(words), _) => {
                Cause::UnknownWord.refuse(&[path, Arg::Json(value), Arg::Text(&words.names(self.catalog))])
            }
            (Is::Operation, _) => {
                Cause::UnknownWord.refuse(&[path, Arg::Json(value), Arg::Text(&join(Op::NAMES, ", "))])
            }
            (Is::Fit(..) | Is::Advice(_), _) => Cause::Unfit.refuse(&[path, Arg::Json(value), solution]),
            (Is::Loose(_) | Is::List(_), _) => self.wrong_kind(value, "a list"),
            (Is::Object(_) | Is::State(_) | Is::Props(_), _) => self.wrong_kind(value, "an object"),
        }
    }
}

/// Whether a block, a field or an action is of a type that is not in the vocabulary, and so the host's own: only the host knows
/// what its properties mean. False without a type.
fn is_of_host_type(value: &Value, shape: &'static ObjectShape) -> bool {
    let (keys, words): (&[&str], _) = match shape {
        _ if shape.is_block() => (&["type", "layout"], &BLOCK_TYPES),
        _ if std::ptr::eq(shape, &raw const FIELD) => (&["type"], &FIELD_TYPES),
        _ if std::ptr::eq(shape, &raw const ACTION) => (&["action_type"], &ACTION_TYPES),
        _ => return false,
    };
    let word = keys.iter().find_map(|key| value.get(key)).and_then(Value::as_str);
    word.is_some_and(|word| words.find(word).is_none())
}
