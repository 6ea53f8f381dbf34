//! A list in chunks, so that an edit in the middle moves only a few items.

/// A long list is kept in chunks of at most so many items.
const MOST: usize = if cfg!(test) { 4 } else { 1024 };

/// A list: one vector until it is edited in the middle, then many short ones, so that an edit moves few items.
///
/// An index may keep the [`Chunks::mark`] of an item: edits elsewhere leave it right, but for the place in a chunk.
#[derive(Debug)]
pub(crate) struct Chunks<T>(Kind<T>);

#[derive(Debug)]
enum Kind<T> {
    One(Vec<T>),
    Many(Box<Many<T>>),
}

#[derive(Debug)]
struct Many<T> {
    chunks: Vec<Vec<T>>,
    bounds: Bounds,
}

/// Where chunks begin, and what they are called.
#[derive(Debug)]
struct Bounds {
    /// The place at which each chunk begins.
    starts: Vec<usize>,
    /// The number of each chunk, which stays while chunks come before it.
    numbers: Vec<usize>,
    /// Which chunk has each number.
    order: Vec<usize>,
    len: usize,
}

impl<T> Chunks<T> {
    pub(crate) const fn new() -> Self {
        Self(Kind::One(Vec::new()))
    }

    pub(crate) const fn len(&self) -> usize {
        match &self.0 {
            Kind::One(items) => items.len(),
            Kind::Many(many) => many.bounds.len,
        }
    }

    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        match &self.0 {
            Kind::One(items) => items.get(place),
            Kind::Many(many) => {
                let (chunk, offset) = many.bounds.find(place);
                many.chunks.get(chunk)?.get(offset)
            }
        }
    }

    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        match &mut self.0 {
            Kind::One(items) => items.get_mut(place),
            Kind::Many(many) => {
                let (chunk, offset) = many.bounds.find(place);
                many.chunks.get_mut(chunk)?.get_mut(offset)
            }
        }
    }

    /// Gives back room that is not needed by one vector.
    pub(crate) fn shrink(&mut self) {
        if let Kind::One(items) = &mut self.0 {
            items.shrink_to_fit();
        }
    }

    /// The items in order, as the vectors in which they are.
    pub(crate) fn parts(&self) -> &[Vec<T>] {
        match &self.0 {
            Kind::One(items) => std::slice::from_ref(items),
            Kind::Many(many) => &many.chunks,
        }
    }

    pub(crate) fn iter(&self) -> Iter<'_, T> {
        Iter { items: [].iter(), chunks: self.parts().iter() }
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let chunks = match &mut self.0 {
            Kind::One(items) => std::slice::from_mut(items),
            Kind::Many(many) => &mut many.chunks,
        };
        chunks.iter_mut().flatten()
    }

    /// Puts an item at a place up to the end. Returns the places of items that have other marks since.
    pub(crate) fn insert(&mut self, place: usize, item: T) -> std::ops::Range<usize> {
        if self.len() >= MOST && place < self.len() {
            self.split();
        }
        match &mut self.0 {
            Kind::One(items) => {
                items.insert(place, item);
                0..0
            }
            Kind::Many(many) => many.insert(place, item),
        }
    }

    pub(crate) fn remove(&mut self, place: usize) -> Option<T> {
        if self.len() > MOST && place + 1 < self.len() {
            self.split();
        }
        match &mut self.0 {
            Kind::One(items) => (place < items.len()).then(|| items.remove(place)),
            Kind::Many(many) => many.remove(place),
        }
    }

    /// Makes chunks of a long list: whoever keeps marks calls this first.
    #[inline(never)]
    pub(crate) fn split(&mut self) {
        let Kind::One(items) = &mut self.0 else { return };
        let len = items.len();
        if len < MOST {
            return;
        }
        let mut items = std::mem::take(items);
        let count = len.div_ceil(MOST);
        let mut chunks = Vec::with_capacity(count);
        for chunk in (1..count).rev() {
            chunks.push(items.split_off(chunk * MOST));
        }
        items.shrink_to_fit();
        chunks.push(items);
        chunks.reverse();
        self.0 = Kind::Many(Box::new(Many { chunks, bounds: Bounds::of(count, len) }));
    }

    /// What tells about where the item at a place is until it is removed.
    pub(crate) fn mark(&self, place: usize) -> usize {
        match &self.0 {
            Kind::One(_) => place,
            Kind::Many(many) => many.bounds.mark(place),
        }
    }

    /// The places at which the item with a mark may be, and the likeliest of them.
    pub(crate) fn marked(&self, mark: usize) -> (std::ops::Range<usize>, usize) {
        match &self.0 {
            Kind::One(items) => (0..items.len(), mark),
            Kind::Many(many) => many.bounds.marked(mark),
        }
    }
}

impl<T> Many<T> {
    fn insert(&mut self, place: usize, item: T) -> std::ops::Range<usize> {
        let (mut chunk, mut offset) = self.bounds.find(place);
        let mut moved = 0..0;
        if self.chunks.get(chunk).is_some_and(|items| items.len() >= MOST) {
            // At the end nothing moves.
            let half = if offset == MOST { MOST } else { MOST / 2 };
            let rest = self.chunks.get_mut(chunk).map(|items| items.split_off(half)).unwrap_or_default();
            let start = place - offset + half;
            moved = start..start + rest.len();
            self.chunks.insert(chunk + 1, rest);
            self.bounds.add(chunk + 1, start);
            if offset > half || half == MOST {
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

    /// An empty chunk stays, so that numbers do.
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
        Self { starts: numbers.iter().map(|chunk| chunk * MOST).collect(), order: numbers.clone(), numbers, len }
    }

    /// The chunk and the place in it of an item, or of the end.
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
        self.numbers.get(chunk).copied().unwrap_or_default() * MOST + offset
    }

    #[inline(never)]
    fn marked(&self, mark: usize) -> (std::ops::Range<usize>, usize) {
        let chunk = self.order.get(mark / MOST).copied().unwrap_or_default();
        let start = self.start(chunk);
        (start..self.start(chunk + 1), start + mark % MOST)
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

    /// A chunk has one item more, or, by the largest number, one less.
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

    // Lists are walked at many places.
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
            Kind::One(items) => items,
            Kind::Many(mut many) => {
                let mut items = Vec::with_capacity(many.bounds.len);
                many.chunks.iter_mut().for_each(|chunk| items.append(chunk));
                items
            }
        };
        items.into_iter()
    }
}

/// The copy is one vector until it is edited: nobody has its marks.
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
        Self(Kind::One(items))
    }
}

#[cfg(test)]
#[path = "../../tests/unit/chunks.rs"]
mod tests;
