// The path policy through the JavaScript API, by the same table as tests/policy.rs, and the JavaScript-only safeUrl.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { checkPath, GenuiPatchError, safeUrl } from "genui-patch";
import { assertLinear } from "../support/growth.mjs";
import { random } from "../support/random.mjs";

const rows = (name) => JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), "utf8"));

const misuse = (message) => (error) =>
  error instanceof GenuiPatchError && error.code === "INVALID_ARGUMENT" && message.test(error.message);

test("paths.json", () => {
  const table = rows("paths");
  assert.ok(table.length >= 180);
  for (const { path, policy, ok, result, warnings, reason } of table) {
    const answer = policy === undefined ? checkPath(path) : checkPath(path, policy);
    const actual = answer.ok
      ? { ok: true, result: answer.path, warnings: answer.warnings.length }
      : { ok: false, reason: answer.reason };
    assert.deepEqual(actual, ok ? { ok, result, warnings } : { ok, reason }, JSON.stringify({ path, policy }));
  }
});

test("urls.json", () => {
  const table = rows("urls");
  assert.ok(table.length >= 60);
  for (const { url, kind, ok, result, reason } of table) {
    const answer = safeUrl(url, kind);
    const actual = answer.ok ? { ok: true, result: answer.url } : { ok: false, reason: answer.reason };
    assert.deepEqual(actual, ok ? { ok, result } : { ok, reason }, JSON.stringify({ url, kind }));
  }
});

test("the platform's URL parser sees what safeUrl saw", () => {
  const base = "https://page.example/dir/";
  const allowed = { link: ["http:", "https:", "mailto:", "tel:"], image: ["http:", "https:", "data:"] };
  const pieces = [
    "java",
    "script",
    "http",
    "https",
    ":",
    "/",
    "//",
    "\\",
    "@",
    "&colon;",
    "&#58;",
    "\t",
    "\n",
    "\0",
    " ",
    "?",
    "#",
    "a",
    ".",
  ];
  let seed = 1;
  const random = (below) => {
    seed = (seed * 48271) % 0x7fffffff;
    return seed % below;
  };
  const made = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 1 + random(7) }, () => pieces[random(pieces.length)]).join(""),
  );
  let taken = 0;
  for (const url of [...rows("urls").map((row) => row.url), ...made]) {
    for (const kind of ["link", "image"]) {
      const answer = safeUrl(url, kind);
      if (!answer.ok) continue;
      // A URL with a host or port that the parser refuses is invalid.
      if (!URL.canParse(answer.url, base)) continue;
      const parsed = new URL(answer.url, base);
      assert.ok(allowed[kind].includes(parsed.protocol), JSON.stringify([url, parsed.href]));
      assert.equal(parsed.username, "", url);
      // Unlike the standard, Firefox keeps whitespace at the end of a fragment, and refuses a line break in "data:".
      const ending = /(%[012][0-9A-F])*$/;
      const whole = URL.canParse(url, base) ? new URL(url, base).href : parsed.href;
      assert.equal(parsed.href.replace(ending, ""), whole.replace(ending, ""), url);
      if (parsed.host !== "page.example") assert.match(answer.url, /^(https?:)?\/\/|^(mailto|tel|data):/i);
      taken += 1;
    }
  }
  assert.ok(taken > 1000, `${taken}`);
});

test("the shapes of the answers", () => {
  assert.deepEqual(checkPath("src\\a.ts"), {
    ok: true,
    path: "src/a.ts",
    warnings: ['Backslashes were read as separators and written as "/".'],
  });
  assert.deepEqual(checkPath("../a"), {
    ok: false,
    reason: "outside-root",
    message: 'The path "../a" leaves the workspace.',
  });
  assert.deepEqual(safeUrl(" /a "), { ok: true, url: "/a" });
  assert.deepEqual(safeUrl(""), { ok: false, reason: "empty", message: "The URL is empty." });
});

test("lone surrogates are refused, pairs are not", () => {
  for (const path of ["\ud800", "a\udc00.txt", "src/\udbff/x", "\ude00\ud83d"]) {
    const answer = checkPath(path);
    assert.equal(answer.ok, false);
    assert.equal(answer.reason, "lone-surrogate");
  }
  assert.equal(checkPath("\ud83d\ude00.txt").ok, true);
});

test("no policy is the whole policy", () => {
  for (const policy of [undefined, null, {}, { roots: undefined, denies: undefined, off: undefined }]) {
    assert.equal(checkPath("../a", policy).ok, false);
    assert.equal(checkPath("a", policy).ok, true);
  }
});

