/** `MessageOrder`: applies a server's numbered messages in their order, whatever order the network delivers them in. */
import { isObject } from "../core/kinds.js";
import { fits, OBJECT, TEXTS } from "../core/require.js";
import type { Json, ServerMessage } from "../types.js";
import { isSavedHistory, type SavedHistory } from "./saved-history.js";

/** Messages that are kept while an earlier one is missing. The server sends the others again. */
const MAX_BUFFERED = 1_000;

/** How far beyond the revision of a `resumed` answer a buffered message may be. */
const MAX_AHEAD = 100_000;

/** The documents of a server, for a page that has missed more messages than the server's log still has. */
export interface ServerSnapshot {
  revision: number | null;
  session: string | null;
  instances: { [name: string]: Json };
  /** The history of an instance. */
  historyOf(name: string): SavedHistory | undefined;
  /** Ids of pending calls that the documents contain. */
  settles: readonly string[];
  /** The `request` of the `resume` that it answers. */
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
  #session: string | null = null;
  #isResumed = false;
  /** The highest revision that is known to exist. */
  #highest = 0;
  readonly #buffered = new Map<number, ServerMessage>();
  /** Confirmations wait until every message that the server sent before them has been applied. */
  #confirmations: ServerMessage[] = [];

  /** The last message that was applied: what `resume` tells the server. */
  get position(): { revision: number | null; session: string | null } {
    return { revision: this.#revision, session: this.#session };
  }

  /** Whether a message is missing, or the server has not answered the last `resume`. */
  get isBehind(): boolean {
    return this.#highest > (this.#revision ?? 0) || (this.#revision !== null && !this.#isResumed);
  }

  /** A new socket: everything that has not been applied is sent again. */
  restart(): void {
    this.#buffered.clear();
    this.#confirmations = [];
    this.#highest = 0;
    this.#isResumed = false;
  }

  /** The applied messages have not led to the server's documents: only a snapshot brings the page up to date. */
  forget(): void {
    this.#revision = null;
    this.#session = null;
    this.#isResumed = false;
  }

  /** Adds a message with a revision. Returns false for one that was applied before. */
  addNumbered(revision: number, message: ServerMessage): boolean {
    if (this.#isResumed && this.#revision !== null && revision <= this.#revision) return false;
    this.#highest = Math.max(this.#highest, revision);
    this.#buffered.set(revision, message);
    // The missing message comes before all buffered ones, so the last of them is needed last.
    if (this.#buffered.size > MAX_BUFFERED) this.#buffered.delete(Math.max(...this.#buffered.keys()));
    return true;
  }

  addConfirmation(message: ServerMessage): void {
    this.#confirmations.push(message);
  }

  /**
   * The server has sent everything up to `revision`. Returns false if it is a position in another session, or nothing has
   * been applied yet: then only a snapshot brings the page up to date.
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
   * answers the last `resume`: then the server has gone back, to a backup for example.
   */
  skipTo({ revision, session, answers }: ServerSnapshot, lastResume: number): boolean {
    const isOther = session !== this.#session;
    if (!isOther && answers !== lastResume && revision !== null && this.#revision !== null && revision < this.#revision)
      return false;
    const isBack = revision !== null && this.#revision !== null && revision < this.#revision;
    if ((isOther || isBack) && this.#isResumed) this.#buffered.clear();
    this.#revision = revision;
    this.#session = session;
    this.#highest = Math.max(revision ?? 0, ...this.#buffered.keys());
    this.#isResumed = true;
    this.#dropApplied();
    return true;
  }

  #dropApplied(): void {
    for (const revision of this.#buffered.keys()) {
      if (this.#revision !== null && revision <= this.#revision) this.#buffered.delete(revision);
    }
  }

  /** Removes and returns the next message to apply; `undefined` if it has not arrived. */
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
