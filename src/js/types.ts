/// <reference lib="esnext.disposable" preserve="true" />
/** The shared types: documents, patch calls, results, events and diffs. */

import type { Catalog } from "./core/catalog-types.js";
import type { UrlPolicy } from "./core/url.js";
import type { PatchErrorCode as CoreErrorCode, Limits, PatchOp, WarningCode } from "./generated/facts.js";

export type { Limits, PatchOp, WarningCode };

/** The codes of the core, and that of an action whose URL leads to another origin. */
export type PatchErrorCode = CoreErrorCode | "URL_NOT_ALLOWED";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A value whose parts are read-only, as those of a snapshot are. A branded string, which is an object too, stays as it is. */
export type DeepReadonly<T> = T extends string
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;

/** A position in a text: `offset` in UTF-16 units from 0, `line` and `column` from 1. */
export interface Position {
  offset: number;
  line: number;
  column: number;
}

/** `"ui"`: the structure rules of a page's document apply. `"open"`: any JSON is valid. */
export type Rules = "ui" | "open";

/** One patch of a call. docs/operations.md says which fields each operation needs. */
export interface PatchOperation {
  /** Any text, so that calls of a model need no cast: an unknown operation is an error result. Editors suggest the known ones. */
  op: PatchOp | (string & Record<never, never>);
  path?: string;
  value?: unknown;
  /** Several values, for operations that add items to a list. */
  items?: readonly unknown[];
  /** The index of the item, for `update_list_item`. */
  index?: number;
  /** Where `move` puts its item, in the same list: the index that the item gets, or next to the item with an id. */
  to?: number | { before: string | number } | { after: string | number };
  /** Remove every match, not only the first, for `remove_from_list`. */
  all?: boolean;
  /** The patch is skipped when this is false: `path`, `!path`, `path == json`, joined by `&&` and `||`. */
  condition?: string;
}

/** A patch call, with its keys in snake_case or in camelCase. */
export type PatchCall =
  | {
      /** An instance, `__CREATE__` or `__DELETE__`. */
      instance_name: string;
      /** The instance that `__CREATE__` creates. */
      new_instance_name?: string | null;
      /** The instance that `__DELETE__` deletes. */
      target_instance_name?: string | null;
      patches?: readonly PatchOperation[];
    }
  | {
      instanceId: string;
      newInstanceId?: string | null;
      targetInstanceId?: string | null;
      patches?: readonly PatchOperation[];
    };

/** Who makes a change. With an `id`, several users or agents are told apart. */
export interface Author {
  kind: "user" | "agent" | "server";
  id?: string | undefined;
}

/** Options of every method that changes a document. */
export interface ChangeOptions {
  /** Who makes the change. Default `{ kind: "user" }`; for the tools of an agent and for proposals `{ kind: "agent" }`. */
  author?: Author | undefined;
  /**
   * The id of the group that the change belongs to: `undo` reverts a group as a whole. All changes of an agent's turn have the
   * same one. Without it each call is a group, and so is the typing in one field.
   */
  group?: string | undefined;
}

/** A group of changes that `undo` reverts together. `Item` is what changed: for documents a {@link Change}. */
export interface HistoryEntry<Item = Change> {
  /** The `group` of the changes, or an id of the history's own. */
  id: string;
  author: Author;
  /** When the group began, in milliseconds since the epoch. */
  time: number;
  /** The changes of the group, in order. */
  changes: readonly Item[];
  /** The group was undone, so that `redo` can make it again. */
  undone: boolean;
}

/** Which group `undo` or `redo` is about: without options the last one, whoever made it. */
export interface UndoOptions {
  /** Only the groups of this author, or of all authors of this kind. */
  author?: Author | Author["kind"] | undefined;
  /** The group with this id. */
  group?: string | undefined;
  /** Leave places as they are where later changes conflict, and revert the rest. Default false. */
  force?: boolean | undefined;
  /** Applied as a pending call. Default: whether the store has a connection, or pending calls in this instance. */
  optimistic?: boolean | undefined;
}

/** The reason for a refusal. */
export interface PatchError {
  code: PatchErrorCode;
  /** One sentence: the problem and its place. */
  message: string;
  /** A correct call for the document as it is: "Send …". */
  solution: string;
  /** The index of the patch in the call. */
  index?: number;
  op?: string;
  path?: string;
  /** Set for text that is not JSON. */
  position?: Position;
  /** For `UNDO_CONFLICT`: the paths of the places that were changed again since. */
  places?: string[];
}

