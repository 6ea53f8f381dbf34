//! A list in chunks, so that an edit in the middle moves only a few items.
//!
//! A *place* is the number of an item in the whole list, from 0; an *offset* is its number in its chunk. Functions are
//! `#[inline(never)]` where one copy for all callers makes the WebAssembly modules smaller.

/// The most items of one chunk, and thus the most that an edit moves. Tests have small chunks, so that short lists have several.
const MAX_CHUNK: usize = if cfg!(test) { 4 } else { 1024 };

/// A list: one vector until it is edited in the middle, then many short ones, so that an edit moves few items.
///
/// A lookup table such as [`super::name_index::NameIndex`] may store the [`Chunks::mark`] of an item. Edits of other items
/// leave the item in its chunk, so that its mark still finds the chunk. Only the items whose places [`Chunks::insert`] returns
/// have moved to another chunk and need new marks.
#[derive(Debug)]
pub(crate) struct Chunks<T>(Storage<T>);

#[derive(Debug)]
enum Storage<T> {
    One(Vec<T>),
    Many(Box<Many<T>>, Splits),
}

/// The witness that lists may be split. Nothing edits a list in the middle in `blocks.wasm`: the type has no value there, so
/// that the compiler drops [`Storage::Many`] and its code.
#[cfg(all(feature = "blocks", not(feature = "store")))]
type Splits = std::convert::Infallible;
#[cfg(not(all(feature = "blocks", not(feature = "store"))))]
type Splits = ();

#[cfg(all(feature = "blocks", not(feature = "store")))]
const SPLITS: Option<Splits> = None;
#[cfg(not(all(feature = "blocks", not(feature = "store"))))]
const SPLITS: Option<Splits> = Some(());

#[derive(Debug)]
struct Many<T> {
    chunks: Vec<Vec<T>>,
    bounds: Bounds,
}

/// Where each chunk begins, and the ids by which marks name chunks.
#[derive(Debug)]
struct Bounds {
    /// The place at which each chunk begins.
    starts: Vec<usize>,
    /// The id of each chunk, which does not change when chunks are inserted before it.
    ids: Vec<usize>,
    /// The index of the chunk with each id: the inverse of `ids`.
    chunk_of_id: Vec<usize>,
    /// The number of items in all chunks.
    len: usize,
}

impl<T> Chunks<T> {
    pub(crate) const fn new() -> Self {
        Self(Storage::One(Vec::new()))
    }

