//! JSON Schema (2020-12): checks values against the schemas of a catalog.
//!
//! Checked are `type`, `enum`, `const`, `required`, `properties`, `additionalProperties`, `items`, `prefixItems`, the least and
//! greatest numbers and lengths, `multipleOf`, `pattern`, `anyOf`, `oneOf`, `allOf`, `not`, and `$ref` within the schema.
//! `patternProperties` only says which names `additionalProperties` does not apply to. All other keywords are ignored.
//! `pattern` is tested by JavaScript, since no pattern from outside runs in the core: natively every text fits it.

use std::cell::Cell;

use super::error::{Arg, Cause, Checked, Refusal};
use super::segment::pointer_to;
use crate::platform::ask_host;
use crate::value::text::{boxed, contains, head, line, tail, whole_number};
use crate::value::{
    Array, Object, Path, Step, Value, concat, find, measure, pointer, put, put_char, write_index, write_string,
};

/// A schema of a catalog.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schema {
    /// The schema as it was sent, whose form has been checked.
    json: Value,
    /// The thing that the schema describes, for messages.
    title: Box<str>,
    /// A check by a function of the host, after the check by the schema: the number by which JavaScript finds the function.
    pub(super) host_check: Option<usize>,
}

/// The most levels of a check, which uses the stack: schemas in schemas, and references to references.
const MAX_CHECK_DEPTH: usize = 512;
/// The most levels of schemas in the JSON of a schema, where references are not followed.
const MAX_NESTED_SCHEMAS: usize = 64;
/// The longest pattern.
const MAX_PATTERN_BYTES: usize = 1_000;
/// The longest text that is tested by a pattern.
const MAX_TESTED_BYTES: usize = 10_000;
/// A comparison of this many bytes costs as much as one step.
const COMPARED_BYTES_PER_STEP: usize = 64;
/// The test of this many bytes by a pattern, in JavaScript, costs as much as one step.
const TESTED_BYTES_PER_STEP: usize = 16;

const TYPES: [&str; 7] = ["null", "boolean", "number", "integer", "string", "array", "object"];

/// The form that the value of a keyword must have. Keywords of one form are mostly checked in one way.
#[derive(Clone, Copy)]
enum Form {
    Schema,
    /// A list of schemas.
    Schemas,
    /// An object of schemas.
    SchemasByName,
    /// A name of [`TYPES`], or a list of them.
    Types,
    /// A list of strings.
    Names,
    /// Any value.
    Value,
    List,
    /// A whole number from 0.
    Count,
    Number,
    /// A number above 0.
    Positive,
    /// A regular expression.
    Pattern,
    /// A reference: within the schema, or to elsewhere, which is not followed.
    Reference,
}

/// The keywords that are known. `$defs` and `definitions` only contain schemas that references lead to.
const KEYWORDS: [(&str, Form); 26] = [
    ("type", Form::Types),
    ("enum", Form::List),
    ("const", Form::Value),
    ("required", Form::Names),
    ("properties", Form::SchemasByName),
    ("additionalProperties", Form::Schema),
    ("items", Form::Schema),
    ("prefixItems", Form::Schemas),
    ("minItems", Form::Count),
    ("maxItems", Form::Count),
    ("minLength", Form::Count),
    ("maxLength", Form::Count),
    ("minimum", Form::Number),
    ("maximum", Form::Number),
    ("exclusiveMinimum", Form::Number),
    ("exclusiveMaximum", Form::Number),
    ("multipleOf", Form::Positive),
    ("pattern", Form::Pattern),
    ("anyOf", Form::Schemas),
    ("oneOf", Form::Schemas),
    ("allOf", Form::Schemas),
    ("not", Form::Schema),
    ("$ref", Form::Reference),
    ("$defs", Form::SchemasByName),
    ("definitions", Form::SchemasByName),
    ("patternProperties", Form::SchemasByName),
];

