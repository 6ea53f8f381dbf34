//! Keys of objects.

use std::borrow::Cow;

/// A key. The words of pages, calls and blocks are borrowed from the program: most keys then cost no memory, and a text
/// that is full of them is read in half the time.
pub type Key = Cow<'static, str>;

/// Declares the known words once, and the look-up among them.
macro_rules! words {
    ($($word:literal)*) => {
        /// The text as a key.
        pub(crate) fn key(text: &str) -> Key {
            match text {
                $($word => Cow::Borrowed($word),)*
                _ => Cow::Owned(text.to_owned()),
            }
        }
    };
}

words! {
    "action_type" "actions" "all" "bind" "blocks" "child" "children" "columns" "component" "componentProperties"
    "componentUpdate" "components" "condition" "content" "contents" "count" "current" "dataModelUpdate" "description" "fields"
    "id" "index" "instanceId" "instance_name" "items" "key" "label" "layout" "meta" "name" "new_string" "old_string" "op"
    "operator" "options" "pageKey" "page_key" "panels" "params" "patches" "path" "props" "runtime" "schemaVersion"
    "search_replace" "state" "status" "step" "style" "tabs" "title" "tool" "total" "type" "updates" "value" "version"
}
