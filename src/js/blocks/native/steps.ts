/** The steps of tool calls, and how the readers of the formats make them. */
import { isObject, isText } from "../../core/kinds.js";
import type { PartialArgument } from "./partial-arguments.js";

/**
 * The beginning of a call in a chunk. `key` is the provider's key for the call, which may differ from its id; without a
 * key the chunk belongs to the call that began last. Fields may arrive later, or never.
 */
export interface Begin {
  do: "begin";
  key: string | undefined;
  id?: string | undefined;
  tool?: string | undefined;
  /** The arguments, where they come as a value or as one text. They count if none come in pieces. */
  whole?: unknown;
  /** The provider may repeat the call after its end. */
  mayRepeat?: boolean;
  /** The provider sends the arguments again when they are checked, and only then the call is made. */
  isPreview?: boolean;
}

export type CallStep =
  | Begin
  | { do: "more"; key: string | undefined; text: string }
  /** Values of the arguments, each with its place. */
  | { do: "values"; key: string | undefined; values: readonly PartialArgument[] }
  /** The call is over, or was `cut` off; `whole` counts if its arguments did not come in pieces. */
  | { do: "end"; key: string | undefined; whole?: unknown; cut?: boolean }
  /** The arguments of a previewed call are checked: these count, and with a `fault` no call is made. */
  | {
      do: "settle";
      key: string | undefined;
      id?: string | undefined;
      tool?: string | undefined;
      whole: unknown;
      fault?: string;
    }
  /** The provider executes the call itself. */
  | { do: "skip"; key: string | undefined }
  /** All calls whose keys begin so are over; or the answer was `cut` off there. */
  | { do: "end-all"; prefix: string; cut?: boolean };

export type Chunk = { readonly [key: string]: unknown };

/** An id or a key: some servers number them, some send null or an empty text for none. */
export const toKey = (value: unknown): string | undefined =>
  (isText(value) && value !== "") || typeof value === "number" ? String(value) : undefined;
export const toName = (value: unknown): string | undefined => (isText(value) && value !== "" ? value : undefined);

export const begun = (key: unknown, id: unknown, tool: unknown, whole?: unknown): Begin => ({
  do: "begin",
  key: toKey(key),
  id: toKey(id),
  tool: toName(tool),
  whole,
});
/** No step for a chunk without a call. */
export const begin = (key: unknown, id: unknown, tool: unknown, whole?: unknown): Begin[] => {
  const step = begun(key, id, tool, whole);
  return step.id === undefined && step.tool === undefined && whole === undefined ? [] : [step];
};
/** A piece of the arguments; as an object, all of them. */
export const more = (key: unknown, piece: unknown): CallStep[] => {
  if (isObject(piece)) return begin(key, undefined, undefined, piece);
  return isText(piece) && piece !== "" ? [{ do: "more", key: toKey(key), text: piece }] : [];
};
export const end = (key: unknown, whole?: unknown): CallStep[] => [{ do: "end", key: toKey(key), whole }];

export function toChunk(value: unknown): Chunk {
  return isObject(value) ? value : {};
}

export function toList(value: unknown): Chunk[] {
  return Array.isArray(value) ? value.map(toChunk) : [];
}

export type Reader = (chunk: Chunk) => CallStep[];
