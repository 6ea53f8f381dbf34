/** Who makes a change: read from options and from messages of a server. */
import { isObject, isText } from "../core/kinds.js";
import { type ArgumentKind, type Kinds, TEXT } from "../core/require.js";
import type { Author, ChangeOptions } from "../types.js";
import type { Source } from "./history-types.js";

export const USER: Author = Object.freeze({ kind: "user" });
export const AGENT: Author = Object.freeze({ kind: "agent" });
export const SERVER: Author = Object.freeze({ kind: "server" });

/** Sources without further details, for changes whose options or message name no author. */
export const BY_USER: Source = { author: USER };
export const BY_SERVER: Source = { author: SERVER };

const isKind = (kind: unknown): kind is Author["kind"] => kind === "user" || kind === "agent" || kind === "server";

/** Whether a value is an {@link Author}: of a known kind, and with a text as `id` if it has one. */
export function isAuthor(value: unknown): value is Author {
  return isObject(value) && isKind(value.kind) && (value.id === undefined || isText(value.id));
}

const AUTHOR: ArgumentKind = ['{ kind: "user" | "agent" | "server", id? }', isAuthor];
/** A filter for authors: see {@link isBy}. Errors suggest an author; a kind, e.g. `"agent"`, is accepted too. */
export const AUTHOR_FILTER: ArgumentKind = [AUTHOR[0], (value) => isKind(value) || isAuthor(value)];

/** The kinds of the members of {@link ChangeOptions}, for `requireOptions`. */
export const CHANGE = { author: AUTHOR, group: TEXT } satisfies Kinds;

/** The source of a change with these options. */
export function sourceOf({ author, group }: ChangeOptions, defaultAuthor: Author = USER): Source {
  return { author: author === undefined ? defaultAuthor : copyAuthor(author), group };
}

/** The options of a method that changes a document, for this source. */
export const changeOptions = ({ author, group }: Source): ChangeOptions => ({ author, group });

/** A frozen copy of an author with no other members. */
export function copyAuthor({ kind, id }: Author): Author {
  return Object.freeze(id === undefined ? { kind } : { kind, id });
}

export const isSameAuthor = (one: Author, other: Author): boolean => one.kind === other.kind && one.id === other.id;

/** Whether an author matches a filter: one author, a kind of authors, or `undefined` for any author. */
export function isBy(author: Author, filter: Author | Author["kind"] | undefined): boolean {
  if (filter === undefined || filter === author.kind) return true;
  return typeof filter === "object" && isSameAuthor(author, filter);
}
