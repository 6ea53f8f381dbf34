//! The options of everything that reads blocks.

use super::Tools;
use super::policy::Policy;
use crate::limits::Limits;
use crate::value::Value;

/// How blocks are read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether what can be repaired without a model is.
    pub repair: bool,
    /// Whether the texts of fields are passed on while they arrive.
    pub content_deltas: bool,
    /// Whether what is there as a whole is read for whoever has its text and reads the JSON there: its file calls then come
    /// with an empty `content`.
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
        let own = |key: &str| options.get(key).filter(|value| **value != Value::Null);
        let flag = |key: &str, default| match own(key) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(format!("{key} must be true or false.")),
        };
        Ok(Self {
            repair: flag("repair", true)?,
            content_deltas: flag("contentDeltas", false)?,
            leaves_content: false,
            tools: own("tools").map_or_else(|| Ok(Tools::default()), Tools::from_value)?,
            policy: own("policy").map_or_else(|| Ok(Policy::default()), Policy::from_value)?,
            limits: own("limits").map_or_else(|| Ok(Limits::default()), Limits::from_value)?,
        })
    }
}
