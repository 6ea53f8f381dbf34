//! The options of streams, validation and repair of blocks.

use super::Tools;
use super::policy::Policy;
use crate::limits::Limits;
use crate::value::{Value, concat};

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

    /// Reads `{repair?: boolean, contentDeltas?: boolean, tools?: […], policy?: {…}, limits?: {…}}`; other keys are for others.
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
                ("repair" | "contentDeltas", _) => return Err(concat(&[key, " must be true or false."])),
                ("tools", tools) => settings.tools = Tools::from_value(tools)?,
                ("policy", policy) => settings.policy = Policy::from_value(policy)?,
                ("limits", limits) => settings.limits = Limits::from_value(limits)?,
                _ => {}
            }
        }
        Ok(settings)
    }
}
