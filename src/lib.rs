//! `genui-patch`.
pub mod block;
pub mod edit;
pub mod limits;
pub mod patch;
mod platform;
pub mod store;
pub mod value;
#[cfg(feature = "wasm")]
mod wasm;
