/** `nearPaths`: finds files with paths similar to a missing one. */
import { foldPath } from "./identity.js";

/** The maximum number of compared paths: comparing two paths takes time that grows with the product of their lengths. */
const MAX_COMPARED = 5_000;
const MAX_SUGGESTED = 5;
/** The maximum number of characters that may differ; also at most one in four. */
const MAX_DIFFERENT = 3;

/** The paths that a model may have meant by a missing one, the nearest first. */
export function nearPaths(wanted: string, paths: readonly string[]): string[] {
  const rankedPaths = paths.slice(0, MAX_COMPARED).flatMap((path) => {
    const rank = rankOf(wanted, path);
    return rank === undefined ? [] : [{ path, rank }];
  });
  return rankedPaths
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_SUGGESTED)
    .map(({ path }) => path);
}

/**
 * How far a path is from the wanted one: 0 if only case or accents differ, 1 if only the extension does, 2 if only the folder
 * does, 3 or more if some characters differ. `undefined` if it is not similar.
 */
function rankOf(wanted: string, path: string): number | undefined {
  const [a, b] = [foldPath(wanted), foldPath(path)];
  if (a === b) return 0;
  const [one, other] = [partsOf(a), partsOf(b)];
  if (one.folder === other.folder && one.stem === other.stem) return 1;
  if (one.name === other.name) return 2;
  const most = Math.min(MAX_DIFFERENT, Math.floor(a.length / 4));
  const difference = distance(a, b, most);
  return difference <= most ? 2 + difference : undefined;
}

/** The stem is the name without its extension. */
function partsOf(path: string): { folder: string; name: string; stem: string } {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  const dot = name.lastIndexOf(".");
  return { folder: path.slice(0, slash + 1), name, stem: dot > 0 ? name.slice(0, dot) : name };
}

/** The number of inserted, removed or replaced characters (Levenshtein), exact up to `most`; more than `most` for all others. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let line = 0; line < a.length; line++) {
    const next = [line + 1];
    for (let column = 0; column < b.length; column++) {
      const withReplacement = (row[column] ?? 0) + (a[line] === b[column] ? 0 : 1);
      next.push(Math.min(withReplacement, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    // No later row has a smaller minimum.
    if (Math.min(...next) > most) return most + 1;
    row = next;
  }
  return row[b.length] ?? 0;
}
