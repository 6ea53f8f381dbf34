//! The vocabulary of a page: one table of all block types, field types, layouts and action types, and of the properties that
//! each object of a document has. The structure rules, the warnings, the types of TypeScript, the page prompt and
//! `docs/vocabulary.md` are made from it. A new field type is one row of [`FIELD_TYPES`].
//!
//! `shape.rs` defines the columns of the tables:
//! - `doc`: a sentence in English and in Chinese.
//! - `word` and `field_type` end with an example as JSON; styles and statuses have none.
//! - `list`: the name of the list by which a host's catalog adds words, or types of such objects.
//! - [`Is`]: the values that a property takes. Others are refused, except that [`Is::Advice`], and [`Is::Loose`] for the items of
//!   its list, only warn of them. [`Is::Filled`] is a text that is not empty, [`Is::Fit`] a function and its type in TypeScript.
//! - `for_types`: the only types of fields or actions that have the property.
//! - `by_default`: the value, as JSON, that counts while the property is left out.
//! - `needed`: when an object without the property is refused, or warned of if the property is `Is::Advice`. `always` has no
//!   effect on documents: every page that an agent has created has the property, so the type of TypeScript requires it.
//! - `solved_by` (constants such as `A_BLOCK`): what a refusal or a warning says to send instead.
//! - `misplaced`: a line for each wrong name that models use: the name, a tab, and what the warning says to send it as, or a
//!   whole sentence that ends with a dot.

use super::catalog::Catalog;
use super::shape::Need::{NotForTypes, Required, Unless};
pub use super::shape::{Doc, Is, KnownWord, ObjectShape, PropertyRule, ValueKind, Words};
use super::shape::{doc, field_type, property, shape, word};
use crate::patch::op::Op;
use crate::patch::path::PathExpr;
use crate::value::Value;

/// Blocks: the parts that a page shows one after another.
pub static BLOCK_TYPES: Words = Words {
    list: "blocks",
    known: &[
        word(
            "form",
            doc("fields below each other, and buttons", "纵向排列的字段和按钮"),
            r#"{"id":"contact","type":"form","title":"Contact","props":{"fields":[{"key":"name","label":"Name","type":"text"}]}}"#,
        ),
        word(
            "grid",
            doc("fields side by side in props.columns columns", "字段并排成 props.columns 列"),
            r#"{"id":"figures","type":"grid","props":{"columns":2,"fields":[{"key":"sales","label":"Sales","type":"badge","value":"12"},{"key":"trend","label":"Trend","type":"badge","value":"up"}]}}"#,
        ),
        word(
            "tabs",
            doc("groups of fields in props.tabs, one shown at a time", "props.tabs 中的字段分组，一次显示一组"),
            r#"{"id":"profile","type":"tabs","props":{"tabs":[{"id":"person","title":"Person","fields":[{"key":"city","label":"City","type":"text"}]}]}}"#,
        ),
        word(
            "accordion",
            doc("groups of fields in props.panels that open and close", "props.panels 中可展开收起的字段分组"),
            r#"{"id":"more","type":"accordion","props":{"panels":[{"id":"notes","title":"Notes","fields":[{"key":"notes","label":"Notes","type":"textarea"}]}]}}"#,
        ),
    ],
};

/// The block types whose `props` need fields.
pub(super) const WITH_FIELDS: &[&str] = &["form", "grid"];

