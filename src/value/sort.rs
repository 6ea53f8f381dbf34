//! One sort for all kinds of items: the standard library's takes several kilobytes of code for each kind.

/// Sorts items by a number, the smallest first. The sort is stable.
pub(crate) fn sort_by_number<T>(items: &mut [T], number: impl Fn(&T) -> u64) {
    let mut order = Vec::with_capacity(items.len());
    for item in items.iter() {
        order.push((number(item), order.len()));
    }
    for (place, other) in exchanges(order) {
        items.swap(place, other);
    }
}

/// The swaps that sort items with these numbers, one after another.
fn exchanges(order: Vec<NumberedPlace>) -> Vec<(usize, usize)> {
    let mut sources = sorted(order);
    let mut exchanges = Vec::new();
    // `sources` has the source of each place. Each cycle is resolved by swaps of its neighbours.
    for start in 0..sources.len() {
        let mut place = start;
        while let Some((_, source)) = sources.get_mut(place) {
            let from = std::mem::replace(source, place);
            if from == start || from == place {
                break;
            }
            exchanges.push((place, from));
            place = from;
        }
    }
    exchanges
}

type NumberedPlace = (u64, usize);

/// Merges sorted runs, at first of one entry each, into runs twice as long.
fn sorted(mut from: Vec<NumberedPlace>) -> Vec<NumberedPlace> {
    if from.is_sorted() {
        return from;
    }
    let mut into = Vec::with_capacity(from.len());
    let mut run = 1;
    while run < from.len() {
        into.clear();
        for pair in from.chunks(run * 2) {
            let (mut one, mut other) = pair.split_at(run.min(pair.len()));
            while let (Some((first, rest)), Some((second, tail))) = (one.split_first(), other.split_first()) {
                if second < first {
                    into.push(*second);
                    other = tail;
                } else {
                    into.push(*first);
                    one = rest;
                }
            }
            into.extend_from_slice(one);
            into.extend_from_slice(other);
        }
        std::mem::swap(&mut from, &mut into);
        run *= 2;
    }
    from
}

#[cfg(test)]
#[path = "../../tests/unit/sort.rs"]
mod tests;