/**
 * A change at a resolved path: strings are keys, numbers are indexes, and the empty path is the document itself. An `insert` into
 * an object has the key's `index` in the document's order, unless the key is the last one. `next` is then the key that follows in
 * a snapshot, where JavaScript puts integer-like keys first. The `path` of a `move` is resolved after the value was removed from
 * `from`; for a move to a key it may have an `index` too.
 */
export type Change =
  | { kind: "set" | "insert" | "remove"; path: (string | number)[]; value?: Json; index?: number; next?: string }
  | { kind: "move"; from: (string | number)[]; path: (string | number)[]; index?: number };

/** A change with the value that it replaces or removes. */
export type ShownChange = Change & { before?: Json };

/** A part of a call that had no effect. */
export interface Skipped {
  /** The index of the patch in the call; -1 for a key of the call itself. */
  index: number;
  op: string;
  path: string;
  /** The patch's `condition` was false; a key of the patch or the call is unknown; the patch failed, with `onError: "skip"`. */
  reason: "condition" | "unknown_key" | "failed";
  /** For `unknown_key`: the key. The rest of the patch was applied. */
  key?: string;
  /** Set for `failed`. */
  error?: PatchError;
}

/** A patch was applied, but probably does not have the effect that its author meant. */
export interface Warning {
  /** The index of the patch in the call. */
  index: number;
  /** The path of the place in the document. */
  path: string;
  code: WarningCode;
  /** The problem, in one sentence. */
  message: string;
  /** The correction: a sentence that says which spelling or value to send. */
  solution: string;
}

export type PatchResult =
  | {
      status: "success";
      instance_name: string;
      /** The number of patches that were applied, including those that changed nothing. */
      applied: number;
      skipped: Skipped[];
      /** Absent without warnings. */
      warnings?: Warning[];
      /** The changes in order. If none exist, the snapshot is the same object as before. */
      changes: Change[];
      /** The revision of the instance after the call. */
      revision: number;
      /** Ids of pending calls that were applied again, on the changed document. */
      rebased: string[];
      /** Pending calls that failed on the changed document, and were dropped. */
      conflicts: { pendingId: string; error: PatchError }[];
      /** The message is a duplicate, or has nothing to do with state. */
      ignored?: true;
      error?: undefined;
    }
  | {
      status: "error";
      instance_name?: string;
      error: PatchError;
      available_instances?: string[];
      /** With `onError: "stop"`: the patches before the failure, which stay applied. */
      applied?: number;
      skipped?: Skipped[];
      changes?: Change[];
      revision?: number;
    };

/** An optimistic call that the server has neither confirmed nor rejected. */
export interface PendingCall {
  pendingId: string;
  instance_name: string;
  /** The call to send to the server. */
  call: PatchCall;
  /** The changes that the call made to the confirmed document with the pending calls before it. */
  changes: Change[];
  author: Author;
  /** The group that the call was given, if any. */
  group?: string;
  /** The server has confirmed the call, and an earlier call is still pending. */
  confirmed: boolean;
  /** The page has sent the call, so that another `set` of the same path is a new call. */
  sent: boolean;
}

/** A segment of a path: a key, an index, the id of an item, or the end of a list (after its last item). */
export type PathSegment = { key: string } | { index: number } | { id: string } | { end: true };

/** A parsed path. `remove` is set for the spelling that removes an item by its id: `blocks-"old"`. */
export type ParsedPath =
  | { ok: true; segments: PathSegment[]; remove?: true; error?: undefined }
  | { ok: false; error: PatchError; segments?: undefined };

export type CriterionType =
  | "field_exists"
  | "field_equals"
  | "field_not_empty"
  | "block_exists"
  | "action_exists"
  | "block_count"
  | "custom";

/** A criterion of `validate_completion`. */
export interface Criterion {
  type: CriterionType;
  /** A path; for `block_exists` and `action_exists` an id or a path. */
  path?: string;
  /** The expected value, for `field_equals` and `block_count`. */
  value?: unknown;
  description?: string;
  /** For `custom`: a condition as in a patch. */
  condition?: string;
  /** For `custom`: the name of a function in the option `criteria`. */
  name?: string;
}

/** The page's own checks, by name, for criteria of the type `custom`. A check passes if it returns `true`. */
export type CriteriaFunctions = Record<string, CriterionFunction>;
/** Taken from a method, and so bivariant: a page may declare the type of its own documents. */
type CriterionFunction = { check(document: DeepReadonly<Json>, criterion: Criterion): boolean }["check"];

