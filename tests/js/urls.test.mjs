// URLs of other origins: where images, links and actions may lead.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { PatchStore, safeUrl } from "genui-patch";

afterEach(() => {
  delete globalThis.location;
});

/** As a page has it. */
const visit = (href) => {
  globalThis.location = new URL(href);
};

const CDN = { allow: ["https://cdn.example.com", "https://b.example:8443"] };
const rows = [
  // url, kind, policy, allowed in a page of https://page.example
  ["/a.png", "image", undefined, true],
  ["a.png", "image", undefined, true],
  ["https://page.example/a.png", "image", undefined, true],
  ["HTTPS://PAGE.example:443/a.png", "image", undefined, true],
  ["//page.example/a.png", "image", undefined, true],
  ["http://page.example/a.png", "image", undefined, false],
  ["https://page.example:8080/a.png", "image", undefined, false],
  ["https://page.example.evil.example/a.png", "image", undefined, false],
  ["https://cdn.example.com/a.png", "image", undefined, false],
  ["//cdn.example.com/a.png", "image", undefined, false],
  ["data:image/png,x", "image", undefined, true],
  ["data:image/png,x", "image", CDN, true],
  ["https://cdn.example.com/a.png", "image", CDN, true],
  ["https:\n//CDN.example.com/a.png?x=secret", "image", CDN, true],
  ["//cdn.example.com/a.png", "image", CDN, true],
  ["https://cdn.example.com:444/a.png", "image", CDN, false],
  ["https://b.example:8443/a.png", "image", CDN, true],
  ["https://b.example/a.png", "image", CDN, false],
  ["https://any.example/a.png", "image", { allow: ["*"] }, true],
  ["https://any.example/", "link", undefined, true],
  ["mailto:a@b.c", "link", undefined, true],
  ["https://any.example/", "link", CDN, false],
  ["https://cdn.example.com/x", "link", CDN, true],
  ["/x", "link", CDN, true],
  ["mailto:a@b.c", "link", CDN, false],
  ["MAILTO:a@b.c", "link", { allow: ["mailto:"] }, true],
  ["tel:1", "link", { allow: ["mailto:"] }, false],
  ["https://any.example/", "link", { allow: [] }, false],
];

test("images come from the page's origin and from those that are allowed; links where a policy says so", () => {
  visit("https://page.example/dir/");
  for (const [url, kind, policy, ok] of rows) {
    const answer = safeUrl(url, kind, policy);
    assert.deepEqual(
      [answer.ok, answer.reason],
      ok ? [true, undefined] : [false, "origin"],
      JSON.stringify([url, kind]),
    );
  }
});

test("without a page every origin is another one", () => {
  assert.equal(safeUrl("/a.png", "image").ok, true);
  assert.equal(safeUrl("https://page.example/a.png", "image").reason, "origin");
  assert.equal(safeUrl("//page.example/a.png", "image").reason, "origin");
  assert.equal(safeUrl("//page.example/a.png", "image", { allow: ["https://page.example"] }).ok, true);
});

test("what is unsafe stays unsafe, whatever is allowed", () => {
  for (const url of ["javascript:alert(1)", "https://u@cdn.example.com/", "data:text/html,x", "\\\\x"])
    assert.notEqual(safeUrl(url, "link", { allow: ["*"] }).reason ?? "origin", "origin", url);
});

test("a policy that is none is misuse", () => {
  for (const urls of [{ allow: "https://a.example" }, { allow: ["example.com"] }, { allowed: [] }, 1, { allow: [1] }]) {
    assert.throws(() => safeUrl("/a", "image", urls), { code: "INVALID_ARGUMENT" });
    assert.throws(() => new PatchStore({ urls }), { code: "INVALID_ARGUMENT" });
  }
});

function pageWith(actions, options) {
  const store = new PatchStore(options);
  const state = { params: { q: "a b", where: "https://evil.example/?q=" }, runtime: {} };
  const done = store.load("p", { state, layout: { type: "single" }, blocks: [], actions });
  assert.equal(done.status, "success", done.error?.message);
  return store;
}

test("actions of the types api and navigate lead to the page's origin, or nowhere", () => {
  visit("https://page.example/dir/");
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template of a document
  const template = "${state.params.where}";
  for (const [type, rest, ok] of [
    ["navigate", { url: "/a" }, true],
    ["navigate", { url: "https://page.example/a" }, true],
    ["navigate", { url: "https://evil.example/" }, false],
    ["navigate", { target: "https://evil.example/" }, false],
    ["navigate", { url: template }, false],
    ["navigate", { url: "mailto:a@b.c" }, false],
    ["navigate", { target: "wizard" }, true],
    ["api", { url: "//evil.example/api" }, false],
    ["api", { request: { endpoint: "https://evil.example/api" } }, false],
    ["api", { url: "/api" }, true],
    ["modal", { links: [{ href: "https://other.example/" }] }, true],
  ]) {
    const store = pageWith([{ id: "it", label: "It", action_type: type, ...rest }]);
    const before = store.save();
    const result = store.runAction("p", "it", { params: { q: "changed" } });
    assert.equal(result.status, ok ? "success" : "error", JSON.stringify([type, rest]));
    if (ok) continue;
    assert.deepEqual([result.code, result.error.code], ["URL_NOT_ALLOWED", "URL_NOT_ALLOWED"]);
    assert.match(result.error.solution, /urls\.allow/);
    assert.equal(store.save(), before, "nothing changes");
  }
});

test("a page allows origins for its store, or for one action", () => {
  const actions = [{ id: "it", label: "It", action_type: "api", url: "https://api.example/x" }];
  const urls = { allow: ["https://api.example"] };
  assert.equal(pageWith(actions).runAction("p", "it").code, "URL_NOT_ALLOWED");
  assert.equal(pageWith(actions, { urls }).runAction("p", "it").instruction.url, "https://api.example/x");
  assert.equal(pageWith(actions).runAction("p", "it", { urls }).status, "success");
  assert.equal(pageWith(actions, { urls }).runAction("p", "it", { urls: {} }).status, "error");
  assert.deepEqual(pageWith(actions, { urls }).urls, urls);
});
