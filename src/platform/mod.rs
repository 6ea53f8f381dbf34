//! Functions that depend on the platform. In a WebAssembly module they call JavaScript, since the standard library's
//! tables would add tens of kilobytes; natively they use the standard library.

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
mod javascript;
#[cfg(not(all(feature = "wasm", target_arch = "wasm32")))]
mod native;

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use javascript::{ask_host, compose, fold_case, parse_decimal, write_decimal};
#[cfg(not(all(feature = "wasm", target_arch = "wasm32")))]
pub(crate) use native::{ask_host, compose, fold_case, parse_decimal, write_decimal};
