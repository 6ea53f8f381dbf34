//! Which calls of which client have been made, so that each is made once, and in its client's order.

use std::collections::HashMap;

/// Ranges of numbers that are kept for a client: gaps are calls that were refused or never sent.
const RANGES: usize = 100;
/// Clients that are remembered. The one that has been silent for longest is forgotten first.
const CLIENTS: usize = 100_000;

/// The id of a pending call: the client, and the number that it counts up by one.
pub(crate) fn read_call_id(id: &str) -> Option<(&str, u64)> {
    let (client, number) = id.rsplit_once('-')?;
    let is_plain = !number.is_empty() && number.len() <= 15 && number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse().ok().filter(|number| is_plain && *number > 0)?;
    (!client.is_empty()).then_some((client, number))
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CallState {
    New,
    /// It is in the documents.
    Made,
    /// A later call of its client was made.
    Late,
    /// The client is another user's.
    Foreign,
}

#[derive(Debug)]
struct Client {
    user: String,
    /// Ranges of numbers that were made, in order.
    made: Vec<(u64, u64)>,
    /// The revision of its last call.
    last: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Clients(HashMap<String, Client>);

impl Clients {
    pub(crate) fn state_of(&self, client: &str, number: u64, user: &str) -> CallState {
        let Some(known) = self.0.get(client) else { return CallState::New };
        if known.user != user {
            return CallState::Foreign;
        }
        if known.made.iter().any(|(first, last)| (*first..=*last).contains(&number)) {
            return CallState::Made;
        }
        if known.made.last().is_none_or(|(_, last)| number > *last) { CallState::New } else { CallState::Late }
    }

    /// A call was made. Numbers of a client only go up.
    pub(crate) fn made(&mut self, client: &str, number: u64, user: &str, revision: u64) {
        if self.0.len() >= CLIENTS && !self.0.contains_key(client) {
            // A tenth at once, since the search looks at all of them.
            let mut revisions: Vec<u64> = self.0.values().map(|client| client.last).collect();
            let (_, oldest, _) = revisions.select_nth_unstable(CLIENTS / 10);
            let oldest = *oldest;
            self.0.retain(|_, client| client.last > oldest);
        }
        let new = || Client { user: user.to_owned(), made: Vec::new(), last: 0 };
        let known = self.0.entry(client.to_owned()).or_insert_with(new);
        known.last = revision;
        match known.made.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => known.made.push((number, number)),
        }
        if known.made.len() > RANGES {
            known.made.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CallState, Clients, read_call_id};

    #[test]
    fn a_call_is_made_once_and_in_order() {
        let mut clients = Clients::default();
        for number in [1, 2, 4] {
            clients.made("a-b", number, "ann", number);
        }
        for (number, user, state) in [
            (2, "ann", CallState::Made),
            (3, "ann", CallState::Late),
            (4, "ann", CallState::Made),
            (5, "ann", CallState::New),
            (5, "bob", CallState::Foreign),
        ] {
            assert_eq!(clients.state_of("a-b", number, user), state, "{number} {user}");
        }
    }

    #[test]
    fn ids_of_calls() {
        assert_eq!(read_call_id("a-b-12"), Some(("a-b", 12)));
        for id in ["", "a", "a-", "-1", "a-0", "a-+1", "a-1.5", "a-9999999999999999"] {
            assert_eq!(read_call_id(id), None, "{id}");
        }
    }
}
