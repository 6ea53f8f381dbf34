/// <reference lib="esnext.disposable" preserve="true" />
/** The types that several rooms share: documents, patch calls, answers, events, and what differs. */
import type { Limits, PatchErrorCode, PatchOp } from "./generated/facts.js";

export type { Limits, PatchErrorCode, PatchOp };

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A value that nobody changes: snapshots are frozen. */
export type DeepReadonly<T> = T extends string
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;

/** A place in a text: UTF-16 units from 0; line and column from 1. */
export interface Position {
  offset: number;
  line: number;
  column: number;
}

/** Structure rules: those of a page's document, or none (free JSON). */
export type Rules = "ui" | "open";

/** One patch of a call. Which of its parts an operation needs stands in the README's table. */
export interface PatchOperation {
  /** A name that is none is answered, not thrown. */
  op: PatchOp | (string & Record<never, never>);
  path?: string;
  value?: unknown;
  /** Several items, for operations that add. */
  items?: readonly unknown[];
  /** Which item, for `update_list_item`. */
  index?: number;
  /** Every match instead of the first, for `remove_from_list`. */
  all?: boolean;
  /** The patch is skipped when this is false: `path`, `!path`, `path == json`, joined by `&&` and `||`. */
  condition?: string;
}

/** A patch call, in either dialect (seeds 000 and 001). */
export type PatchCall =
  | {
      /** An instance, `__CREATE__` or `__DELETE__`. */
      instance_name: string;
      new_instance_name?: string | null;
      target_instance_name?: string | null;
      patches?: readonly PatchOperation[];
    }
  | {
      instanceId: string;
      newInstanceId?: string | null;
      targetInstanceId?: string | null;
      patches?: readonly PatchOperation[];
    };

/** Why a call was refused, and what to send instead. */
export interface PatchError {
  code: PatchErrorCode;
  /** What was found, and where: one sentence. */
  message: string;
  /** What to send instead, from the document at hand. */
  solution: string;
  /** The place of the patch in the call. */
  index?: number;
  op?: string;
  path?: string;
  /** For text that is not JSON. */
  position?: Position;
}

/**
 * A change of a document at a resolved place. An `insert` into an object names the key's place in the written order by
 * `index`, unless it is the last; `next` is then the key behind it in a snapshot, where integer-like keys come first. The
 * empty path is the document itself.
 */
export type Change =
  | { kind: "set" | "insert" | "remove"; path: (string | number)[]; value?: Json; index?: number; next?: string }
  | { kind: "move"; from: (string | number)[]; path: (string | number)[]; index?: number };

/** Something of a call that had no effect. */
export interface Skipped {
  /** The patch's place in the call; -1 for a key of the call itself. */
  index: number;
  op: string;
  path: string;
  reason: "condition" | "unknown_key" | "failed";
  /** For `unknown_key`: the key; the rest was applied. */
  key?: string;
  /** For `failed`: why. */
  error?: PatchError;
}

export type PatchResult =
  | {
      status: "success";
      instance_name: string;
      /** Patches that took effect, or found that all was so already. */
      applied: number;
      skipped: Skipped[];
      /** What changed, in order. Empty: the snapshot is the same object as before. */
      changes: Change[];
      revision: number;
      /** Pending calls that were applied again, on top of what changed beneath them. */
      rebased: string[];
      /** Pending calls that no longer applied, and were dropped. */
      conflicts: { pendingId: string; error: PatchError }[];
      /** The message was received before, or says nothing about state. */
      ignored?: true;
      error?: undefined;
    }
  | {
      status: "error";
      instance_name?: string;
      error: PatchError;
      available_instances?: string[];
      /** With `onError: "stop"`: what came before the failure, and stays. */
      applied?: number;
      skipped?: Skipped[];
      changes?: Change[];
      revision?: number;
    };

/** An optimistic call that the server has not settled yet. */
export interface PendingCall {
  pendingId: string;
  instance_name: string;
  /** What to send. */
  call: PatchCall;
  /** What the call has changed, on top of what is confirmed and of the pending calls before it. */
  changes: Change[];
  /** The server has taken it, but an earlier call is still open. */
  confirmed: boolean;
  /** The page has sent it: further sets of the same place are calls of their own. */
  sent: boolean;
}

export type PathSegment = { key: string } | { index: number } | { id: string } | { end: true };

/** A path, read. `remove` is there for the spelling that removes by id: `blocks-"old"`. */
export type ParsedPath =
  | { ok: true; segments: PathSegment[]; remove?: true; error?: undefined }
  | { ok: false; error: PatchError; segments?: undefined };

/** Words that a host adds to the known ones of the structure rules. A field of a type of its own needs `key`, `label` and `type`. */
export type Catalog = {
  [list in "blocks" | "fields" | "styles" | "layouts" | "statuses"]?: readonly string[] | undefined;
};

