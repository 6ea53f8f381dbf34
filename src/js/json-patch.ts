/** Converts between lists of changes and JSON Patch (RFC 6902). */
import { GenuiPatchError } from "./core/errors.js";
import { requireJson, toText } from "./core/json.js";
import { LIST, requireKind, wrong } from "./core/require.js";
import { PatchStore } from "./store.js";
import type { Change, JsonPatchOperation } from "./types.js";

/**
 * Converts the changes of a {@link PatchResult} to a JSON Patch, for a server or a tool that has the same document.
 *
 * ```ts
 * toJsonPatch([{ kind: "set", path: ["state", "params", "a/b"], value: 1 }]);
 * // [{ op: "replace", path: "/state/params/a~1b", value: 1 }]
 * ```
 * JSON Patch cannot express the position of a new key among the keys of its object, so that is lost.
 * @throws GenuiPatchError `UNSUPPORTED` for the removal of a whole document.
 */
export function toJsonPatch(changes: readonly Change[]): JsonPatchOperation[] {
  requireKind("toJsonPatch", "changes", changes, LIST);
  return changes.map((change) => {
    requireKind("toJsonPatch", "path of a change", change?.path, LIST);
    const path = toPointer(change.path);
    switch (change.kind) {
      case "move":
        requireKind("toJsonPatch", "from of a move", change.from, LIST);
        return { op: "move", from: toPointer(change.from), path };
      case "set":
        return { op: "replace", path, value: change.value };
      case "insert":
        return { op: "add", path, value: change.value };
      case "remove":
        if (path !== "") return { op: "remove", path };
        throw new GenuiPatchError("UNSUPPORTED", "JSON Patch cannot remove a whole document.");
      default:
        throw wrong("toJsonPatch", "kind of a change", '"set", "insert", "remove" or "move"', change);
    }
  });
}

/**
 * Converts a JSON Patch to changes. With the `document`, they are the changes that `applyJsonPatch` of a {@link PatchStore}
 * would make: `copy` and `test` are executed, `-` becomes an index, and `add` for an existing key becomes a `set`.
 *
 * Without a document every `add` becomes an `insert` (at the root a `set`), and every token of digits an index. `copy`, `test`
 * and `-` depend on the document, so they are refused.
 *
 * ```ts
 * fromJsonPatch([{ op: "add", path: "/l/-", value: 1 }], { l: [0] });
 * // [{ kind: "insert", path: ["l", 1], value: 1 }]
 * ```
 * @throws GenuiPatchError the code by which the document refuses the patch, such as `TEST_FAILED` or `PATH_NOT_FOUND`;
 * `UNSUPPORTED` for an operation that needs a document.
 */
export function fromJsonPatch(operations: readonly JsonPatchOperation[], document?: unknown): Change[] {
  requireKind("fromJsonPatch", "operations", operations, LIST);
  if (document === undefined) return operations.map(toChange);
  const store = new PatchStore({ rules: "open", freeze: false, limits: { maxHistory: 0 } });
  try {
    const loaded = store.load("document", toText(document, "document"));
    const result = loaded.status === "error" ? loaded : store.applyJsonPatch("document", operations);
    if (result.status === "success") return result.changes;
    const { code, message, path } = result.error;
    throw new GenuiPatchError(code, message, { path });
  } finally {
    store.dispose();
  }
}

/** The change that an operation makes, if no document is known. */
function toChange(operation: JsonPatchOperation): Change {
  if (typeof operation !== "object" || operation === null)
    throw wrong("fromJsonPatch", "operation", "an object", operation);
  const { op } = operation;
  if (op === "copy" || op === "test")
    throw new GenuiPatchError("UNSUPPORTED", `fromJsonPatch: "${op}" needs the document that it applies to.`);
  const path = toSteps(operation.path);
  if (op === "remove") return { kind: op, path };
  if (op === "move") return { kind: op, from: toSteps(operation.from), path };
  if (op !== "add" && op !== "replace")
    throw new GenuiPatchError("INVALID_OP", `fromJsonPatch: there is no operation "${String(op)}" in JSON Patch.`);
  const value = requireJson(operation.value, "value of an operation");
  // The types allow no operation without a value, but it may come from outside.
  if (value === undefined)
    throw new GenuiPatchError("MISSING_VALUE", `fromJsonPatch: "${op}" has no "value". Send {op, path, value}.`);
  return { kind: op === "add" && path.length > 0 ? "insert" : "set", path, value };
}

/** The JSON Pointer (RFC 6901) of a path. */
function toPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The path of a JSON Pointer, with every token of digits as an index. Throws for any other text. */
function toSteps(pointer: string): (string | number)[] {
  const isPointer = typeof pointer === "string" && (pointer === "" || pointer[0] === "/") && !/~(?![01])/.test(pointer);
  if (!isPointer)
    throw new GenuiPatchError("INVALID_PATH", `fromJsonPatch: ${JSON.stringify(pointer)} is not a JSON Pointer.`);
  return pointer
    .split("/")
    .slice(1)
    .map((token) => {
      if (token === "-") throw new GenuiPatchError("UNSUPPORTED", 'fromJsonPatch: "-" needs the document.');
      // Up to 15 digits: larger numbers are not exact in JavaScript.
      if (/^(0|[1-9]\d{0,14})$/.test(token)) return Number(token);
      return token.replaceAll("~1", "/").replaceAll("~0", "~");
    });
}
