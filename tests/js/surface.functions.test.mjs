// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of formatString
// The functions of A2UI v0.9: a table of calls and their results.
import assert from "node:assert/strict";
import { test } from "node:test";
import { thrown } from "../support/store.mjs";
import { codes, component, components, diagnostics, open, render, v9 } from "../support/surface.mjs";

const DATA = {
  name: "Ada",
  none: null,
  empty: "",
  list: [1, 2],
  flag: true,
  n: 1234.5,
  zero: 0,
  one: 1,
  text: "12",
  when: "2026-01-05T09:07:03Z",
  local: "2026-01-05T21:07:03",
  day: "2026-01-05",
  "a b": "blank",
};

function run(value, options = {}, data = DATA) {
  const { surfaces, events } = open(
    [v9.create(), v9.components({ id: "root", component: "T", value }), v9.data("/", data)],
    options,
  );
  return { value: surfaces.tree("s").props.value, codes: codes(events), messages: diagnostics(events), surfaces };
}

const call = (name, args) => ({ call: name, args });
const path = (at) => ({ path: at });
const string = (value) => call("formatString", { value });
const date = (format, value = path("/when")) => call("formatDate", { value, format });

const TABLE = [
  [call("required", { value: path("/name") }), true],
  [call("required", { value: path("/empty") }), false],
  [call("required", { value: path("/none") }), false],
  [call("required", { value: path("/nowhere") }), false],
  [call("required", { value: [] }), false],
  [call("required", { value: path("/zero") }), true],
  [call("length", { value: path("/name"), min: 3, max: 3 }), true],
  [call("length", { value: path("/name"), min: 4 }), false],
  [call("length", { value: path("/nowhere"), max: 2 }), true],
  [call("numeric", { value: path("/n"), min: 1000 }), true],
  [call("numeric", { value: path("/text"), max: 11 }), false],
  [call("numeric", { value: path("/name") }), false],
  [call("email", { value: "ada@example.org" }), true],
  [call("email", { value: "ada@example" }), false],
  [call("email", { value: "a@b@example.org" }), false],
  [call("email", { value: "ada@example.o" }), false],
  [call("email", { value: "ada@.org" }), false],
  [call("email", { value: "ada @example.org" }), false],
  [call("email", { value: `${"a@".repeat(50_000)}.` }), false],
  [call("and", { values: [true, call("not", { value: path("/none") })] }), true],
  [call("and", { values: [true, path("/zero")] }), false],
  [call("or", { values: [false, path("/flag")] }), true],
  [call("or", { values: [] }), false],
  [call("not", { value: path("/flag") }), false],
  [call("formatNumber", { value: path("/n") }), "1,234.5"],
  [call("formatNumber", { value: path("/n"), decimals: 2, grouping: false }), "1234.50"],
  [call("formatNumber", { value: path("/nowhere") }), null],
  [call("formatCurrency", { value: path("/n"), currency: "USD" }), "$1,234.50"],
  [call("formatCurrency", { value: path("/n"), currency: "EUR", decimals: 0 }), "€1,235"],
  [call("pluralize", { value: path("/one"), one: "item", other: "items" }), "item"],
  [call("pluralize", { value: path("/n"), one: "item", other: "items" }), "items"],
  [call("pluralize", { value: path("/zero"), zero: "none", other: "items" }), "none"],
  [call("pluralize", { value: path("/zero"), one: "item", other: "items" }), "items"],
  [call("pluralize", { value: 2, one: "item", two: "both", other: "items" }), "both"],
  [call("pluralize", { value: 2.5, two: "both", other: "items" }), "items"],
  [date("yyyy-MM-dd HH:mm:ss"), "2026-01-05 09:07:03"],
  [date("EEEE, d MMMM yy"), "Monday, 5 January 26"],
  [date("E, MMM d"), "Mon, Jan 5"],
  [date("h:mm a"), "9:07 AM"],
  [date("E MMM d, YYYY h:mm a"), "Mon Jan 5, 2026 9:07 AM"],
  [date("YY"), "26"],
  [date("ISO"), "2026-01-05T09:07:03.000Z"],
  [date("h:mm a", path("/local")), "9:07 PM"],
  [date("yyyy-MM-dd", path("/day")), "2026-01-05"],
  [date("'on' d''M", path("/day")), "on 5'1"],
  [date("yyyy", 0), "1970"],
  [date("yyyy", path("/nowhere")), null],
  [string("Hello ${/name}!"), "Hello Ada!"],
  [string("${name} ${ /n } ${/nowhere}."), "Ada 1234.5 ."],
  [string("\\${/name} $ {x} ${/flag}"), "${/name} $ {x} true"],
  [string("${/list}"), "[1,2]"],
  [
    string("${formatNumber(value: ${/n}, decimals: 0)} ${pluralize(value:/one,one:'thing',other:\"x\")}"),
    "1,235 thing",
  ],
  [string("${1.2.3}"), null, "FUNCTION_FAILED"],
  [string("${007}"), "7"],
  [string("${5.}"), "5"],
  [string("${.5}"), null, "FUNCTION_FAILED"],
  [string("${pluralize(value: 2, one: 'it\\'s', other: 'they''re')}"), null, "FUNCTION_FAILED"],
  [string("${pluralize(value: 1, one: 'a\\n\\'b\\\\', other: '')}"), "a\n'b\\"],
  [string("${true} ${false}${null} ${${'x'}} ${-1.5}"), "true false x -1.5"],
  [string("${true false}"), null, "FUNCTION_FAILED"],
  [string("${a-b.c_d}"), ""],
  [string("${and(values: true)}"), "false"],
  [string("${/name"), null, "FUNCTION_FAILED"],
  [string("${formatDate(value: 'x', format: 'y')}"), "", "FUNCTION_FAILED"],
  [string("${nothing()}"), "", "UNKNOWN_FUNCTION"],
  [string(path("/name")), "Ada"],
  [string(path("/nowhere")), null],
  [call("nothing"), null, "UNKNOWN_FUNCTION"],
  [call("regex", { value: "a", pattern: "(a+)+$" }), null, "UNKNOWN_FUNCTION"],
  [call("constructor"), null, "UNKNOWN_FUNCTION"],
  [call("openUrl", { url: "https://example.com" }), null],
  [call("formatNumber", { value: path("/name") }), null, "FUNCTION_FAILED"],
  [call("formatCurrency", { value: 1, currency: "no" }), null, "FUNCTION_FAILED"],
  [call("formatDate", { value: "yesterday", format: "y" }), null, "FUNCTION_FAILED"],
  [date("QQ"), null, "FUNCTION_FAILED"],
  ...[
    "2026-02-30",
    "2026-02-29",
    "2026-04-31",
    "2026-02-30T10:00:00Z",
    "2026-02-30T10:00:00+02:00",
    "2026-02-30 10:00",
    "2026-06-31T12:00:00-0700",
    "2026-13-01",
    "2026-00-01",
    "2026-01-00",
    "2026-01-32",
    "2026-01-05T24:00:00",
    "2026-01-05T25:00:00Z",
    "2026-01-05T23:60:00",
    "2026-01-05T23:59:60Z",
    "Feb 30, 2026",
    "31 April 2026",
    "2/30/2026",
    "2026/02/30",
    "2026-01-05T23:59:59+24:00",
    "2026-01-05T10:00:00+05:60",
    "Jan 5, 2026 10:60",
    "Jan 5, 2026 10:00:60",
    "Jan 5, 2026 25:00",
    "Jan 5, 2026 13:00 PM",
    "Jan 5, 2026 0:00 AM",
    // Engines differ on these texts, or read the first number as a month.
    "5.1.2026",
    "05-01-2026",
    "2026-001",
    "item 5",
    "room 2026",
    "not 5 Jan 2026",
    "anf 5, 2026",
    "(5) 2026-01-05",
    "2026-01-05foo",
    "1",
    "13",
    "026",
    "1.5",
    "-1",
    "10:00",
    "2026-01-05T",
    `2026-01-05${" ".repeat(100_000)}x`,
    `${"(".repeat(100_000)}2026-01-05`,
    "",
  ].map((value) => [date("yyyy-MM-dd", value), null, ...(value ? ["FUNCTION_FAILED"] : [])]),
  ...[
    ["2024-02-29", "2024-02-29"],
    ["2026-12-31T23:00:00-10:00", "2027-01-01"],
    ["2026-01-01T00:30:00+14:00", "2025-12-31"],
    ["2026-01-05T00:00:00", "2026-01-05"],
    ["2026-02", "2026-02-01"],
    ["2026", "2026-01-01"],
    ["Sat, 31 Jan 2026 23:00:00 -0500", "2026-02-01"],
  ].map(([value, wanted]) => [date("yyyy-MM-dd", value), wanted]),
  ...[
    ["2026-1-5", "2026-01-05 00:00:00"],
    ["2026-1-5 1:02", "2026-01-05 01:02:00"],
    [" 2026-01-05  10:00 ", "2026-01-05 10:00:00"],
    ["2026-01-05t10:00:00z", "2026-01-05 10:00:00"],
    ["2026-01-05T10:00:00.9999-00:00", "2026-01-05 10:00:00"],
    ["2026-01-05 10:00 +0100", "2026-01-05 09:00:00"],
    ["2026-01-05T23:59:59+23:59", "2026-01-05 00:00:59"],
    ["2026/1/5", "2026-01-05 00:00:00"],
    ["1/5/2026", "2026-01-05 00:00:00"],
    ["1/5/26", "2026-01-05 00:00:00"],
    ["12/31/99", "1999-12-31 00:00:00"],
    ["1/5/2026, 10:00:00\u202fPM", "2026-01-05 22:00:00"],
    ["Jan 5, 2026", "2026-01-05 00:00:00"],
    ["January 5, 2026 12:30 AM", "2026-01-05 00:30:00"],
    ["Sept. 5, 2026, 12:30 pm", "2026-09-05 12:30:00"],
    ["5 Jan 2026 7:08", "2026-01-05 07:08:00"],
    ["5-Jan-2026", "2026-01-05 00:00:00"],
    ["Monday, 5 January 2026", "2026-01-05 00:00:00"],
    ["Jan 2026", "2026-01-01 00:00:00"],
    ["Thu Jan 01 1970", "1970-01-01 00:00:00"],
    ["Mon, 05 Jan 2026 10:00:00 GMT", "2026-01-05 10:00:00"],
    ["Mon Jan 05 2026 10:00:00 GMT+0100 (Central European Standard Time)", "2026-01-05 09:00:00"],
    ["+002026-01-05T00:00:00Z", "2026-01-05 00:00:00"],
    ["0001-01-01", "1-01-01 00:00:00"],
    ["+012026-12-31", "12026-12-31 00:00:00"],
  ].map(([value, wanted]) => [date("yyyy-MM-dd HH:mm:ss", value), wanted]),
];

