/** The part of the package `classic-level` that `levelStorage` uses. The types of the package itself need those of Node. */

export interface LevelBatch {
  type: "put" | "del";
  key: string;
  value?: string;
}

interface LevelRange {
  gt?: string;
  lt?: string;
  reverse?: boolean;
  limit?: number;
  values?: boolean;
}

export interface LevelDatabase {
  open(): Promise<void>;
  get(key: string): Promise<string | undefined>;
  batch(operations: readonly LevelBatch[], options: { sync: boolean }): Promise<void>;
  iterator(range: LevelRange): AsyncIterable<[key: string, value: string]>;
  clear(range: LevelRange): Promise<void>;
  close(): Promise<void>;
}

/** The class `ClassicLevel`. */
export type LevelClass = new (folder: string, options: { createIfMissing: boolean }) => LevelDatabase;
