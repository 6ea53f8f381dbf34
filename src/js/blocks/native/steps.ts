/** The steps of tool calls, which all formats have in common, and functions that make them from the fields of chunks. */
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
  /** The arguments as a value or as one text. They are used only if no arguments arrive in pieces. */
  whole?: unknown;
  /** The provider may repeat the call after its end. */
  mayRepeat?: boolean;
  /** The provider sends the arguments again when it has checked them. Only then the call is made. */
  isPreview?: boolean;
}

/** The parts of one call in a chunk. */
export type CallStep =
  | Begin
  /** A piece of the text of the arguments. */
  | { do: "more"; key: string | undefined; text: string }
  /** Values of the arguments, each with its path. */
  | { do: "values"; key: string | undefined; values: readonly PartialArgument[] }
  /** The call is over, or was `cut` off. `whole` is used only if no arguments arrived in pieces. */
  | { do: "end"; key: string | undefined; whole?: unknown; cut?: boolean }
  /** The provider has checked the arguments of a previewed call: `whole` replaces the preview. With a `fault` no call is made. */
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
  /** All open calls whose keys begin with `prefix` are over, or were `cut` off. */
  | { do: "end-all"; prefix: string; cut?: boolean };

/** A chunk of a provider's stream, or an object in it. */
export type Chunk = { readonly [key: string]: unknown };

/** An id or a key as text. Some servers send numbers; null and an empty text mean none. */
export const toKey = (value: unknown): string | undefined =>
  (isText(value) && value !== "") || typeof value === "number" ? String(value) : undefined;
/** A name; an empty text means none. */
export const toName = (value: unknown): string | undefined => (isText(value) && value !== "" ? value : undefined);

/** The step that begins a call. */
export const beginStep = (key: unknown, id: unknown, tool: unknown, whole?: unknown): Begin => ({
  do: "begin",
  key: toKey(key),
  id: toKey(id),
  tool: toName(tool),
  whole,
});
/** As {@link beginStep}, in a list, which is empty if the chunk has neither an id nor a tool nor arguments. */
export const begin = (key: unknown, id: unknown, tool: unknown, whole?: unknown): Begin[] => {
  const step = beginStep(key, id, tool, whole);
  return step.id === undefined && step.tool === undefined && whole === undefined ? [] : [step];
};
/** The step for a piece of the arguments. An object is all of them. */
export const more = (key: unknown, piece: unknown): CallStep[] => {
  if (isObject(piece)) return begin(key, undefined, undefined, piece);
  return isText(piece) && piece !== "" ? [{ do: "more", key: toKey(key), text: piece }] : [];
};
/** The step that ends a call. */
export const end = (key: unknown, whole?: unknown): CallStep[] => [{ do: "end", key: toKey(key), whole }];

/** A value as an object; an empty one for any other value. */
export function toChunk(value: unknown): Chunk {
  return isObject(value) ? value : {};
}

/** A value as a list of objects; an empty one for any other value. */
export function toList(value: unknown): Chunk[] {
  return Array.isArray(value) ? value.map(toChunk) : [];
}

/** Reads the next chunk of one stream. Readers may have state. */
export type Reader = (chunk: Chunk) => CallStep[];
