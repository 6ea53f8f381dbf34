/** Where the fields of a block are kept: its `bind` and the field's key. */
import { formatPath, type PathSegment, parsePath } from "genui-patch";
import { t } from "../words/words";

interface Place {
  segments: readonly PathSegment[];
  /** The path of each key that was asked for. */
  paths: Map<string, string | undefined>;
}

const places = new Map<string, Place>();

function placeOf(bind: string): Place {
  const known = places.get(bind);
  if (known) return known;
  const parsed = parsePath(bind);
  const place: Place = { segments: parsed.ok ? parsed.segments : [], paths: new Map() };
  places.set(bind, place);
  return place;
}

/** The path of a field, the same text each time; undefined for a key that no path can have. */
export function fieldPath(bind: string, key: string): string | undefined {
  const { segments, paths } = placeOf(bind);
  if (!paths.has(key)) paths.set(key, tryFormat([...segments, { key }]));
  return paths.get(key);
}

function tryFormat(segments: readonly PathSegment[]): string | undefined {
  try {
    return formatPath(segments);
  } catch {
    return undefined;
  }
}

/** The steps of a change, as a path reads. */
export function showSteps(steps: readonly (string | number)[]): string {
  if (steps.length === 0) return t("(the document)");
  return steps.reduce<string>((text, part) => {
    if (typeof part === "number" || /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(part))
      return text === "" ? `${part}` : `${text}.${part}`;
    return `${text}[${JSON.stringify(part)}]`;
  }, "");
}

/** The steps of a path without ids. */
export function stepsOf(path: string): (string | number)[] {
  const parsed = parsePath(path);
  if (!parsed.ok) return [];
  return parsed.segments.map((part) =>
    "key" in part ? part.key : "index" in part ? part.index : "id" in part ? part.id : "+",
  );
}
