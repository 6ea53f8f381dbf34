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

    /// Takes out the item at a place, if it is there.
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
mod tests {
    use super::Chunks;
    use crate::value::{Array, By, IdKey, Object, Value};
    use proptest::prelude::*;

    /// Edits as `(what, where, which)`: numbers that are taken modulo what there is.
    fn edits() -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
        prop::collection::vec((0_usize..6, 0_usize..1000, 0_usize..30), 0..200)
    }

    fn item(number: usize) -> Value {
        Value::Object([("id", Value::from(format!("i{number}"))), ("n", Value::from(1.0))].into_iter().collect())
    }

    proptest! {
        #[test]
        fn is_the_list_that_a_vector_would_be(edits in edits()) {
            let mut chunks = Chunks::new();
            let mut plain = Vec::new();
            for (what, place, number) in edits {
                if what == 0 && !plain.is_empty() {
                    let place = place % plain.len();
                    prop_assert_eq!(chunks.remove(place), Some(plain.remove(place)));
                } else {
                    let place = place % (plain.len() + 1);
                    chunks.insert(place, number);
                    plain.insert(place, number);
                }
                prop_assert_eq!(chunks.len(), plain.len());
                prop_assert!(chunks.iter().eq(&plain));
                prop_assert!((0..=plain.len()).all(|place| chunks.get(place) == plain.get(place)));
            }
            prop_assert_eq!(chunks.remove(plain.len()), None);
            prop_assert!(chunks.into_iter().eq(plain));
        }

        /// Ids come more than once, and items change theirs.
        #[test]
        fn a_list_finds_the_first_item_with_an_id(edits in edits(), start in 0_usize..40) {
            let mut plain: Vec<Value> = (0..start).map(item).collect();
            let mut list = Array::from(plain.clone());
            for (what, place, number) in edits {
                match what {
                    0 if !plain.is_empty() => {
                        let place = place % plain.len();
                        prop_assert_eq!(list.remove(place), Some(plain.remove(place)));
                    }
                    1 if !plain.is_empty() => {
                        let place = place % plain.len();
                        plain[place] = item(number);
                        list.replace(place, item(number));
                    }
                    2 => {
                        let place = place % (plain.len() + 1);
                        plain.insert(place, item(number));
                        list.insert(place, item(number));
                    }
                    _ => {}
                }
                let id = format!("i{number}");
                let bears = |item: &&Value| item.get("id") == Some(&Value::from(&*id));
                let expected = plain.iter().position(|item| bears(&item));
                prop_assert_eq!(list.locate(IdKey::Id, &id), expected);
                prop_assert_eq!(list.locate_by(&By::Property("id".into()), &Value::from(&*id), &mut 0), Some(expected));
                prop_assert_eq!(list.is_shared(IdKey::Id, &id, &mut 0), plain.iter().filter(bears).count() > 1);
            }
        }

        #[test]
        fn an_object_finds_its_keys(edits in edits()) {
            let mut object = Object::new();
            let mut plain: Vec<String> = Vec::new();
            for (what, place, number) in edits {
                let key = format!("k{number}");
                let known = plain.iter().position(|own| *own == key);
                match (what, known) {
                    (0 | 1, known) => {
                        prop_assert_eq!(object.remove(&key).map(|(place, _)| place), known);
                        plain.retain(|own| *own != key);
                    }
                    (_, None) => {
                        let place = place % (plain.len() + 1);
                        object.insert(place, crate::value::key(&key), Value::Null);
                        plain.insert(place, key);
                    }
                    (_, Some(_)) => {}
                }
                prop_assert!(object.keys().eq(plain.iter().map(String::as_str)));
                prop_assert!(plain.iter().enumerate().all(|(place, key)| object.position(key) == Some(place)));
            }
        }
    }
}
