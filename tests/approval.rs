//! Portable approvals: the fixture table, which the package's `verifyApproval` goes through too.
#![cfg(feature = "approval")]
#![allow(clippy::unwrap_used, missing_docs)]
use std::time::{Duration, UNIX_EPOCH};

use genui_patch::approval::{ApprovalCheck, KeyError, verify_approval};
use genui_patch::value::{Value, parse};

/// The time in the table, in milliseconds since 1970.
const NOW: (&str, u64) = ("2026-11-24T08:30:00.000Z", 1_795_509_000_000);

fn check(row: &Value) -> Result<bool, KeyError> {
    let keys: Vec<&str> =
        row.get("keys").unwrap().as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
    let number = |key| row.get(key).map(|value| value.as_number().unwrap() as u64);
    let check = ApprovalCheck {
        keys: &keys,
        call: row.get("call").unwrap(),
        revision: number("revision").unwrap() as usize,
        max_age: number("maxAge").map(Duration::from_millis),
        now: UNIX_EPOCH + Duration::from_millis(NOW.1),
    };
    verify_approval(row.get("approval").unwrap(), &check)
}

#[test]
fn approvals() {
    let table = parse(include_str!("fixtures/approvals.json"), 64).unwrap();
    assert_eq!(table.get("now").unwrap().as_str(), Some(NOW.0));
    let rows = table.get("rows").unwrap().as_array().unwrap();
    assert!(rows.len() > 40);
    for row in rows {
        let expected = match row.get("valid").unwrap() {
            Value::Bool(valid) => Ok(*valid),
            _ => Err(KeyError),
        };
        assert_eq!(check(row), expected, "{}", row.get("name").unwrap());
    }
}
