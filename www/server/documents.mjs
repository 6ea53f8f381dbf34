/**
 * The documents: what the log comes to. A call is tried, written into the log, and only then made, here and on every other
 * server that reads the log; so a document holds the same on all of them, and after a restart.
 */
import { GenuiPatchError, PatchStore } from "genui-patch";
import { DESK, isDesk, NO_DESK, newDesk } from "./desk.mjs";

/** Another server has written to the instance since: the call is tried again. `last` is its last revision in the log. */
export class Stale extends Error {
  constructor(last) {
    super("the instance has changed");
    this.last = last;
  }
}

/** Calls between two snapshots at least; a snapshot also waits until the log has grown by as much as it is long. */
const SNAPSHOT_EVERY = 1_000;
/** Messages that a page may have missed before it gets whole documents, and bytes of them. */
const MOST_RECENT = 10_000;
const MOST_RECENT_BYTES = 64 * 2 ** 20;
/** Ids of calls that are known to have been made. */
const MOST_IDS = 20_000;
const MOST_INSTANCES = 1_000;

/** The name of the instance in a call of either dialect. */
function targetOf(call) {
  const about = call.instance_name ?? call.instanceId;
  if (about === "__CREATE__") return call.new_instance_name ?? call.newInstanceId;
  if (about === "__DELETE__") return call.target_instance_name ?? call.targetInstanceId;
  return about;
}

export class Documents {
  /** The pages that agents build, and the desk with their requests to the user, which no tool of agents reaches. */
  pages = new PatchStore();
  desk = new PatchStore();
  revision = 0;
  #log;
  /** Revisions of calls, by their ids, the oldest first. */
  #taken = new Map();
  /** The revision of the last call of each instance. */
  #heads = new Map();
  /** The last pending call of each instance: calls on one instance run one after another. */
  #queues = new Map();
  #recent = [];
  #recentBytes = 0;
  #snapshotAt = 0;
  #snapshotBytes = 0;
  #bytes = 0;

  /** Reads the log, from its last snapshot on. */
  static async open(log) {
    const documents = new Documents();
    documents.#log = log;
    documents.desk.load(DESK, newDesk());
    await log.start({
      restore: (snapshot) => documents.#restore(snapshot),
      keep: MOST_RECENT,
      take: (revision, entry) => documents.#take(revision, entry),
    });
    return documents;
  }

  get session() {
    return this.#log.session;
  }

  /** Called with each message for pages, as text, after it is in the log. */
  onMessage = () => {};

  /** Waits until all that any server has acknowledged is here too. */
  fresh() {
    return this.#log.fresh();
  }

  storeOf(name) {
    return name === DESK ? this.desk : this.pages;
  }

  /**
   * Makes a call: answers once it is in the log, with what the tool answers and `revision`. A call whose id is known is not
   * made again: its answer is `{ status: "success", again: true }`.
   * @param {{ id: string, by: "page" | "agent" }} from
   */
  write(call, from) {
    const name = targetOf(call);
    if (typeof name !== "string") return this.storeOf(undefined).callTool("patch_ui_state", call);
    return this.#inTurn(name, () => this.#write(name, call, from));
  }