impl Schema {
    /// Reads a schema. `title` says in messages what it is the schema of.
    ///
    /// # Errors
    /// A sentence that says which keyword has a value that JSON Schema does not allow.
    pub(super) fn from_value(json: &Value, title: &str) -> Result<Self, String> {
        let depth = 0;
        check_form(json, json, &mut Path::new(), depth).map_err(|(path, wanted)| {
            concat(&["The schema of ", title, " must have ", wanted, " at #", &pointer_to(&path), "."])
        })?;
        Ok(Self { json: json.clone(), title: boxed(title), host_check: None })
    }

    /// A schema that every value fits.
    pub(super) fn any(title: &str) -> Self {
        Self { json: Value::Bool(true), title: boxed(title), host_check: None }
    }

    /// Checks a value; `path` is its path in the document, for messages. `cost` counts the steps, of which there may be `max`.
    pub(super) fn check(&self, value: &Value, path: &[Step], cost: &Cell<usize>, max: usize) -> Checked {
        let mut walk = Walk { root: &self.json, value_steps: Vec::new(), schema_steps: Vec::new(), cost, max };
        let depth = 0;
        walk.schema(&self.json, value, depth).map_err(|failure| match failure {
            Failure::TooDeep => Cause::SchemaTooDeep.refuse(&[Arg::Text(&self.title)]),
            Failure::TooMuch => Cause::TooMuchWork.refuse(&[Arg::Count(max)]),
            Failure::Violation(violation) => self.refuse(value, path, &violation),
        })?;
        let Some(host_check) = self.host_check else { return Ok(()) };
        // The question, as JSON: `[number, value]`.
        let mut question = String::from("[");
        write_index(&mut question, host_check);
        value.write_json(put_char(&mut question, ','));
        let answer = ask_host(put_char(&mut question, ']'));
        // The host answers with a sentence if the value does not fit.
        if answer.is_empty() {
            return Ok(());
        }
        let args = [Arg::Path(path), Arg::Json(value), Arg::Text(&self.title), Arg::Text(&answer)];
        Err(Cause::HostRefuses.refuse(&args))
    }

    /// The refusal of a value that breaks the schema. It shows the part that breaks it, the keyword, and the keyword's value.
    fn refuse(&self, value: &Value, path: &[Step], violation: &Violation<'_>) -> Refusal {
        let value_steps: Path = violation.value_steps.iter().copied().map(StepRef::to_step).collect();
        let (reference, steps) = violation.keyword_steps();
        // E.g. `#/$defs/age/minimum`.
        let keyword = concat(&[reference, &pointer_to(&steps)]);
        let keyword_value = resolve_reference(&self.json, reference).and_then(|schema| schema.at(&steps));
        let part = value.at(&value_steps).unwrap_or(&Value::Null);
        let part_path = [path, &value_steps].concat();
        let args = [
            Arg::Path(&part_path),
            Arg::Json(part),
            Arg::Text(&self.title),
            Arg::Text(&keyword),
            Arg::Json(keyword_value.unwrap_or(&Value::Null)),
        ];
        Cause::BreaksSchema.refuse(&args)
    }
}

/// Checks that the keywords of `schema` have values of the right form. `schema` is at `path` in the schema `root`, with `depth`
/// schemas around it. An error is the path of a wrong value, and what must be there.
fn check_form<'s>(
    root: &'s Value,
    schema: &'s Value,
    path: &mut Path,
    depth: usize,
) -> Result<(), (Path, &'static str)> {
    if depth > MAX_NESTED_SCHEMAS {
        return Err((path.clone(), "fewer levels"));
    }
    let keywords = match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(keywords) => keywords,
        _ => return Err((path.clone(), "a schema")),
    };
    for (keyword, form) in KEYWORDS {
        let Some(keyword_value) = keywords.get(keyword) else { continue };
        path.push(Step::from(keyword));
        if !form.allows(root, keyword_value) {
            return Err((path.clone(), form.wanted()));
        }
        let mut check_below = |step: Step, schema: &'s Value| {
            path.push(step);
            check_form(root, schema, path, depth + 1)?;
            path.pop();
            Ok(())
        };
        match (form, keyword_value) {
            (Form::Schemas, Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    check_below(Step::Index(index), schema)?;
                }
            }
            (Form::SchemasByName, Value::Object(schemas)) => {
                for (name, schema) in schemas.iter() {
                    check_below(Step::from(name), schema)?;
                }
            }
            (Form::Schema, schema) => check_form(root, schema, path, depth + 1)?,
            _ => {}
        }
        path.pop();
    }
    Ok(())
}