for (const [value, expected, code] of TABLE) {
  test(`${JSON.stringify(value).slice(0, 100)} is ${JSON.stringify(expected)}`, () => {
    const found = run(value);
    assert.deepEqual(found.value, expected, JSON.stringify(found.messages));
    assert.deepEqual(found.codes, code ? [code] : []);
  });
}

test("a date means the same wherever the page is", () => {
  const { TZ } = process.env;
  try {
    for (const zone of ["Asia/Shanghai", "America/New_York", "Pacific/Kiritimati"]) {
      process.env.TZ = zone;
      for (const [value, expected] of TABLE) {
        if (value.call === "formatDate") assert.deepEqual(run(value).value, expected, JSON.stringify([value, zone]));
      }
      const mail = date("d MMMM HH:mm", "Mon, 05 Jan 2026 23:00:00 GMT");
      assert.equal(run(mail, { timeZone: "Asia/Tokyo" }).value, "6 January 08:00");
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test("functions stand inside each other so deep and no deeper", () => {
  const nest = (levels, inner) => (levels === 0 ? inner : call("not", { value: nest(levels - 1, inner) }));
  assert.deepEqual(run(nest(8, true)).codes, []);
  assert.deepEqual(run(nest(9, true)).codes, ["LIMIT_EXCEEDED"]);
  const expressions = (levels) => (levels === 0 ? "true" : `not(value: ${expressions(levels - 1)})`);
  assert.deepEqual(run(string(`\${${expressions(5)}}`)).codes, []);
  assert.equal(run(string(`\${${expressions(200)}}`)).codes.length, 1);
  assert.deepEqual(run(string("${".repeat(100_000))).codes, ["FUNCTION_FAILED"]);
});

test("a text does not grow without end", () => {
  const { value, codes } = run(string("${/long}".repeat(20_000)), {}, { long: "x".repeat(1000) });
  assert.deepEqual([value, codes], [null, ["FUNCTION_FAILED"]]);
});

test("functions follow the data", () => {
  const { surfaces } = run(string("${formatNumber(value: ${/n})} of ${/total}"));
  surfaces.setData("s", "/total", 7);
  assert.equal(surfaces.tree("s").props.value, "1,234.5 of 7");
  surfaces.setData("s", "/n", 1);
  assert.equal(surfaces.tree("s").props.value, "1 of 7");
});

test("a page adds functions, and replaces them", () => {
  const functions = {
    regex: ({ value, pattern }) => new RegExp(pattern).test(value),
    not: () => "replaced",
    fails: () => {
      throw new Error("no");
    },
    odd: () => undefined,
  };
  assert.equal(run(call("regex", { value: "abc", pattern: "^a" }), { functions }).value, true);
  assert.equal(run(call("not", { value: true }), { functions }).value, "replaced");
  assert.equal(run(string("${not()}"), { functions }).value, "replaced");
  const { value, messages } = run(call("fails"), { functions });
  assert.deepEqual([value, messages[0].code, messages[0].message], [null, "FUNCTION_FAILED", "fails: no"]);
  assert.equal(run(call("odd"), { functions }).value, null);
});

test("the locale and the zone are the page's", () => {
  const german = { locale: "de-DE", timeZone: "America/New_York" };
  assert.equal(run(call("formatNumber", { value: 1234.5 }), german).value, "1.234,5");
  assert.equal(run(date("EEEE, d. MMMM HH:mm"), german).value, "Montag, 5. Januar 04:07");
  // Newer locale data write the month of a date as a word, older data as a number.
  const { format } = new Intl.DateTimeFormat("fi-FI", { month: "short", day: "numeric", timeZone: "UTC" });
  const finnish = format(Date.UTC(2026, 0, 5)).includes("tammik.") ? "tammik." : "tammi";
  for (const [locale, pattern, expected] of [
    ["ja-JP", "yyyy年MMMMd日", "2026年1月5日"],
    ["zh-CN", "MMMM MMM", "一月 1月"],
    ["ko-KR", "MMM d", "1월 5"],
    ["cs-CZ", "d. MMMM, MMM", "5. ledna, led"],
    ["fi-FI", "d. MMMM, MMM", `5. tammikuuta, ${finnish}`],
    ["pl-PL", "d MMMM", "5 stycznia"],
    ["en-u-ca-islamic", "MMMM yyyy", "January 2026"],
  ]) {
    assert.equal(run(date(pattern), { locale, timeZone: "UTC" }).value, expected, locale);
  }
  assert.throws(() => run(1, { locale: "no such locale" }), thrown("INVALID_ARGUMENT"));
});

test("checks are resolved to their results", () => {
  const { surfaces } = open([
    v9.create(),
    v9.components({
      id: "root",
      component: "TextField",
      value: path("/mail"),
      checks: [
        { condition: call("email", { value: path("/mail") }), message: "Not a mail address" },
        { ...call("required", { value: path("/mail") }), message: "Needed" },
        { ...path("/agreed"), message: "Not agreed" },
        call("not", { value: true }),
        "odd",
      ],
    }),
  ]);
  assert.deepEqual(surfaces.tree("s").props.checks, [
    { condition: false, message: "Not a mail address" },
    { condition: false, message: "Needed" },
    { condition: null, message: "Not agreed" },
    { condition: false, message: "" },
    "odd",
  ]);
  surfaces.setData("s", surfaces.tree("s").bindings.value, "ada@example.org");
  assert.equal(surfaces.tree("s").props.checks[0].condition, true);
});

test("a list of the same name in another protocol is the component's own", () => {
  const checks = [{ label: "Milk" }];
  const { surfaces } = open([components(component("root", "T", { checks })), render("root")]);
  assert.deepEqual(surfaces.tree(surfaces.ids()[0]).props.checks, checks);
});

test("a missing argument is a diagnostic that names it; an argument without data is not missing", () => {
  for (const [name, args, missing] of [
    ["required", {}, "value"],
    ["length", { min: 1 }, "value"],
    ["and", {}, "values"],
    ["formatString", {}, "value"],
    ["formatCurrency", { value: 1 }, "currency"],
    ["formatDate", { value: "2026-01-05" }, "format"],
    ["pluralize", { value: 2, one: "day" }, "other"],
  ]) {
    const { surfaces, events } = open([
      v9.create(),
      v9.components({ id: "root", component: "Text", text: call(name, args) }),
    ]);
    assert.equal(surfaces.tree("s").props.text, null, name);
    const [{ code, message }, ...others] = events.filter(({ type }) => type === "diagnostic");
    assert.equal(code, "FUNCTION_FAILED");
    assert.ok(message.includes(`"${missing}" is missing`), message);
    assert.deepEqual(others, []);
  }
  const { surfaces, events, push } = open([
    v9.create(),
    v9.components(
      { id: "root", component: "Button", action: { functionCall: call("openUrl", {}) } },
      { id: "x", component: "Text", text: call("formatNumber", { value: path("/none") }) },
    ),
  ]);
  assert.deepEqual(
    events.filter(({ type }) => type === "diagnostic"),
    [],
  );
  assert.deepEqual(surfaces.action("s", "root"), { functionCall: { call: "openUrl", args: {} } });
  assert.deepEqual(
    push(v9.data("/y", 1)).map(({ code }) => code),
    ["FUNCTION_FAILED", undefined],
  );
});
