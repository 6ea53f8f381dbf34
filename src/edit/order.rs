//! Which child stands at which place.

use super::net::NEW;
use crate::value::chunks::Chunks;

/// The numbers of children, by the places at which they stand now.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Order {
    numbers: Chunks<usize>,
}

impl Order {
    /// The order of so many children, each at its own place.
    pub(super) fn of(len: usize) -> Self {
        Vec::from_iter(0..len).into()
    }

    pub(super) fn number(&self, place: usize) -> usize {
        self.numbers.get(place).copied().unwrap_or(NEW)
    }

    pub(super) fn set(&mut self, place: usize, number: usize) {
        if let Some(own) = self.numbers.get_mut(place) {
            *own = number;
        }
    }

    pub(super) fn insert(&mut self, place: usize) {
        self.numbers.insert(place.min(self.numbers.len()), NEW);
    }

    pub(super) fn remove(&mut self, place: usize) -> usize {
        self.numbers.remove(place).unwrap_or(NEW)
    }

    /// The place of each number; `NEW` for one that is nowhere.
    pub(super) fn places(&self) -> Vec<usize> {
        let most = self.numbers.iter().filter(|number| **number != NEW).max().map_or(0, |most| most + 1);
        let mut places = vec![NEW; most];
        for (place, number) in self.numbers.iter().enumerate() {
            if let Some(own) = places.get_mut(*number) {
                *own = place;
            }
        }
        places
    }
}

impl From<Vec<usize>> for Order {
    fn from(numbers: Vec<usize>) -> Self {
        Self { numbers: numbers.into() }
    }
}

/// Of each place, whether its child may stay where it is while others move: a longest run in increasing order.
pub(super) fn steady(order: &Order) -> Vec<bool> {
    let numbers = &order.numbers;
    let mut steady: Vec<_> = numbers.iter().map(|number| *number != NEW).collect();
    if numbers.iter().filter(|number| **number != NEW).is_sorted() {
        return steady;
    }
    // Patience sorting: `ends[n]` is the place at which the best run of n + 1 children ends.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![NEW; numbers.len()];
    for (place, number) in numbers.iter().enumerate().filter(|(_, number)| **number != NEW) {
        let run = ends.partition_point(|end| order.number(*end) < *number);
        let last = run.checked_sub(1).and_then(|shorter| ends.get(shorter)).copied();
        if let Some(before) = before.get_mut(place) {
            *before = last.unwrap_or(NEW);
        }
        match ends.get_mut(run) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    steady.fill(false);
    let mut place = ends.last().copied().unwrap_or(NEW);
    while let Some(stays) = steady.get_mut(place) {
        *stays = true;
        place = before.get(place).copied().unwrap_or(NEW);
    }
    steady
}