export interface PatchStoreOptions {
  /** Types of blocks, fields and actions, and other words that the page adds to the vocabulary. */
  catalog?: Catalog | undefined;
  /**
   * The treatment of a value in the state that the type of its field does not allow, such as text for a number. Default `"warn"`:
   * the result has a warning. `"strict"` refuses the call.
   */
  values?: "warn" | "strict" | "off" | undefined;
  /** The rules of instances that are loaded without rules. Default `"ui"`. */
  rules?: Rules | undefined;
  /** The treatment of a call one of whose patches fails. Default `"rollback"`: none of its patches stays applied. */
  onError?: "rollback" | "stop" | "skip" | undefined;
  /** Whether snapshots are frozen. Default true. */
  freeze?: boolean | undefined;
  /** The user's language, for pages that share their options with a `FlowStore`. Errors of a `PatchStore` are in English. */
  displayLanguage?: string | undefined;
  /** Functions by name, for the criteria of `validate_completion`. */
  criteria?: CriteriaFunctions | undefined;
  /** The prefix of pending calls' ids. Default: random, so that the ids of two tabs differ. */
  clientId?: string | undefined;
  /** Other limits than the defaults, which the export `limits` has. */
  limits?: Partial<Limits> | undefined;
  /**
   * Where actions of the types `api` and `navigate` may lead, and where pictures of a `PageView` may come from, beside the
   * page's own origin.
   */
  urls?: UrlPolicy | undefined;
}

/** The result of an optimistic call. It has a `pendingId` unless the call was refused. */
export type OptimisticResult = PatchResult & { pendingId?: string };

export interface SetOptions extends ChangeOptions {
  /** Applied as a pending call, as by `applyOptimistic`. Default false. */
  optimistic?: boolean | undefined;
}

/** A message from a server. Messages of other kinds may have further keys. */
export interface ServerMessage {
  type?: string;
  instance_name?: string;
  instanceId?: string;
  /** Identifies the message, so that a duplicate is ignored. The id of a pending call confirms that call. */
  patch_id?: string | number;
  /** The id of the pending call that the message confirms. */
  clientCallId?: string;
  /** For `patch`: values by path, or a list of patches. */
  patch?: Readonly<Record<string, unknown>> | readonly PatchOperation[];
  patches?: readonly PatchOperation[];
  /** For `schema_update` and `access_instance`: the whole document. */
  schema?: unknown;
  /** For `schema_update`: ids of blocks. */
  highlight?: string | readonly string[];
  /** For `highlight_block`. */
  block_id?: string;
  /** For AG-UI's `STATE_SNAPSHOT`. */
  snapshot?: unknown;
  /** For AG-UI's `STATE_DELTA`: a JSON Patch (RFC 6902). */
  delta?: unknown;
  /** The author of the change. Default `{ kind: "server" }`. */
  author?: Author;
  /** The group of the change, as in {@link ChangeOptions}. */
  group?: string;
  [other: string]: unknown;
}

/** An operation of a JSON Patch (RFC 6902). Pointers are those of RFC 6901. */
export type JsonPatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

export interface StoreEvent {
  /** `pending`: only the list of pending calls, or of drafts, has changed. */
  type: "change" | "create" | "delete" | "active" | "highlight" | "pending" | "proposal";
  /** For `active`, "" if no instance is active any more. */
  instance_name: string;
  /** Empty for events that are not about changes of the document. */
  changes: Change[];
  /** The revision of the instance after the changes. */
  revision: number;
  origin: "apply" | "optimistic" | "receive" | "confirm" | "reject" | "load" | "approve";
  /** The author of the changes; of several authors in one `batch`, the last one. For an undo, the user who undoes. */
  author: Author;
  /** For `highlight`: ids of blocks to draw the user's attention to. */
  highlight?: string[];
  /** For the origin `reject`: the reason that the page or the server gave. */
  reason?: string;
  /** For `proposal`: the proposal that was made or settled. A proposal that becomes stale has no event besides the change. */
  proposalId?: string;
}

/** The fields that differ. `before` or `after` is missing where the field is absent on that side. */
export interface JsonDiff {
  [field: string]: { before?: Json; after?: Json };
}

/** Changed lines of a text, with unchanged lines around them. */
export interface Hunk {
  /** The index of the hunk in its diff, from 0. A partial approval names hunks by it. */
  index: number;
  /** Lines count from 1, as in a unified diff. */
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: HunkLine[];
}

/** A line of a hunk. */
export interface HunkLine {
  kind: "same" | "removed" | "added";
  /** Without the line break. */
  text: string;
  /** The line break, if it is not `"\n"`: `"\r\n"`, or `""` for a last line without one. */
  end?: "\r\n" | "";
  /** The ranges `[start, end)`, in UTF-16 units, that differ from the line that this one replaces or is replaced by. */
  words?: [number, number][];
}
