/** Who is told what, and in which order. */
import { Listeners } from "./listeners.js";
import { follow } from "./page/place.js";
import type { Change, Json, PathSegment, StoreEvent } from "./types.js";

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
}

/** Who listens to a store. */
export class Events extends Listeners<Notice> {
  listen(listener: (event: StoreEvent) => void, filter: Filter): () => void {
    return this.subscribe((notice) => {
      if (wants(filter, notice)) listener(notice.event);
    });
  }
}

function wants({ instance, segments }: Filter, { event, before, after }: Notice): boolean {
  if (instance !== undefined && instance !== event.instance_name) return false;
  if (segments === undefined || event.type !== "change") return true;
  const { changes } = event;
  const isMet = changes.some((change) => {
    const places = change.kind === "move" ? [change.from, change.path] : [change.path];
    return places.some(
      (path) => meets(segments, path, change.kind, before) || meets(segments, path, change.kind, after),
    );
  });
  if (isMet || !segments.some((segment) => "id" in segment)) return isMet;
  // An id may go to another item; and where items come and go, an index between the first and the last change may be one
  // of neither snapshot.
  const shifts = changes.some(
    ({ kind, path }) => (kind !== "set" && changes.length > 1) || /^(id|key|value)$/.test(`${path.at(-1)}`),
  );
  const at = (snapshot: Json | undefined) => snapshot !== undefined && follow(snapshot, segments)?.value;
  return shifts && at(before) !== at(after);
}

/** Whether a change at `path` is at, above or below the place of a filter. */
function meets(
  segments: readonly PathSegment[],
  path: readonly (string | number)[],
  kind: Change["kind"],
  snapshot: Json | undefined,
): boolean {
  let node = snapshot;
  for (const [depth, segment] of segments.entries()) {
    const step = path[depth];
    if (step === undefined) return true;
    // An item that comes or goes moves those behind it.
    const shifts = kind !== "set" && depth === path.length - 1 && Array.isArray(node);
    if (!matches(segment, step, node, shifts)) return false;
    node = typeof node === "object" && node !== null ? (node as Record<string | number, Json>)[step] : undefined;
  }
  return true;
}

function matches(segment: PathSegment, step: string | number, node: Json | undefined, shifts: boolean): boolean {
  if ("key" in segment) return segment.key === step;
  if ("end" in segment) return true;
  if ("index" in segment) return String(segment.index) === String(step) || (shifts && Number(step) <= segment.index);
  if (!Array.isArray(node)) return segment.id === step;
  const item = node[step as number];
  if (typeof item !== "object" || item === null || Array.isArray(item)) return false;
  return [item.id, item.key, item.value].some((id) => id !== undefined && String(id) === segment.id);
}
