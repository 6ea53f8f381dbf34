//! The work of a call grows at most linearly with the call and the document, counted in the steps of `maxWork`.

use genui_patch::counted;
use genui_patch::limits::Limits;
use genui_patch::patch::{Code, OnError, Rules};
use genui_patch::store::{Options, Reply, Store};

/// A document and a call on it, each as text.
struct Case {
    document: String,
    run: fn(&mut Store, &str) -> Reply,
    sent: String,
    rules: Rules,
}

/// The steps of a case: the smallest `maxWork` with which it succeeds.
fn steps(case: &Case) -> usize {
    let (mut refused, mut passes) = (0, Limits::default().max_work);
    while passes - refused > 1 {
        let middle = usize::midpoint(refused, passes);
        if is_over(case, middle) {
            refused = middle;
        } else {
            passes = middle;
        }
    }
    passes
}

fn store(case: &Case, limits: Limits) -> Store {
    let mut store = Store::new(Options { limits, on_error: OnError::Skip, ..Options::default() });
    let reply = store.load("d", &case.document, Some(case.rules));
    assert!(reply.is_success(), "{:?}", reply.error());
    store
}

fn is_over(case: &Case, max_work: usize) -> bool {
    let mut store = store(case, Limits { max_work, ..Limits::default() });
    let before = store.save();
    let reply = (case.run)(&mut store, &case.sent);
    let over = reply.error().is_some_and(|error| error.code == Code::LimitExceeded);
    assert!(over || reply.is_success(), "{:?}", reply.error());
    if over {
        assert_eq!(store.save(), before, "a call that looks at too much leaves a trace");
    }
    over
}

fn each(n: usize, separator: &str, write: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, place| {
        if place > 0 {
            text.push_str(separator);
        }
        text.push_str(&write(place));
        text
    })
}

fn list(n: usize) -> String {
    format!("{{\"l\":[{}]}}", each(n, ",", |i| format!("{{\"id\":\"i{i}\",\"n\":{i},\"k\":{}}}", i % 2)))
}

fn page(n: usize) -> String {
    let params = each(n, ",", |i| format!("\"p{i}\":\"v\""));
    let fields = each(n, ",", |i| format!("{{\"key\":\"p{i}\",\"label\":\"P\",\"type\":\"text\",\"value\":\"d\"}}"));
    format!(
        "{{\"meta\":{{\"pageKey\":\"p\"}},\"layout\":{{\"type\":\"single\"}},\"state\":{{\"params\":{{{params}}},\"runtime\":{{}}}},\
         \"blocks\":[{{\"id\":\"b\",\"type\":\"form\",\"props\":{{\"fields\":[{fields}]}}}},\
         {{\"id\":\"t\",\"type\":\"tabs\",\"props\":{{\"tabs\":[{{\"id\":\"t\",\"title\":\"T\"}}]}}}}],\"actions\":[]}}"
    )
}

fn call(patches: &str) -> String {
    format!("{{\"instance_name\":\"d\",\"patches\":[{patches}]}}")
}

fn patches(n: usize, write: impl Fn(usize) -> String) -> String {
    call(&each(n, ",", write))
}

fn apply(store: &mut Store, call: &str) -> Reply {
    store.apply(call)
}

fn open(document: String, sent: String) -> Case {
    Case { document, run: apply, sent, rules: Rules::Open }
}

fn ui(document: String, sent: String) -> Case {
    Case { document, run: apply, sent, rules: Rules::Ui }
}

fn json_patch(document: String, operations: String) -> Case {
    let run = |store: &mut Store, sent: &str| store.json_patch("d", sent);
    Case { document, run, sent: operations, rules: Rules::Open }
}

type Make = fn(usize) -> Case;