/// Types of fields: those of seed 000, then those of seed 001. A field of a host's own type needs only a key and a label.
pub static FIELD_TYPES: Words = Words {
    list: "fields",
    known: &[
        field_type(
            "text",
            ValueKind::Text,
            doc("one line of text", "单行文本"),
            r#"{"key":"name","label":"Name","type":"text","placeholder":"First and last name"}"#,
        ),
        field_type(
            "number",
            ValueKind::Number,
            doc("a number", "数字"),
            r#"{"key":"guests","label":"Guests","type":"number","min":1,"value":2}"#,
        ),
        field_type(
            "textarea",
            ValueKind::Text,
            doc("several lines of text", "多行文本"),
            r#"{"key":"notes","label":"Notes","type":"textarea"}"#,
        ),
        field_type(
            "select",
            ValueKind::Choice,
            doc("one of options, in a list", "下拉单选，取 options 之一"),
            r#"{"key":"plan","label":"Plan","type":"select","options":[{"label":"Basic","value":"basic"},{"label":"Pro","value":"pro"}]}"#,
        ),
        field_type(
            "checkbox",
            ValueKind::Flag,
            doc("true or false", "布尔值"),
            r#"{"key":"terms","label":"I agree","type":"checkbox","value":false}"#,
        ),
        field_type(
            "radio",
            ValueKind::Choice,
            doc("one of options, all shown", "单选按钮，取 options 之一"),
            r#"{"key":"size","label":"Size","type":"radio","options":[{"label":"Small","value":"s"},{"label":"Large","value":"l"}]}"#,
        ),
        field_type(
            "multiselect",
            ValueKind::Choices,
            doc("a list of values of options", "多选，值为 options 中的值组成的列表"),
            r#"{"key":"days","label":"Days","type":"multiselect","options":[{"label":"Monday","value":"mon"},{"label":"Friday","value":"fri"}]}"#,
        ),
        field_type(
            "json",
            ValueKind::Any,
            doc("any JSON value, as text", "任意 JSON 值，以文本编辑"),
            r#"{"key":"settings","label":"Settings","type":"json","value":{"retries":3}}"#,
        ),
        field_type(
            "date",
            ValueKind::Text,
            doc("a day, as 2026-01-31", "日期，如 2026-01-31"),
            r#"{"key":"day","label":"Day","type":"date"}"#,
        ),
        field_type(
            "datetime",
            ValueKind::Text,
            doc("a day and a time, as 2026-01-31T09:30", "日期和时间，如 2026-01-31T09:30"),
            r#"{"key":"start","label":"Start","type":"datetime"}"#,
        ),
        field_type(
            "file",
            ValueKind::Any,
            doc("a file of the user", "用户的文件"),
            r#"{"key":"invoice","label":"Invoice","type":"file"}"#,
        ),
        field_type(
            "html",
            ValueKind::Text,
            doc("formatted text, sanitized, without a label", "净化后的富文本，无需 label"),
            r#"{"key":"intro","type":"html","value":"<p>Welcome</p>"}"#,
        ),
        field_type(
            "image",
            ValueKind::Any,
            doc("a picture, by its URL", "图片，值为 URL"),
            r#"{"key":"photo","label":"Photo","type":"image","value":"https://example.com/cat.png","alt":"A cat"}"#,
        ),
        field_type(
            "tag",
            ValueKind::Any,
            doc("a word, or a list of words", "标签，一个词或一组词"),
            r#"{"key":"topics","label":"Topics","type":"tag","value":["news","sport"]}"#,
        ),
        field_type(
            "progress",
            ValueKind::Number,
            doc("a number from 0 to max", "进度，0 到 max 之间的数字"),
            r#"{"key":"done","label":"Done","type":"progress","max":100,"value":40}"#,
        ),
        field_type(
            "badge",
            ValueKind::Any,
            doc("a short word or figure", "徽标，简短的词或数字"),
            r#"{"key":"state","label":"State","type":"badge","value":"Open"}"#,
        ),
        field_type(
            "table",
            ValueKind::List,
            doc(
                "rows; value is a list of objects with the keys of columns",
                "表格，值为以 columns 的 key 为键的对象列表",
            ),
            r#"{"key":"orders","label":"Orders","type":"table","columns":[{"key":"item","label":"Item"},{"key":"price","label":"Price"}],"value":[{"id":"o1","item":"Tea","price":3}]}"#,
        ),
        field_type(
            "modal",
            ValueKind::Any,
            doc("a dialog of the host", "宿主的对话框"),
            r#"{"key":"help","label":"Help","type":"modal"}"#,
        ),
        field_type(
            "component",
            ValueKind::Any,
            doc("a component of the host, by its name", "宿主的组件，由 component 指定名称"),
            r#"{"key":"map","label":"Map","type":"component","component":"Map"}"#,
        ),
    ],
};

