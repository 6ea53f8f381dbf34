//! How a store behaves.

use crate::limits::Limits;
use crate::patch::{Catalog, OnError, Rules};
use crate::value::{Value, concat};

/// How a store behaves.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The rules of instances that do not say otherwise.
    pub rules: Rules,
    /// Words that the host adds to the known ones.
    pub catalog: Catalog,
    /// What happens to a call when one of its patches fails.
    pub on_error: OnError,
    /// Limits.
    pub limits: Limits,
    /// What the ids of pending calls begin with; another one for each store.
    pub client_id: Box<str>,
}

impl Options {
    /// Reads `{rules?, catalog?, onError?, clientId?, limits?}`.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Object(entries) = value else { return Err("The options must be an object.".to_owned()) };
        let mut options = Self::default();
        for (key, value) in entries.iter() {
            let wanted = options.take(key, value)?;
            if !wanted.is_empty() {
                return Err(concat(&["The option \"", key, "\" must be ", wanted, "."]));
            }
        }
        Ok(options)
    }

    /// Takes one option; of a value that is none, what it must be.
    fn take(&mut self, key: &str, value: &Value) -> Result<&'static str, String> {
        let text = value.as_str();
        match key {
            "rules" => match text.and_then(Rules::from_name) {
                Some(rules) => self.rules = rules,
                None => return Ok("\"ui\" or \"open\""),
            },
            "onError" => match text.and_then(OnError::from_name) {
                Some(mode) => self.on_error = mode,
                None => return Ok("\"rollback\", \"stop\" or \"skip\""),
            },
            "clientId" => match text {
                Some(id) => self.client_id = id.into(),
                None => return Ok("a string"),
            },
            "catalog" => self.catalog = Catalog::from_value(value)?,
            "limits" => self.limits = Limits::from_value(value)?,
            _ => return Err(concat(&["There is no option \"", key, "\"."])),
        }
        Ok("")
    }
}
