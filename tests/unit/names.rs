//! The hash table, compared with a map of the standard library.

use super::Names;

#[test]
fn finds_what_was_set_and_not_removed() {
    let mut names = Names::default();
    let mut naive = std::collections::BTreeMap::new();
    // Sets and removes names in an order without pattern.
    let mut state = 1_u64;
    for step in 0..20_000_usize {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let name = format!("name-{}", state >> 33 & 0xff);
        if state >> 62 == 0 {
            assert_eq!(names.remove(&name), naive.remove(&name));
        } else {
            assert_eq!(names.set(&name, step), naive.insert(name.clone(), step));
        }
        assert_eq!(names.get(&name), naive.get(&name).copied());
    }
    for (name, number) in &naive {
        assert_eq!(names.get(name), Some(*number));
    }
}
