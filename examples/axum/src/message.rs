//! What pages send.

use genui_patch::value::Value;

use crate::{json, limits};

#[derive(Debug)]
pub(crate) enum Message {
    /// Where the page is in the log.
    Resume(Resume),
    /// `call`: `None` for a value that is no patch call.
    Call {
        id: String,
        call: Option<Value>,
        bytes: usize,
    },
    /// A decision on a proposal, or a call of a tool for files and nodes: neither is served, and `request` is told so.
    NotServed {
        what: NotServed,
        request: Value,
    },
    Presence(Value),
}

#[derive(Debug)]
pub(crate) struct Resume {
    pub(crate) revision: Option<u64>,
    pub(crate) session: String,
    /// The ids of calls that the page has sent, and that are not settled.
    pub(crate) pending: Vec<String>,
    /// The number of the request, which a snapshot answers.
    pub(crate) request: Option<Value>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum NotServed {
    Decision,
    Tool,
}

impl Message {
    /// # Errors
    /// Why the page is disconnected.
    pub(crate) fn read(text: &str) -> Result<Self, &'static str> {
        const UNKNOWN: &str = "no message of this protocol";
        if text.len() > limits::MESSAGE {
            return Err("the message is too long");
        }
        let message = json::read(text).ok_or(UNKNOWN)?;
        let member = |key| message.get(key).cloned().unwrap_or_default();
        match json::text(&message, "type").ok_or(UNKNOWN)? {
            "resume" => {
                let pending = message.get("pending").and_then(Value::as_array);
                let pending = pending.into_iter().flatten().filter_map(Value::as_str).take(limits::PENDING);
                Ok(Self::Resume(Resume {
                    revision: message.get("revision").and_then(json::as_count),
                    session: json::text(&message, "session").unwrap_or_default().to_owned(),
                    pending: pending.map(str::to_owned).collect(),
                    request: message.get("request").filter(|request| request.as_number().is_some()).cloned(),
                }))
            }
            "call" => {
                let id = json::text(&message, "pendingId").filter(|id| (1..=limits::CALL_ID).contains(&id.len()));
                let call = member("call");
                if call.as_object().is_none() {
                    return Err(UNKNOWN);
                }
                let call = crate::entry::is_call(&call).then_some(call);
                Ok(Self::Call { id: id.ok_or(UNKNOWN)?.to_owned(), call, bytes: text.len() })
            }
            "approve" | "refuse" => Ok(Self::NotServed { what: NotServed::Decision, request: member("request") }),
            "tool" => Ok(Self::NotServed { what: NotServed::Tool, request: member("request") }),
            "presence" => {
                let state = member("state");
                let is_short = state.to_json().len() <= limits::PRESENCE;
                is_short.then_some(Self::Presence(state)).ok_or("the presence of a page has at most 2048 bytes")
            }
            _ => Err(UNKNOWN),
        }
    }
}
