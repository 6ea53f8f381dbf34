/**
 * `REPOSITORIES=a:b npm run measure:patches [commits]`: real commits as patches, beside `applyPatch` of the npm package `diff`.
 *
 * `REPOSITORIES` are folders of git repositories, bare or not. Of their newest commits that change only text, as many are measured
 * from each. Each commit is applied to the texts before it: as git's diff, as V4A, on files that have grown at their top (it should
 * apply), and on files in which a line of one hunk was changed, or in which the lines of a hunk stand
 * twice (it should be refused).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { applyPatch, parsePatch } from "diff";
import { agentTools, Workspace } from "genui-patch";

const repositories = (process.env.REPOSITORIES ?? "").split(":").filter((path) => path !== "");
if (repositories.length === 0) throw new Error("Set REPOSITORIES to folders of git repositories, separated by colons.");
const wanted = Number(process.argv[2] ?? 500);

/** Runs git once, and returns what it prints. */
async function git(repository, ...args) {
  const child = spawn("git", ["-C", repository, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  const chunks = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  await once(child, "close");
  return Buffer.concat(chunks);
}

/** Reads objects of a repository through one process of git. */
class Objects {
  #child;
  #buffer = Buffer.alloc(0);
  #wake = () => {};

  constructor(repository) {
    this.#child = spawn("git", ["-C", repository, "cat-file", "--batch"], { stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdout.on("data", (chunk) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      this.#wake();
    });
  }

  async #until(ready) {
    while (!ready()) {
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The text of an object; null if there is none, undefined if it is not UTF-8. */
  async text(name) {
    this.#child.stdin.write(`${name}\n`);
    await this.#until(() => this.#buffer.includes(10));
    const end = this.#buffer.indexOf(10);
    const [, type, size] = this.#buffer.subarray(0, end).toString().split(" ");
    this.#buffer = this.#buffer.subarray(end + 1);
    if (type !== "blob") return null;
    await this.#until(() => this.#buffer.length > Number(size));
    const bytes = this.#buffer.subarray(0, Number(size));
    this.#buffer = this.#buffer.subarray(Number(size) + 1);
    const text = bytes.toString("utf8");
    return Buffer.from(text).equals(bytes) && !text.includes("\0") ? text : undefined;
  }

  close() {
    this.#child.stdin.end();
  }
}

const SKIPPED = /^(GIT binary patch|Binary files |Subproject |(new|deleted) file mode 1[26]0000|old mode )/m;

/** The commits of a repository that change only texts: `{ diff, before, after }`, texts by path. */
async function* commits(repository) {
  const revisions = (await git(repository, "log", "--all", "--no-merges", "--format=%H")).toString().trim().split("\n");
  const objects = new Objects(repository);
  for (const revision of revisions) {
    const diff = (
      await git(repository, "diff-tree", "-p", "-M", "--full-index", "--no-commit-id", revision)
    ).toString();
    if (diff === "" || SKIPPED.test(diff) || diff.length > 400_000) continue;
    const status = (await git(repository, "diff-tree", "-r", "-M", "--no-commit-id", "--name-status", "-z", revision))
      .toString()
      .split("\0");
    const [before, after] = [{}, {}];
    for (let at = 0; at + 1 < status.length; ) {
      const isMoved = status[at].startsWith("R");
      for (const path of status.slice(at + 1, at + (isMoved ? 3 : 2))) {
        before[path] = await objects.text(`${revision}^:${path}`);
        after[path] = await objects.text(`${revision}:${path}`);
      }
      at += isMoved ? 3 : 2;
    }
    if ([...Object.values(before), ...Object.values(after)].some((text) => text === undefined)) continue;
    yield { diff, before, after };
  }
  objects.close();
}

const present = (texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));

/** `exact`, `wrong` or `refused`. `want`: texts by path, null for no file; undefined if it should be refused. */
async function ours(call, before, want) {
  const files = Workspace.memory(present(before), { policy: { off: ALL_RULES } });
  const agent = agentTools({ files, formats: ["apply_patch", "unified"] });
  const { status, error } = await agent.execute(call);
  if (status === "error") return want === undefined ? "right" : `refused ${error.code}`;
  if (want === undefined) return "wrong";
  const now = await files.snapshot();
  return Object.entries(want).every(([path, text]) => (now[path] ?? null) === text) ? "right" : "wrong";
}

/** Commits may name any path. */
const ALL_RULES = [
  "variable",
  "percent-encoding",
  "look-alike",
  "invisible-character",
  "home",
  "reserved-character",
  "leading-blank",
];