  /** Shows an instance on all pages, or a block of it; the documents stay as they are. */
  show(name, from, block) {
    return this.#inTurn(name, async () => {
      for (;;) {
        try {
          return await this.#log.append(name, { ...from, access: name, block }, this.#heads.get(name) ?? 0);
        } catch (error) {
          if (!(error instanceof Stale)) throw error;
          this.#heads.set(name, error.last);
        }
      }
    });
  }

  /** One after another for each instance: what is tried is tried on what the call before has come to. */
  #inTurn(name, run) {
    const before = this.#queues.get(name) ?? Promise.resolve();
    const done = before.then(run, run);
    const last = done.catch(() => {}).then(() => this.#queues.get(name) === last && this.#queues.delete(name));
    this.#queues.set(name, last);
    return done;
  }

  async #write(name, call, from) {
    for (;;) {
      const revision = this.#taken.get(from.id);
      if (revision !== undefined) return { status: "success", again: true, revision };
      const refused = this.#refusal(name, call);
      if (refused !== undefined) return refused;
      try {
        return await this.#log.append(name, { ...from, call }, this.#heads.get(name) ?? 0);
      } catch (error) {
        if (!(error instanceof Stale)) throw error;
        this.#heads.set(name, error.last);
      }
    }
  }

  /** Why a call cannot be made. Nothing stays of the attempt. */
  #refusal(name, call) {
    const store = this.storeOf(name);
    try {
      const tried = store.applyOptimistic(call);
      if (tried.status === "error") return tried;
      const makes = store.confirmed(name) === undefined;
      const breaksDesk = name === DESK && !isDesk(store.snapshot(DESK));
      store.reject(tried.pendingId);
      // A call that names two instances, one in each dialect.
      if (tried.instance_name !== name) return this.pages.callTool("patch_ui_state", {});
      if (breaksDesk) return { status: "error", error: NO_DESK };
      if (!makes || store.names().length < MOST_INSTANCES) return undefined;
      const message = `There are ${MOST_INSTANCES} instances, as many as there may be.`;
      return {
        status: "error",
        error: { code: "LIMIT_EXCEEDED", message, solution: "Delete one that is not needed." },
      };
    } catch (error) {
      if (!(error instanceof GenuiPatchError)) throw error;
      return { status: "error", error: { code: error.code, message: error.message, solution: "Send a patch call." } };
    }
  }

  /** Takes an entry of the log: for the documents if it is new to them, and for pages that have missed it. */
  #take(revision, entry) {
    const { id, call, access, block } = entry;
    let result;
    if (revision > this.revision) {
      this.revision = revision;
      const name = access ?? targetOf(call);
      this.#heads.set(name, revision);
      const store = this.storeOf(name);
      if (access === undefined) result = store.callTool("patch_ui_state", call);
      else if (block === undefined) result = store.callTool("access_instance", { instance_name: access });
      if (store.confirmed(name) === undefined) this.#heads.delete(name);
      this.#know(id, revision);
    }
    const text = JSON.stringify(toMessage(revision, entry));
    this.#remember(text);
    this.onMessage(text);
    this.#keepSnapshot(text.length);
    return { ...result, revision };
  }

  #know(id, revision) {
    this.#taken.set(id, revision);
    if (this.#taken.size > MOST_IDS) this.#taken.delete(this.#taken.keys().next().value);
  }

  #remember(text) {
    this.#recent.push(text);
    this.#recentBytes += text.length;
    let drop = 0;
    while (this.#recent.length - drop > MOST_RECENT || this.#recentBytes > MOST_RECENT_BYTES) {
      this.#recentBytes -= this.#recent[drop].length;
      drop += 1;
    }
    // Not one by one, which would move all others each time.
    if (drop > 0) this.#recent.splice(0, drop);
  }

  #keepSnapshot(length) {
    this.#bytes += length;
    if (this.revision - this.#snapshotAt < SNAPSHOT_EVERY || this.#bytes < this.#snapshotBytes) return;
    const snapshot = {
      revision: this.revision,
      pages: this.pages.save(),
      desk: this.desk.save(),
      taken: [...this.#taken],
      heads: [...this.#heads],
    };
    this.#snapshotAt = this.revision;
    this.#snapshotBytes = snapshot.pages.length + snapshot.desk.length;
    this.#bytes = 0;
    this.#log.keepSnapshot(snapshot, Math.max(0, this.revision - MOST_RECENT));
  }

  #restore({ revision, pages, desk, taken, heads }) {
    this.revision = revision;
    this.#snapshotAt = revision;
    this.#snapshotBytes = pages.length + desk.length;
    this.pages = PatchStore.restore(pages);
    this.desk = PatchStore.restore(desk);
    this.#taken = new Map(taken);
    this.#heads = new Map(heads);
  }

  /** The messages that a page has missed; whole documents if it was away too long, or has seen another log. */
  missed({ revision, session }, client = "") {
    const { session: own } = this;
    const first = this.revision - this.#recent.length;
    if (session === own && Number.isInteger(revision) && revision >= first && revision <= this.revision) {
      const resumed = JSON.stringify({ type: "resumed", revision: this.revision, session: own });
      return [...this.#recent.slice(revision - first), resumed];
    }
    const instances = {};
    for (const store of [this.pages, this.desk])
      for (const name of store.names()) instances[name] = store.confirmed(name);
    const settles = [...this.#taken.keys()].filter((id) => id.startsWith(client));
    return [JSON.stringify({ type: "snapshot", revision: this.revision, session: own, instances, settles })];
  }

  close() {
    return this.#log.close();
  }
}

/** An entry of the log as a message for pages. */
function toMessage(revision, { id, call, access, block }) {
  if (block) return { type: "highlight_block", instance_name: access, block_id: block, revision };
  if (access) return { type: "switch_instance", instance_name: access, revision };
  const about = call.instance_name ?? call.instanceId;
  if (about === "__CREATE__" || about === "__DELETE__") return { ...call, patch_id: id, revision };
  return { type: "patch", instance_name: about, patch: call.patches, patch_id: id, revision };
}
