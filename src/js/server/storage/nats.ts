/** `natsStorage`: logs in NATS JetStream, for several servers at once. */
import { GenuiPatchError } from "../../core/errors.js";
import { parseJson } from "../../core/json.js";
import { isObject, isText } from "../../core/kinds.js";
import { openedOnUse } from "./lazy.js";
import type { JetStreamModule, MessageQuery, NatsConnection, StoredMessage, StreamManager } from "./nats-types.js";
import { NatsWatch } from "./nats-watch.js";
import { isSound } from "./snapshot.js";
import { type PartKey, type RoomStorage, type StoredEntry, type StoredSnapshot, staleAppend } from "./types.js";

/** JetStream's error code for a message whose `expect` does not hold. */
const WRONG_LAST_SEQUENCE = 10071;
/** JetStream's error code for a query without a result. */
const NO_MESSAGE = 10037;
/** Entries in a message, when a repair writes a log anew. */
const MOST_IN_MESSAGE = 500;
/** Queries for messages that wait for the broker at the same time. */
const MOST_QUERIES = 64;
/** Bytes of a part that are sent in one message: a broker takes messages of 1 MB by default. */
const PIECE_SIZE = 512 * 1024;
/**
 * Milliseconds after an append of this server for which `hasMoved` does not ask the broker. What another server appends in this
 * time is known from its notice.
 */
const TRUST_OWN_APPEND = 1_000;
/** Milliseconds for which notices to other servers are collected. */
const COLLECT_NOTICES = 10;
/** Milliseconds that the broker has to store entries. */
const APPEND_TIMEOUT = 5_000;
/** Milliseconds that the broker has to store a snapshot, or a piece of a part. */
const SNAPSHOT_TIMEOUT = 10_000;

export interface NatsStorageOptions {
  /** The stream, made if it is not there. Default `"genui-patch"`. */
  stream?: string | undefined;
  /** Copies of the stream on a cluster of brokers. Default 1. */
  replicas?: number | undefined;
}

/**
 * Keeps logs in a stream of NATS JetStream: several servers may serve the same rooms. It takes a connection of the package
 * `@nats-io/transport-node`, and needs `@nats-io/jetstream`, imported at its first use.
 *
 * Each room is a subject. The entries of one append are one message, which names the message that it must follow: so each room
 * has one order, whoever writes to it. A broker that is killed may lose what it has acknowledged last unless it syncs each
 * message (`sync_interval: always`) or has replicas; a server whose last entry is gone loads the room anew.
 */
export function natsStorage(connection: NatsConnection, options: NatsStorageOptions = {}): RoomStorage {
  const open = openedOnUse(() => NatsStorage.open(connection, options));
  const watch = new NatsWatch(connection, open);
  return {
    async *read(room, after) {
      yield* (await open()).read(room, after);
    },
    append: async (room, expected, entries) => (await open()).append(room, expected, entries),
    writePart: async (room, part, text) => (await open()).writePart(room, part, text),
    readPart: async (room, part) => (await open()).readPart(room, part),
    snapshot: async (room, snapshot, forget) => (await open()).snapshot(room, snapshot, forget),
    latest: async (room) => (await open()).latest(room),
    cut: async (room, after) => (await open()).cut(room, after),
    remove: async (room) => (await open()).remove(room),
    watch: (room, listener) => watch.add(room, listener),
  };
}

/** The end of a room's log. */
interface LogEnd {
  /** The number of the last message in the stream; 0 if the log has none. */
  sequence: number;
  /** The number of the last entry in that message, or of the snapshot if the log has no entries after it. */
  number: number;
  /** When this server has written the message, in the time of `performance.now()`; `undefined` if it has only read it. */
  writeTime?: number;
}

