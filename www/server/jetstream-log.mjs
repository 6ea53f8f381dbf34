/**
 * The log in NATS JetStream, for several servers at once. Each instance is a subject, and each entry is published with the
 * sequence that its server takes for the last one there: so each instance has one order, whoever writes to it.
 */
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { DeliverPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect, nanos } from "@nats-io/transport-node";
import { Stale } from "./documents.mjs";

const STREAM = "genui";
const WRONG_LAST_SEQUENCE = 10071;
/** Milliseconds until the broker is asked again, and how long it remembers that an entry was stored. */
const AGAIN = 250;
const REMEMBERED = 10 * 60_000;

const subjectOf = (name) => `${STREAM}.${Buffer.from(name).toString("hex")}`;

export async function openJetStreamLog(servers) {
  const connection = await connect({ servers, maxReconnectAttempts: -1, reconnectTimeWait: AGAIN });
  const manager = await jetstreamManager(connection);
  const about = { name: STREAM, subjects: [`${STREAM}.>`], duplicate_window: nanos(REMEMBERED) };
  const stream = await manager.streams.info(STREAM).catch(() => manager.streams.add(about));
  const snapshots = await new Kvm(connection).create(`${STREAM}_snapshots`);
  return new JetStreamLog(connection, manager, stream, snapshots);
}

class JetStreamLog {
  #connection;
  #manager;
  #stream;
  #snapshots;
  #revision = 0;
  #lastId;
  /** Promises that wait until an entry (by id) or a revision has been applied. */
  #entries = new Map();
  #revisions = new Set();
  #messages;

  constructor(connection, manager, stream, snapshots) {
    this.#connection = connection;
    this.#manager = manager;
    this.#stream = stream;
    this.#snapshots = snapshots;
    this.session = `${stream.config.name}-${Date.parse(stream.created).toString(36)}`;
  }

  async start({ restore, keep, take }) {
    const kept = await this.#snapshots.get("snapshot");
    const snapshot = kept?.value.length > 0 ? JSON.parse(gunzipSync(kept.value)) : undefined;
    if (snapshot !== undefined) restore(snapshot);
    const first = Math.max(1, (snapshot?.revision ?? 0) - keep + 1);
    const from = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: first };
    const consumer = await jetstream(this.#connection).consumers.get(STREAM, from);
    this.#messages = await consumer.consume({ expires: 5_000, idle_heartbeat: 1_000 });
    void this.#follow(take);
    void this.#watch();
    await this.#reached(this.#stream.state.last_seq);
  }

  async #follow(take) {
    for await (const message of this.#messages) {
      if (message.seq <= this.#revision) continue;
      const entry = message.json();
      this.#lastId = entry.id;
      const answer = take(message.seq, entry);
      this.#revision = message.seq;
      this.#entries.get(entry.id)?.(answer);
      this.#entries.delete(entry.id);
      for (const waiting of this.#revisions) if (waiting.revision <= message.seq) waiting.resolve();
    }
  }

  /**
   * A broker that was killed may have lost entries that it had handed out already, and give their numbers to others. Documents
   * that hold such an entry are wrong: the process ends, and begins again with what is in the log.
   */
  async #watch() {
    for await (const { type } of this.#connection.status()) {
      if (type !== "reconnect" || this.#lastId === undefined) continue;
      const [seq, id] = [this.#revision, this.#lastId];
      try {
        const kept = await this.#manager.streams.getMessage(STREAM, { seq });
        if (kept?.json().id === id) continue;
        console.error(`error: the broker has lost entry ${seq}; start again`);
        process.exit(1);
      } catch (error) {
        console.error(`The log could not be compared: ${error.message}`);
      }
    }
  }

  async #reached(revision) {
    if (this.#revision >= revision) return;
    const waiting = { revision };
    const reached = new Promise((resolve) => Object.assign(waiting, { resolve }));
    this.#revisions.add(waiting);
    await reached;
    this.#revisions.delete(waiting);
  }

  /** Resolves with what the entry came to, once the broker has it and it has come back. */
  async append(name, entry, last) {
    const taken = new Promise((resolve) => this.#entries.set(entry.id, resolve));
    const options = { msgID: entry.id, expect: { lastSubjectSequence: last }, timeout: 5_000 };
    for (;;) {
      try {
        await jetstream(this.#connection).publish(subjectOf(name), JSON.stringify(entry), options);
        return await taken;
      } catch (error) {
        if (this.#connection.isClosed() || error.name === "InvalidArgumentError") throw error;
        const found = error.code === WRONG_LAST_SEQUENCE && /\d+$/.exec(error.message);
        if (found) {
          await this.#reached(Number(found[0]));
          // The broker had stored this entry before its answer was lost.
          if (!this.#entries.has(entry.id)) return await taken;
          this.#entries.delete(entry.id);
          throw new Stale(Number(found[0]));
        }
        // The broker is away, or has not answered. An entry that it has stored already is not stored again.
        await wait(AGAIN);
      }
    }
  }

  /** Waits for what other servers have written so far. */
  async fresh() {
    await this.#reached((await this.#manager.streams.info(STREAM)).state.last_seq);
  }

  /** Stores a snapshot and deletes the entries up to `forget`. A snapshot that is too large for the broker is skipped. */
  keepSnapshot(snapshot, forget) {
    this.#snapshots
      .put("snapshot", gzipSync(JSON.stringify(snapshot)))
      // The broker takes "up to the first" for "all".
      .then(() => forget > 0 && this.#manager.streams.purge(STREAM, { seq: forget + 1 }))
      .catch((error) => console.error(`The snapshot was not written: ${error.message}`));
  }

  async close() {
    await this.#connection.drain();
  }
}
