//! What the build asks the module once, to write types and constants from: each table stands in Rust alone.

use wasm_bindgen::prelude::*;

use super::io::respond;
use crate::block;
use crate::limits::Limits;
use crate::patch::{Code, Op};
use crate::surface;
use crate::value::{Object, Value};

/// `{version, limits: {name: number}, types: {Name: {doc, words}}}`
#[wasm_bindgen]
#[must_use]
pub fn facts() -> usize {
    #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
    let limits: Object =
        Limits::default().entries().into_iter().map(|(name, n)| (name, Value::Number(n as f64))).collect();
    let union = |doc: &str, words: Vec<&str>| {
        let words: Vec<Value> = words.into_iter().map(Value::from).collect();
        Value::Object([("doc", Value::from(doc)), ("words", Value::from(words))].into_iter().collect())
    };
    let types: Object = [
        ("PatchErrorCode", union("Why a call was refused.", Code::ALL.iter().map(|code| code.name()).collect())),
        (
            "BlockErrorCode",
            union(
                "What is wrong with a tool block, for programs.",
                block::Code::ALL.iter().map(|code| code.name()).collect(),
            ),
        ),
        (
            "SurfaceErrorCode",
            union("What is wrong with a surface message.", surface::Code::ALL.iter().map(|code| code.name()).collect()),
        ),
        ("PatchOp", union("What a patch does.", Op::ALL.iter().map(|op| op.name()).collect())),
    ]
    .into_iter()
    .collect();
    let facts: Object = [
        ("version", Value::from(env!("CARGO_PKG_VERSION"))),
        ("limits", Value::Object(limits)),
        ("types", Value::Object(types)),
    ]
    .into_iter()
    .collect();
    respond(|out| Value::Object(facts).write_json(out))
}
