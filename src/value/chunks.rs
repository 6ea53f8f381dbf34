//! A list in chunks, so that an edit in the middle moves only a few items.

/// The most items of one chunk.
const MAX_CHUNK: usize = if cfg!(test) { 4 } else { 1024 };

/// A list: one vector until it is edited in the middle, then many short ones, so that an edit moves few items.
///
/// An index may store the [`Chunks::mark`] of an item. Edits of other items change at most its place inside the chunk.
#[derive(Debug)]
pub(crate) struct Chunks<T>(Storage<T>);

#[derive(Debug)]
enum Storage<T> {
    One(Vec<T>),
    Many(Box<Many<T>>, Splits),
}

/// Whether lists are split. Those of `blocks.wasm` are not, as nothing edits them in the middle: the variant [`Storage::Many`] has
/// no value there, and no code.
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

/// The places and the numbers of chunks.
#[derive(Debug)]
struct Bounds {
    /// The place at which each chunk begins.
    starts: Vec<usize>,
    /// The number of each chunk, which does not change when chunks are inserted before it.
    numbers: Vec<usize>,
    /// The chunk of each number.
    order: Vec<usize>,
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

    /// Inserts an item. Returns the places of the items whose marks have changed.
    pub(crate) fn insert(&mut self, place: usize, item: T) -> std::ops::Range<usize> {
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

    pub(crate) fn remove(&mut self, place: usize) -> Option<T> {
        if self.len() > MAX_CHUNK && place + 1 < self.len() {
            self.split();
        }
        match &mut self.0 {
            Storage::One(items) => (place < items.len()).then(|| items.remove(place)),
            Storage::Many(many, _) => many.remove(place),
        }
    }

    /// Splits a long list into chunks. Must be called before marks are stored.
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
        for chunk in (1..count).rev() {
            chunks.push(items.split_off(chunk * MAX_CHUNK));
        }
        items.shrink_to_fit();
        chunks.push(items);
        chunks.reverse();
        self.0 = Storage::Many(Box::new(Many { chunks, bounds: Bounds::of(count, len) }), splits);
    }

    /// A number that finds the item at a place, at least its chunk, until the item is removed.
    pub(crate) fn mark(&self, place: usize) -> usize {
        match &self.0 {
            Storage::One(_) => place,
            Storage::Many(many, _) => many.bounds.mark(place),
        }
    }

    /// The places at which the item with a mark can be, and the most likely of them.
    pub(crate) fn find_marked(&self, mark: usize) -> (std::ops::Range<usize>, usize) {
        match &self.0 {
            Storage::One(items) => (0..items.len(), mark),
            Storage::Many(many, _) => many.bounds.find_marked(mark),
        }
    }
}

impl<T> Many<T> {
    fn insert(&mut self, place: usize, item: T) -> std::ops::Range<usize> {
        let (mut chunk, mut offset) = self.bounds.find(place);
        let mut moved = 0..0;
        if self.chunks.get(chunk).is_some_and(|items| items.len() >= MAX_CHUNK) {
            // An insertion at the end moves no item.
            let half = if offset == MAX_CHUNK { MAX_CHUNK } else { MAX_CHUNK / 2 };
            let rest = self.chunks.get_mut(chunk).map(|items| items.split_off(half)).unwrap_or_default();
            let start = place - offset + half;
            moved = start..start + rest.len();
            self.chunks.insert(chunk + 1, rest);
            self.bounds.add(chunk + 1, start);
            if offset > half || half == MAX_CHUNK {
                (chunk, offset) = (chunk + 1, offset - half);
                moved.end += usize::from(!moved.is_empty());
            } else {
                moved = moved.start + 1..moved.end + 1;
            }
        }
        if let Some(items) = self.chunks.get_mut(chunk) {
            items.insert(offset, item);
            self.bounds.grow(chunk, 1);
        }
        moved
    }

    /// An empty chunk stays, so that the numbers of others do not change.
    fn remove(&mut self, place: usize) -> Option<T> {
        let (chunk, offset) = self.bounds.find(place);
        let items = self.chunks.get_mut(chunk).filter(|items| offset < items.len())?;
        let item = items.remove(offset);
        if items.is_empty() {
            *items = Vec::new();
        }
        self.bounds.grow(chunk, usize::MAX);
        Some(item)
    }
}

impl Bounds {
    #[inline(never)]
    fn of(count: usize, len: usize) -> Self {
        let numbers: Vec<_> = (0..count).collect();
        Self { starts: numbers.iter().map(|chunk| chunk * MAX_CHUNK).collect(), order: numbers.clone(), numbers, len }
    }

    /// The chunk of an item, or of the end of the list, and the place in it.
    #[inline(never)]
    fn find(&self, place: usize) -> (usize, usize) {
        let chunk = self.starts.partition_point(|start| *start <= place).saturating_sub(1);
        (chunk, place - self.start(chunk))
    }

    fn start(&self, chunk: usize) -> usize {
        self.starts.get(chunk).copied().unwrap_or(self.len)
    }

    #[inline(never)]
    fn mark(&self, place: usize) -> usize {
        let (chunk, offset) = self.find(place);
        self.numbers.get(chunk).copied().unwrap_or_default() * MAX_CHUNK + offset
    }

    #[inline(never)]
    fn find_marked(&self, mark: usize) -> (std::ops::Range<usize>, usize) {
        let chunk = self.order.get(mark / MAX_CHUNK).copied().unwrap_or_default();
        let start = self.start(chunk);
        (start..self.start(chunk + 1), start + mark % MAX_CHUNK)
    }

    #[inline(never)]
    fn add(&mut self, chunk: usize, start: usize) {
        self.starts.insert(chunk, start);
        self.numbers.insert(chunk, self.order.len());
        self.order.push(chunk);
        for (chunk, number) in self.numbers.iter().enumerate().skip(chunk) {
            if let Some(place) = self.order.get_mut(*number) {
                *place = chunk;
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
    items: std::slice::Iter<'a, T>,
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

/// The copy is one vector: no index has marks of it.
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
