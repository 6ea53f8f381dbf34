//! Blocks and their fields.

use super::catalog::{BLOCKS, BLOCKS_WITH_FIELDS, FIELD_TYPES, FieldType, knows, words};
use super::parts::text;
use super::{Checker, below, needed, unknown_word, wrong_kind};
use crate::patch::error::{Code, PatchError, Refusal};
use crate::patch::path::PathExpr;
use crate::value::{Path, Step, Value};

/// Properties of `props` that hold groups, each with fields, actions and groups of its own.
const GROUPS: [&str; 2] = ["tabs", "panels"];

/// The properties of a block of which there are rules.
pub(super) const HEAD: [&str; 5] = ["id", "type", "layout", "bind", "props"];

impl Checker<'_> {
    /// Checks the unit around a place in `blocks`, given the path below that.
    pub(super) fn around_block(self, rest: &[Step]) -> Result<(), Refusal> {
        let Some((index, inner)) = rest.split_first() else { return self.blocks() };
        let block = [Step::from("blocks"), index.clone()];
        match inner {
            [] => self.block(&block),
            [Step::Key(key), ..] if &**key != "props" => self.head(&block),
            [_] => self.block(&block),
            [_, inner @ ..] => self.around_group(&block, &below(&block, "props"), inner),
        }
    }

    /// Checks the unit around a place in `props`, or in a tab or a panel.
    fn around_group(self, block: &[Step], group: &[Step], inner: &[Step]) -> Result<(), Refusal> {
        match inner {
            [Step::Key(list), rest @ ..] => match (&**list, rest) {
                ("fields", []) => self.head(block).and_then(|()| self.fields(&below(group, "fields"))),
                ("fields", [index, ..]) => self.field(&below(&below(group, "fields"), index.clone())),
                ("actions", []) => self.actions(&below(group, "actions")),
                ("actions", [index, ..]) => self.action(&below(&below(group, "actions"), index.clone())),
                (list, [index, rest @ ..]) if GROUPS.contains(&list) && !rest.is_empty() => {
                    self.around_group(block, &below(&below(group, list), index.clone()), rest)
                }
                (list, _) if GROUPS.contains(&list) => self.block_once(block),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn blocks(self) -> Result<(), Refusal> {
        let path = [Step::from("blocks")];
        match self.at(&path) {
            Some(Value::Array(blocks)) => {
                (0..self.count(blocks)).try_for_each(|index| self.block(&below(&path, index)))
            }
            Some(other) => Err(wrong_kind(&path, other, "a list")),
            None => Ok(()),
        }
    }

    /// A whole block, unless it was checked for another edit of the same patch.
    fn block_once(self, path: &[Step]) -> Result<(), Refusal> {
        let index = match path.last() {
            Some(Step::Index(index)) => Some(*index),
            Some(Step::Key(_)) | None => None,
        };
        if index.is_some() && self.seen.block.get() == index {
            return Ok(());
        }
        self.block(path)?;
        self.seen.block.set(index);
        Ok(())
    }

    /// A whole block.
    fn block(self, path: &[Step]) -> Result<(), Refusal> {
        if self.at(path).is_none() {
            return Ok(());
        }
        self.head(path)?;
        self.group(&below(path, "props"))
    }

    /// A block's own properties, without what its `props` hold.
    fn head(self, path: &[Step]) -> Result<(), Refusal> {
        let block = match self.at(path) {
            Some(block @ Value::Object(_)) => block,
            Some(other) => return Err(wrong_kind(path, other, "an object")),
            None => return Ok(()),
        };
        let example = "Send {\"id\": \"form_block\", \"type\": \"form\", \"props\": {\"fields\": []}}.";
        text(path, block, "id", true, example)?;
        let known = || words(BLOCKS, &self.catalog.blocks);
        for key in ["type", "layout"] {
            match block.get(key) {
                Some(Value::String(word)) if knows(BLOCKS, &self.catalog.blocks, word) => {}
                Some(other) => return Err(unknown_word(&below(path, key), other, &known())),
                None => {}
            }
        }
        let kind = block.get("type").or_else(|| block.get("layout")).and_then(Value::as_str);
        let Some(kind) = kind else { return Err(needed(path, "type", format!("Use one of {}.", known()))) };
        block.get("bind").map_or(Ok(()), |bind| self.bind(&below(path, "bind"), bind))?;
        let props = match block.get("props") {
            Some(props @ Value::Object(_)) => props,
            Some(other) => return Err(wrong_kind(&below(path, "props"), other, "an object")),
            None => return Ok(()),
        };
        let grouped = GROUPS.into_iter().any(|group| props.get(group).is_some());
        if BLOCKS_WITH_FIELDS.contains(&kind) && props.get("fields").is_none() && !grouped {
            return Err(needed(&below(path, "props"), "fields", "Send a list of fields, which may be empty."));
        }
        Ok(())
    }

    fn bind(self, path: &[Step], bind: &Value) -> Result<(), Refusal> {
        let parsed = bind.as_str().and_then(|text| PathExpr::parse(text, 128).ok());
        let in_state = parsed.is_some_and(|path| {
            path.check_page().is_ok()
                && path.segments.len() > 1
                && path.segments.first().is_some_and(|s| s.text() == "state")
        });
        if in_state {
            return Ok(());
        }
        let message = format!("{} is {}.", super::show(path), crate::patch::words::cut(&bind.to_json()));
        Err(PatchError::new(
            Code::InvalidStructure,
            message,
            "Use state.params, or a path below it or below state.runtime.",
        ))
    }

    /// What `props`, a tab or a panel holds.
    fn group(self, path: &[Step]) -> Result<(), Refusal> {
        let group = match self.at(path) {
            Some(group @ Value::Object(_)) => group,
            Some(other) => return Err(wrong_kind(path, other, "an object")),
            None => return Ok(()),
        };
        self.fields(&below(path, "fields"))?;
        self.actions(&below(path, "actions"))?;
        for list in GROUPS {
            match group.get(list) {
                Some(Value::Array(groups)) => {
                    let list = below(path, list);
                    (0..self.count(groups)).try_for_each(|index| self.group(&below(&list, index)))?;
                }
                Some(other) => return Err(wrong_kind(&below(path, list), other, "a list")),
                None => {}
            }
        }
        Ok(())
    }

    fn fields(self, path: &[Step]) -> Result<(), Refusal> {
        match self.at(path) {
            Some(Value::Array(fields)) => (0..self.count(fields)).try_for_each(|index| self.field(&below(path, index))),
            Some(other) => Err(wrong_kind(path, other, "a list")),
            None => Ok(()),
        }
    }

    fn field(self, path: &[Step]) -> Result<(), Refusal> {
        let field = match self.at(path) {
            Some(field @ Value::Object(_)) => field,
            Some(other) => return Err(wrong_kind(path, other, "an object")),
            None => return Ok(()),
        };
        let example = "Send {\"key\": \"name\", \"label\": \"Name\", \"type\": \"text\"}.";
        text(path, field, "key", true, example)?;
        let kind = self.field_type(path, field)?;
        if kind.label || field.get("label").is_some() {
            text(path, field, "label", false, example)?;
        }
        if kind.options {
            self.options(&below(path, "options"), field.get("options"))?;
        }
        match field.get("columns") {
            Some(Value::Array(_)) => Ok(()),
            Some(other) if kind.columns => Err(wrong_kind(&below(path, "columns"), other, "a list")),
            None if kind.columns => Err(needed(path, "columns", "Send a list of {\"key\", \"label\"}.")),
            Some(_) | None => Ok(()),
        }
    }

    fn field_type(self, path: &[Step], field: &Value) -> Result<FieldType, Refusal> {
        let known = || words(&FIELD_TYPES.iter().map(|kind| kind.name).collect::<Vec<_>>(), &self.catalog.fields);
        let Some(found) = field.get("type") else {
            return Err(needed(path, "type", format!("Use one of {}.", known())));
        };
        let word = found.as_str().unwrap_or_default();
        match FIELD_TYPES.iter().find(|kind| kind.name == word) {
            Some(kind) => Ok(*kind),
            None if knows(&[], &self.catalog.fields, word) => {
                Ok(FieldType { name: "", label: true, options: false, columns: false })
            }
            None => Err(unknown_word(&below(path, "type"), found, &known())),
        }
    }

    fn options(self, path: &[Step], options: Option<&Value>) -> Result<(), Refusal> {
        let example = "Send a list of {\"label\": \"Red\", \"value\": \"red\"}.";
        let list = match options {
            Some(Value::Array(list)) => list,
            Some(other) => return Err(wrong_kind(path, other, "a list")),
            None => {
                let field: &[Step] = path.split_last().map(|(_, field)| field).unwrap_or_default();
                return Err(needed(field, "options", example));
            }
        };
        let unfit = |option: &Value| {
            let scalar =
                option.get("value").is_some_and(|value| value.as_array().is_none() && value.as_object().is_none());
            option.get("label").and_then(Value::as_str).is_none() || !scalar
        };
        self.count(list);
        match list.iter().position(unfit) {
            None => Ok(()),
            Some(index) => {
                let message = format!("{} lacks a label or a value.", super::show(&below(path, index)));
                Err(PatchError::new(Code::InvalidStructure, message, example))
            }
        }
    }
}

/// Visits every field of a block, those in tabs and panels too.
pub(in crate::patch) fn each_field<'v>(block: &'v Value, visit: &mut impl FnMut(&'v Value)) {
    if let Some(props) = block.get("props") {
        fields_in(props, visit);
    }
}

fn fields_in<'v>(group: &'v Value, visit: &mut dyn FnMut(&'v Value)) {
    let items = |name: &str| group.get(name).and_then(Value::as_array).into_iter().flatten();
    items("fields").for_each(&mut *visit);
    for name in GROUPS {
        items(name).for_each(|inner| fields_in(inner, visit));
    }
}

/// Visits every item of a kind of list in `props` or a group, with its path below that.
pub(super) fn each_in<'v>(group: &'v Value, at: &[Step], list: &str, visit: &mut impl FnMut(Path, &'v Value)) {
    let items = |name: &str| group.get(name).and_then(Value::as_array).into_iter().flatten().enumerate();
    for (index, item) in items(list) {
        visit(below(&below(at, list), index), item);
    }
    for name in GROUPS {
        for (index, inner) in items(name) {
            each_in(inner, &below(&below(at, name), index), list, visit);
        }
    }
}
