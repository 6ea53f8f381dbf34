/** `natsStorage`: logs in NATS JetStream, for several servers at once. */
import { GenuiPatchError } from "../../core/errors.js";
import { parseJson } from "../../core/json.js";
import { isObject, isText } from "../../core/kinds.js";
import { openedOnUse } from "./lazy.js";
import type { JetStreamModule, MessageQuery, NatsConnection, StoredMessage, StreamManager } from "./nats-types.js";
import { NatsWatch } from "./nats-watch.js";
import { isSound } from "./snapshot.js";
import { type PartKey, type RoomStorage, type StoredEntry, type StoredSnapshot, staleAppend } from "./types.js";

const WRONG_LAST_SEQUENCE = 10071;
const NO_MESSAGE = 10037;
/** Entries that are written at once. */
const MOST_AT_ONCE = 500;
/** Messages that are asked for at once. */
const MOST_READ_AT_ONCE = 64;
/** Bytes of a message that has a piece of a part: a broker takes messages of 1 MB by default. */
const MESSAGE = 512 * 1024;
/** Milliseconds after a message of this server for which the end of a log is not looked at. */
const SURE = 1_000;
/** Milliseconds for which notices to other servers are collected. */
const TELL = 10;

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

/** Where the messages of a room are: the last one, and the number of its last entry. */
interface Place {
  sequence: number;
  number: number;
  /** When this server has written the last message. */
  written?: number;
}

