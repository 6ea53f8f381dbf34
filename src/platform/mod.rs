//! What the platform knows better than a table of our own: the standard library, or, in the browser, JavaScript. It is the one
//! place where the core asks JavaScript.

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
mod javascript;
#[cfg(not(all(feature = "wasm", target_arch = "wasm32")))]
mod native;

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use javascript::{fold_case, parse_decimal, write_decimal};
#[cfg(not(all(feature = "wasm", target_arch = "wasm32")))]
pub(crate) use native::{fold_case, parse_decimal, write_decimal};