const LINEAR: [(&str, Make); 18] = [
    ("filter_list", |n| {
        open(list(n), call(r#"{"op":"filter_list","path":"l","value":{"key":"k","operator":"==","value":0}}"#))
    }),
    ("remove_from_list, all", |n| {
        open(list(n), call(r#"{"op":"remove_from_list","path":"l","all":true,"value":{"key":"k","value":0}}"#))
    }),
    ("update_list_item by id, from the back", |n| {
        open(
            list(2 * n),
            patches(n, |i| {
                let id = 2 * n - 1 - i;
                format!(r#"{{"op":"update_list_item","path":"l","value":{{"id":"i{id}","updates":{{"x":1}}}}}}"#)
            }),
        )
    }),
    ("update_list_item by another key", |n| {
        open(
            list(2 * n),
            patches(n, |i| {
                let wanted = 2 * n - 1 - i;
                format!(
                    r#"{{"op":"update_list_item","path":"l","value":{{"key":"n","value":{wanted},"updates":{{"x":1}}}}}}"#
                )
            }),
        )
    }),
    ("update_list_item by a key that it changes", |n| {
        open(
            list(2 * n),
            patches(n, |i| {
                let wanted = 2 * n - 1 - i;
                format!(
                    r#"{{"op":"update_list_item","path":"l","value":{{"key":"n","value":{wanted},"updates":{{"n":-{i}}}}}}}"#
                )
            }),
        )
    }),
    ("remove_from_list by id, from the front", |n| {
        open(list(n), patches(n, |i| format!(r#"{{"op":"remove_from_list","path":"l","value":"i{i}"}}"#)))
    }),
    ("remove_from_list by another key, from the back", |n| {
        open(
            list(n),
            patches(n, |i| {
                let wanted = n - 1 - i;
                format!(r#"{{"op":"remove_from_list","path":"l","value":{{"key":"n","value":{wanted}}}}}"#)
            }),
        )
    }),
    ("remove by an id in the path", |n| {
        open(list(n), patches(n, |i| format!(r#"{{"op":"remove","path":"l[\"i{}\"]"}}"#, (i * 7) % n)))
    }),
    ("matches that fail", |n| {
        open(list(n), patches(n, |i| format!(r#"{{"op":"remove_from_list","path":"l","value":"x{i}"}}"#)))
    }),
    ("paths that lead to no item", |n| {
        open(list(n), patches(n, |i| format!(r#"{{"op":"set","path":"l[\"x{i}\"].n","value":1}}"#)))
    }),
    ("items in front, and look-ups between", |n| {
        open(
            list(n),
            patches(n, |i| {
                format!(
                    r#"{{"op":"prepend_to_list","path":"l","value":{{"id":"a{i}"}}}},{{"op":"set","path":"l[\"i{i}\"].n","value":-1}}"#
                )
            }),
        )
    }),
    ("conditions", |n| {
        open(
            list(n),
            patches(n, |i| {
                format!(
                    r#"{{"op":"set","path":"s","value":{i},"condition":"l[\"x{i}\"] == 1 || l[\"i{i}\"].n == {i}"}}"#
                )
            }),
        )
    }),
    ("a condition of many terms", |n| {
        let terms = each(n, " || ", |i| format!(r#"l[\"x{i}\"] == 1"#));
        open(list(n), call(&format!(r#"{{"op":"set","path":"s","value":1,"condition":"{terms}"}}"#)))
    }),
    ("clear of each param", |n| ui(page(n), patches(n, |i| format!(r#"{{"op":"clear","path":"state.params.p{i}"}}"#)))),
    ("clear_all_params", |n| ui(page(n), call(r#"{"op":"clear_all_params"}"#))),
    ("fields of a block, each in a patch", |n| {
        ui(
            page(n),
            patches(n, |i| {
                format!(
                    r#"{{"op":"add","path":"blocks[\"b\"].props.fields","value":{{"key":"q{i}","label":"Q","type":"text"}}}}"#
                )
            }),
        )
    }),
    ("fields of a tab, in one patch", |n| {
        let fields = each(n, ",", |i| format!(r#"{{"key":"q{i}","label":"Q","type":"text"}}"#));
        ui(
            page(n),
            call(&format!(r#"{{"op":"add","path":"blocks[\"t\"].props.tabs[\"t\"].fields","items":[{fields}]}}"#)),
        )
    }),
    ("tabs, in one patch", |n| {
        let tabs = each(n, ",", |i| format!(r#"{{"id":"q{i}","title":"Q"}}"#));
        ui(page(n), call(&format!(r#"{{"op":"add","path":"blocks[\"t\"].props.tabs","items":[{tabs}]}}"#)))
    }),
];

#[test]
fn work_grows_linearly_with_the_call_and_the_document() {
    for (name, make) in LINEAR {
        let (one, two) = (steps(&make(100)), steps(&make(200)));
        assert!(two * 10 <= one.max(40) * 23, "{name}: {one} steps, then {two}");
    }
}

/// Lookups that no index can answer.
const PRODUCTS: [(&str, Make); 5] = [
    ("matches by a boolean", |n| {
        open(
            list(n),
            patches(n, |_| r#"{"op":"remove_from_list","path":"l","value":{"key":"k","value":true}}"#.to_owned()),
        )
    }),
    ("filters", |n| {
        open(
            list(n),
            patches(n, |_| {
                r#"{"op":"filter_list","path":"l","value":{"key":"n","operator":">=","value":0}}"#.to_owned()
            }),
        )
    }),
    ("clears of all params", |n| ui(page(n), patches(n, |_| r#"{"op":"clear","path":"state.params"}"#.to_owned()))),
    ("tabs, each in a patch", |n| {
        ui(
            page(n),
            patches(n, |i| {
                format!(r#"{{"op":"add","path":"blocks[\"t\"].props.tabs","value":{{"id":"q{i}","title":"Q"}}}}"#)
            }),
        )
    }),
    ("looking for the first of two with one id, which changes", |n| {
        let document = list(n).replace("]}", r#",{"id":"a"},{"id":"a"}]}"#);
        open(
            document,
            patches(n, |_| {
                r#"{"op":"set","path":"l[\"a\"].id","value":"b"},{"op":"set","path":"l[\"b\"].id","value":"a"}"#
                    .to_owned()
            }),
        )
    }),
];

#[test]
fn the_product_of_patches_and_items_is_limited() {
    for (name, make) in PRODUCTS {
        // Far below the default, since tests run without optimization.
        let max_work = 300_000;
        assert!(is_over(&make(1_000), max_work), "{name}");
        assert!(!is_over(&make(100), max_work), "{name}");
    }
}

const LONG: usize = 4_000;

/// Calls of `n` operations that copy far more of the document than they contain.
const COPIES: [(&str, Make); 6] = [
    ("a list copied into itself", |n| {
        let copies = each(n.div_ceil(6), ",", |_| r#"{"op":"copy","from":"/a","path":"/a/-"}"#.to_owned());
        json_patch(r#"{"a":[]}"#.to_owned(), format!("[{copies}]"))
    }),
    ("a long text copied", |n| {
        let copies = each(n, ",", |i| format!(r#"{{"op":"copy","from":"/a","path":"/b{i}"}}"#));
        json_patch(format!(r#"{{"a":"{}"}}"#, "x".repeat(LONG)), format!("[{copies}]"))
    }),
    ("a long text moved to where something stands", |n| {
        let forward = r#"{"op":"move","from":"/a","path":"/b"},{"op":"add","path":"/a","value":0}"#;
        let back = r#"{"op":"move","from":"/b","path":"/a"},{"op":"add","path":"/b","value":0}"#;
        let document = format!(r#"{{"a":"{}","b":0}}"#, "x".repeat(LONG));
        json_patch(document, format!("[{}]", each(n.div_ceil(2), ",", |_| format!("{forward},{back}"))))
    }),
    ("a long list moved further down", |n| {
        let both = r#"{"op":"move","from":"/l","path":"/b/l"},{"op":"move","from":"/b/l","path":"/l"}"#;
        let document = list(LONG / 16).replace("]}", "],\"b\":{}}");
        json_patch(document, format!("[{}]", each(n, ",", |_| both.to_owned())))
    }),
    ("a long declared value", |n| {
        let document = page(1).replace("\"d\"", &format!("\"{}\"", "x".repeat(LONG)));
        let both = r#"{"op":"clear","path":"state.params.p0"},{"op":"set","path":"state.params.p0","value":0}"#;
        ui(document, patches(n, |_| both.to_owned()))
    }),
    ("many keys below a long one", |n| {
        let key = "k".repeat(LONG);
        let run = |store: &mut Store, sent: &str| store.merge_patch("d", sent);
        let sent = format!("{{\"{key}\":{{{}}}}}", each(n, ",", |i| format!("\"x{i}\":1")));
        Case { document: format!("{{\"{key}\":{{\"y\":1}}}}"), run, sent, rules: Rules::Open }
    }),
];

#[test]
fn copies_of_a_call_are_limited() {
    for (name, make) in COPIES {
        let max_work = 60_000;
        assert!(is_over(&make(100), max_work), "{name}");
        assert!(!is_over(&make(10), max_work), "{name}");
    }
}

/// 1.5 KB that would create a list of four million lists.
#[test]
fn copies_that_double_a_list_are_refused_by_default() {
    let copies = |n| each(n, ",", |_| r#"{"op":"copy","from":"/a","path":"/a/-"}"#.to_owned());
    let case = |n| json_patch(r#"{"a":[]}"#.to_owned(), format!("[{}]", copies(n)));
    assert!(is_over(&case(22), Limits::default().max_work));
    assert!(!is_over(&case(14), Limits::default().max_work));
}

#[test]
fn the_error_says_what_to_send_instead() {
    let case = PRODUCTS[1].1(100);
    let mut store = store(&case, Limits { max_work: 50, ..Limits::default() });
    let reply = store.apply(&case.sent);
    let error = reply.error().unwrap();
    assert_eq!((error.code, error.index), (Code::LimitExceeded, Some(0)));
    assert!(error.message.contains("50") && !error.solution.is_empty(), "{error:?}");
}

/// The number of keys visited to find the next keys of `count` reinserted keys, every other one an integer.
fn looked(count: usize) -> usize {
    let key = |i: usize| if i.is_multiple_of(2) { format!("k{i}") } else { i.to_string() };
    let case = open(format!("{{\"o\":{{{}}}}}", each(count, ",", |i| format!("\"{}\":null", key(i)))), String::new());
    let mut store = store(&case, Limits { max_patches: count, ..Limits::default() });
    let remove = |i: usize| format!("{{\"op\":\"remove\",\"path\":\"/o/{}\"}}", key(i));
    let sent = store.apply_optimistic(&patches(count, remove));
    let before = counted::steps();
    let id = sent.outcome.unwrap_or_default().pending.unwrap_or_default();
    let rejected = store.reject(&id).outcome.unwrap_or_default();
    let looked = counted::steps() - before;
    assert_eq!((rejected.changes.len(), rejected.next_keys.len()), (count, count / 2 - 1));
    looked
}

#[test]
fn next_keys_are_found_in_linear_time() {
    assert_eq!(looked(2000), 2 * looked(1000));
    assert_eq!(looked(16_000), 16_000);
}

/// The items visited by calls that set a title and a value of the state, after the first of them, on a page of `blocks` blocks.
fn visited_by_small_calls(blocks: usize) -> usize {
    let block = |i: usize| {
        format!(
            r#"{{"id":"b{i}","type":"form","title":"t","bind":"state.params",
              "props":{{"fields":[{{"key":"k{i}","label":"K","type":"text"}}]}}}}"#
        )
    };
    let page = format!(
        r#"{{"meta":{{"pageKey":"d"}},"state":{{"params":{{}},"runtime":{{}}}},"layout":{{"type":"single"}},
          "blocks":[{}],"actions":[]}}"#,
        each(blocks, ",", block)
    );
    let mut store = Store::new(Options::default());
    assert!(store.load("d", &page, Some(Rules::Ui)).is_success());
    let mut call = |turn: usize| {
        let sent = format!(
            r#"{{"instance_name":"d","patches":[{{"op":"set","path":"blocks[\"b1\"].title","value":"t{turn}"}},
              {{"op":"set","path":"blocks[\"b1\"].props.fields[\"k1\"].label","value":"l{turn}"}},
              {{"op":"set","path":"state.params.k1","value":"v{turn}"}}]}}"#
        );
        let pending = store.apply_optimistic(&sent).outcome.unwrap_or_default().pending.unwrap_or_default();
        assert!(store.confirm(&pending).is_success(), "{sent}");
    };
    call(0);
    let before = counted::steps();
    (1..20).for_each(&mut call);
    counted::steps() - before
}

#[test]
fn small_calls_visit_no_more_of_a_larger_page() {
    assert_eq!(visited_by_small_calls(1000), visited_by_small_calls(10));
}