class NatsStorage {
  /** The known state of each room. A server that is behind learns it when its append is refused. */
  readonly #places = new Map<string, Place>();
  /** Rooms whose last message other servers have not been told of. */
  readonly #untold = new Map<string, number>();
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
    const about = { name: stream, subjects: [`${stream}.>`], num_replicas: replicas, allow_direct: true };
    await manager.streams.info(stream).catch(() => manager.streams.add(about));
    return new NatsStorage(connection, module, manager, stream);
  }

  #subject(kind: "log" | "snapshot" | "part", room: string): string {
    return `${this.stream}.${kind}.${partOf(room)}`;
  }

  /** Not in the stream. */
  notices(room: string): string {
    return `${this.stream}-notices.${partOf(room)}`;
  }

  isNews(room: string, sequence: number): boolean {
    return sequence > (this.#places.get(room)?.sequence ?? 0);
  }

  #last(subject: string): Promise<StoredMessage | undefined> {
    return this.#get({ last_by_subj: subject });
  }

  async #get(query: MessageQuery): Promise<StoredMessage | undefined> {
    try {
      return (await this.manager.streams.getMessage(this.stream, query)) ?? undefined;
    } catch (cause) {
      if (codeOf(cause) === NO_MESSAGE) return undefined;
      throw cause;
    }
  }

  /**
   * Whether the log ends elsewhere than where this server has read or written it last. Two looks would not do: a log that grows and
   * is restored between them ends where it was.
   */
  async hasMoved(room: string): Promise<boolean> {
    const { written = Number.NEGATIVE_INFINITY } = this.#places.get(room) ?? {};
    // The broker took the message because it followed the last one.
    if (performance.now() - written < SURE) return false;
    return (await this.#end(this.#subject("log", room))) !== this.#places.get(room)?.sequence;
  }

  /** A number that no message of a subject is beyond; 0 if it has none. */
  async #end(subject: string): Promise<number> {
    const last = await this.#last(subject);
    if (last !== undefined) return last.seq;
    // A broker that has just lost the last message of a subject may report that the subject is empty although it has earlier messages.
    const { state } = await this.manager.streams.info(this.stream, { subjects_filter: subject });
    return (state.subjects?.[subject] ?? 0) > 0 ? state.last_seq : 0;
  }

  /**
   * The messages of a subject, several at once: one by one, a server would read a log more slowly than another one writes it. The
   * broker finds the next message from a sequence on, so the more messages of other rooms lie between, the fewer are asked for.
   */
  async *#messages(subject: string, from: number, to: number): AsyncGenerator<StoredMessage> {
    let width = 1;
    for (let sequence = from; sequence <= to; ) {
      const sequences = Array.from({ length: Math.min(width, to - sequence + 1) }, (_, at) => sequence + at);
      const found = await Promise.all(sequences.map((seq) => this.#get({ seq, next_by_subj: subject })));
      const [first] = found;
      if (first === undefined || first.seq > to) return;
      let count = 0;
      for (const message of found) {
        if (message === undefined || message.seq > to) break;
        if (message.seq < sequence) continue;
        yield message;
        sequence = message.seq + 1;
        count += 1;
      }
      width = count * 2 > sequences.length ? Math.min(MOST_READ_AT_ONCE, width * 2) : Math.max(1, count);
    }
  }

  async *read(room: string, after: number): AsyncGenerator<StoredEntry> {
    const subject = this.#subject("log", room);
    const known = this.#places.get(room);
    const last = await this.#end(subject);
    // The message that has the last entry that is known: what is asked for is in it, or comes after it.
    const isKnown = known !== undefined && known.number <= after + 1 && known.sequence <= last;
    const place: Place = { sequence: 0, number: 0 };
    for await (const message of this.#messages(subject, isKnown ? Math.max(1, known.sequence) : 1, last)) {
      place.sequence = message.seq;
      for (const entry of toEntries(message.string())) {
        if (entry.number > after) yield entry;
        place.number = entry.number;
      }
    }
    // A snapshot may have taken the place of all entries.
    if (place.number === 0) place.number = (await this.latest(room))?.number ?? 0;
    this.#places.set(room, place);
  }

  async append(room: string, expected: number, entries: readonly StoredEntry[]): Promise<void> {
    const place = this.#places.get(room) ?? (await this.#find(room));
    if (place.number !== expected) throw staleAppend(room, expected);
    const last = entries.at(-1);
    if (last === undefined) return;
    const data = this.#encoder.encode(JSON.stringify(entries));
    const most = this.connection.info?.max_payload ?? 2 ** 20;
    if (data.length > most)
      throw new GenuiPatchError(
        "LIMIT_EXCEEDED",
        `The broker takes messages of ${most} bytes; the calls that are written together have ${data.length}.`,
      );
    try {
      const { seq } = await this.#client.publish(this.#subject("log", room), data, {
        expect: { lastSubjectSequence: place.sequence },
        timeout: 5_000,
      });
      this.#places.set(room, { sequence: seq, number: last.number, written: performance.now() });
      this.#tell(room, seq);
    } catch (cause) {
      // Whether the broker has stored it is not known, or another server was first: the log is read again.
      this.#places.delete(room);
      if (codeOf(cause) === WRONG_LAST_SEQUENCE) throw staleAppend(room, expected);
      throw cause;
    }
  }

  /** Tells other servers that have the room, about several rooms at once. */
  #tell(room: string, sequence: number): void {
    this.#untold.set(room, sequence);
    if (this.#untold.size > 1) return;
    setTimeout(() => {
      try {
        for (const [name, last] of this.#untold) this.connection.publish(this.notices(name), String(last));
      } catch {
        // The connection has ended meanwhile.
      }
      this.#untold.clear();
    }, TELL);
  }

  async #find(room: string): Promise<Place> {
    for await (const _ of this.read(room, Number.MAX_SAFE_INTEGER)) {
      // Reading finds the place.
    }
    return this.#places.get(room) ?? { sequence: 0, number: 0 };
  }

  /** A part has a subject of its own, and as many messages as it needs. */
  async writePart(room: string, part: PartKey, text: string): Promise<void> {
    const data = this.#encoder.encode(text);
    for (let at = 0; at === 0 || at < data.length; at += MESSAGE)
      await this.#client.publish(this.#partSubject(room, part), data.subarray(at, at + MESSAGE), { timeout: 10_000 });
  }

  async readPart(room: string, part: PartKey): Promise<string | undefined> {
    const subject = this.#partSubject(room, part);
    const last = await this.#last(subject);
    if (last === undefined) return undefined;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    let text = "";
    for await (const { data } of this.#messages(subject, 1, last.seq)) text += decoder.decode(data, { stream: true });
    return text + decoder.decode();
  }

  #partSubject(room: string, { number, id }: PartKey): string {
    return `${this.#subject("part", room)}.${number}.${id}`;
  }

  /** Deletes the parts of the snapshots whose numbers a function accepts. */
  async #deleteParts(room: string, accepts: (number: number) => boolean): Promise<void> {
    const prefix = `${this.#subject("part", room)}.`;
    const { state } = await this.manager.streams.info(this.stream, { subjects_filter: `${prefix}>` });
    for (const filter of Object.keys(state.subjects ?? {}))
      if (accepts(Number(filter.slice(prefix.length).split(".")[0])))
        await this.manager.streams.purge(this.stream, { filter });
  }

  async snapshot(room: string, snapshot: StoredSnapshot, forget: number): Promise<void> {
    const subject = this.#subject("snapshot", room);
    const before = await this.#last(subject);
    const { number, digest } = before === undefined ? { number: 0 } : aboutOf(before);
    if (number > snapshot.number) return;
    // A repair writes the same snapshot again, to forget entries.
    if (digest !== snapshot.digest) {
      try {
        const expect = { lastSubjectSequence: before?.seq ?? 0 };
        const data = this.#encoder.encode(JSON.stringify(snapshot));
        await this.#client.publish(subject, data, { timeout: 10_000, expect });
      } catch (cause) {
        // Another server has written one since, which may be newer. A later snapshot deletes the parts of this one.
        if (codeOf(cause) === WRONG_LAST_SEQUENCE) return;
        throw cause;
      }
      await this.manager.streams.purge(this.stream, { filter: subject, keep: 1 });
      // Snapshots of earlier versions have their texts there.
      await this.manager.streams.purge(this.stream, { filter: this.#subject("part", room) });
    }
    await this.#deleteParts(room, (number) => number < snapshot.number);
    const log = this.#subject("log", room);
    const last = await this.#last(log);
    if (last === undefined) return;
    const isOld = ({ number = Number.POSITIVE_INFINITY }: Partial<StoredEntry> = {}) => number <= forget;
    // Only a message that was read is deleted. A message that the broker does not find may still be there.
    if (isOld(toEntries(last.string()).at(-1))) {
      await this.#purgeBefore(log, last.seq + 1);
      this.#places.delete(room);
      return;
    }
    for await (const message of this.#messages(log, 1, last.seq)) {
      if (isOld(toEntries(message.string()).at(-1))) continue;
      await this.#purgeBefore(log, message.seq);
      return;
    }
  }

  /** Deletes the messages of a subject before a sequence. A broker ignores the sequence 1, and deletes all of them. */
  async #purgeBefore(filter: string, sequence: number): Promise<void> {
    if (sequence > 1) await this.manager.streams.purge(this.stream, { filter, seq: sequence });
  }

  async latest(room: string): Promise<StoredSnapshot | undefined> {
    const found = await this.#last(this.#subject("snapshot", room));
    if (found === undefined) return undefined;
    const { number, hash, digest, text, parts } = aboutOf(found);
    let earlier = "";
    for (const seq of parts ?? []) earlier += (await this.#get({ seq }))?.string() ?? "";
    return { number, hash, digest, text: text ?? earlier };
  }

  async cut(room: string, after: number): Promise<void> {
    const entries: StoredEntry[] = [];
    for await (const entry of this.read(room, 0)) if (entry.number <= after) entries.push(entry);
    const snapshot = await this.latest(room);
    if (snapshot !== undefined && !(snapshot.number <= after && isSound(snapshot)))
      for (const kind of ["snapshot", "part"] as const)
        await this.manager.streams.purge(this.stream, { filter: this.#subject(kind, room) });
    await this.#deleteParts(room, (number) => number > after);
    await this.manager.streams.purge(this.stream, { filter: this.#subject("log", room) });
    this.#places.set(room, { sequence: 0, number: (entries[0]?.number ?? after + 1) - 1 });
    for (let at = 0; at < entries.length; at += MOST_AT_ONCE) {
      const some = entries.slice(at, at + MOST_AT_ONCE);
      await this.append(room, (some[0]?.number ?? 1) - 1, some);
    }
  }

  async remove(room: string): Promise<void> {
    for (const kind of ["log", "snapshot", "part"] as const)
      await this.manager.streams.purge(this.stream, { filter: this.#subject(kind, room) });
    await this.#deleteParts(room, () => true);
    this.#places.delete(room);
  }
}

/** Names of rooms may have dots, which separate the parts of a subject. */
const partOf = (room: string): string => room.replaceAll("~", "~0").replaceAll(".", "~1");

function isEntry(value: unknown): value is StoredEntry {
  if (!isObject(value)) return false;
  const { number, previous, hash, text } = value;
  return Number.isSafeInteger(number) && isText(previous) && isText(hash) && isText(text);
}

/** The entries of a message. One that was changed has none, so that they are missing. */
function toEntries(text: string): StoredEntry[] {
  const list = parseJson(text);
  const values: unknown[] = Array.isArray(list) ? list : [];
  return values.filter(isEntry);
}

/**
 * The snapshot in a message; its number is 0 if the message was changed. Messages of earlier versions have, in place of the text, the
 * sequences of the messages that have it.
 */
function aboutOf(message: StoredMessage): Omit<StoredSnapshot, "text"> & { text?: string; parts?: number[] } {
  const about = parseJson(message.string());
  const { number, hash, digest, text, parts }: { [key: string]: unknown } = isObject(about) ? about : {};
  return {
    number: Number.isSafeInteger(number) ? Number(number) : 0,
    hash: String(hash),
    digest: String(digest),
    ...(isText(text) && { text }),
    ...(Array.isArray(parts) && { parts: parts.map(Number) }),
  };
}

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
