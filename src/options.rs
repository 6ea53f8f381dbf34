//! Parses options: JSON objects with known keys.

use crate::value::{Value, concat, join};

/// The result of one option: empty, or what its value must be, or a whole sentence from inside it.
pub(crate) type OptionResult = Result<&'static str, String>;

/// Parses an object of options. `set` gets the index of each name in `names`, and its value.
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
        let Some(place) = names.iter().position(|own| *own == name) else {
            return Err(concat(&["There is no ", what, " \"", name, "\"; there are ", &join(names, ", "), "."]));
        };
        let wanted = set(place, value)?;
        if !wanted.is_empty() {
            return Err(concat(&["The ", what, " \"", name, "\" must be ", wanted, "."]));
        }
    }
    Ok(())
}
