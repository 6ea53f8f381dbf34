//! A map from names to numbers: the one hash table of the crate.
//!
//! The maps of the standard library add tens of kilobytes to a module that is downloaded. Names come from outside, so the
//! hash starts from a random seed, drawn when the process or the module starts, and an attacker cannot choose names that collide.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The seed of this process or module. 0: not drawn yet; seeds are odd, so that none is 0.
static SEED: AtomicU32 = AtomicU32::new(0);

/// Sets the seed where the standard library has no source of randomness. Called once, before the first hash.
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

/// A fixed seed: `wasm32-unknown-unknown` has no source of randomness. The modules of the package never use it, since the
/// JavaScript that loads them calls `set_seed` first; a host that compiles the crate for this target itself does.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
fn draw_seed() -> u32 {
    1
}

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
fn draw_seed() -> u32 {
    use std::hash::BuildHasher as _;
    let seed = std::hash::RandomState::new().hash_one(0) as u32 | 1;
    // If several threads draw at once, all use the seed that was stored first.
    SEED.compare_exchange(0, seed, Relaxed, Relaxed).map_or_else(|stored| stored, |_| seed)
}

/// The index that means that there is no entry.
const NONE: u32 = u32::MAX;

/// A name with its number.
#[derive(Clone, Debug)]
pub(super) struct NameEntry {
    name: Box<str>,
    /// The hash of the name.
    hash: u32,
    /// The number that the map stores for this name; in a `NameIndex`, the mark of an item.
    pub(super) number: usize,
    /// For a `NameIndex`: how many other items have this name.
    pub(super) duplicates: u32,
    /// For a `NameIndex`: `number` may be the mark of a later item with this name, so that the first one must be searched for.
    pub(super) is_first_unknown: bool,
    /// The index of the next entry of the chain, or [`NONE`].
    next: u32,
}

/// The map: a hash table in which entries whose hashes end in the same bits form a chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// In no particular order.
    entries: Vec<NameEntry>,
    /// The index of the first entry of each chain, or [`NONE`]. The number of chains is 0 or a power of two, and at least the
    /// number of entries. The last bits of a hash are the number of its chain.
    chains: Vec<u32>,
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        self.entry(name).map(|entry| entry.number)
    }

    pub(super) fn entry(&self, name: &str) -> Option<&NameEntry> {
        self.entries.get(self.find(name, hash(name))?.1)
    }

    pub(super) fn entry_mut(&mut self, name: &str) -> Option<&mut NameEntry> {
        let (_, index) = self.find(name, hash(name))?;
        self.entries.get_mut(index)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets the number of a name, and returns its old number; `None` for a new name.
    pub(crate) fn set(&mut self, name: &str, number: usize) -> Option<usize> {
        let hash = hash(name);
        if let Some((_, index)) = self.find(name, hash)
            && let Some(entry) = self.entries.get_mut(index)
        {
            return Some(std::mem::replace(&mut entry.number, number));
        }
        self.entries.push(NameEntry {
            name: name.into(),
            hash,
            number,
            duplicates: 0,
            is_first_unknown: false,
            next: NONE,
        });
        // Links the new entry into its chain; if the table has grown, links all entries again.
        let mut first_unlinked = self.entries.len() - 1;
        if first_unlinked >= self.chains.len() {
            self.chains = vec![NONE; (2 * self.entries.len()).next_power_of_two()];
            first_unlinked = 0;
        }
        for (index, entry) in self.entries.iter_mut().enumerate().skip(first_unlinked) {
            let chain = entry.hash as usize & (self.chains.len() - 1);
            if let (Some(first), Ok(index)) = (self.chains.get_mut(chain), u32::try_from(index)) {
                entry.next = std::mem::replace(first, index);
            }
        }
        None
    }

    /// Removes a name, and returns its number; `None` if the map does not have it.
    pub(crate) fn remove(&mut self, name: &str) -> Option<usize> {
        let hash = hash(name);
        let (previous, index) = self.find(name, hash)?;
        self.link(previous, hash, self.entries.get(index)?.next);
        // `swap_remove` moves the last entry to this index, so the link to that entry changes, unless the last entry is removed.
        if index + 1 < self.entries.len()
            && let Some(NameEntry { name, hash, .. }) = self.entries.last()
            && let (hash, Some((previous, _))) = (*hash, self.find(name, *hash))
        {
            self.link(previous, hash, u32::try_from(index).unwrap_or(NONE));
        }
        Some(self.entries.swap_remove(index).number)
    }

    /// The index of the entry of a name, after the index of the previous entry in its chain, which is `NONE` for the first entry.
    fn find(&self, name: &str, hash: u32) -> Option<(u32, usize)> {
        let mut previous = NONE;
        // Without chains, the mask is all ones and no index is found.
        let mut index = *self.chains.get(hash as usize & self.chains.len().wrapping_sub(1))?;
        loop {
            let entry = self.entries.get(index as usize)?;
            if entry.hash == hash && *entry.name == *name {
                return Some((previous, index as usize));
            }
            (previous, index) = (index, entry.next);
        }
    }

    /// Makes `next` the entry after `previous` in its chain, or, if that is `NONE`, the first entry in the chain of a hash.
    fn link(&mut self, previous: u32, hash: u32, next: u32) {
        let chain = hash as usize & (self.chains.len() - 1);
        let cell = match self.entries.get_mut(previous as usize) {
            Some(entry) => Some(&mut entry.next),
            None => self.chains.get_mut(chain),
        };
        if let Some(cell) = cell {
            *cell = next;
        }
    }
}

/// Starts from the seed; multiplies and folds eight bytes at a time.
fn hash(name: &str) -> u32 {
    // 2^64 divided by the golden ratio, whose bits have no pattern.
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let seed = seed();
    // The factor stays odd, so that no product loses bits of the state.
    let mix = |state: u64, word: u64| {
        let product = (state ^ word).wrapping_mul(ODD ^ seed << 1);
        product ^ product >> 32
    };
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let start = seed << 16 ^ name.len() as u64;
    let state = words.iter().fold(start, |state, word| mix(state, u64::from_le_bytes(*word)));
    let rest = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let state = mix(mix(state, rest), ODD);
    (state ^ state >> 32) as u32
}

#[cfg(test)]
#[path = "../../tests/unit/names.rs"]
mod tests;