export type CriterionType =
  | "field_exists"
  | "field_equals"
  | "field_not_empty"
  | "block_exists"
  | "action_exists"
  | "block_count"
  | "custom";

/** A criterion of completion. */
export interface Criterion {
  type: CriterionType;
  /** A path; for `block_exists` and `action_exists` an id or a path. */
  path?: string;
  /** What `field_equals` and `block_count` compare with. */
  value?: unknown;
  description?: string;
  /** For `custom`: a condition as patches have them. */
  condition?: string;
  /** For `custom`: a function of the option `criteria`. */
  name?: string;
}

/** Checks of the page, by name, for criteria of the type `custom`. Passed is what returns true. */
export type CriteriaFunctions = Record<string, CriterionFunction>;
/** Written as a method, so that a page may name the type of its own documents. */
type CriterionFunction = { check(document: DeepReadonly<Json>, criterion: Criterion): boolean }["check"];

export interface PatchStoreOptions {
  catalog?: Catalog | undefined;
  /** The rules of instances that do not say otherwise. Default `"ui"`. */
  rules?: Rules | undefined;
  /** What happens to a call when one of its patches fails. Default `"rollback"`: nothing of it remains. */
  onError?: "rollback" | "stop" | "skip" | undefined;
  /** Whether snapshots are frozen. Default true. */
  freeze?: boolean | undefined;
  /** The person's language, as for a `FlowStore`. What a store says is for agents, in English whatever stands here. */
  displayLanguage?: string | undefined;
  /** Checks by name, for `validate_completion`. */
  criteria?: CriteriaFunctions | undefined;
  /** What the ids of pending calls begin with. Default: drawn at random, so that no two tabs have one in common. */
  clientId?: string | undefined;
  limits?: Partial<Limits> | undefined;
}

/** The answer to an optimistic call: with `pendingId`, unless it was refused. */
export type OptimisticResult = PatchResult & { pendingId?: string };

export interface SetOptions {
  /** Shown before the server has taken it, as with `applyOptimistic`. */
  optimistic?: boolean | undefined;
}

/** A message from a server. Others have their own keys beside these. */
export interface ServerMessage {
  type?: string;
  instance_name?: string;
  instanceId?: string;
  /** By which a message that comes again is known. A pending call's id settles that call. */
  patch_id?: string | number;
  /** The pending call that the message settles. */
  clientCallId?: string;
  /** For `patch`: values by path, or patches. */
  patch?: Readonly<Record<string, unknown>> | readonly PatchOperation[];
  patches?: readonly PatchOperation[];
  /** For `schema_update` and `access_instance`: the document, whole. */
  schema?: unknown;
  /** For `schema_update`: ids of blocks. */
  highlight?: string | readonly string[];
  /** For `highlight_block`. */
  block_id?: string;
  /** For AG-UI's `STATE_SNAPSHOT`. */
  snapshot?: unknown;
  /** For AG-UI's `STATE_DELTA`: a JSON Patch (RFC 6902). */
  delta?: unknown;
  [other: string]: unknown;
}

/** An operation of a JSON Patch (RFC 6902). Pointers are those of RFC 6901. */
export type JsonPatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

export interface StoreEvent {
  type: "change" | "create" | "delete" | "active" | "highlight" | "pending" | "proposal";
  instance_name: string;
  changes: Change[];
  revision: number;
  origin: "apply" | "optimistic" | "receive" | "confirm" | "reject" | "load" | "approve" | "draft";
  /** For `highlight`: ids of blocks that the person should look at. */
  highlight?: string[];
  /** For the origin `reject`: why, as the page gave it. */
  reason?: string;
  /** For `proposal`: the proposal that came or was settled. One becomes stale by a change, which has its own event. */
  proposalId?: string;
}

/** Fields that differ, in the order of the comparison. A side on which the field is absent is left out. */
export interface JsonDiff {
  [field: string]: { before?: Json; after?: Json };
}

/** A run of lines of a text that differ, with the lines around them. */
export interface Hunk {
  /** The hunk's place in the diff, from 0: partial approval names hunks by it. */
  index: number;
  /** Lines count from 1, as in a unified diff. */
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: HunkLine[];
}

/** A line of a hunk. `end` is there where the line does not end with `\n`; `words` are ranges in UTF-16 units. */
export interface HunkLine {
  kind: "same" | "removed" | "added";
  /** Without the line break. */
  text: string;
  /** The line break, where it is not `"\n"`: `"\r\n"`, or `""` at the end of a text that has none. */
  end?: "\r\n" | "";
  /** What differs in a line that has a counterpart: ranges `[start, end)` in UTF-16 units. */
  words?: [number, number][];
}
