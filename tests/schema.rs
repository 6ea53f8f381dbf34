//! JSON Schema: verdicts, refused schemas, and the bounds of the work.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use genui_patch::patch::{Catalog, Code};
use genui_patch::store::{Options, Store};
use genui_patch::value::{Object, Value, parse};

/// A page with one field of a host's own type; its value is in the state.
fn page(value: &str) -> String {
    format!(
        r#"{{"state":{{"params":{{"x":{value}}},"runtime":{{}}}},"layout":{{"type":"single"}},"blocks":[{{"id":"b","type":"form",
"props":{{"fields":[{{"key":"x","label":"X","type":"own"}}]}}}}]}}"#
    )
}

fn catalog(schema: &str) -> Result<Catalog, String> {
    Catalog::from_value(&parse(&format!(r#"{{"fields":{{"own":{{"value":{schema}}}}}}}"#), 256).unwrap())
}

/// The error that a store returns for a value under a schema; `None` if the value is valid.
fn verdict(schema: &str, value: &str) -> Option<(Code, String)> {
    let mut store = Store::new(Options { catalog: catalog(schema).unwrap(), ..Options::default() });
    let reply = store.load("p", &page(value), None);
    reply.error().map(|error| (error.code, format!("{} {}", error.message, error.solution)))
}

#[test]
fn the_table_of_verdicts() {
    let table = parse(include_str!("fixtures/schema.json"), 64).unwrap();
    let mut failures = Vec::new();
    for group in table.as_array().unwrap().iter() {
        let schema = group.get("schema").unwrap().to_json();
        for test in group.get("tests").and_then(Value::as_array).unwrap().iter() {
            let data = test.get("data").unwrap().to_json();
            let found = verdict(&schema, &data);
            let valid = test.get("valid") == Some(&Value::Bool(true));
            let is_right = found.as_ref().map_or(valid, |(code, _)| !valid && *code == Code::InvalidStructure);
            if !is_right {
                failures.push(format!("{}: {data} comes to {found:?}", group.get("description").unwrap().to_json()));
            }
        }
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn an_invalid_schema_is_refused_with_its_place() {
    let cases = [
        (r#"3"#, "a schema at #"),
        (r#"{"type":"strng"}"#, "null, boolean, number, integer, string, array or object at #/type"),
        (r#"{"properties":{"a":{"minimum":"x"}}}"#, "a number at #/properties/a/minimum"),
        (r#"{"items":[{}]}"#, "a schema at #/items"),
        (r#"{"anyOf":{}}"#, "a list of schemas at #/anyOf"),
        (r#"{"properties":[]}"#, "schemas by name at #/properties"),
        (r#"{"required":[1]}"#, "a list of names at #/required"),
        (r#"{"enum":3}"#, "a list at #/enum"),
        (r#"{"minLength":-1}"#, "a whole number from 0 at #/minLength"),
        (r#"{"multipleOf":0}"#, "a number above 0 at #/multipleOf"),
        (r##"{"$ref":"#/$defs/none"}"##, "a reference to a schema that is there at #/$ref"),
        (r#"{"pattern":1}"#, "a pattern of at most 1,000 bytes at #/pattern"),
        (r#"{"$defs":{"a/b":{"type":1}}}"#, "at #/$defs/a~1b/type"),
    ];
    for (schema, wanted) in cases {
        let error = catalog(schema).unwrap_err();
        assert!(error.starts_with("The schema of field \"own\" must have ") && error.contains(wanted), "{error}");
    }
    let deep = format!("{}true{}", r#"{"not":"#.repeat(70), "}".repeat(70));
    assert!(catalog(&deep).unwrap_err().contains("fewer levels"));
}

#[test]
fn the_message_names_the_place_in_the_value_and_in_the_schema() {
    let schema = r##"{"properties":{"a/b":{"items":{"$ref":"#/$defs/n"}}},"$defs":{"n":{"anyOf":[{"type":"null"},{"maximum":3}]}}}"##;
    let (_, text) = verdict(schema, r#"{"a/b":[1,5]}"#).unwrap();
    assert_eq!(
        text,
        "state.params.x.a/b.1 is 5, which the schema of field \"own\" does not allow. \
         Send what #/$defs/n/anyOf asks for: [{\"type\":\"null\"},{\"maximum\":3}]."
    );
}

#[test]
fn work_and_depth_have_an_end() {
    let own = r##"{"$ref":"#"}"##;
    assert_eq!(verdict(own, "1").unwrap().0, Code::LimitExceeded);
    // Each level would double the work.
    let twice =
        r##"{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#"},false]}}}"##;
    assert_eq!(verdict(twice, "1").unwrap().0, Code::LimitExceeded);
    let mut wide = Object::new();
    for index in 0..18 {
        let next = format!("#/$defs/d{}", index + 1);
        let branch = || Value::Object([("$ref", Value::from(next.as_str()))].into_iter().collect());
        let schema: Object = [("oneOf", Value::from(vec![branch(), branch()]))].into_iter().collect();
        wide.set(&format!("d{index}"), schema.into());
    }
    wide.set("d18", Value::Bool(true));
    let schema: Object = [("$ref", Value::from("#/$defs/d0")), ("$defs", wide.into())].into_iter().collect();
    let mut options = Options { catalog: catalog(&Value::from(schema).to_json()).unwrap(), ..Options::default() };
    options.limits.max_work = 100_000;
    let mut store = Store::new(options);
    assert!(store.load("p", &page("null").replace("{\"x\":null}", "{}"), None).is_success());
    let reply = store.apply(r#"{"instance_name":"p","patches":[{"op":"set","path":"state.params.x","value":1}]}"#);
    assert_eq!(reply.error().unwrap().code, Code::LimitExceeded);
    assert_eq!(store.document("p").unwrap().at(&["state".into(), "params".into()]).unwrap().to_json(), "{}");
}