    pub(crate) const fn len(&self) -> usize {
        match &self.0 {
            Storage::One(items) => items.len(),
            Storage::Many(many, _) => many.bounds.len,
        }
    }

    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        match &self.0 {
            Storage::One(items) => items.get(place),
            Storage::Many(many, _) => {
                let (chunk, offset) = many.bounds.find(place);
                many.chunks.get(chunk)?.get(offset)
            }
        }
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        match &mut self.0 {
            Storage::One(items) => items.get_mut(place),
            Storage::Many(many, _) => {
                let (chunk, offset) = many.bounds.find(place);
                many.chunks.get_mut(chunk)?.get_mut(offset)
            }
        }
    }

    /// Shrinks the vector to its length, unless there are chunks.
    pub(crate) fn shrink(&mut self) {
        if let Storage::One(items) = &mut self.0 {
            items.shrink_to_fit();
        }
    }

    /// The vectors that hold the items, in order.
    pub(crate) fn parts(&self) -> &[Vec<T>] {
        match &self.0 {
            Storage::One(items) => std::slice::from_ref(items),
            Storage::Many(many, _) => &many.chunks,
        }
    }

    pub(crate) fn iter(&self) -> Iter<'_, T> {
        Iter { items: [].iter(), chunks: self.parts().iter() }
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let chunks = match &mut self.0 {
            Storage::One(items) => std::slice::from_mut(items),
            Storage::Many(many, _) => &mut many.chunks,
        };
        chunks.iter_mut().flatten()
    }

    /// Inserts an item, at a place of at most `len`. Returns the places, after the insertion, of the items that have moved to
    /// another chunk; the new item may be among them.
    pub(crate) fn insert(&mut self, place: usize, item: T) -> std::ops::Range<usize> {
        // A vector is edited in the middle while it fits into one chunk afterwards. At its end no other item moves.
        if self.len() >= MAX_CHUNK && place < self.len() {
            self.split();
        }
        match &mut self.0 {
            Storage::One(items) => {
                items.insert(place, item);
                0..0
            }
            Storage::Many(many, _) => many.insert(place, item),
        }
    }

    /// Removes and returns an item; `None` beyond the end.
    pub(crate) fn remove(&mut self, place: usize) -> Option<T> {
        let is_last = place + 1 >= self.len();
        if self.len() > MAX_CHUNK && !is_last {
            self.split();
        }
        match &mut self.0 {
            Storage::One(items) => (place < items.len()).then(|| items.remove(place)),
            Storage::Many(many, _) => many.remove(place),
        }
    }

    /// Splits a long list into chunks, so that a search from a mark visits one chunk at most.
    ///
    /// Marks stay valid: a vector is edited in the middle only while it fits into one chunk, so that the place at which an item
    /// was marked is in the item's chunk.
    #[inline(never)]
    pub(crate) fn split(&mut self) {
        let (Storage::One(items), Some(splits)) = (&mut self.0, SPLITS) else { return };
        let len = items.len();
        if len < MAX_CHUNK {
            return;
        }
        let mut items = std::mem::take(items);
        let count = len.div_ceil(MAX_CHUNK);
        let mut chunks = Vec::with_capacity(count);
        // From the last chunk to the first, so that each item moves once.
        for chunk in (1..count).rev() {
            chunks.push(items.split_off(chunk * MAX_CHUNK));
        }
        items.shrink_to_fit();
        chunks.push(items);
        chunks.reverse();
        self.0 = Storage::Many(Box::new(Many { chunks, bounds: Bounds::of(count, len) }), splits);
    }

    /// The mark of an item: the number by which [`Chunks::find_marked`] finds its chunk, until the item moves to another chunk.
    /// It combines the id of the chunk with the item's offset at this time.
    pub(crate) fn mark(&self, place: usize) -> usize {
        match &self.0 {
            Storage::One(_) => place,
            Storage::Many(many, _) => many.bounds.mark(place),
        }
    }

    /// The places of the chunk that has the item with a mark, and the most likely place of the item: the one at the offset that
    /// it had when it was marked. That place is after the chunk if the chunk has become shorter.
    pub(crate) fn find_marked(&self, mark: usize) -> (std::ops::Range<usize>, usize) {
        match &self.0 {
            Storage::One(items) => (0..items.len(), mark),
            Storage::Many(many, _) => many.bounds.find_marked(mark),
        }
    }
}

impl<T> Many<T> {
    /// As [`Chunks::insert`]. A full chunk is cut: at its end if the new item comes there, else in its middle. The items after
    /// the cut become a new chunk, and the new item goes into the chunk on its side of the cut.
    fn insert(&mut self, place: usize, item: T) -> std::ops::Range<usize> {
        let (mut chunk, mut offset) = self.bounds.find(place);
        let mut moved_places = 0..0;
        if self.chunks.get(chunk).is_some_and(|items| items.len() >= MAX_CHUNK) {
            let is_at_end = offset == MAX_CHUNK;
            let cut = if is_at_end { MAX_CHUNK } else { MAX_CHUNK / 2 };
            let items_after_cut = self.chunks.get_mut(chunk).map(|items| items.split_off(cut)).unwrap_or_default();
            let start = place - offset + cut;
            moved_places = start..start + items_after_cut.len();
            self.chunks.insert(chunk + 1, items_after_cut);
            self.bounds.add(chunk + 1, start);
            // At a cut in the middle, the new item goes to the end of the first half.
            if offset > cut || is_at_end {
                (chunk, offset) = (chunk + 1, offset - cut);
                // The new item is inserted among the items that have moved, if any have.
                moved_places.end += usize::from(!moved_places.is_empty());
            } else {
                // The new item is inserted before the items that have moved.
                moved_places = moved_places.start + 1..moved_places.end + 1;
            }
        }
        if let Some(items) = self.chunks.get_mut(chunk) {
            items.insert(offset, item);
            self.bounds.grow(chunk, 1);
        }
        moved_places
    }

