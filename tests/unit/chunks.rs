//! Lists in chunks, and the indexes of lists and objects, compared with plain vectors.

use super::Chunks;
use crate::value::{Array, By, IdKey, Object, Value};
use proptest::prelude::*;
use std::cell::Cell;

/// Edits as `(operation, position, choice)`: each number is taken modulo the current count.
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

    /// Ids are not unique, and items change their ids.
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
            prop_assert_eq!(list.locate_by(&By::Property("id".into()), &Value::from(&*id), &Cell::default()), Some(expected));
            prop_assert_eq!(list.is_shared(IdKey::Id, &id, &Cell::default()), plain.iter().filter(bears).count() > 1);
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
