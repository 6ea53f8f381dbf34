//! Sorting, compared with the standard library.

use super::sort_by_number;
use proptest::prelude::*;

proptest! {
    #[test]
    fn sorts_as_the_standard_library_does(numbers in prop::collection::vec(0_u64..40, 0..200)) {
        let mut items: Vec<(u64, usize)> = numbers.into_iter().enumerate().map(|(place, number)| (number, place)).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|(number, _)| *number);
        sort_by_number(&mut items, |(number, _)| *number);
        prop_assert_eq!(items, expected);
    }
}