test("a path is denied in whichever form its accents are written", () => {
  for (const denies of ["r\u00e9sum\u00e9.md", "re\u0301sume\u0301.md", "R\u00c9SUME\u0301.*"])
    for (const path of ["r\u00e9sum\u00e9.md", "re\u0301sume\u0301.md", "a/R\u00c9SUM\u00c9.MD"])
      assert.equal(checkPath(path, { denies: [denies] }).reason, "denied");
  assert.equal(checkPath("resume.md", { denies: ["r\u00e9sum\u00e9.md"] }).ok, true);
});

test("misuse throws", () => {
  for (const path of [undefined, null, 1, {}, ["a"], new String("a")]) {
    assert.throws(() => checkPath(path), misuse(/the path must be a string/));
    assert.throws(() => safeUrl(path), misuse(/the url must be a string/));
  }
  assert.throws(() => checkPath("a", []), misuse(/must be an object, not an array/));
  assert.throws(() => checkPath("a", "strict"), misuse(/must be an object, not a string/));
  assert.throws(() => checkPath("a", { root: ["a"] }), misuse(/the options are roots, denies, off/));
  assert.throws(
    () => checkPath("a", { off: ["dots"] }),
    misuse(/there is no rule "dots"; the rules are path-length, /),
  );
  assert.throws(() => checkPath("a", { roots: [1] }), misuse(/policy\.roots\[0\] must be a string/));
  assert.throws(() => checkPath("a", { roots: [1n] }), misuse(/cannot be written as JSON/));
  assert.throws(() => checkPath("a", { roots: Number.NaN }), misuse(/cannot be written as JSON: "roots" is NaN/));
  assert.throws(() => checkPath("a", { roots: new Set(["a"]) }), misuse(/must be a list of strings, not an object/));
  assert.throws(() => checkPath("a", { denies: () => ["a"] }), misuse(/cannot be written as JSON/));
  assert.throws(() => checkPath("a", () => ({})), misuse(/cannot be written as JSON/));
  const cycle = {};
  cycle.roots = [cycle];
  assert.throws(() => checkPath("a", cycle), misuse(/cannot be written as JSON/));
  assert.throws(() => checkPath("a", { roots: [[[[[[[[[["a"]]]]]]]]]] }), misuse(/nested too deeply/));
  assert.throws(() => safeUrl("a", "frame"), misuse(/"link" or "image"/));
  assert.throws(() => safeUrl("a", null), misuse(/must be a string/));
});

test("a safe URL is safe again, of an allowed scheme, and without control characters", () => {
  const { list, pick } = random(20);
  const allowed = { link: ["http", "https", "mailto", "tel"], image: ["http", "https", "data"] };
  const pieces = [
    "java",
    "http",
    "https",
    "data",
    "x",
    "&",
    ":",
    ";",
    "#",
    "/",
    "@",
    "?",
    "\\",
    " ",
    "\n",
    "\u0085",
    "é",
    "\ud800",
  ];
  let taken = 0;
  for (let time = 0; time < 50_000; time++) {
    const url = list(8, () => pick(pieces)).join("");
    for (const kind of ["link", "image"]) {
      const safe = safeUrl(url, kind);
      if (!safe.ok) continue;
      taken += 1;
      assert.doesNotMatch(safe.url, /^$|\p{Cc}|\p{Cs}/u);
      const [, scheme] = /^([^/?#:]*):/.exec(safe.url) ?? [];
      assert.ok(scheme === undefined || allowed[kind].includes(scheme.toLowerCase()), safe.url);
      assert.deepEqual(safeUrl(safe.url, kind), safe);
    }
  }
  assert.ok(taken > 10_000);
});

test("data is an image or refused", () => {
  const { list, pick } = random(21);
  const letters = [..."abcdefghijklmnopqrstuvwxyz+"];
  const images = ["png", "jpeg", "jpg", "gif", "webp", "avif", "svg+xml"];
  for (let time = 0; time < 20_000; time++) {
    const [type, subtype] = [pick(["image", "text", "imag"]), pick([...images, list(7, () => pick(letters)).join("")])];
    const { ok } = safeUrl(`data:${type}/${subtype},x`, "image");
    assert.equal(ok, type === "image" && images.includes(subtype), `${type}/${subtype}`);
  }
});

test("long URLs are judged in time that grows as they do", () => {
  for (const piece of ["../", "%", "a:", "//", "\\", "&", "&a", "&#", "#&", " ", "\u200d", ";", "@", "http://"]) {
    assertLinear(piece, 25_000, (size) => {
      const text = piece.repeat(size);
      return () => [safeUrl(text), safeUrl(`data:${text}`, "image")];
    });
  }
});
