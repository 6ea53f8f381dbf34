/** The log in a folder: one server alone writes it. What is acknowledged has reached the disk. */
import { randomUUID } from "node:crypto";
import { ClassicLevel } from "classic-level";

/** Calls that are written to the disk at once. */
const MOST_AT_ONCE = 1_000;

const entryKey = (revision) => `entry:${String(revision).padStart(16, "0")}`;

export async function openLevelLog(folder) {
  const db = new ClassicLevel(folder, { valueEncoding: "json" });
  try {
    await db.open();
  } catch (error) {
    const isLocked = error.cause?.code === "LEVEL_LOCKED";
    throw new Error(
      isLocked
        ? `another server has ${folder} open: end it, or set DATA_DIR`
        : `${folder}: ${error.cause?.message ?? error.message}`,
    );
  }
  let session = await db.get("session");
  if (session === undefined) {
    session = randomUUID();
    await db.put("session", session, { sync: true });
  }
  return new LevelLog(db, session);
}

class LevelLog {
  #db;
  #last = 0;
  #take;
  #waiting = [];
  #writing;

  constructor(db, session) {
    this.#db = db;
    this.session = session;
  }

  async start({ restore, take }) {
    this.#take = take;
    const snapshot = await this.#db.get("snapshot");
    if (snapshot !== undefined) {
      restore(snapshot);
      this.#last = snapshot.revision;
    }
    for await (const [key, entry] of this.#db.iterator({ gte: entryKey(0), lte: entryKey(Number.MAX_SAFE_INTEGER) })) {
      const revision = Number(key.slice("entry:".length));
      this.#last = Math.max(this.#last, revision);
      take(revision, entry);
    }
  }

  /** Resolves with what the entry came to, once it is on the disk. */
  append(_name, entry) {
    const answer = new Promise((resolve, reject) => this.#waiting.push({ entry, resolve, reject }));
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return answer;
  }

  /** Writes all entries together that arrived while the disk was busy. */
  async #writeAll() {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MOST_AT_ONCE);
      const first = this.#last + 1;
      const puts = group.map(({ entry }, at) => ({ type: "put", key: entryKey(first + at), value: entry }));
      try {
        await this.#db.batch(puts, { sync: true });
      } catch (error) {
        for (const { reject } of group) reject(error);
        continue;
      }
      this.#last += group.length;
      for (const [at, { entry, resolve }] of group.entries()) resolve(this.#take(first + at, entry));
    }
  }

  /** This server is the only writer. */
  async fresh() {}

  /** Stores a snapshot and deletes the entries up to `forget`. If it fails, the previous snapshot is still valid. */
  keepSnapshot(snapshot, forget) {
    this.#db
      .put("snapshot", snapshot, { sync: true })
      .then(() => this.#db.clear({ gte: entryKey(0), lte: entryKey(forget) }))
      .catch((error) => console.error(`The snapshot was not written: ${error.message}`));
  }

  async close() {
    await this.#writing;
    await this.#db.close();
  }
}
