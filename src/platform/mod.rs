//! Functions that the platform provides: JavaScript in a WebAssembly module, where that saves code size, and the
//! standard library elsewhere.

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
mod javascript;
#[cfg(not(all(feature = "wasm", target_arch = "wasm32")))]
mod native;

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use javascript::{ask_host, compose, fold_case, parse_decimal, write_decimal};
#[cfg(not(all(feature = "wasm", target_arch = "wasm32")))]
pub(crate) use native::{ask_host, compose, fold_case, parse_decimal, write_decimal};
