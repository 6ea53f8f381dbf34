//! The driver of `fixtures/messages.json`, for the native tests and for those in the browser.

use genui_patch::edit::Edit;
use genui_patch::store::{Options, Reply, Store};
use genui_patch::value::{Value, parse};

/// Runs all rows and reports those with another result.
pub(crate) fn failures() -> Vec<String> {
    let table = parse(include_str!("../fixtures/messages.json"), 64).expect("the table is JSON");
    let page = table.get("page").expect("a page").to_json();
    let rows = table.get("rows").and_then(Value::as_array).expect("rows");
    rows.iter().filter_map(|row| run(row, &page).err()).collect()
}

fn run(row: &Value, page: &str) -> Result<(), String> {
    let message = match row.get("message").expect("a message") {
        Value::String(text) => text.to_string(),
        message => message.to_json(),
    };
    let mut store = Store::new(Options::default());
    for name in ["page", "other"] {
        assert!(store.load(name, page, None).is_success());
    }
    store.set_active(Some("page")).expect("it is there");
    let (before, names) = (store.save(), store.names().join(","));
    let reply = store.receive(&message, None);
    let expected = match (row.get("error"), row.get("events").and_then(Value::as_array)) {
        (Some(code), _) => {
            let found = reply.error().map(|error| error.code.name());
            let kept = store.save() == before && store.names().join(",") == names;
            return if found == code.as_str() && kept { Ok(()) } else { Err(format!("{message}: {found:?}")) };
        }
        (None, events) => events.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
    };
    let found = events_of(&reply, &names, &store);
    if found == expected { Ok(()) } else { Err(format!("{message}: {found}; {reply:?}")) }
}

/// The events that a JavaScript listener receives for a reply.
fn events_of(reply: &Reply, names: &str, store: &Store) -> String {
    let (Some(name), Ok(outcome)) = (&reply.instance, &reply.outcome) else { return format!("{reply:?}") };
    let mut events = Vec::new();
    match outcome.changes.as_slice() {
        [] => {}
        [Edit::Remove { path }] if path.is_empty() => events.push(format!("delete {name}")),
        _ if names.split(',').any(|known| *known == **name) => events.push(format!("change {name}")),
        _ => events.push(format!("create {name}")),
    }
    if outcome.activated {
        events.push(format!("active {}", store.active().unwrap_or_default()));
    }
    if !outcome.highlight.is_empty() {
        events.push(format!("highlight {name}"));
    }
    events.join(", ")
}
