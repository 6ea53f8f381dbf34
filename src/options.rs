//! Parses options: JSON objects with known keys.

use crate::value::{Value, concat, join};

/// The result of one option: an empty text if its value is accepted; what the value must be, e.g. `a string`; or, as an error, a
/// whole sentence about a part of the value.
pub(crate) type OptionResult = Result<&'static str, String>;

/// Parses an object of options. `what` is the word for one of them in messages, e.g. `limit`. `set` gets the index in `names` of
/// each option, and its value.
///
/// # Errors
/// A sentence for the developer.
pub(crate) fn read(
    value: &Value,
    what: &str,
    names: &[&'static str],
    set: &mut dyn FnMut(usize, &Value) -> OptionResult,
) -> Result<(), String> {
    let Value::Object(entries) = value else { return Err(concat(&["The ", what, "s must be an object."])) };
    for (name, value) in entries.iter() {
        let Some(index) = names.iter().position(|known| *known == name) else {
            return Err(concat(&["There is no ", what, " \"", name, "\"; there are ", &join(names, ", "), "."]));
        };
        let wanted = set(index, value)?;
        if !wanted.is_empty() {
            return Err(concat(&["The ", what, " \"", name, "\" must be ", wanted, "."]));
        }
    }
    Ok(())
}
