//! One sort for all kinds of items: the standard library's takes several kilobytes of code for each kind.

/// Sorts items by a number, the smallest first. The sort is stable.
pub(crate) fn sort_by_number<T>(items: &mut [T], number: impl Fn(&T) -> u64) {
    let mut order = Vec::with_capacity(items.len());
    for item in items.iter() {
        order.push((number(item), order.len()));
    }
    for (a, b) in exchanges(order) {
        items.swap(a, b);
    }
}

/// The swaps that sort items with these numbers, one after another.
fn exchanges(order: Vec<NumberedPlace>) -> Vec<(usize, usize)> {
    let mut sources = sorted(order);
    let mut exchanges = Vec::new();
    // `sources` has, for each place, the index of the item that belongs there. Swaps resolve each cycle of places.
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
            let (mut left, mut right) = pair.split_at(run.min(pair.len()));
            while let (Some((first, left_tail)), Some((second, right_tail))) = (left.split_first(), right.split_first())
            {
                if second < first {
                    into.push(*second);
                    right = right_tail;
                } else {
                    into.push(*first);
                    left = left_tail;
                }
            }
            into.extend_from_slice(left);
            into.extend_from_slice(right);
        }
        std::mem::swap(&mut from, &mut into);
        run *= 2;
    }
    from
}

#[cfg(test)]
#[path = "../../tests/unit/sort.rs"]
mod tests;
