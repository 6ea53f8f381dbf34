//! Prints the tables of the core from which the build writes types and constants, so that each table is kept in Rust alone:
//! `{limits: {name: {value, doc}}, types: {Name: {doc, words}}, envelopeKeys: {part: keys}, changeKinds: [{kind, parts}],
//! toolAliases: {tool: names}}`.

use genui_patch::limits::{DOCS, Limits};
use genui_patch::store::ChangeKind;
use genui_patch::value::{Object, Value};
use genui_patch::{block, patch};

fn main() {
    #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
    let limit = |n: usize, doc: &str| object([("value", Value::Number(n as f64)), ("doc", doc.trim().into())]);
    let limits: Object =
        Limits::default().entries().into_iter().zip(DOCS).map(|((name, n), doc)| (name, limit(n, doc))).collect();
    let types = object([
        ("PatchErrorCode", union("Why a call was refused.", patch::Code::ALL.iter().map(|code| code.name()))),
        (
            "BlockErrorCode",
            union("What is wrong with a tool block, for programs.", block::Code::ALL.iter().map(|code| code.name())),
        ),
        (
            "CallFormat",
            union(
                "A format of calls that is read where the option `formats` names it.",
                block::FORMATS.iter().map(|(name, _)| *name),
            ),
        ),
        ("PatchOp", union("What a patch does.", patch::Op::ALL.iter().map(|op| op.name()))),
        ("FieldType", union("The known types of fields.", patch::FIELD_TYPES.iter().copied())),
        (
            "PathRule",
            union(
                "A rule of the path policy: the `reason` of a refusal, and the name by which `off` turns it off.",
                block::policy::RULES.iter().copied(),
            ),
        ),
    ]);
    let list = |words: Vec<&'static str>| words.into_iter().map(Value::from).collect::<Vec<_>>();
    let envelope_keys: Object =
        block::envelope_keys().into_iter().map(|(part, keys)| (part, Value::from(list(keys)))).collect();
    let change_kinds: Vec<Value> = ChangeKind::ALL
        .iter()
        .map(|kind| {
            let parts = kind.parts().iter().map(|part| part.name()).collect();
            object([("kind", kind.name().into()), ("parts", list(parts).into())])
        })
        .collect();
    let tool_aliases: Object =
        block::TOOLS.iter().map(|tool| (tool.name, Value::from(list(tool.aliases().to_vec())))).collect();
    let facts = [
        ("limits", limits.into()),
        ("types", types),
        ("envelopeKeys", envelope_keys.into()),
        ("changeKinds", change_kinds.into()),
        ("toolAliases", tool_aliases.into()),
    ];
    println!("{}", object(facts).to_json());
}

fn union(doc: &str, words: impl Iterator<Item = &'static str>) -> Value {
    let words: Vec<Value> = words.map(Value::from).collect();
    object([("doc", doc.into()), ("words", words.into())])
}

fn object<const COUNT: usize>(fields: [(&str, Value); COUNT]) -> Value {
    Value::Object(fields.into_iter().collect())
}