impl Form {
    /// Whether the value of a keyword has this form. The schemas in it are checked apart. `root` is the whole schema, in which a
    /// reference must lead somewhere.
    fn allows(self, root: &Value, keyword_value: &Value) -> bool {
        match (self, keyword_value) {
            (Self::Schema, Value::Object(_) | Value::Bool(_)) | (Self::Schemas | Self::List, Value::Array(_)) => true,
            (Self::SchemasByName, Value::Object(_)) | (Self::Number, Value::Number(_)) | (Self::Value, _) => true,
            (Self::Types, Value::Array(names)) => names.iter().all(|name| Self::Types.allows(root, name)),
            (Self::Types, Value::String(name)) => TYPES.contains(&&**name),
            (Self::Names, Value::Array(names)) => names.iter().all(|name| name.as_str().is_some()),
            (Self::Count, keyword_value) => keyword_value.as_index().is_some(),
            (Self::Positive, Value::Number(number)) => *number > 0.0,
            (Self::Pattern, Value::String(text)) => text.len() <= MAX_PATTERN_BYTES,
            (Self::Reference, Value::String(text)) => !text.starts_with('#') || resolve_reference(root, text).is_some(),
            _ => false,
        }
    }

    /// The name of the form in messages: one line for each variant, in the order of the enum. The line of [`Form::Value`] is
    /// empty, since a `const` may be any value.
    fn wanted(self) -> &'static str {
        line(
            "a schema\na list of schemas\nschemas by name\nnull, boolean, number, integer, string, array or object\n\
             a list of names\n\na list\na whole number from 0\na number\na number above 0\n\
             a pattern of at most 1,000 bytes\na reference to a schema that is there\n",
            self as usize,
        )
    }
}

/// The schema that a reference within the schema `root` leads to: `#`, `#/$defs/name`, `#anchor`. `None` for a reference to
/// another document, or to nothing. Anchors are found only in the schemas of `$defs`.
fn resolve_reference<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let target = percent_decoded(reference.strip_prefix('#')?)?;
    // An anchor does not begin with a slash, as a JSON Pointer does.
    if let Some(tokens) = pointer(&target) {
        return tokens.iter().try_fold(root, |value, token| match value {
            Value::Array(items) => items.get(whole_number(token)? as usize),
            value => value.get(token),
        });
    }
    let defs = root.get("$defs")?.as_object()?;
    let has_anchor = |schema: &&Value| schema.get("$anchor").and_then(Value::as_str) == Some(&target);
    defs.iter().map(|(_, schema)| schema).find(has_anchor)
}

/// The text of a fragment of a URL, without percent encoding; `None` if a `%` is not followed by two hexadecimal digits, or the
/// bytes are not UTF-8.
fn percent_decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment;
    while let Some(percent) = find(rest, "%") {
        bytes.extend_from_slice(head(rest, percent).as_bytes());
        bytes.push(u8::from_str_radix(rest.get(percent + 1..percent + 3)?, 16).ok()?);
        rest = tail(rest, percent + 3);
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

/// A step into a value, or into a schema. It borrows its name: a [`Step`] is made only for a message.
#[derive(Clone, Copy)]
enum StepRef<'a> {
    Name(&'a str),
    Index(usize),
    /// From a `$ref` to the schema that this reference leads to.
    Reference(&'a str),
}

/// No step: the schema of the keyword's value, or the whole value.
const NO_STEP: Option<StepRef<'static>> = None;

impl StepRef<'_> {
    fn to_step(self) -> Step {
        match self {
            Self::Name(name) | Self::Reference(name) => Step::from(name),
            Self::Index(index) => Step::Index(index),
        }
    }
}

/// Where a value breaks a schema.
struct Violation<'a> {
    /// The steps into the value, to the part that breaks the schema.
    value_steps: Vec<StepRef<'a>>,
    /// The steps into the schema, to the keyword that is broken.
    schema_steps: Vec<StepRef<'a>>,
}

