//! Functions of the platform: the standard library's, or JavaScript's in a module.

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
mod javascript;
#[cfg(not(all(feature = "wasm", target_arch = "wasm32")))]
mod native;

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use javascript::{ask_host, compose, fold_case, parse_decimal, write_decimal};
#[cfg(not(all(feature = "wasm", target_arch = "wasm32")))]
pub(crate) use native::{ask_host, compose, fold_case, parse_decimal, write_decimal};
