/** `MessageOrder`: applies a server's numbered messages in their order, whatever order the network delivers them in. */
import { isObject } from "../core/kinds.js";
import { fits, OBJECT, TEXTS } from "../core/require.js";
import { isSavedHistory, type SavedHistory } from "../store/saved-history.js";
import type { Json, ServerMessage } from "../types.js";

/** How many messages are kept while an earlier one is missing. The server sends the others again. */
const MAX_BUFFERED = 1_000;

/** How far beyond the revision of a `resumed` answer a buffered message may be. */
const MAX_AHEAD = 100_000;

/** The documents of a server, for a page that has missed more messages than the server's log still has. */
export interface ServerSnapshot {
  /** The number of the last message whose changes the documents contain; null if the server does not number messages. */
  revision: number | null;
  /** The id of the server's log, whose messages the revisions count. */
  session: string | null;
  instances: { [name: string]: Json };
  /** The history of an instance; `undefined` if the snapshot has none that can be read. */
  historyOf(name: string): SavedHistory | undefined;
  /** Ids of pending calls that the documents contain. */
  settles: readonly string[];
  /** The `request` of the `resume` that the snapshot answers; `undefined` if it names none. */
  answers: number | undefined;
}

/** Whether a number may be the number of a message. */
export function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The fields of a `snapshot` message; `undefined` if they have other types. */
export function readSnapshot(message: ServerMessage): ServerSnapshot | undefined {
  const { revision = null, session = null, instances = {}, settles = [], answers } = message as Partial<ServerSnapshot>;
  const isValid = fits(OBJECT, instances) && fits(TEXTS, settles) && (revision === null || isRevision(revision));
  const historyOf = (name: string): SavedHistory | undefined => {
    const { histories } = message;
    const saved = isObject(histories) && Object.hasOwn(histories, name) ? histories[name] : undefined;
    return isSavedHistory(saved) ? saved : undefined;
  };
  return isValid ? { revision, session, instances, historyOf, settles, answers } : undefined;
}

/**
 * Knows the last message that was applied, and buffers those that cannot be applied yet. It has no timers and no store:
 * the connection passes messages in and applies what {@link MessageOrder.next} returns.
 *
 * Revisions of one session count up by one. Until the server has answered the `resume` of a socket, its session may be
 * another one, so numbered messages wait for that answer.
 */
export class MessageOrder {
  #revision: number | null = null;
  /** The id of the server's log; null before the first snapshot, and after one without an id. */
  #session: string | null = null;
  /** Whether the server has answered a `resume` since the socket opened, or since {@link forget}. */
  #isResumed = false;
  /** The highest revision that is known to exist; 0 if none is. */
  #highest = 0;
  /** By revision: messages that cannot be applied yet. */
  readonly #buffered = new Map<number, ServerMessage>();
  /** The `request` of the last `resume` that a snapshot has answered. */
  #answeredRequest: number | undefined;
  /** The revision in the last `resume`; null for one without a position. */
  #resumeRevision: number | null = null;
  /** Confirmations wait until every message that the server sent before them has been applied. */
  #confirmations: ServerMessage[] = [];

  /** The revision of the last applied message; null before the first snapshot, and after one without a revision. */
  get revision(): number | null {
    return this.#revision;
  }

  /** Returns the position for a new `resume`, and notes its revision. */
  ask(): { revision: number | null; session: string | null } {
    this.#resumeRevision = this.#revision;
    return { revision: this.#revision, session: this.#session };
  }

  /** Whether a message is missing, or the server has not answered the last `resume`. */
  get isBehind(): boolean {
    return this.#highest > (this.#revision ?? 0) || (this.#revision !== null && !this.#isResumed);
  }

  /** Forgets messages that were not applied: over a new socket, the server sends them again. */
  restart(): void {
    this.#buffered.clear();
    this.#confirmations = [];
    this.#highest = 0;
    this.#isResumed = false;
  }

  /**
   * Forgets the position, so that the next `resume` asks for a snapshot: the applied messages have not led to the server's
   * documents.
   */
  forget(): void {
    this.#revision = null;
    this.#session = null;
    this.#isResumed = false;
  }

  /** Buffers a message with a revision. Returns false for one that was applied before. */
  addNumbered(revision: number, message: ServerMessage): boolean {
    if (this.#isResumed && this.#revision !== null && revision <= this.#revision) return false;
    this.#highest = Math.max(this.#highest, revision);
    this.#buffered.set(revision, message);
    // The missing message comes before all buffered ones, so the last one is the least urgent.
    if (this.#buffered.size > MAX_BUFFERED) this.#buffered.delete(Math.max(...this.#buffered.keys()));
    return true;
  }

  /** Keeps a message without a revision until {@link next} returns it. */
  addConfirmation(message: ServerMessage): void {
    this.#confirmations.push(message);
  }

  /**
   * Reads the message `resumed`: the server has sent everything up to `revision`. Returns false if that is a position in another
   * session, or if the page has no position yet: then only a snapshot brings the page up to date.
   */
  resumed({ revision, session }: ServerMessage): boolean {
    const isNumbered = typeof revision === "number";
    if (isNumbered && (this.#revision === null || (session ?? null) !== this.#session)) return false;
    // A number far beyond the server's revision is not of this log: the page must not wait for messages before it.
    if (isNumbered) {
      for (const key of this.#buffered.keys()) if (key > revision + MAX_AHEAD) this.#buffered.delete(key);
      this.#highest = Math.max(revision, ...this.#buffered.keys());
    }
    this.#isResumed = true;
    this.#dropApplied();
    return true;
  }

  /** The server's log continues under another session id, from the message on that announces it. */
  rename(session: string): void {
    this.#session = session;
  }

  /**
   * Moves to the position of a snapshot. Returns false for a snapshot that is older than the last applied message, unless it
   * answers the last `resume` (`lastResume` is its number) and is older than the position that this `resume` sent: then the server
   * has gone back, to a backup for example. Any other older snapshot was overtaken by later messages.
   */
  skipTo({ revision, session, answers }: ServerSnapshot, lastResume: number): boolean {
    const isOtherSession = session !== this.#session;
    const isOlder = revision !== null && this.#revision !== null && revision < this.#revision;
    // A second answer to one `resume` is a message that is delivered twice.
    const isAnswer = answers === lastResume && answers !== this.#answeredRequest;
    const hasGoneBack = isAnswer && revision !== null && revision < (this.#resumeRevision ?? 0);
    if (isOlder && !isOtherSession && !hasGoneBack) return false;
    this.#answeredRequest = answers ?? this.#answeredRequest;
    // Before the answer to `resume`, buffered messages are from the new socket, and may follow the snapshot.
    if ((isOtherSession || isOlder) && this.#isResumed) this.#buffered.clear();
    this.#revision = revision;
    this.#session = session;
    this.#highest = Math.max(revision ?? 0, ...this.#buffered.keys());
    this.#isResumed = true;
    this.#dropApplied();
    return true;
  }

  /** Drops buffered messages up to the current revision. */
  #dropApplied(): void {
    for (const revision of this.#buffered.keys()) {
      if (this.#revision !== null && revision <= this.#revision) this.#buffered.delete(revision);
    }
  }

  /** Removes and returns the next message to apply; `undefined` if it is missing. Confirmations wait for all of them. */
  next(): ServerMessage | undefined {
    if (this.#revision !== null && this.#isResumed) {
      const following = this.#revision + 1;
      const message = this.#buffered.get(following);
      if (message !== undefined) {
        this.#buffered.delete(following);
        this.#revision = following;
        return message;
      }
    }
    return this.isBehind ? undefined : this.#confirmations.shift();
  }
}