impl<'a> Violation<'a> {
    /// The last reference on the way to the keyword (`#` if none exists), and the steps from the schema that it leads to.
    fn keyword_steps(&self) -> (&'a str, Path) {
        let reference_index = self.schema_steps.iter().rposition(|step| matches!(step, StepRef::Reference(_)));
        let first_step = reference_index.map_or(0, |index| index + 1);
        let steps = self.schema_steps.iter().skip(first_step).copied().map(StepRef::to_step).collect();
        match reference_index.and_then(|index| self.schema_steps.get(index)) {
            Some(StepRef::Reference(reference)) => (reference, steps),
            _ => ("#", steps),
        }
    }
}

/// Why a check has ended early.
enum Failure<'a> {
    Violation(Box<Violation<'a>>),
    /// More levels than [`MAX_CHECK_DEPTH`].
    TooDeep,
    /// More steps than the call may take.
    TooMuch,
}

/// The result of a check, or of a part of it.
type Verdict<'a, T = ()> = Result<T, Failure<'a>>;

/// The check of a value by a schema.
struct Walk<'a> {
    /// The whole schema, in which references lead.
    root: &'a Value,
    /// The steps into the value, to the part that is being checked.
    value_steps: Vec<StepRef<'a>>,
    /// The steps into the schema, to the keyword that is being checked. After a violation both lists lead to it, until `fits` shortens them.
    schema_steps: Vec<StepRef<'a>>,
    /// The number of steps so far.
    cost: &'a Cell<usize>,
    /// The highest `cost` that is allowed.
    max: usize,
}