class NatsStorage {
  /**
   * The end of each room's log, as this server has read or written it last. A server that is behind learns it by a refused
   * append.
   */
  readonly #ends = new Map<string, LogEnd>();
  /** Rooms of which other servers will get a notice, with the number of the last message. */
  readonly #notices = new Map<string, number>();
  readonly #encoder = new TextEncoder();
  readonly #client: ReturnType<JetStreamModule["jetstream"]>;

  private constructor(
    private readonly connection: NatsConnection,
    module: JetStreamModule,
    private readonly manager: StreamManager,
    private readonly stream: string,
  ) {
    this.#client = module.jetstream(connection);
  }

  static async open(connection: NatsConnection, options: NatsStorageOptions): Promise<NatsStorage> {
    const { stream = "genui-patch", replicas = 1 } = options;
    const module = await importJetStream();
    const manager = await module.jetstreamManager(connection);
    const configuration = { name: stream, subjects: [`${stream}.>`], num_replicas: replicas, allow_direct: true };
    await manager.streams.info(stream).catch(() => manager.streams.add(configuration));
    return new NatsStorage(connection, module, manager, stream);
  }

  #subject(kind: "log" | "snapshot" | "part", room: string): string {
    return `${this.stream}.${kind}.${tokenOf(room)}`;
  }

  /** A subject outside the stream, so that notices are not stored. */
  noticeSubject(room: string): string {
    return `${this.stream}-notices.${tokenOf(room)}`;
  }

  /** Whether a message, named by its number in the stream, is later than the end of the log as this server knows it. */
  isNews(room: string, sequence: number): boolean {
    return sequence > (this.#ends.get(room)?.sequence ?? 0);
  }

  /** The last message of a subject; `undefined` if none exists. */
  #last(subject: string): Promise<StoredMessage | undefined> {
    return this.#get({ last_by_subj: subject });
  }

  /** The message that a query finds; `undefined` if none exists. */
  async #get(query: MessageQuery): Promise<StoredMessage | undefined> {
    try {
      return (await this.manager.streams.getMessage(this.stream, query)) ?? undefined;
    } catch (cause) {
      if (codeOf(cause) === NO_MESSAGE) return undefined;
      throw cause;
    }
  }

  /**
   * Whether the log ends elsewhere than where this server has read or written it last, or this server knows no end. The end is
   * compared with what this server knows, not with an earlier look: a log that grows and is restored between two looks ends where
   * it was.
   */
  async hasMoved(room: string): Promise<boolean> {
    const { writeTime = Number.NEGATIVE_INFINITY } = this.#ends.get(room) ?? {};
    // The broker has taken the append only because nothing was missing before it, so this server was up to date then.
    if (performance.now() - writeTime < TRUST_OWN_APPEND) return false;
    return (await this.#lastSequence(this.#subject("log", room))) !== this.#ends.get(room)?.sequence;
  }

  /** The number of the last message of a subject, or a higher one if the broker does not find it; 0 if none exists. */
  async #lastSequence(subject: string): Promise<number> {
    const last = await this.#last(subject);
    if (last !== undefined) return last.seq;
    // A broker that has just lost the last message of a subject may report that the subject is empty although it has earlier messages.
    const { state } = await this.manager.streams.info(this.stream, { subjects_filter: subject });
    const messageCount = state.subjects?.[subject] ?? 0;
    return messageCount > 0 ? state.last_seq : 0;
  }

  /**
   * The messages of a subject from one sequence to another. They are asked for several at a time: one by one, a server would read
   * a log more slowly than another one writes it. Each query finds the next message of the subject from a sequence on, and the
   * queries of a round begin at consecutive sequences, so several find the same message if messages of other rooms lie between.
   * The more of these there are, the fewer queries the next round has.
   */
  async *#messages(subject: string, from: number, to: number): AsyncGenerator<StoredMessage> {
    let queryCount = 1;
    for (let sequence = from; sequence <= to; ) {
      const starts = Array.from({ length: Math.min(queryCount, to - sequence + 1) }, (_, offset) => sequence + offset);
      const results = await Promise.all(starts.map((seq) => this.#get({ seq, next_by_subj: subject })));
      const [first] = results;
      if (first === undefined || first.seq > to) return;
      let foundCount = 0;
      for (const message of results) {
        if (message === undefined || message.seq > to) break;
        const isRepeated = message.seq < sequence;
        if (isRepeated) continue;
        yield message;
        sequence = message.seq + 1;
        foundCount += 1;
      }
      const mostAreNew = foundCount * 2 > starts.length;
      queryCount = mostAreNew ? Math.min(MOST_QUERIES, queryCount * 2) : Math.max(1, foundCount);
    }
  }

  async *read(room: string, after: number): AsyncGenerator<StoredEntry> {
    const subject = this.#subject("log", room);
    const known = this.#ends.get(room);
    const lastSequence = await this.#lastSequence(subject);
    // The last known message ends with entry `known.number`. If no entry before it is asked for, earlier messages are skipped,
    // unless the broker has lost the known message.
    const canSkip = known !== undefined && known.number <= after + 1 && known.sequence <= lastSequence;
    const end: LogEnd = { sequence: 0, number: 0 };
    for await (const message of this.#messages(subject, canSkip ? Math.max(1, known.sequence) : 1, lastSequence)) {
      end.sequence = message.seq;
      for (const entry of toEntries(message.string())) {
        if (entry.number > after) yield entry;
        end.number = entry.number;
      }
    }
    // A snapshot may have replaced all entries.
    if (end.number === 0) end.number = (await this.latest(room))?.number ?? 0;
    this.#ends.set(room, end);
  }

  async append(room: string, expected: number, entries: readonly StoredEntry[]): Promise<void> {
    const end = this.#ends.get(room) ?? (await this.#readEnd(room));
    if (end.number !== expected) throw staleAppend(room, expected);
    const last = entries.at(-1);
    if (last === undefined) return;
    const data = this.#encoder.encode(JSON.stringify(entries));
    const maxBytes = this.connection.info?.max_payload ?? 2 ** 20;
    if (data.length > maxBytes)
      throw new GenuiPatchError(
        "LIMIT_EXCEEDED",
        `The broker takes messages of ${maxBytes} bytes; the calls that are written together have ${data.length}.`,
      );
    try {
      const { seq } = await this.#client.publish(this.#subject("log", room), data, {
        expect: { lastSubjectSequence: end.sequence },
        timeout: APPEND_TIMEOUT,
      });
      this.#ends.set(room, { sequence: seq, number: last.number, writeTime: performance.now() });
      this.#notifyOthers(room, seq);
    } catch (cause) {
      // Another server was first, or it is unknown whether the broker has stored the message: the log is read again.
      this.#ends.delete(room);
      if (codeOf(cause) === WRONG_LAST_SEQUENCE) throw staleAppend(room, expected);
      throw cause;
    }
  }

  /** Publishes soon that the log of a room has grown, together with the notices about other rooms. */
  #notifyOthers(room: string, sequence: number): void {
    const hasTimer = this.#notices.size > 0;
    this.#notices.set(room, sequence);
    if (hasTimer) return;
    setTimeout(() => {
      try {
        for (const [name, last] of this.#notices) this.connection.publish(this.noticeSubject(name), String(last));
      } catch {
        // The connection has ended meanwhile.
      }
      this.#notices.clear();
    }, COLLECT_NOTICES);
  }

  async #readEnd(room: string): Promise<LogEnd> {
    for await (const _ of this.read(room, Number.MAX_SAFE_INTEGER)) {
      // No entry has a higher number, but `read` records the end of the log.
    }
    return this.#ends.get(room) ?? { sequence: 0, number: 0 };
  }

  /** A part has a subject of its own, and as many messages as it needs: one for an empty text. */
  async writePart(room: string, part: PartKey, text: string): Promise<void> {
    const data = this.#encoder.encode(text);
    for (let start = 0; start === 0 || start < data.length; start += PIECE_SIZE) {
      const piece = data.subarray(start, start + PIECE_SIZE);
      await this.#client.publish(this.#partSubject(room, part), piece, { timeout: SNAPSHOT_TIMEOUT });
    }
  }

  async readPart(room: string, part: PartKey): Promise<string | undefined> {
    const subject = this.#partSubject(room, part);
    const last = await this.#last(subject);
    if (last === undefined) return undefined;
    // Without `ignoreBOM`, a text would lose a byte order mark that it begins with.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let text = "";
    for await (const { data } of this.#messages(subject, 1, last.seq)) text += decoder.decode(data, { stream: true });
    return text + decoder.decode();
  }

  #partSubject(room: string, { number, id }: PartKey): string {
    return `${this.#subject("part", room)}.${number}.${id}`;
  }

  /** Deletes the parts of some snapshots, by the number of the snapshot. */
  async #deleteParts(room: string, isDeleted: (number: number) => boolean): Promise<void> {
    const prefix = `${this.#subject("part", room)}.`;
    const { state } = await this.manager.streams.info(this.stream, { subjects_filter: `${prefix}>` });
    for (const filter of Object.keys(state.subjects ?? {}))
      if (isDeleted(Number(filter.slice(prefix.length).split(".")[0])))
        await this.manager.streams.purge(this.stream, { filter });
  }

  async snapshot(room: string, snapshot: StoredSnapshot, forget: number): Promise<void> {
    const subject = this.#subject("snapshot", room);
    const before = await this.#last(subject);
    const { number, digest } = before === undefined ? { number: 0 } : snapshotIn(before);
    const isOutdated = number > snapshot.number;
    if (isOutdated) return;
    // A repair writes the same snapshot again, only to delete entries.
    if (digest !== snapshot.digest) {
      try {
        const expect = { lastSubjectSequence: before?.seq ?? 0 };
        const data = this.#encoder.encode(JSON.stringify(snapshot));
        await this.#client.publish(subject, data, { timeout: SNAPSHOT_TIMEOUT, expect });
      } catch (cause) {
        // Another server has written a snapshot since, which may be newer. A later snapshot deletes the parts of this one.
        if (codeOf(cause) === WRONG_LAST_SEQUENCE) return;
        throw cause;
      }
      await this.manager.streams.purge(this.stream, { filter: subject, keep: 1 });
      // The texts of snapshots of earlier versions have this subject.
      await this.manager.streams.purge(this.stream, { filter: this.#subject("part", room) });
    }
    await this.#deleteParts(room, (number) => number < snapshot.number);
    await this.#deleteEntries(room, forget);
  }

  /** Deletes the messages whose entries are all numbered up to `forget`. Messages without readable entries are kept. */
  async #deleteEntries(room: string, forget: number): Promise<void> {
    const subject = this.#subject("log", room);
    const last = await this.#last(subject);
    if (last === undefined) return;
    const isOld = (message: StoredMessage) => {
      const { number = Number.POSITIVE_INFINITY } = toEntries(message.string()).at(-1) ?? {};
      return number <= forget;
    };
    // Only a message that was read is deleted. A message that the broker does not find may still be there.
    if (isOld(last)) {
      await this.#purgeBefore(subject, last.seq + 1);
      // The log has no message now, so the end that this server knows is wrong.
      this.#ends.delete(room);
      return;
    }
    for await (const message of this.#messages(subject, 1, last.seq)) {
      if (isOld(message)) continue;
      await this.#purgeBefore(subject, message.seq);
      return;
    }
  }

  /** Deletes the messages of a subject before a sequence. A broker ignores the sequence 1, and deletes all of them. */
  async #purgeBefore(filter: string, sequence: number): Promise<void> {
    if (sequence > 1) await this.manager.streams.purge(this.stream, { filter, seq: sequence });
  }

  async latest(room: string): Promise<StoredSnapshot | undefined> {
    const message = await this.#last(this.#subject("snapshot", room));
    if (message === undefined) return undefined;
    const { number, hash, digest, text, sequences } = snapshotIn(message);
    let earlier = "";
    for (const seq of sequences ?? []) earlier += (await this.#get({ seq }))?.string() ?? "";
    return { number, hash, digest, text: text ?? earlier };
  }

  /** A purge deletes the first messages of a subject, not the last. So all are deleted, and the entries that stay written anew. */
  async cut(room: string, after: number): Promise<void> {
    const kept: StoredEntry[] = [];
    for await (const entry of this.read(room, 0)) if (entry.number <= after) kept.push(entry);
    const snapshot = await this.latest(room);
    const isKept = snapshot === undefined || (snapshot.number <= after && isSound(snapshot));
    if (!isKept)
      for (const kind of ["snapshot", "part"] as const)
        await this.manager.streams.purge(this.stream, { filter: this.#subject(kind, room) });
    await this.#deleteParts(room, (number) => number > after);
    await this.manager.streams.purge(this.stream, { filter: this.#subject("log", room) });
    const first = kept[0]?.number ?? after + 1;
    // The subject is empty. The next message has the entries from `first` on.
    this.#ends.set(room, { sequence: 0, number: first - 1 });
    for (let start = 0; start < kept.length; start += MOST_IN_MESSAGE) {
      const entries = kept.slice(start, start + MOST_IN_MESSAGE);
      const expected = (entries[0]?.number ?? 1) - 1;
      await this.append(room, expected, entries);
    }
  }

  async remove(room: string): Promise<void> {
    for (const kind of ["log", "snapshot", "part"] as const)
      await this.manager.streams.purge(this.stream, { filter: this.#subject(kind, room) });
    await this.#deleteParts(room, () => true);
    this.#ends.delete(room);
  }
}

/** The name of a room as a token of a subject. Names may have dots, which separate tokens. */
const tokenOf = (room: string): string => room.replaceAll("~", "~0").replaceAll(".", "~1");

function isEntry(value: unknown): value is StoredEntry {
  if (!isObject(value)) return false;
  const { number, previous, hash, text } = value;
  return Number.isSafeInteger(number) && isText(previous) && isText(hash) && isText(text);
}

/** The entries of a message. A message that is no JSON list has none, so that its entries count as missing. */
function toEntries(text: string): StoredEntry[] {
  const list = parseJson(text);
  const values: unknown[] = Array.isArray(list) ? list : [];
  return values.filter(isEntry);
}

/**
 * The snapshot in a message; its number is 0 if the message is damaged. Messages of earlier versions have no text, but `parts`:
 * the numbers of the messages whose texts together are the text of the snapshot.
 */
function snapshotIn(message: StoredMessage): Omit<StoredSnapshot, "text"> & { text?: string; sequences?: number[] } {
  const value = parseJson(message.string());
  const { number, hash, digest, text, parts }: { [key: string]: unknown } = isObject(value) ? value : {};
  return {
    number: Number.isSafeInteger(number) ? Number(number) : 0,
    hash: String(hash),
    digest: String(digest),
    ...(isText(text) && { text }),
    ...(Array.isArray(parts) && { sequences: parts.map(Number) }),
  };
}

/** The error code of JetStream; `undefined` for another error. */
function codeOf(cause: unknown): unknown {
  return isObject(cause) ? cause.code : undefined;
}

/** Not a literal, so that bundlers and type checkers do not ask for a package that other storages do not need. */
const PACKAGE: string = "@nats-io/jetstream";

async function importJetStream(): Promise<JetStreamModule> {
  try {
    const module: JetStreamModule = await import(PACKAGE);
    return module;
  } catch (cause) {
    throw new GenuiPatchError("INVALID_ARGUMENT", `natsStorage needs the package ${PACKAGE}: npm install ${PACKAGE}`, {
      cause,
    });
  }
}
