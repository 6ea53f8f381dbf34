/** Who is told what, and in which order. */
import { Listeners } from "./listeners.js";
import { type IdKeys, idKeysAt, idOf, type KnownIds, keyOf, resolve } from "./resolve.js";
import type { Change, Json, PathSegment, Rules, StoreEvent } from "./types.js";

/** Which events a listener wants. */
export interface Filter {
  instance?: string | undefined;
  segments?: readonly PathSegment[] | undefined;
}

/** An event with the snapshots around it, by which ids in a filter are found. */
export interface Notice {
  event: StoreEvent;
  before: Json | undefined;
  after: Json | undefined;
  /** The rules of the instance, by which ids are those of items. */
  rules(): Rules;
  /** The ids that one listener had to look for, so that the others need not. */
  known?: KnownIds;
}

/** Who listens to a store. */
export class Events extends Listeners<Notice> {
  listen(listener: (event: StoreEvent) => void, filter: Filter): () => void {
    return this.subscribe((notice) => {
      if (wants(filter, notice)) listener(notice.event);
    });
  }
}

function wants({ instance, segments }: Filter, notice: Notice): boolean {
  const { event, before, after } = notice;
  if (instance !== undefined && instance !== event.instance_name) return false;
  if (segments === undefined || event.type !== "change") return true;
  const { changes } = event;
  const byId = segments.some((segment) => "id" in segment);
  const rules = byId ? notice.rules() : "ui";
  const isMet = changes.some((change) => {
    const places = change.kind === "move" ? [change.from, change.path] : [change.path];
    return places.some(
      (path) => meets(segments, path, change.kind, before, rules) || meets(segments, path, change.kind, after, rules),
    );
  });
  if (isMet || !byId) return isMet;
  // An id may go to another item; and where items come and go, an index between the first and the last change may be one
  // of neither snapshot.
  const shifts = changes.some(
    ({ kind, path }) => (kind !== "set" && changes.length > 1) || /^(id|key|value)$/.test(`${path.at(-1)}`),
  );
  if (!shifts) return false;
  notice.known ??= new Map();
  const { known } = notice;
  const at = (snapshot: Json | undefined) => snapshot !== undefined && resolve(snapshot, segments, rules, known)?.value;
  return at(before) !== at(after);
}

/** Whether a change at `path` is at, above or below the place of a filter. */
function meets(
  segments: readonly PathSegment[],
  path: readonly (string | number)[],
  kind: Change["kind"],
  snapshot: Json | undefined,
  rules: Rules,
): boolean {
  let node = snapshot;
  for (const [depth, segment] of segments.entries()) {
    const step = path[depth];
    if (step === undefined) return true;
    // An item that comes or goes moves those behind it.
    const shifts = kind !== "set" && depth === path.length - 1 && Array.isArray(node);
    const isStep =
      "id" in segment && Array.isArray(node)
        ? isItem(node, step, segment.id, idKeysAt(path.slice(0, depth), rules))
        : matches(segment, step, shifts);
    if (!isStep) return false;
    node = typeof node === "object" && node !== null ? (node as Record<string | number, Json>)[step] : undefined;
  }
  return true;
}

function matches(segment: PathSegment, step: string | number, shifts: boolean): boolean {
  if ("end" in segment) return true;
  return keyOf(segment) === String(step) || ("index" in segment && shifts && Number(step) <= segment.index);
}

/** Whether an item is the one that an id addresses: the first one that has it. */
function isItem(list: readonly Json[], index: string | number, id: string, keys: IdKeys): boolean {
  if (idOf(list[index as number], keys) !== id) return false;
  return list.findIndex((item) => idOf(item, keys) === id) === index;
}
