//! `genui-patch`.
#[cfg(feature = "wasm")]
mod wasm;
pub mod value;
