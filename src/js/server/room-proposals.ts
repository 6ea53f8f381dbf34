/** `RoomProposals`: the calls of a room that wait for an approval, and the decisions on earlier ones. */
import { isObject, isText } from "../core/kinds.js";
import type { PatchStore } from "../store.js";
import type { Json, PatchCall } from "../types.js";
import { type Approval, digestOf, signApproval } from "./approval.js";
import { type Entry, isCall } from "./entry.js";
import type { FileProposed, RoomFiles } from "./room-files.js";
import type { NodeProposed, RoomFlow } from "./room-flow.js";
import type { RoomHost } from "./room-host.js";
import { type SavedRecord, type TakenRecord, unknownRecord } from "./snapshot-records.js";
import type { RoomProposal, User } from "./types.js";

const MOST_SETTLED = 100;

interface Settled extends Omit<Approval, "signature" | "expires"> {}

/** A call on a document that waits. */
interface PatchProposed {
  kind?: undefined;
  /** The id in the store. */
  local: string;
  call: PatchCall;
}

type Waiting = PatchProposed | FileProposed | NodeProposed;

export type Proposed = Waiting & {
  by: User;
  time: string;
  /** The number of the entry that proposed it. */
  revision: number;
};

/** An entry that decides on a proposal. */
export type Settling = Entry & { kind: "approve" | "approve-file" | "approve-node" | "refuse" };

/** What proposals are about. */
interface Documents {
  readonly store: PatchStore;
  readonly files: RoomFiles | undefined;
  readonly flow: RoomFlow | undefined;
}

export class RoomProposals {
  readonly #waiting = new Map<string, Proposed>();
  readonly #settled = new Map<string, Settled>();
  /** Settled proposals as they were shown last. */
  readonly #shown = new Map<string, RoomProposal>();

  constructor(
    private readonly documents: Documents,
    private readonly signing: Pick<RoomHost, "keys" | "approvalAge">,
  ) {}

  /** How many wait. */
  get count(): number {
    return this.#waiting.size;
  }

  /** The proposal that waits under an id. */
  waiting(id: string): Proposed | undefined {
    return this.#waiting.get(id);
  }

  settled(id: string): Settled | undefined {
    return this.#settled.get(id);
  }

  add(id: string, proposed: Proposed): void {
    this.#waiting.set(id, proposed);
  }

  /** The id of an update of a node that waits, by its id in the store of flows. */
  idOfNode(local: string): string | undefined {
    return [...this.#waiting].find(([, one]) => one.kind === "node" && one.local === local)?.[0];
  }

  get(id: string): RoomProposal | undefined {
    const { store, files, flow } = this.documents;
    const known = this.#waiting.get(id);
    if (known === undefined) return this.#shown.get(id);
    const { by, time, revision } = known;
    const about = { id, by, time, entry: revision };
    if (known.kind === "file") return files && { ...files.shown(id, known), ...about };
    if (known.kind === "node") {
      const shown = flow?.shown(id, known);
      return shown && { ...shown, ...about, revision };
    }
    const found = store.proposals().find((proposal) => proposal.id === known.local);
    return found && { ...found, ...about, revision };
  }

  /** The proposals that wait, and the ones that were settled last. */
  all(): readonly RoomProposal[] {
    return [...this.#shown.keys(), ...this.#waiting.keys()].flatMap((id) => this.get(id) ?? []);
  }

  open(): readonly RoomProposal[] {
    return [...this.#waiting.keys()].flatMap((id) => this.get(id) ?? []);
  }

  /** The signed decision on a proposal. */
  async approval(id: string): Promise<Approval | undefined> {
    const settled = this.#settled.get(id);
    const { keys, approvalAge } = this.signing;
    const [key] = keys;
    if (settled === undefined || key === undefined) return undefined;
    const until = approvalAge === undefined ? undefined : Date.parse(settled.time) + approvalAge;
    return signApproval({ ...settled, ...(until !== undefined && { expires: new Date(until).toISOString() }) }, key);
  }

  settle(entry: Settling, known: Proposed, decision: Approval["decision"], shown = this.get(entry.id)): void {
    const { id, user, time } = entry;
    this.#waiting.delete(id);
    if (shown !== undefined) this.#shown.set(id, { ...shown, settled: { user, time } });
    const edits: Json = entry.kind !== "refuse" && Object.keys(entry.options).length > 0 ? toJson(entry.options) : null;
    this.#settled.set(id, { proposal: id, digest: digestOf(known.call, known.revision), decision, edits, user, time });
    for (const list of [this.#shown, this.#settled]) {
      const [oldest] = list.keys();
      if (list.size > MOST_SETTLED && oldest !== undefined) list.delete(oldest);
    }
  }

  take(): TakenRecord[] {
    return [
      ...[...this.#waiting].map((value) => ({ kind: "waiting", value })),
      ...[...this.#settled.values()].map((value) => ({ kind: "settled", value })),
    ];
  }

  restore({ kind, value }: SavedRecord): void {
    const [id, proposed]: unknown[] = Array.isArray(value) ? value : [];
    if (kind === "settled") {
      if (isSettled(value)) this.#settled.set(value.proposal, value);
    } else if (kind !== "waiting") throw unknownRecord(kind);
    else if (isText(id) && isProposed(proposed)) this.#waiting.set(id, proposed);
  }
}

/** Options of an approval, as they came from JSON. */
function toJson(options: object): Json {
  return JSON.parse(JSON.stringify(options));
}

function isProposed(value: unknown): value is Proposed {
  if (!isObject(value) || !isObject(value.by) || !isText(value.time) || !isObject(value.call)) return false;
  const { kind, local, call, after } = value;
  if (kind === "file") return isText(call.path) && (isText(after) || after === null);
  return isText(local) && (kind === "node" || (kind === undefined && isCall(call)));
}

function isSettled(value: unknown): value is Settled {
  return isObject(value) && isText(value.proposal) && isText(value.digest) && isObject(value.user);
}
