//! The order of the children of a list or object while the tracker watches it.

use crate::value::{Array, Value};

/// A child that came.
pub(super) const NEW: usize = usize::MAX;

/// The numbers of children by their places now, null for a child that came; a [`Array`] is cheap to edit in the middle.
#[derive(Clone, Debug)]
pub(super) struct Order {
    numbers: Array,
}

fn to_value(number: usize) -> Value {
    if number == NEW { Value::Null } else { Value::Number(number as f64) }
}

fn to_number(value: Option<&Value>) -> usize {
    value.and_then(Value::as_number).map_or(NEW, |number| number as usize)
}

impl Order {
    pub(super) fn of(numbers: Vec<usize>) -> Self {
        let mut values = Vec::new();
        for number in numbers {
            values.push(to_value(number));
        }
        Self { numbers: values.into() }
    }

    pub(super) fn number(&self, place: usize) -> usize {
        to_number(self.numbers.get(place))
    }

    pub(super) fn set(&mut self, place: usize, number: usize) {
        self.numbers.replace(place, to_value(number));
    }

    pub(super) fn insert(&mut self, place: usize) {
        self.numbers.insert(place.min(self.numbers.len()), Value::Null);
    }

    pub(super) fn remove(&mut self, place: usize) -> usize {
        to_number(self.numbers.remove(place).as_ref())
    }

    /// Of each place, whether its child may stay where it is while others move: a longest run in increasing order.
    pub(super) fn steady(&self) -> Vec<bool> {
        // Patience sorting: `ends[n]` is the place at which the best run of n + 1 children ends.
        let mut ends: Vec<usize> = Vec::new();
        let mut before = Vec::new();
        for value in &self.numbers {
            let place = before.len();
            let number = to_number(Some(value));
            before.push(NEW);
            if number == NEW {
                continue;
            }
            let is_next = ends.last().is_none_or(|end| self.number(*end) < number);
            let run = if is_next { ends.len() } else { ends.partition_point(|end| self.number(*end) < number) };
            if let (Some(last), Some(before)) = (run.checked_sub(1).and_then(|run| ends.get(run)), before.last_mut()) {
                *before = *last;
            }
            match ends.get_mut(run) {
                Some(end) => *end = place,
                None => ends.push(place),
            }
        }
        let mut steady = vec![false; before.len()];
        let mut place = ends.last().copied().unwrap_or(NEW);
        while let Some(stays) = steady.get_mut(place) {
            *stays = true;
            place = before.get(place).copied().unwrap_or(NEW);
        }
        steady
    }
}
