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

/// The pairs of indexes to swap, one after another, to sort items with these numbers.
///
/// The sorted list has, for each index, the source: the present index of the item that belongs there. The source of an index,
/// the source of that source and so on return to the index: a cycle. Along it, each swap puts one item where it belongs; the
/// last item of the cycle is then in place, too.
fn swaps(order: Vec<NumberedIndex>) -> Vec<(usize, usize)> {
    let mut sources = sorted(order);
    let mut swaps = Vec::new();
    for start in 0..sources.len() {
        let mut index = start;
        while let Some((_, source)) = sources.get_mut(index) {
            // As its own source, an index needs no further swap.
            let item_index = std::mem::replace(source, index);
            if item_index == start {
                break;
            }
            swaps.push((index, item_index));
            index = item_index;
        }
    }
    swaps
}

/// The list sorted by number; entries with equal numbers by index. Merges sorted runs, at first of one entry each, into runs
/// twice as long.
fn sorted(mut list: Vec<NumberedIndex>) -> Vec<NumberedIndex> {
    if list.is_sorted() {
        return list;
    }
    let mut merged = Vec::with_capacity(list.len());
    let mut run_length = 1;
    while run_length < list.len() {
        merged.clear();
        for two_runs in list.chunks(run_length * 2) {
            let (mut left, mut right) = two_runs.split_at(run_length.min(two_runs.len()));
            while let (Some((first, left_tail)), Some((second, right_tail))) = (left.split_first(), right.split_first())
            {
                if second < first {
                    merged.push(*second);
                    right = right_tail;
                } else {
                    merged.push(*first);
                    left = left_tail;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut list, &mut merged);
        run_length *= 2;
    }
    list
}

#[cfg(test)]
#[path = "../../tests/unit/sort.rs"]
mod tests;