/// The field types that need `options`.
const WITH_OPTIONS: &[&str] = &["select", "radio", "multiselect"];
/// The field types that need `columns`.
const WITH_COLUMNS: &[&str] = &["table"];
/// The field types that need no label: seed 001 shows a piece of text without one.
const WITHOUT_LABEL: &[&str] = &["html"];

/// How buttons look.
pub static STYLES: Words = Words {
    list: "styles",
    known: &[
        word("primary", doc("the main action", "主要操作"), ""),
        word("secondary", doc("another action", "次要操作"), ""),
        word("danger", doc("an action that destroys something", "危险操作"), ""),
        word("warning", doc("an action to think about", "需谨慎的操作"), ""),
        word("success", doc("an action that completes something", "完成类操作"), ""),
        word("default", doc("a plain button", "普通按钮"), ""),
    ],
};

/// How the blocks of a page are arranged.
pub static LAYOUTS: Words = Words {
    list: "layouts",
    known: &[
        word("single", doc("blocks below each other", "区块纵向排列"), r#"{"type":"single"}"#),
        word("flex", doc("blocks in a row that wraps", "区块横向排列并换行"), r#"{"type":"flex"}"#),
        word(
            "grid",
            doc("blocks in layout.columns columns", "区块排成 layout.columns 列"),
            r#"{"type":"grid","columns":2}"#,
        ),
        word(
            "tabs",
            doc("one block at a time, chosen by its title", "按标题切换，一次显示一个区块"),
            r#"{"type":"tabs"}"#,
        ),
    ],
};

/// The statuses of a page, `meta.status`.
pub static STATUSES: Words = Words {
    list: "statuses",
    known: &[
        word("idle", doc("the user is working on it", "用户填写中"), ""),
        word("submitted", doc("the user has sent it", "用户已提交"), ""),
    ],
};

/// The effects that the press of a button can have.
pub static ACTION_TYPES: Words = Words {
    list: "actions",
    known: &[
        word(
            "apply_patch",
            doc("changes the page by patches, {path: value}", "按 patches 修改页面，写作 {路径: 值}"),
            r#"{"id":"save","label":"Save","style":"primary","action_type":"apply_patch","patches":{"state.params.saved":true}}"#,
        ),
        word(
            "api",
            doc("the page calls url with method and body", "页面以 method 和 body 请求 url"),
            r#"{"id":"send","label":"Send","style":"primary","action_type":"api","url":"/api/orders","method":"POST"}"#,
        ),
        word(
            "navigate",
            doc("the page opens url", "页面打开 url"),
            r#"{"id":"docs","label":"Read more","action_type":"navigate","url":"/docs"}"#,
        ),
        word(
            "navigate_block",
            doc("the page shows the block whose id is target", "页面显示 id 为 target 的区块"),
            r#"{"id":"details","label":"Details","action_type":"navigate_block","target":"contact"}"#,
        ),
        word(
            "modal",
            doc("the page opens the dialog target", "页面打开对话框 target"),
            r#"{"id":"help","label":"Help","action_type":"modal","target":"help"}"#,
        ),
    ],
};

const AN_ACTION: &str = "Send {\"id\": \"save\", \"label\": \"Save\", \"style\": \"primary\"}.";
const A_BLOCK: &str = "Send {\"id\": \"form_block\", \"type\": \"form\", \"props\": {\"fields\": []}}.";
const A_FIELD: &str = "Send {\"key\": \"name\", \"label\": \"Name\", \"type\": \"text\"}.";
const OPTIONS: &str = "Send a list of {\"label\": \"Red\", \"value\": \"red\"}.";
const AN_OPTION: &str = "Send no option without a label or a value: {\"label\": \"Red\", \"value\": \"red\"}.";
const COLUMNS: &str = "Send a list of {\"key\", \"label\"}.";
const A_COLUMN: &str = "Send {\"key\": \"price\", \"label\": \"Price\"}.";
const A_TAB: &str = "Send {\"id\": \"person\", \"title\": \"Person\", \"fields\": […]}.";
const A_STEP: &str = "Send whole numbers {\"current\": 1, \"total\": 3} with 1 <= current <= total.";
const A_BIND: &str = "Use state.params, or a path below it or below state.runtime.";
/// The solution for a wrong `columns` of a block. It also shows a field of type table, which the author may have meant. A macro,
/// since it is a part of other literals too.
macro_rules! grid_columns {
    () => {
        "Send props.columns as a number from 1 to 12. A table is a field: {\"key\": \"people\", \"label\": \"People\", \
         \"type\": \"table\", \"columns\": [{\"key\": \"name\", \"label\": \"Name\"}]}."
    };
}
/// The solution for `type` of an action: fields and blocks have that property, actions have `action_type`.
macro_rules! a_type {
    () => {
        "Send action_type: apply_patch (with patches), api (with url), navigate, navigate_block or modal."
    };
}
const PATCHES: &str = "Send {\"state.params.saved\": true} or a list of {\"op\", \"path\", \"value\"}.";

/// A page's document.
pub static PAGE: ObjectShape = shape(
    "PageDocument",
    doc("A page under the rules `\"ui\"`.", "页面文档"),
    &[
        property("page_key", Is::Text, doc("the page's name, fixed once the page is there", "页面名称，创建后不可改")),
        property("meta", Is::Object(&META), doc("the page's name, step and status", "页面名称、步骤和状态")),
        property("state", Is::State(&STATE), doc("all values of the page", "页面的所有值")).always(),
        property("layout", Is::Object(&LAYOUT), doc("how the blocks are arranged", "区块的排列方式")).always(),
        property("blocks", Is::List(&BLOCK), doc("the parts of the page, in order", "页面的区块，按顺序")).always(),
        property("actions", Is::List(&ACTION), doc("buttons of the whole page", "整个页面的按钮")).by_default("[]"),
    ],
);

pub(super) static META: ObjectShape = shape(
    "PageMeta",
    doc("The page's name, step and status.", "页面名称、步骤和状态"),
    &[
        property("pageKey", Is::Text, doc("the page's name, fixed once the page is there", "页面名称，创建后不可改")),
        property("status", Is::Word(&STATUSES), doc("where the page stands", "页面状态")).by_default("\"idle\""),
        property(
            "step",
            Is::Fit(is_step, "{ current: number; total: number }"),
            doc("the step of a flow, counted from 1", "流程的当前步骤，从 1 开始"),
        )
        .solved_by(A_STEP),
        property("schemaVersion", Is::Advice(ValueKind::Any), doc("fixed once the page is there", "创建后不可改")),
    ],
);

static STATE: ObjectShape = shape(
    "PageState",
    doc("All values of a page.", "页面的所有值"),
    &[
        property("params", Is::Object(&FREE), doc("what the user enters", "用户填写的值")).always(),
        property("runtime", Is::Object(&FREE), doc("everything else that changes", "其他会变化的值")).always(),
    ],
);

/// An object that may have any keys.
pub(super) static FREE: ObjectShape = shape("", doc("", ""), &[]);

pub(super) static LAYOUT: ObjectShape = shape(
    "Layout",
    doc("How the blocks of a page are arranged.", "区块的排列方式"),
    &[
        property("type", Is::Word(&LAYOUTS), doc("the arrangement", "排列方式")).needed(Required),
        property("columns", Is::Fit(is_columns, "number"), doc("1 to 12, for a grid", "1 到 12，用于 grid"))
            .solved_by("Send a whole number from 1 to 12."),
    ],
);

pub(super) static BLOCK: ObjectShape = ObjectShape {
    list: Some("blocks"),
    misplaced: concat!(
        "fields\tprops.fields\n",
        "actions\tprops.actions\n",
        "tabs\tprops.tabs\n",
        "panels\tprops.panels\n",
        "columns\t",
        grid_columns!(),
        "\n",
        "blocks\tprops.fields\n",
        "children\tprops.fields\n",
        "label\ttitle\n",
        "heading\ttitle\n"
    ),
    ..shape(
        "Block",
        doc("A part of a page.", "页面的一个区块"),
        &[
            property("id", Is::Filled, doc("unique in the page", "页面内唯一")).needed(Required).solved_by(A_BLOCK),
            property("type", Is::Word(&BLOCK_TYPES), doc("what it shows", "区块类型"))
                .needed(Unless("layout"))
                .always(),
            property("layout", Is::Word(&BLOCK_TYPES), doc("another spelling of type", "type 的另一种写法")),
            property("title", Is::Advice(ValueKind::Text), doc("its heading", "标题")),
            property("description", Is::Advice(ValueKind::Text), doc("a text below the heading", "标题下的说明")),
            property(
                "bind",
                Is::Fit(is_bind, "string"),
                doc("the place in state of its fields' values", "字段值在 state 中的位置"),
            )
            .solved_by(A_BIND)
            .by_default("\"state.params\""),
            property("props", Is::Props(&BLOCK_PROPS), doc("what is in it", "区块的内容")),
        ],
    )
};

/// The `props` of a block.
pub(super) static BLOCK_PROPS: ObjectShape = ObjectShape {
    misplaced: "blocks\tfields\nchildren\tfields\nitems\tfields\nrows\ta field of type table\n",
    ..shape(
        "BlockProps",
        doc("What is in a block.", "区块的内容"),
        &[
            property(
                "fields",
                Is::List(&FIELD),
                doc("fields, in order; form and grid need it", "字段列表；form 和 grid 必填"),
            ),
            property("actions", Is::List(&ACTION), doc("buttons of the block", "区块的按钮")),
            property("tabs", Is::List(&PANEL), doc("for tabs", "用于 tabs")),
            property("panels", Is::List(&PANEL), doc("for accordion", "用于 accordion")),
            property(
                "columns",
                Is::Advice(ValueKind::Columns),
                doc("for grid: a number from 1 to 12", "用于 grid：1 到 12 的数字"),
            )
            .solved_by(grid_columns!()),
        ],
    )
};

/// A tab of a block, or a panel.
static PANEL: ObjectShape = ObjectShape {
    misplaced: "blocks\tfields\nchildren\tfields\ncontent\tfields\nitems\tfields\nlabel\ttitle\nprops\tfields\n",
    ..shape(
        "Panel",
        doc("A tab of a block, or a panel.", "一个标签页或面板"),
        &[
            property("id", Is::Advice(ValueKind::Text), doc("unique in its block", "区块内唯一"))
                .needed(Required)
                .solved_by(A_TAB),
            property("title", Is::Advice(ValueKind::Text), doc("its heading", "标题")),
            property("fields", Is::List(&FIELD), doc("its fields", "字段列表")),
            property("actions", Is::List(&ACTION), doc("its buttons", "按钮列表")),
            property("tabs", Is::List(&PANEL), doc("tabs inside of it", "内部的标签页")),
            property("panels", Is::List(&PANEL), doc("panels inside of it", "内部的面板")),
        ],
    )
};

pub(super) static FIELD: ObjectShape = ObjectShape {
    list: Some("fields"),
    misplaced: "title\tlabel\ndefault\tvalue\ndefaultValue\tvalue\ndefault_value\tvalue\nfields\ta block or a tab of its own\n",
    ..shape(
        "Field",
        doc(
            "An input, or something shown, of a block. Its value is in the state: the block's `bind` and the field's `key`.",
            "区块中的输入项或展示项，值位于 state 中 bind 加 key 的位置",
        ),
        &[
            property(
                "key",
                Is::Filled,
                doc("unique in its block; its value is at this key below bind", "区块内唯一，值存于 bind 之下"),
            )
            .needed(Required)
            .solved_by(A_FIELD),
            property("label", Is::Text, doc("what the user reads beside it", "显示给用户的名称"))
                .needed(NotForTypes(WITHOUT_LABEL))
                .solved_by(A_FIELD),
            property("type", Is::Word(&FIELD_TYPES), doc("what it shows, and which value it takes", "字段类型"))
                .needed(Required),
            property(
                "value",
                Is::Advice(ValueKind::Any),
                doc("shown while the state has none", "state 中无值时显示的值"),
            ),
            property("options", Is::List(&OPTION), doc("the choices", "选项"))
                .needed(Required)
                .for_types(WITH_OPTIONS)
                .solved_by(OPTIONS),
            property("columns", Is::Loose(&COLUMN), doc("the columns", "列"))
                .needed(Required)
                .for_types(WITH_COLUMNS)
                .solved_by(COLUMNS),
            property("description", Is::Advice(ValueKind::Text), doc("a hint below it", "字段下的提示")),
            property(
                "placeholder",
                Is::Advice(ValueKind::Text),
                doc("a hint inside of an empty control", "空控件中的提示"),
            )
            .for_types(&[
                "text",
                "textarea",
                "number",
                "select",
                "json",
                "date",
                "datetime",
                "multiselect",
            ]),
            property("required", Is::Advice(ValueKind::Flag), doc("marked as needed", "标记为必填"))
                .by_default("false"),
            property("disabled", Is::Advice(ValueKind::Flag), doc("the user cannot change it", "用户不可修改"))
                .by_default("false"),
            property("min", Is::Advice(ValueKind::Any), doc("the least value", "最小值"))
                .for_types(&["number", "date", "datetime"]),
            property("max", Is::Advice(ValueKind::Any), doc("the greatest value", "最大值"))
                .for_types(&["number", "date", "datetime", "progress"]),
            property("step", Is::Advice(ValueKind::Number), doc("what the number moves by", "步长"))
                .for_types(&["number"]),
            property("alt", Is::Advice(ValueKind::Text), doc("the picture in words", "图片的文字描述"))
                .for_types(&["image"]),
            property("accept", Is::Advice(ValueKind::Text), doc("the kinds of files", "可接受的文件类型"))
                .for_types(&["file"]),
            property("row_actions", Is::Loose(&ACTION), doc("buttons in each row", "每行的按钮"))
                .for_types(WITH_COLUMNS),
            property("component", Is::Advice(ValueKind::Text), doc("the component's name", "组件名称"))
                .for_types(&["component"]),
        ],
    )
};

static OPTION: ObjectShape = shape(
    "FieldOption",
    doc("What a select, a radio group or a multiselect offers.", "一个选项"),
    &[
        property("label", Is::Text, doc("what the user reads", "显示给用户的名称"))
            .needed(Required)
            .solved_by(AN_OPTION),
        property(
            "value",
            Is::Fit(is_scalar, "string | number | boolean | null"),
            doc("what the state holds when it is chosen", "选中时存入 state 的值"),
        )
        .needed(Required)
        .solved_by(AN_OPTION),
    ],
);

static COLUMN: ObjectShape = shape(
    "TableColumn",
    doc("A column of a table.", "表格的一列"),
    &[
        property("key", Is::Advice(ValueKind::Text), doc("the key of its values in the rows", "行对象中的键"))
            .needed(Required)
            .solved_by(A_COLUMN),
        property("label", Is::Advice(ValueKind::Text), doc("its heading", "列标题")),
    ],
);

pub(super) static ACTION: ObjectShape = ObjectShape {
    list: Some("actions"),
    has_effect: Some(has_effect),
    misplaced: concat!(
        "type\t",
        a_type!(),
        "\n",
        "action\t",
        a_type!(),
        "\n",
        "variant\tstyle\n",
        "onClick\tpatches\n",
        "on_click\tpatches\n",
        "patch\tpatches\n",
        "op\thandler_type\n"
    ),
    ..shape(
        "Action",
        doc("What a button does. `runAction` runs it.", "按钮的行为"),
        &[
            property("id", Is::Filled, doc("unique in its list", "列表内唯一")).needed(Required).solved_by(AN_ACTION),
            property("label", Is::Text, doc("the button's text", "按钮文字")).needed(Required).solved_by(AN_ACTION),
            property("style", Is::Word(&STYLES), doc("how the button looks", "按钮样式")).needed(Unless("action_type")),
            property("action_type", Is::Word(&ACTION_TYPES), doc("what a press does", "按下后的行为"))
                .by_default("\"apply_patch\""),
            property("handler_type", Is::Operation, doc("the operation of patches", "patches 的操作"))
                .by_default("\"set\""),
            property(
                "patches",
                Is::Fit(is_patches, "{ [path: string]: Json } | readonly PatchOperation[]"),
                doc("{path: value}, or a list of patches", "{路径: 值}，或补丁列表"),
            )
            .solved_by(PATCHES),
            property(
                "disabled",
                Is::Advice(ValueKind::Any),
                doc("true, or a template that gives it", "true 或得出它的模板"),
            )
            .by_default("false"),
            property("url", Is::Advice(ValueKind::Text), doc("the address", "地址")).for_types(&["api", "navigate"]),
            property("method", Is::Advice(ValueKind::Text), doc("as in HTTP", "HTTP 方法")).for_types(&["api"]),
            property("body", Is::Advice(ValueKind::Any), doc("what is sent", "请求内容")).for_types(&["api"]),
            property("target", Is::Advice(ValueKind::Text), doc("what is shown", "要显示的目标")).for_types(&[
                "navigate",
                "navigate_block",
                "modal",
            ]),
        ],
    )
};

/// All shapes, from the outside to the inside.
pub static SHAPES: [&ObjectShape; 11] =
    [&PAGE, &META, &STATE, &LAYOUT, &BLOCK, &BLOCK_PROPS, &PANEL, &FIELD, &OPTION, &COLUMN, &ACTION];

/// All lists of words.
pub static WORDS: [&Words; 6] = [&BLOCK_TYPES, &FIELD_TYPES, &LAYOUTS, &ACTION_TYPES, &STYLES, &STATUSES];

/// Whether a press of an action's button has an effect: the action has patches, or its type is not `apply_patch`, or the host
/// runs it. The host adds the ids or types of the actions that it runs to the catalog.
fn has_effect(action: &Value, catalog: &Catalog) -> bool {
    let [id, action_type] =
        ["id", "action_type"].map(|key| action.get(key).and_then(Value::as_str).unwrap_or_default());
    let has_patches = match action.get("patches") {
        Some(Value::Object(patches)) if !patches.is_empty() => true,
        Some(Value::Array(patches)) => patches.iter().next().is_some(),
        // No patches, or `{}`: this operation needs none.
        _ => action.get("handler_type").and_then(Value::as_str) == Some(Op::ClearAllParams.name()),
    };
    has_patches
        // An action without a type is an `apply_patch`.
        || !matches!(action_type, "" | "apply_patch")
        || catalog.words("actions").any(|word| word == id || word == action_type)
}

/// `{current, total}`: whole numbers, 1 <= current <= total.
fn is_step(step: &Value) -> bool {
    let number = |key: &str| step.get(key).and_then(Value::as_number).filter(|number| number.fract() == 0.0);
    match (number("current"), number("total")) {
        (Some(current), Some(total)) => 1.0 <= current && current <= total,
        _ => false,
    }
}

/// A whole number from 1 to 12.
pub(super) fn is_columns(columns: &Value) -> bool {
    columns.as_number().is_some_and(|number| number.fract() == 0.0 && (1.0..=12.0).contains(&number))
}

/// The most segments of a block's `bind`: the default of `maxDepth`. A constant, since the rules of a page do not depend on the
/// limits that a store is given.
pub(super) const MAX_BIND_SEGMENTS: usize = 128;

/// A path to `state.params`, to `state.runtime` or below them.
fn is_bind(bind: &Value) -> bool {
    let path = bind.as_str().and_then(|text| PathExpr::parse(text, MAX_BIND_SEGMENTS).ok());
    path.is_some_and(|path| {
        // `check_page` checks the segment after `state`.
        path.segments.len() > 1
            && path.segments.first().is_some_and(|segment| segment.text() == "state")
            && path.check_page().is_ok()
    })
}

const fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// An object of paths and values, or a list of patches.
fn is_patches(patches: &Value) -> bool {
    let is_patch = |patch: &Value| {
        patch.get("op").and_then(Value::as_str).and_then(Op::from_name).is_some()
            && patch.get("path").is_none_or(|path| path.as_str().is_some())
    };
    match patches {
        Value::Object(_) => true,
        Value::Array(patches) => patches.iter().all(is_patch),
        _ => false,
    }
}

/// The row in [`FIELD_TYPES`] of a field's type; `None` for a host's own type.
pub(super) fn field_type_of(field: &Value) -> Option<&'static KnownWord> {
    FIELD_TYPES.find(field.get("type")?.as_str()?)
}
