//! How a store behaves.

use crate::limits::Limits;
use crate::patch::{Catalog, OnError, Rules};
use crate::value::Value;

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
        let mut options = Self::default();
        let Value::Object(entries) = value else { return Err("The options must be an object.".to_owned()) };
        for (key, value) in entries.iter() {
            match key {
                "rules" => {
                    let rules = value.as_str().and_then(Rules::from_name);
                    options.rules = rules.ok_or("The option \"rules\" must be \"ui\" or \"open\".")?;
                }
                "onError" => {
                    let mode = value.as_str().and_then(OnError::from_name);
                    options.on_error =
                        mode.ok_or("The option \"onError\" must be \"rollback\", \"stop\" or \"skip\".")?;
                }
                "catalog" => options.catalog = Catalog::from_value(value)?,
                "clientId" => {
                    options.client_id = value.as_str().ok_or("The option \"clientId\" must be a string.")?.into();
                }
                "limits" => options.limits = Limits::from_value(value)?,
                _ => return Err(format!("There is no option \"{key}\".")),
            }
        }
        Ok(options)
    }
}
