//! Who sends a request: tokens with a user, a role and, if not all, the rooms that the user may enter.

use std::collections::HashMap;
use std::sync::Arc;

use genui_patch::value::Value;
use sha2::{Digest, Sha256};

use crate::json;

/// The least length of a token, in bytes.
const SHORTEST_TOKEN: usize = 16;
const MOST_USER_ID: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Viewer,
    Editor,
    Agent,
}

impl Role {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Agent => "agent",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Viewer, Self::Editor, Self::Agent].into_iter().find(|role| role.name() == name)
    }
}

#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) id: String,
    /// `{id, name?}`, as pages see it.
    pub(crate) user: Value,
    pub(crate) role: Role,
    rooms: Option<Vec<String>>,
}

impl Identity {
    pub(crate) fn may_enter(&self, room: &str) -> bool {
        self.rooms.as_ref().is_none_or(|rooms| rooms.iter().any(|own| own == room))
    }
}

/// Identities by the SHA-256 of their token: a look-up tells nothing about a token that is nearly right.
#[derive(Debug)]
pub(crate) struct Tokens(HashMap<[u8; 32], Arc<Identity>>);

impl Tokens {
    /// Reads `[{ "token", "id", "name"?, "role", "rooms"? }]`.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let Some(Value::Array(rows)) = json::read(text) else { return Err("must be a list in JSON".into()) };
        let mut tokens = HashMap::new();
        for row in &rows {
            let token = json::text(row, "token").filter(|token| token.len() >= SHORTEST_TOKEN);
            let token = token.ok_or(format!("each \"token\" must have at least {SHORTEST_TOKEN} characters"))?;
            let id = json::text(row, "id").filter(|id| !id.is_empty() && id.len() <= MOST_USER_ID);
            let id = id.ok_or(format!("each \"id\" must have 1 to {MOST_USER_ID} characters"))?;
            let role = json::text(row, "role").and_then(Role::from_name);
            let role = role.ok_or("each \"role\" must be viewer, editor or agent")?;
            let mut user = json::object([("id", id.into())]);
            if let Some(name) = json::text(row, "name") {
                user = json::with(user, "name", name.into());
            }
            let rooms = match row.get("rooms") {
                None => None,
                Some(Value::Array(rooms)) => Some(rooms.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
                Some(_) => return Err("\"rooms\" must be a list of names".into()),
            };
            let identity = Identity { id: id.to_owned(), user, role, rooms };
            if tokens.insert(hash(token), Arc::new(identity)).is_some() {
                return Err("two rows have the same token".into());
            }
        }
        Ok(Self(tokens))
    }

    pub(crate) fn find(&self, token: &str) -> Option<Arc<Identity>> {
        self.0.get(&hash(token)).cloned()
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