impl<'a> Walk<'a> {
    /// The violation at the current steps into the value and the schema.
    fn fail(&self) -> Verdict<'a> {
        Err(Failure::Violation(Box::new(Violation {
            value_steps: self.value_steps.clone(),
            schema_steps: self.schema_steps.clone(),
        })))
    }

    /// Counts steps. Not inline, which makes the module smaller.
    #[inline(never)]
    fn count(&self, steps: usize) -> Verdict<'a> {
        self.cost.update(|cost| cost + steps);
        if self.cost.get() > self.max { Err(Failure::TooMuch) } else { Ok(()) }
    }

    /// Checks a value by all keywords of a schema. `depth` counts the schemas around it, and the references on the way.
    fn schema(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Verdict<'a> {
        self.count(1)?;
        if depth > MAX_CHECK_DEPTH {
            return Err(Failure::TooDeep);
        }
        match schema {
            Value::Bool(false) => self.fail(),
            Value::Object(keywords) => {
                for (keyword, keyword_value) in keywords.iter() {
                    self.schema_steps.push(StepRef::Name(keyword));
                    if !self.keyword(keywords, keyword, keyword_value, value, depth + 1)? {
                        return self.fail();
                    }
                    self.schema_steps.pop();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether a value fits a keyword of a schema with these `keywords`. Every value fits a keyword that does not apply to its
    /// kind, or is not known. A violation in a part of the value is an `Err`, with its own steps.
    fn keyword(
        &mut self,
        keywords: &'a Object,
        keyword: &'a str,
        keyword_value: &'a Value,
        value: &'a Value,
        depth: usize,
    ) -> Verdict<'a, bool> {
        let form = KEYWORDS.iter().find(|(name, _)| *name == keyword).map(|(_, form)| *form);
        Ok(match (form, value, keyword_value) {
            (Some(Form::Types), value, Value::Array(types)) => types.iter().any(|name| is_of_type(value, name)),
            (Some(Form::Types), value, name) => is_of_type(value, name),
            // `const`
            (Some(Form::Value), value, keyword_value) => {
                self.count(measure(keyword_value).bytes / COMPARED_BYTES_PER_STEP)?;
                value == keyword_value
            }
            // `enum`
            (Some(Form::List), value, Value::Array(values)) => {
                self.count(values.len() + measure(keyword_value).bytes / COMPARED_BYTES_PER_STEP)?;
                values.iter().any(|allowed| allowed == value)
            }
            (Some(Form::Number), Value::Number(number), Value::Number(limit)) => is_within(keyword, *number, *limit),
            // Limits of the length of a text, or of the number of items.
            (Some(Form::Count), value, Value::Number(limit)) => match (value, keyword.ends_with("Length")) {
                (Value::String(text), true) => {
                    self.count(text.len() / COMPARED_BYTES_PER_STEP)?;
                    is_within(keyword, chars(text) as f64, *limit)
                }
                (Value::Array(items), false) => is_within(keyword, items.len() as f64, *limit),
                _ => true,
            },
            // `multipleOf`
            (Some(Form::Positive), Value::Number(number), Value::Number(factor)) => is_multiple(*number, *factor),
            (Some(Form::Pattern), Value::String(text), Value::String(pattern)) => {
                self.count(text.len() / TESTED_BYTES_PER_STEP)?;
                matches(pattern, text)
            }
            // `required`
            (Some(Form::Names), Value::Object(object), Value::Array(names)) => {
                self.count(names.len())?;
                names.iter().filter_map(Value::as_str).all(|name| object.contains(name))
            }
            (Some(Form::Reference), value, Value::String(reference)) => {
                // A reference to another document is not followed: every value fits it.
                if let Some(schema) = resolve_reference(self.root, reference) {
                    self.part(schema, value, Some(StepRef::Reference(reference)), NO_STEP, depth)?;
                }
                true
            }
            (Some(Form::Schemas), value, Value::Array(schemas)) => self.schemas(keyword, schemas, value, depth)?,
            (Some(Form::Schema), value, schema) if keyword == "not" => !self.fits(schema, value, depth)?,
            (Some(Form::Schema), Value::Array(items), schema) if keyword == "items" => {
                // `items` is about the items that `prefixItems` is not about.
                let prefix_len = keywords.get("prefixItems").and_then(Value::as_array).map_or(0, Array::len);
                for (index, value) in items.iter().enumerate().skip(prefix_len) {
                    self.part(schema, value, NO_STEP, Some(StepRef::Index(index)), depth)?;
                }
                true
            }
            // `additionalProperties`: `not` and `items` are above. `items` does not apply to an object.
            (Some(Form::Schema), Value::Object(object), schema) if keyword != "items" => {
                let [known, patterns] = ["properties", "patternProperties"].map(|key| keywords.get(key));
                for (name, value) in object.iter() {
                    self.count(1)?;
                    if known.and_then(|known| known.get(name)).is_none() && !self.matches_any(patterns, name)? {
                        self.part(schema, value, NO_STEP, Some(StepRef::Name(name)), depth)?;
                    }
                }
                true
            }
            (Some(Form::SchemasByName), Value::Object(object), Value::Object(schemas)) if keyword == "properties" => {
                for (name, schema) in schemas.iter() {
                    self.count(1)?;
                    if let Some(value) = object.get(name) {
                        self.part(schema, value, Some(StepRef::Name(name)), Some(StepRef::Name(name)), depth)?;
                    }
                }
                true
            }
            _ => true,
        })
    }

    /// Checks `anyOf`, `oneOf`, `allOf` and `prefixItems`.
    fn schemas(&mut self, keyword: &str, schemas: &'a Array, value: &'a Value, depth: usize) -> Verdict<'a, bool> {
        let mut fit_count = 0;
        for (index, schema) in schemas.iter().enumerate() {
            let step = Some(StepRef::Index(index));
            match keyword {
                "allOf" => self.part(schema, value, step, NO_STEP, depth)?,
                "prefixItems" => {
                    if let Some(item) = value.as_array().and_then(|items| items.get(index)) {
                        self.part(schema, item, step, step, depth)?;
                    }
                }
                _ => fit_count += usize::from(self.fits(schema, value, depth)?),
            }
        }
        Ok(match keyword {
            "anyOf" => fit_count > 0,
            "oneOf" => fit_count == 1,
            _ => true,
        })
    }

    /// Checks a value, or a part of it, by a schema inside of this one. `schema_step` leads from the keyword to that schema,
    /// `value_step` to that part of the value; either may be [`NO_STEP`]. Not inline, which makes the module smaller.
    #[inline(never)]
    fn part(
        &mut self,
        schema: &'a Value,
        value: &'a Value,
        schema_step: Option<StepRef<'a>>,
        value_step: Option<StepRef<'a>>,
        depth: usize,
    ) -> Verdict<'a> {
        let lengths = [&self.value_steps, &self.schema_steps].map(Vec::len);
        self.schema_steps.extend(schema_step);
        self.value_steps.extend(value_step);
        self.schema(schema, value, depth)?;
        self.value_steps.truncate(lengths[0]);
        self.schema_steps.truncate(lengths[1]);
        Ok(())
    }

    /// Whether a value fits a schema: a violation is not an error, since for `anyOf`, `oneOf` and `not` a value need not fit.
    fn fits(&mut self, schema: &'a Value, value: &'a Value, depth: usize) -> Verdict<'a, bool> {
        let lengths = [&self.value_steps, &self.schema_steps].map(Vec::len);
        match self.schema(schema, value, depth) {
            Ok(()) => Ok(true),
            Err(Failure::Violation(_)) => {
                self.value_steps.truncate(lengths[0]);
                self.schema_steps.truncate(lengths[1]);
                Ok(false)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Whether a name matches a pattern of `patternProperties`. Natively no pattern is tested, and every name matches.
    fn matches_any(&self, patterns: Option<&'a Value>, name: &str) -> Verdict<'a, bool> {
        for (pattern, _) in patterns.and_then(Value::as_object).into_iter().flat_map(Object::iter) {
            self.count(1 + name.len() / TESTED_BYTES_PER_STEP)?;
            if matches(pattern, name) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a value is of a type of [`TYPES`]. 1.0 is an integer.
fn is_of_type(value: &Value, name: &Value) -> bool {
    match (name.as_str().unwrap_or_default(), value) {
        ("integer", Value::Number(number)) => number.fract() == 0.0,
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        _ => false,
    }
}

/// Whether a number is on the right side of the limit of a keyword.
fn is_within(keyword: &str, number: f64, limit: f64) -> bool {
    // `minimum`, `minLength`, `minItems`, `exclusiveMinimum`: no upper limit has an "in" in its name.
    let is_lower_limit = contains(keyword, "in");
    let is_exclusive = keyword.starts_with("ex");
    let (low, high) = if is_lower_limit { (limit, number) } else { (number, limit) };
    low < high || (low == high && !is_exclusive)
}

/// The number of characters of a text. In UTF-8 each has one byte that is not of the form `10xxxxxx`.
fn chars(text: &str) -> usize {
    text.bytes().filter(|byte| byte & 0xc0 != 0x80).count()
}

/// Whether a number is a multiple of another, up to the rounding of doubles: 0.3 is a multiple of 0.1.
fn is_multiple(number: f64, factor: f64) -> bool {
    let quotient = number / factor;
    quotient.is_finite() && (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs()
}

/// Whether a text matches a pattern. JavaScript tests it, and answers with an empty text if it does. A text that is too long to
/// be tested does not match.
fn matches(pattern: &str, text: &str) -> bool {
    if text.len() > MAX_TESTED_BYTES {
        return false;
    }
    let mut question = String::from("[");
    write_string(&mut question, pattern);
    write_string(put_char(&mut question, ','), text);
    ask_host(put(&mut question, "]")).is_empty()
}