const plainPath = (name) => (name === undefined || name === "/dev/null" ? null : name.replace(/^[ab]\//, ""));

function theirs(diff, before, want) {
  try {
    const now = { ...before };
    for (const file of parsePatch(diff)) {
      const [old, path] = [plainPath(file.oldFileName), plainPath(file.newFileName)];
      if (file.hunks.length === 0 && old === path) continue;
      const text = applyPatch(old === null ? "" : (before[old] ?? ""), file);
      if (text === false) return want === undefined ? "right" : "refused";
      if (old !== null && old !== path) now[old] = null;
      if (path !== null) now[path] = text;
    }
    if (want === undefined) return "wrong";
    return Object.entries(want).every(([path, text]) => (now[path] ?? null) === text) ? "right" : "wrong";
  } catch {
    return want === undefined ? "right" : "refused";
  }
}

/** The same patch as V4A. */
function asV4a(diff) {
  const lines = ["*** Begin Patch"];
  for (const { oldFileName, newFileName, hunks } of parsePatch(diff)) {
    const [old, path] = [plainPath(oldFileName), plainPath(newFileName)];
    const own = hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith("\\")));
    if (old === null) lines.push(`*** Add File: ${path}`, ...own);
    else if (path === null) lines.push(`*** Delete File: ${old}`);
    else {
      lines.push(`*** Update File: ${old}`);
      if (path !== old) lines.push(`*** Move to: ${path}`);
      for (const hunk of hunks) lines.push("@@", ...hunk.lines.filter((line) => !line.startsWith("\\")));
    }
  }
  return [...lines, "*** End Patch", ""].join("\n");
}

/** Texts with the same lines put before the files that are in both. */
function grown({ before, after, diff }) {
  const head = "// a line that is new at the top 1\n// a line that is new at the top 2\n";
  const moved = new Map(
    parsePatch(diff).map(({ oldFileName, newFileName }) => [plainPath(oldFileName), plainPath(newFileName)]),
  );
  const [old, now] = [{ ...before }, { ...after }];
  for (const [from, to] of moved) {
    if (from === null || to === null || old[from] === null) continue;
    old[from] = head + old[from];
    now[to] = head + now[to];
  }
  return { before: old, after: now };
}

/** Texts in which one removed line of the first hunk that has one is another line. */
function stale({ before, diff }) {
  for (const { oldFileName, newFileName, hunks } of parsePatch(diff)) {
    const path = plainPath(oldFileName);
    if (path === null || plainPath(newFileName) === null || !before[path]) continue;
    for (const { oldStart, lines } of hunks) {
      let line = oldStart - 1;
      for (const text of lines) {
        if (text.startsWith("-") && /\w/.test(text)) {
          const own = before[path].split("\n");
          own[line] = `${own[line].replace(/\w+/, (word) => `${word}Changed`)}`;
          return { ...before, [path]: own.join("\n") };
        }
        if (!text.startsWith("+")) line += 1;
      }
    }
  }
  return undefined;
}

/** Texts in which the lines of a hunk stand twice, both at another line than the patch says. */
function twice({ before, diff }) {
  for (const { oldFileName, newFileName, hunks } of parsePatch(diff)) {
    const path = plainPath(oldFileName);
    const [hunk] = hunks;
    if (path === null || plainPath(newFileName) === null || !before[path] || hunk === undefined) continue;
    const own = hunk.lines.filter((line) => /^[ -]/.test(line)).map((line) => line.slice(1));
    if (own.length < 2) continue;
    return { ...before, [path]: ["// new", ...own, "// between", before[path]].join("\n") };
  }
  return undefined;
}

const table = {};
function count(row, result) {
  table[row] ??= {};
  table[row][result] = (table[row][result] ?? 0) + 1;
}

let measured = 0;
for (const repository of repositories) {
  let own = 0;
  for await (const commit of commits(repository)) {
    const { diff, before, after } = commit;
    const unified = { name: "apply_diff", arguments: { diff } };
    count("as it is, unified", await ours(unified, before, after));
    count("as it is, diff", theirs(diff, before, after));
    const isOpen = [...Object.values(before), ...Object.values(after)].some((text) => text && !text.endsWith("\n"));
    // V4A does not say whether the last line has a line end.
    if (!isOpen) {
      const v4a = { name: "apply_patch", arguments: { patch: asV4a(diff) } };
      count("as it is, V4A", await ours(v4a, before, after));
    }
    const shifted = grown(commit);
    count("shifted, unified", await ours(unified, shifted.before, shifted.after));
    count("shifted, diff", theirs(diff, shifted.before, shifted.after));
    const changed = stale(commit);
    if (changed) {
      count("stale, unified", await ours(unified, changed, undefined));
      count("stale, diff", theirs(diff, changed, undefined));
    }
    const doubled = twice(commit);
    if (doubled) {
      count("two places, unified", await ours(unified, doubled, undefined));
      count("two places, diff", theirs(diff, doubled, undefined));
    }
    measured += 1;
    own += 1;
    if (own >= wanted / repositories.length) break;
  }
}
console.log(`${measured} commits`);
for (const [row, results] of Object.entries(table).sort()) console.log(row.padEnd(20), results);
process.exit(0);
