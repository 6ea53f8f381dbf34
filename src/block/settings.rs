//! The options of streams, validation and repair of blocks.

use super::Tools;
use super::formats::{FORMATS, Format};
use super::policy::Policy;
use crate::limits::Limits;
use crate::value::text::owned;
use crate::value::{Value, concat, join, put};

/// How blocks are read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether damage is repaired where that needs no model.
    pub repair: bool,
    /// Whether the texts of fields are passed on while they arrive.
    pub content_deltas: bool,
    /// Whether the patches of a call are reported while they arrive.
    pub patches: bool,
    /// Whether a call may appear in the text without a fence, on lines of its own.
    pub unfenced: bool,
    /// Tags around reasoning besides `<think>`, `<thinking>`, `<reasoning>`, `<reflection>` and `<scratchpad>`: each with
    /// its angle brackets and a line feed after it.
    pub reasoning_tags: String,
    /// Whether the text begins inside reasoning: the prompt has opened the tag, and only its end arrives.
    pub reasoning_open: bool,
    /// The formats of calls that are read besides JSON.
    pub formats: Vec<Format>,
    /// The tools that calls may name.
    pub tools: Tools,
    /// Which paths may be used.
    pub policy: Policy,
    /// Limits: `max_block_bytes`, `max_depth`, `max_issues`, `max_calls`.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            repair: true,
            content_deltas: false,
            patches: false,
            unfenced: true,
            reasoning_tags: String::new(),
            reasoning_open: false,
            formats: Vec::new(),
            tools: Tools::default(),
            policy: Policy::default(),
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// Reads `{repair?: boolean, contentDeltas?: boolean, patches?: boolean, unfenced?: boolean, reasoning?: {tags?: [string],
    /// open?: boolean}, formats?: [string], tools?: […], policy?: {…}, limits?: {…}}`. Other keys are ignored, as are keys with
    /// null.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn from_value(options: &Value) -> Result<Self, String> {
        let mut settings = Self::default();
        let Value::Object(options) = options else { return Ok(settings) };
        for (key, value) in options.iter() {
            if *value != Value::Null {
                settings.read(key, value)?;
            }
        }
        Ok(settings)
    }

    /// Reads one option.
    fn read(&mut self, key: &str, value: &Value) -> Result<(), String> {
        let flag = match key {
            "repair" => &mut self.repair,
            "contentDeltas" => &mut self.content_deltas,
            "patches" => &mut self.patches,
            "unfenced" => &mut self.unfenced,
            "formats" => return self.read_formats(value).ok_or_else(formats_sentence),
            "reasoning" => return self.read_reasoning(value).ok_or_else(|| owned(REASONING_SHAPE)),
            "tools" => return Tools::from_value(value).map(|tools| self.tools = tools),
            "policy" => return Policy::from_value(value).map(|policy| self.policy = policy),
            "limits" => return Limits::from_value(value).map(|limits| self.limits = limits),
            _ => return Ok(()),
        };
        let Value::Bool(value) = value else { return Err(concat(&[key, " must be true or false."])) };
        *flag = *value;
        Ok(())
    }

    /// Reads a list of names of formats; `None` if it is anything else.
    fn read_formats(&mut self, value: &Value) -> Option<()> {
        for name in value.as_array()?.iter() {
            let index = FORMATS.iter().position(|(format, _)| name.as_str() == Some(format))?;
            self.formats.push(FORMATS.get(index)?.1);
        }
        Some(())
    }

    /// Reads the options for reasoning; `None` if they do not have the shape of [`REASONING_SHAPE`].
    fn read_reasoning(&mut self, value: &Value) -> Option<()> {
        for (key, value) in value.as_object()?.iter() {
            match (key, value) {
                (_, Value::Null) => {}
                ("open", Value::Bool(flag)) => self.reasoning_open = *flag,
                ("tags", Value::Array(tags)) => {
                    for tag in tags.iter() {
                        let name = tag.as_str()?;
                        let is_name = !name.bytes().any(|byte| b"<>/ \n".contains(&byte));
                        if !is_name || name.is_empty() || name.len() > LONGEST_TAG_NAME {
                            return None;
                        }
                        put(put(put(&mut self.reasoning_tags, "<"), name), ">\n");
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }
}

/// The error for wrong options for reasoning.
const REASONING_SHAPE: &str = "reasoning must be { tags?: [names of tags, without < and >], open?: true or false }.";

/// The error for wrong formats.
fn formats_sentence() -> String {
    let mut names = Vec::new();
    for (name, _) in FORMATS {
        names.push(*name);
    }
    concat(&["formats must be a list of some of ", &join(&names, ", "), "."])
}

/// The longest name of a tag, in bytes. With its brackets and `/`, the tag is not longer than `LONGEST_TAG` in `tags`.
const LONGEST_TAG_NAME: usize = 48;
