/** `RoomProposals`: the calls of a room that wait for an approval, and the decisions on earlier calls. */
import { isObject, isText } from "../core/kinds.js";
import type { PatchStore } from "../store.js";
import type { Json, PatchCall } from "../types.js";
import { type Approval, digestOf, signApproval } from "./approval.js";
import { type Entry, isCall } from "./entry.js";
import type { RoomFiles, WaitingFileCall } from "./room-files.js";
import type { RoomFlow, WaitingUpdate } from "./room-flow.js";
import type { RoomHost } from "./room-host.js";
import { type SavedRecord, type UnsavedRecord, unknownRecord } from "./snapshot-records.js";
import type { RoomProposal, User } from "./types.js";

/** Decisions, and proposals with a decision, that are remembered. */
const MOST_SETTLED = 100;

/** The decision on a proposal, from which a signed approval is made on request. It is saved in snapshots. */
interface Decision extends Omit<Approval, "signature" | "expires"> {}

/** A call on a document that waits. */
interface WaitingPatchCall {
  kind?: undefined;
  /** The id of the proposal in the store. The room has another one for it. */
  local: string;
  call: PatchCall;
}

/** A call that waits for an approval. It is saved in snapshots. The proposal itself is made of it on the current state. */
export type WaitingCall = (WaitingPatchCall | WaitingFileCall | WaitingUpdate) & {
  /** Who has proposed it. */
  by: User;
  /** When it was proposed, in ISO 8601. */
  time: string;
  /** The number of the entry that proposed it. */
  revision: number;
};

/** An entry that decides on a proposal. */
export type DecidingEntry = Entry & { kind: "approve" | "approve-file" | "approve-node" | "refuse" };

/** The parts of a room that proposals would change. */
interface Documents {
  readonly store: PatchStore;
  readonly files: RoomFiles | undefined;
  readonly flow: RoomFlow | undefined;
}

/** All ids, also the keys of the maps, are those that the room has given the proposals. */
export class RoomProposals {
  /** The calls that wait for an approval. */
  readonly #waitingCalls = new Map<string, WaitingCall>();
  /** The last decisions. */
  readonly #decisions = new Map<string, Decision>();
  /** The last proposals that were settled, with their decisions. Snapshots do not have them, so some are missing after a restart. */
  readonly #settledProposals = new Map<string, RoomProposal>();

  constructor(
    private readonly documents: Documents,
    private readonly signing: Pick<RoomHost, "keys" | "approvalAge">,
  ) {}

  /** The number of proposals that wait. */
  get count(): number {
    return this.#waitingCalls.size;
  }

  waitingCall(id: string): WaitingCall | undefined {
    return this.#waitingCalls.get(id);
  }

  /** The decision on a proposal; `undefined` if it waits, or is unknown or old. */
  decision(id: string): Decision | undefined {
    return this.#decisions.get(id);
  }

  add(id: string, call: WaitingCall): void {
    this.#waitingCalls.set(id, call);
  }

  /** The id of an update of a node that waits, by its id in the store of flows. */
  idOfNode(local: string): string | undefined {
    return [...this.#waitingCalls].find(([, call]) => call.kind === "node" && call.local === local)?.[0];
  }

  /** A proposal that waits, on the current state, or one of the last that were settled; `undefined` for others. */
  get(id: string): RoomProposal | undefined {
    const { store, files, flow } = this.documents;
    const waiting = this.#waitingCalls.get(id);
    if (waiting === undefined) return this.#settledProposals.get(id);
    const { by, time, revision } = waiting;
    const facts = { id, by, time, entry: revision };
    // `revision` of a file's proposal is that of the file.
    if (waiting.kind === "file") return files && { ...files.proposal(id, waiting), ...facts };
    if (waiting.kind === "node") {
      const proposal = flow?.proposal(id, waiting);
      return proposal && { ...proposal, ...facts, revision };
    }
    const proposal = store.proposals().find((one) => one.id === waiting.local);
    return proposal && { ...proposal, ...facts, revision };
  }

  /** The last proposals that were settled, and then those that wait. */
  all(): readonly RoomProposal[] {
    return [...this.#settledProposals.keys(), ...this.#waitingCalls.keys()].flatMap((id) => this.get(id) ?? []);
  }

  /** The proposals that wait. */
  openProposals(): readonly RoomProposal[] {
    return [...this.#waitingCalls.keys()].flatMap((id) => this.get(id) ?? []);
  }

  /** The signed decision on a proposal; `undefined` without a decision, or without a key to sign it. */
  async approval(id: string): Promise<Approval | undefined> {
    const decision = this.#decisions.get(id);
    const { keys, approvalAge } = this.signing;
    const [key] = keys;
    if (decision === undefined || key === undefined) return undefined;
    const expiry = approvalAge === undefined ? undefined : Date.parse(decision.time) + approvalAge;
    return signApproval({ ...decision, ...(expiry !== undefined && { expires: new Date(expiry).toISOString() }) }, key);
  }

  /** Records a decision that was applied. `proposal`: the settled proposal, by default as its store has it. */
  settle(
    entry: DecidingEntry,
    { call, revision }: WaitingCall,
    decision: Approval["decision"],
    proposal = this.get(entry.id),
  ): void {
    const { id, user, time } = entry;
    this.#waitingCalls.delete(id);
    if (proposal !== undefined) this.#settledProposals.set(id, { ...proposal, settled: { user, time } });
    const edits: Json = entry.kind !== "refuse" && Object.keys(entry.options).length > 0 ? toJson(entry.options) : null;
    this.#decisions.set(id, { proposal: id, digest: digestOf(call, revision), decision, edits, user, time });
    for (const list of [this.#settledProposals, this.#decisions]) {
      const [oldest] = list.keys();
      if (list.size > MOST_SETTLED && oldest !== undefined) list.delete(oldest);
    }
  }

  /** The calls that wait, as pairs of id and call, and the decisions (kind `settled`), for a snapshot. */
  toRecords(): UnsavedRecord[] {
    return [
      ...[...this.#waitingCalls].map((value) => ({ kind: "waiting", value })),
      ...[...this.#decisions.values()].map((value) => ({ kind: "settled", value })),
    ];
  }

  restore({ kind, value }: SavedRecord): void {
    const [id, call]: unknown[] = Array.isArray(value) ? value : [];
    if (kind === "settled") {
      if (isDecision(value)) this.#decisions.set(value.proposal, value);
    } else if (kind !== "waiting") throw unknownRecord(kind);
    else if (isText(id) && isWaitingCall(call)) this.#waitingCalls.set(id, call);
  }
}

/** A copy of an approval's options without members that are `undefined`: an approval is signed as JSON. */
function toJson(options: object): Json {
  return JSON.parse(JSON.stringify(options));
}

function isWaitingCall(value: unknown): value is WaitingCall {
  if (!isObject(value) || !isObject(value.by) || !isText(value.time) || !isObject(value.call)) return false;
  const { kind, local, call, after } = value;
  if (kind === "file") return isText(call.path) && (isText(after) || after === null);
  return isText(local) && (kind === "node" || (kind === undefined && isCall(call)));
}

function isDecision(value: unknown): value is Decision {
  return isObject(value) && isText(value.proposal) && isText(value.digest) && isObject(value.user);
}
