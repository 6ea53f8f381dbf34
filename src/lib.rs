//! `genui-patch`.
#[cfg(feature = "wasm")]
mod wasm;
pub mod edit;
pub mod value;
