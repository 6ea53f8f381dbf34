//! The entries of a room's log, and the messages that pages get of them.

use genui_patch::value::Value;

use crate::identity::Identity;
use crate::json;

/// An entry, in the form of the logs of `genui-patch/server`.
#[derive(Debug)]
pub(crate) enum Entry {
    /// The server begins a new session, so that pages that have seen entries that were lost ask for a snapshot.
    Session(String),
    Call {
        call: Value,
        /// The id under which a page knows the call.
        id: String,
        /// `{id, name?}`
        user: Value,
    },
}

impl Entry {
    pub(crate) fn session(name: String) -> String {
        let kind = ("kind", "session".into());
        json::object([kind, ("session", name.into()), ("time", crate::time::now().into())]).to_json()
    }

    pub(crate) fn call(call: &Value, id: &str, identity: &Identity) -> String {
        let about = json::object([
            ("kind", "call".into()),
            ("user", identity.user.clone()),
            ("id", id.into()),
            ("time", crate::time::now().into()),
            ("call", call.clone()),
        ]);
        about.to_json()
    }

    /// An entry of the log; `None` for one that this server does not know.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let entry = json::read(text)?;
        match json::text(&entry, "kind")? {
            "session" => Some(Self::Session(json::text(&entry, "session")?.to_owned())),
            "call" => {
                let user = entry.get("user").filter(|user| json::text(user, "id").is_some())?;
                let call = entry.get("call").filter(|call| is_call(call))?;
                let id = json::text(&entry, "id").unwrap_or_default();
                Some(Self::Call { call: call.clone(), id: id.to_owned(), user: user.clone() })
            }
            _ => None,
        }
    }

    /// The message for pages, without its number.
    pub(crate) fn message(&self) -> Value {
        match self {
            Self::Session(name) => json::object([("type", "session".into()), ("session", name.as_str().into())]),
            Self::Call { call, id, user } => {
                let author = json::text(user, "id").unwrap_or_default();
                let author = json::object([("kind", "user".into()), ("id", author.into())]);
                let message = json::with(json::with(call_message(call), "by", user.clone()), "author", author);
                if id.is_empty() { message } else { json::with(message, "patch_id", id.as_str().into()) }
            }
        }
    }
}

/// The message of an entry that changes nothing.
pub(crate) fn nothing() -> Value {
    json::object([("type", "nothing".into())])
}

pub(crate) fn is_call(value: &Value) -> bool {
    json::text(value, "instance_name").or(json::text(value, "instanceId")).is_some()
}

/// The name of the instance that a call is about, in either dialect; `None` if it names none.
pub(crate) fn target_of(call: &Value) -> Option<&str> {
    let either =
        |keys: [&str; 2]| keys.into_iter().find_map(|key| call.get(key).filter(|value| **value != Value::Null));
    let about = either(["instance_name", "instanceId"])?;
    match about.as_str()? {
        "__CREATE__" => either(["new_instance_name", "newInstanceId"])?.as_str(),
        "__DELETE__" => either(["target_instance_name", "targetInstanceId"])?.as_str(),
        name => Some(name),
    }
}

/// A call as a message for pages.
fn call_message(call: &Value) -> Value {
    let about = call.get("instance_name").or(call.get("instanceId")).cloned().unwrap_or_default();
    if matches!(about.as_str(), Some("__CREATE__" | "__DELETE__")) {
        return call.clone();
    }
    let patches = call.get("patches").filter(|patches| **patches != Value::Null).cloned();
    let patches = patches.unwrap_or_else(|| Value::from(Vec::new()));
    json::object([("type", "patch".into()), ("instance_name", about), ("patch", patches)])
}