    /// Removes an item. An empty chunk stays, so that the ids of the others do not change.
    fn remove(&mut self, place: usize) -> Option<T> {
        let (chunk, offset) = self.bounds.find(place);
        let items = self.chunks.get_mut(chunk).filter(|items| offset < items.len())?;
        let item = items.remove(offset);
        if items.is_empty() {
            // Frees the memory.
            *items = Vec::new();
        }
        const MINUS_ONE: usize = usize::MAX;
        self.bounds.grow(chunk, MINUS_ONE);
        Some(item)
    }
}

impl Bounds {
    /// The bounds of `count` chunks that have `len` items together. All chunks but the last are full.
    #[inline(never)]
    fn of(count: usize, len: usize) -> Self {
        let ids: Vec<_> = (0..count).collect();
        Self { starts: ids.iter().map(|chunk| chunk * MAX_CHUNK).collect(), chunk_of_id: ids.clone(), ids, len }
    }

    /// The index of the chunk of an item, and its offset in the chunk. For the end of the list, the last chunk and its length.
    #[inline(never)]
    fn find(&self, place: usize) -> (usize, usize) {
        let chunks_begun = self.starts.partition_point(|start| *start <= place);
        let chunk = chunks_begun.saturating_sub(1);
        (chunk, place - self.start(chunk))
    }

    /// The place at which a chunk begins; after the last chunk, the end of the list.
    fn start(&self, chunk: usize) -> usize {
        self.starts.get(chunk).copied().unwrap_or(self.len)
    }

    #[inline(never)]
    fn mark(&self, place: usize) -> usize {
        let (chunk, offset) = self.find(place);
        self.ids.get(chunk).copied().unwrap_or_default() * MAX_CHUNK + offset
    }

    #[inline(never)]
    fn find_marked(&self, mark: usize) -> (std::ops::Range<usize>, usize) {
        let chunk = self.chunk_of_id.get(mark / MAX_CHUNK).copied().unwrap_or_default();
        let start = self.start(chunk);
        (start..self.start(chunk + 1), start + mark % MAX_CHUNK)
    }

    /// Adds a chunk at the index `new_chunk`, which begins at the place `start` and has a new id. Later chunks move up by one.
    #[inline(never)]
    fn add(&mut self, new_chunk: usize, start: usize) {
        self.starts.insert(new_chunk, start);
        self.ids.insert(new_chunk, self.chunk_of_id.len());
        self.chunk_of_id.push(new_chunk);
        for (chunk, id) in self.ids.iter().enumerate().skip(new_chunk) {
            if let Some(index) = self.chunk_of_id.get_mut(*id) {
                *index = chunk;
            }
        }
    }

    /// Adds `by` to the length of a chunk, wrapping: `usize::MAX` subtracts 1.
    #[inline(never)]
    fn grow(&mut self, chunk: usize, by: usize) {
        self.len = self.len.wrapping_add(by);
        for start in self.starts.iter_mut().skip(chunk + 1) {
            *start = start.wrapping_add(by);
        }
    }
}

/// The items in order.
#[derive(Clone, Debug)]
pub struct Iter<'a, T> {
    /// The rest of the current chunk.
    items: std::slice::Iter<'a, T>,
    /// The chunks after it.
    chunks: std::slice::Iter<'a, Vec<T>>,
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    // Not inline, since it has many callers.
    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.items.next() {
                return Some(item);
            }
            self.items = self.chunks.next()?.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.chunks.clone().map(Vec::len).sum::<usize>() + self.items.len();
        (left, Some(left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<T> IntoIterator for Chunks<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        let items = match self.0 {
            Storage::One(items) => items,
            Storage::Many(mut many, _) => {
                let mut items = Vec::with_capacity(many.bounds.len);
                many.chunks.iter_mut().for_each(|chunk| items.append(chunk));
                items
            }
        };
        items.into_iter()
    }
}

/// The copy is one vector: no lookup table has marks of it yet.
impl<T: Clone> Clone for Chunks<T> {
    fn clone(&self) -> Self {
        let mut items = Vec::with_capacity(self.len());
        for item in self.iter() {
            items.push(item.clone());
        }
        items.into()
    }
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: PartialEq> PartialEq for Chunks<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T> From<Vec<T>> for Chunks<T> {
    fn from(items: Vec<T>) -> Self {
        Self(Storage::One(items))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/chunks.rs"]
mod tests;
