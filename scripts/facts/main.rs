//! Prints the tables of the core from which the build writes types and constants, so that each table is kept in Rust alone:
//! `{limits: {name: {value, doc}}, types: {Name: {doc, words}}, envelopeKeys: {part: keys}, changeKinds: [{kind, parts}],
//! toolAliases: {tool: names}, blockAnswer: {name: number}, words, shapes}`.

use genui_patch::limits::{DOCS, Limits};
use genui_patch::patch::vocabulary::{self, Is, ObjectShape, ValueKind, Words};
use genui_patch::store::ChangeKind;
use genui_patch::value::{Object, Value};
use genui_patch::{block, patch};

fn main() {
    let limit = |n: usize, doc: &str| object([("value", number_of(n)), ("doc", doc.trim().into())]);
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
        ("FieldType", union("The known types of fields.", names(&vocabulary::FIELD_TYPES))),
        ("BlockType", union("The known types of blocks.", names(&vocabulary::BLOCK_TYPES))),
        ("LayoutType", union("The known layouts.", names(&vocabulary::LAYOUTS))),
        ("ActionType", union("The known types of actions.", names(&vocabulary::ACTION_TYPES))),
        ("ActionStyle", union("The known styles of actions.", names(&vocabulary::STYLES))),
        ("PageStatus", union("The known statuses of pages.", names(&vocabulary::STATUSES))),
        (
            "WarningCode",
            union(
                "What is odd about a part of a call that took effect.",
                patch::WarningCode::ALL.iter().map(|code| code.name()),
            ),
        ),
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
        block::FILE_TOOLS.iter().map(|tool| (tool.name, Value::from(list(tool.aliases().to_vec())))).collect();
    let words: Object = vocabulary::WORDS.into_iter().map(|words| (words.list, words_to_value(words))).collect();
    let shapes: Vec<Value> = vocabulary::SHAPES.into_iter().map(shape_to_value).collect();
    let facts = [
        ("words", words.into()),
        ("shapes", shapes.into()),
        ("limits", limits.into()),
        ("types", types),
        ("envelopeKeys", envelope_keys.into()),
        ("changeKinds", change_kinds.into()),
        ("toolAliases", tool_aliases.into()),
        ("blockAnswer", object(block::answer::TABLE.map(|(name, number)| (name, number_of(number))))),
    ];
    println!("{}", object(facts).to_json());
}

#[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
fn number_of(n: usize) -> Value {
    Value::Number(n as f64)
}

fn names(words: &'static Words) -> impl Iterator<Item = &'static str> {
    words.known.iter().map(|word| word.name)
}

/// `[{name, kind, english, chinese, example}]`
fn words_to_value(words: &Words) -> Value {
    let known = words.known.iter().map(|word| {
        object([
            ("name", word.name.into()),
            ("kind", word.kind.name().into()),
            ("english", word.doc.english.into()),
            ("chinese", word.doc.chinese.into()),
            ("example", word.example.into()),
        ])
    });
    known.collect::<Vec<_>>().into()
}

/// `{name, english, chinese, properties: [{name, type, required, need, types, default, english, chinese}]}`
fn shape_to_value(shape: &ObjectShape) -> Value {
    let properties = shape.properties.iter().map(|property| {
        object([
            ("name", property.name.into()),
            ("type", type_of(&property.is).into()),
            ("required", Value::Bool(property.is_required() || property.always)),
            ("need", property.need().as_str().into()),
            ("types", property.types.iter().map(|name| Value::from(*name)).collect::<Vec<_>>().into()),
            ("default", property.default.into()),
            ("english", property.doc.english.into()),
            ("chinese", property.doc.chinese.into()),
        ])
    });
    object([
        ("name", shape.name.into()),
        ("english", shape.doc.english.into()),
        ("chinese", shape.doc.chinese.into()),
        ("properties", properties.collect::<Vec<_>>().into()),
    ])
}

/// The type of a property in TypeScript.
fn type_of(is: &Is) -> String {
    let named = |shape: &ObjectShape| {
        if shape.name.is_empty() { "{ [name: string]: Json }".to_owned() } else { shape.name.to_owned() }
    };
    match is {
        Is::Text | Is::Filled => "string".into(),
        Is::Word(words) => {
            let union = match words.list {
                "blocks" => "BlockType",
                "fields" => "FieldType",
                "layouts" => "LayoutType",
                "actions" => "ActionType",
                "styles" => "ActionStyle",
                _ => "PageStatus",
            };
            // What a press does is read by programs: a misspelling is an error of types, even where a catalog adds words.
            if words.list == "actions" { union.into() } else { format!("Word<{union}>") }
        }
        Is::Operation => "PatchOp".into(),
        Is::Fit(_, own) => (*own).into(),
        Is::List(shape) | Is::Loose(shape) => format!("{}[]", named(shape)),
        Is::Object(shape) | Is::State(shape) | Is::Props(shape) => named(shape),
        Is::Advice(kind) => match kind {
            ValueKind::Text => "string",
            ValueKind::Number | ValueKind::Columns => "number",
            ValueKind::Flag => "boolean",
            ValueKind::List | ValueKind::Choices => "Json[]",
            ValueKind::Any | ValueKind::Object | ValueKind::Choice => "Json",
        }
        .into(),
    }
}

fn union(doc: &str, words: impl Iterator<Item = &'static str>) -> Value {
    let words: Vec<Value> = words.map(Value::from).collect();
    object([("doc", doc.into()), ("words", words.into())])
}

fn object<const COUNT: usize>(fields: [(&str, Value); COUNT]) -> Value {
    Value::Object(fields.into_iter().collect())
}
