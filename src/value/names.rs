//! A map from names to numbers: the one hash table of the crate.
//!
//! Written for this job instead of taken from the standard library, because every kind of map that is used adds tens of
//! kilobytes to a module that is downloaded. Names come from a model that read the web: the hash starts from a seed that
//! is drawn when the process or the module starts, so that nobody can send names that collide.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static SEED: AtomicU32 = AtomicU32::new(0);

/// Gives the seed, where the standard library has no source of randomness. Called once, before anything is hashed.
#[cfg(feature = "wasm")]
pub(crate) fn set_seed(seed: u32) {
    SEED.store(seed | 1, Relaxed);
}

fn seed() -> u64 {
    match SEED.load(Relaxed) {
        0 => draw_seed().into(),
        seed => seed.into(),
    }
}

#[cold]
fn draw_seed() -> u32 {
    use std::hash::BuildHasher as _;
    #[expect(clippy::cast_possible_truncation, reason = "any half is as random")]
    let drawn = std::hash::RandomState::new().hash_one(0) as u32 | 1;
    // Of several threads that draw at once the first one counts.
    SEED.compare_exchange(0, drawn, Relaxed, Relaxed).map_or_else(|first| first, |_| drawn)
}

const EMPTY: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Entry {
    name: Box<str>,
    hash: u32,
    number: usize,
}

/// Names and numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    entries: Vec<Entry>,
    /// Linear probing over indexes of entries; its length is a power of two, at least half of it empty.
    table: Vec<u32>,
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        let (_, entry) = self.find(name, hash(name))?;
        self.entries.get(entry).map(|entry| entry.number)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets the number of a name and returns the one it had.
    pub(crate) fn set(&mut self, name: &str, number: usize) -> Option<usize> {
        let hash = hash(name);
        if let Some((_, place)) = self.find(name, hash)
            && let Some(entry) = self.entries.get_mut(place)
        {
            return Some(std::mem::replace(&mut entry.number, number));
        }
        self.entries.push(Entry { name: name.into(), hash, number });
        if self.entries.len() * 2 > self.table.len() {
            self.table = vec![EMPTY; (self.entries.len() * 4).next_power_of_two()];
            for place in 0..self.entries.len() {
                self.link(place);
            }
        } else {
            self.link(self.entries.len() - 1);
        }
        None
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<usize> {
        let (slot, place) = self.find(name, hash(name))?;
        self.unlink(slot);
        let last = self.entries.len() - 1;
        // The last entry takes the place of the one that goes.
        if place < last
            && let Some(moved) = self.entries.get(last)
            && let Some((slot, _)) = self.find(&moved.name, moved.hash)
        {
            self.put(slot, place);
        }
        Some(self.entries.swap_remove(place).number)
    }

    fn home(&self, hash: u32) -> usize {
        hash as usize & self.table.len().wrapping_sub(1)
    }

    fn next(&self, slot: usize) -> usize {
        (slot + 1) & (self.table.len() - 1)
    }

    fn at(&self, slot: usize) -> Option<usize> {
        self.table.get(slot).filter(|entry| **entry != EMPTY).map(|entry| *entry as usize)
    }

    fn put(&mut self, slot: usize, place: usize) {
        if let (Some(cell), Ok(place)) = (self.table.get_mut(slot), u32::try_from(place)) {
            *cell = place;
        }
    }

    /// The slot and the entry of a name.
    fn find(&self, name: &str, hash: u32) -> Option<(usize, usize)> {
        let mut slot = self.home(hash);
        while let Some(place) = self.at(slot) {
            let entry = self.entries.get(place)?;
            if entry.hash == hash && &*entry.name == name {
                return Some((slot, place));
            }
            slot = self.next(slot);
        }
        None
    }

    fn link(&mut self, place: usize) {
        let Some(hash) = self.entries.get(place).map(|entry| entry.hash) else { return };
        let mut slot = self.home(hash);
        while self.at(slot).is_some() {
            slot = self.next(slot);
        }
        self.put(slot, place);
    }

    /// Empties a slot, and moves up what probing had put behind it.
    fn unlink(&mut self, mut hole: usize) {
        let mut slot = hole;
        loop {
            slot = self.next(slot);
            let Some(place) = self.at(slot) else { break };
            let home = self.entries.get(place).map_or(slot, |entry| self.home(entry.hash));
            // Distances around the table: an entry may move up only as far as its home.
            let reach = slot.wrapping_sub(home) & (self.table.len() - 1);
            let gap = slot.wrapping_sub(hole) & (self.table.len() - 1);
            if reach >= gap {
                self.put(hole, place);
                hole = slot;
            }
        }
        if let Some(cell) = self.table.get_mut(hole) {
            *cell = EMPTY;
        }
    }
}

/// Multiply and fold, eight bytes at a time, from the seed.
fn hash(name: &str) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let seed = seed();
    let mix = |state: u64, word: u64| {
        let product = (state ^ word).wrapping_mul(ODD ^ seed << 1);
        product ^ product >> 32
    };
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let start = seed << 16 ^ name.len() as u64;
    let state = words.iter().fold(start, |state, word| mix(state, u64::from_le_bytes(*word)));
    let rest = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let state = mix(mix(state, rest), ODD);
    #[expect(clippy::cast_possible_truncation, reason = "the upper half is folded in")]
    let hash = (state ^ state >> 32) as u32;
    hash
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn finds_what_was_set_and_not_removed() {
        let mut names = Names::default();
        let mut naive = std::collections::BTreeMap::new();
        // A walk through names that sets and removes in an order without pattern.
        let mut state = 1_u64;
        for step in 0..20_000_usize {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let name = format!("name-{}", state >> 33 & 0xff);
            if state >> 62 == 0 {
                assert_eq!(names.remove(&name), naive.remove(&name));
            } else {
                assert_eq!(names.set(&name, step), naive.insert(name.clone(), step));
            }
            assert_eq!(names.get(&name), naive.get(&name).copied());
        }
        for (name, number) in &naive {
            assert_eq!(names.get(name), Some(*number));
        }
    }
}
