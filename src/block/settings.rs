//! The options of streams, validation and repair of blocks.

use super::Tools;
use super::formats::{FORMATS, Format};
use super::policy::Policy;
use crate::limits::Limits;
use crate::value::text::owned;
use crate::value::{Value, concat, join};

/// How blocks are read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether what can be repaired without a model is.
    pub repair: bool,
    /// Whether the texts of fields are passed on while they arrive.
    pub content_deltas: bool,
    /// Whether the caller has the text and reads the JSON in it itself: file calls then come with an empty `content`. Not
    /// for streams.
    #[doc(hidden)]
    pub leaves_content: bool,
    /// Whether a call may stand in the text without a fence, on lines of its own.
    pub unfenced: bool,
    /// Names of tags around reasoning, beside `think`, `thinking`, `reasoning`, `reflection` and `scratchpad`.
    pub reasoning_tags: Vec<String>,
    /// Whether the text begins inside reasoning: the prompt has opened the tag, and only its end arrives.
    pub reasoning_open: bool,
    /// Formats of calls that are not JSON, which are read too.
    pub formats: Vec<Format>,
    /// The tools that calls may name.
    pub tools: Tools,
    /// Which paths may be used.
    pub policy: Policy,
    /// What is taken at most: `max_block_bytes`, `max_depth`, `max_issues`.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            repair: true,
            content_deltas: false,
            leaves_content: false,
            unfenced: true,
            reasoning_tags: Vec::new(),
            reasoning_open: false,
            formats: Vec::new(),
            tools: Tools::default(),
            policy: Policy::default(),
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// Whether the text of `content` may be left out: a schema may ask for it.
    pub(super) fn may_leave_content(&self) -> bool {
        self.leaves_content && self.tools.are_file_tools()
    }

    /// Reads `{repair?: boolean, contentDeltas?: boolean, unfenced?: boolean, reasoning?: {tags?: [string], open?: boolean},
    /// formats?: [string], tools?: […], policy?: {…}, limits?: {…}}`; other keys are for others.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn from_value(options: &Value) -> Result<Self, String> {
        let mut settings = Self::default();
        let Value::Object(options) = options else { return Ok(settings) };
        for (key, value) in options.iter() {
            match (key, value) {
                (_, Value::Null) => {}
                ("repair", Value::Bool(flag)) => settings.repair = *flag,
                ("contentDeltas", Value::Bool(flag)) => settings.content_deltas = *flag,
                ("unfenced", Value::Bool(flag)) => settings.unfenced = *flag,
                ("formats", formats) => settings.read_formats(formats)?,
                ("reasoning", reasoning) => settings.read_reasoning(reasoning)?,
                ("repair" | "contentDeltas" | "unfenced", _) => return Err(concat(&[key, " must be true or false."])),
                ("tools", tools) => settings.tools = Tools::from_value(tools)?,
                ("policy", policy) => settings.policy = Policy::from_value(policy)?,
                ("limits", limits) => settings.limits = Limits::from_value(limits)?,
                _ => {}
            }
        }
        Ok(settings)
    }

    fn read_formats(&mut self, value: &Value) -> Result<(), String> {
        for name in value.as_array().into_iter().flat_map(|names| names.iter()) {
            let format = FORMATS.iter().find(|(own, _)| name.as_str() == Some(own));
            self.formats.push(format.ok_or_else(formats_sentence)?.1);
        }
        value.as_array().map(|_| ()).ok_or_else(formats_sentence)
    }

    fn read_reasoning(&mut self, value: &Value) -> Result<(), String> {
        const SHAPE: &str = "reasoning must be { tags?: [names of tags, without < and >], open?: true or false }.";
        let options = value.as_object().ok_or(SHAPE)?;
        for (key, value) in options.iter() {
            match (key, value) {
                (_, Value::Null) => {}
                ("open", Value::Bool(flag)) => self.reasoning_open = *flag,
                ("tags", Value::Array(tags)) => {
                    for tag in tags.iter() {
                        let is_name = |name: &&str| {
                            (1..=LONGEST_TAG).contains(&name.len()) && !name.contains(['<', '>', '/', ' ', '\n'])
                        };
                        self.reasoning_tags.push(owned(tag.as_str().filter(is_name).ok_or(SHAPE)?));
                    }
                }
                _ => return Err(owned(SHAPE)),
            }
        }
        Ok(())
    }
}

fn formats_sentence() -> String {
    let names: Vec<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
    concat(&["formats must be a list of some of ", &join(&names, ", "), "."])
}

/// The longest name of a tag, in bytes.
const LONGEST_TAG: usize = 48;
