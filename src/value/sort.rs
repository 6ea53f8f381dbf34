//! One sort for all kinds of items: the standard library's takes several kilobytes of code for each kind.

/// Sorts items by a number, the smallest first. The sort is stable.
pub(crate) fn sort_by_number<T>(items: &mut [T], number: impl Fn(&T) -> u64) {
    let mut order = Vec::with_capacity(items.len());
    for item in items.iter() {
        order.push((number(item), order.len()));
    }
    for (a, b) in swaps(order) {
        items.swap(a, b);
    }
}

/// The number of an item, and its index.
type NumberedIndex = (u64, usize);

/// The swaps of two indexes that sort items with these numbers, one after another.
///
/// The sorted list names, for each index, the source: where the item that belongs there is now. From index to source leads in
/// cycles; along a cycle, each swap puts one item where it belongs, and the last item is then there too.
fn swaps(order: Vec<NumberedIndex>) -> Vec<(usize, usize)> {
    let mut sources = sorted(order);
    let mut swaps = Vec::new();
    for start in 0..sources.len() {
        let mut index = start;
        while let Some((_, source)) = sources.get_mut(index) {
            // An index that is its own source is done.
            let from = std::mem::replace(source, index);
            if from == start {
                break;
            }
            swaps.push((index, from));
            index = from;
        }
    }
    swaps
}

/// The list in order, of equal numbers the lower index first. Merges sorted runs, at first of one entry each, into runs twice as
/// long.
fn sorted(mut from: Vec<NumberedIndex>) -> Vec<NumberedIndex> {
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
