/** `RoomCalls`: the calls of users and agents on a room. Each is checked, and answered once it is in the log and applied. */
import type { CallEffect } from "../agent/tool-set.js";
import type { FileCall } from "../blocks/types.js";
import { isObject, type Members } from "../core/kinds.js";
import type { TaskFlow } from "../flow/types.js";
import type { PatchCall } from "../types.js";
import type { Batch } from "./batch.js";
import { readCallId } from "./clients.js";
import { type Decided, fileDecision, nodeDecision, patchDecision } from "./decisions.js";
import { type Entry, targetOf } from "./entry.js";
import { NO_FILES, refused, tooLate } from "./results.js";
import type { RoomLog } from "./room-log.js";
import type { RoomState } from "./room-state.js";
import type { RoomResult, ServerLimits, User } from "./types.js";

/** UTF-16 units in the name of an instance. */
const MOST_NAME = 256;

/** Who sends a call, and under which key it is made once. */
export interface Sender {
  user: User;
  key?: string | undefined;
  agent?: true | undefined;
}

const now = () => new Date().toISOString();

export class RoomCalls {
  constructor(
    private readonly state: RoomState,
    private readonly log: RoomLog,
    private readonly host: { readonly limits: ServerLimits; used(): number },
  ) {}

  #known(id: string | undefined, key: string | undefined, user: User): RoomResult | undefined {
    return this.state.knownCall(this.log.head.number, id, key, user);
  }

  /** Adds a task flow, in the name of a user. */
  addFlow(flow: TaskFlow, user: User): Promise<RoomResult> {
    return this.log.add(JSON.stringify(flow).length, () => this.#madeNow({ kind: "flow", flow }, user));
  }

  #madeNow<Kind extends object>(entry: Kind, user: User, agent?: true) {
    return { ...entry, user, ...(agent && { agent }), time: now() };
  }

  /** A file or the flows take one work of a batch, since works are prepared on what is in the log. */
  #only(path: string | undefined): string[] {
    return [path === undefined ? "flows" : `file ${path}`];
  }

  /** Writes, edits or deletes a file. `seen`: only if the file has still this text. */
  writeFile(call: FileCall, from: Sender, seen?: Pick<CallEffect, "before">): Promise<RoomResult> {
    const { user, key, agent } = from;
    const length = JSON.stringify(call).length;
    const prepare = (): Entry | RoomResult => {
      const known = this.#known(undefined, key, user);
      if (known !== undefined) return known;
      if (this.state.files === undefined) return NO_FILES;
      const planned = this.state.files.plan(call, "unreviewed");
      if ("status" in planned) return planned;
      const { path } = planned.call;
      if (seen !== undefined && seen.before !== planned.before)
        return refused("FILE_CHANGED", `The file "${path}" has changed in the meantime.`, "Read it again.");
      const refusal =
        this.#refusalOfSize(length + (planned.after?.length ?? 0), undefined) ?? this.#refusalOfFiles(path);
      return refusal ?? this.#madeNow({ kind: "file", path, text: planned.after, key } as const, user, agent);
    };
    return this.log.add(length, prepare, [key, ...this.#only(call.path)]);
  }

  #refusalOfFiles(path: string): RoomResult | undefined {
    const { maxInstances } = this.host.limits;
    if (this.state.files === undefined || this.state.files.text(path) !== null || this.state.files.count < maxInstances)
      return undefined;
    return refused("LIMIT_EXCEEDED", `There are ${maxInstances} files, as many as there may be.`, "Delete one.");
  }

  proposeFile(call: FileCall, { user, agent }: Sender): Promise<RoomResult> {
    const length = JSON.stringify(call).length;
    const prepare = (): Entry | RoomResult => {
      if (this.state.files === undefined) return NO_FILES;
      const planned = this.state.files.plan(call, "reviewed");
      if ("status" in planned) return planned;
      const refusal = this.#refusalOfMoreProposals() ?? this.#refusalOfSize(length * 2, undefined);
      const about = { kind: "propose-file", id: `p-${crypto.randomUUID()}`, call: planned.call } as const;
      return refusal ?? this.#madeNow({ ...about, after: planned.after }, user, agent);
    };
    return this.log.add(length, prepare, this.#only(call.path));
  }

  /** Updates a node, or proposes that. */
  updateNode(args: Members, from: Sender, waits: boolean): Promise<RoomResult> {
    const { user, key, agent } = from;
    const length = JSON.stringify(args).length;
    const prepare = (): Entry | RoomResult => {
      const known = this.#known(undefined, key, user);
      if (known !== undefined) return known;
      if (this.state.flow === undefined)
        return refused("UNKNOWN_TOOL", "The room has no task flows.", "Use other tools.");
      const refusal = this.#refusalOfMoreProposals() ?? this.#refusalOfSize(length, undefined);
      const about = { kind: "node", id: `p-${crypto.randomUUID()}`, args, key, ...(waits && { waits }) } as const;
      return refusal ?? this.#madeNow(about, user, agent);
    };
    return this.log.add(length, prepare, [key, ...this.#only(undefined)]);
  }

  /** Makes a call: answers once it is in the log and in the documents. `length` is that of its text. */
  write(
    call: PatchCall,
    from: { user: User; id?: string | undefined; key?: string | undefined; agent?: true | undefined },
    length = JSON.stringify(call).length,
  ): Promise<RoomResult> {
    return this.log.add(
      length,
      (batch) => {
        const { id, key, user } = from;
        const known = this.#known(id, key, user);
        if (known !== undefined) return known;
        const target = targetOf(call);
        const refusal =
          this.#refusalOfSize(length, target) ??
          batch.refusalOf(call) ??
          (target !== undefined && this.state.store.confirmed(target) === undefined
            ? this.#refusalOfMore()
            : undefined);
        const parts = id === undefined ? undefined : readCallId(id);
        if (refusal === undefined && parts !== undefined && batch.isLate(parts)) return tooLate(parts.client);
        return refusal ?? { kind: "call", ...from, time: now(), call };
      },
      [from.id, from.key],
    );
  }

  #refusalOfSize(length: number, target: string | undefined): RoomResult | undefined {
    const { maxBytes } = this.host.limits;
    if (target !== undefined && target.length > MOST_NAME)
      return refused(
        "LIMIT_EXCEEDED",
        `The name of an instance has at most ${MOST_NAME} characters.`,
        "Send a shorter one.",
      );
    if (this.host.used() + length <= maxBytes) return undefined;
    const message = `The documents of this server have ${maxBytes} characters, as many as they may have.`;
    return refused("LIMIT_EXCEEDED", message, "Delete instances or rooms that are not needed.");
  }

  #refusalOfMore(): RoomResult | undefined {
    const { maxInstances } = this.host.limits;
    if (this.state.store.names().length <= maxInstances) return undefined;
    const message = `There are ${maxInstances} instances, as many as there may be.`;
    return refused("LIMIT_EXCEEDED", message, "Delete one that is not needed.");
  }

  /** Shows an instance on all pages, or a block of it. */
  show(name: string, block: string | undefined, user: User): Promise<RoomResult> {
    return this.log.add(name.length, () => {
      const document = this.state.store.confirmed(name);
      if (document === undefined) {
        const solution = `Use one of ${this.state.store.names().slice(0, 8).join(", ")}.`;
        return refused("INVALID_INSTANCE", `There is no instance "${name}".`, solution);
      }
      const blocks = isObject(document) && Array.isArray(document.blocks) ? document.blocks : [];
      if (block !== undefined && !blocks.some((one) => isObject(one) && one.id === block))
        return refused(
          "PATH_NOT_FOUND",
          `There is no block "${block}" in "${name}".`,
          "get_schema has the ids of blocks.",
        );
      return { kind: "show", name, ...(block !== undefined && { block }), user, time: now() };
    });
  }

  #refusalOfMoreProposals(): RoomResult | undefined {
    const { maxProposals } = this.host.limits;
    if (this.state.proposals.count < maxProposals) return undefined;
    return refused("LIMIT_EXCEEDED", `${maxProposals} proposals already wait.`, "Wait until some are settled.");
  }

  propose(call: PatchCall, user: User): Promise<RoomResult> {
    const length = JSON.stringify(call).length;
    return this.log.add(length, (batch) => {
      const refusal =
        this.#refusalOfMoreProposals() ?? this.#refusalOfSize(length, targetOf(call)) ?? batch.refusalOf(call);
      return refusal ?? { kind: "propose", id: `p-${crypto.randomUUID()}`, call, user, time: now() };
    });
  }

  async approve(id: string, options: Decided, user: User): Promise<RoomResult> {
    await this.#lookFor(id);
    const waiting = this.state.proposals.waiting(id);
    const only = waiting?.kind === undefined ? [] : this.#only(waiting.kind === "file" ? waiting.call.path : undefined);
    const prepare = (batch: Batch): Entry | RoomResult => {
      const refusal = this.#refusalOfSettling(id, batch);
      if (refusal !== undefined) return refusal;
      const known = this.state.proposals.waiting(id);
      if (known?.kind === "file" && this.state.files !== undefined) {
        const decision = fileDecision(options);
        if (decision === undefined)
          return refused("INVALID_ARGUMENT", "A file is approved by hunks or edits.", "Send one.");
        const agreed = this.state.files.agree(id, known, decision);
        if (agreed.status === "error" || agreed.status === "success") return agreed;
        const { seen: _, ...kept } = decision;
        return { kind: "approve-file", id, path: known.call.path, agreed, options: kept, user, time: now() };
      }
      if (known?.kind === "node")
        return { kind: "approve-node", id, options: nodeDecision(options), user, time: now() };
      const proposal = this.state.proposals.get(id);
      if (proposal?.status === "stale") {
        const message = `What the proposal would change in "${proposal.target}" has changed since it was made.`;
        return { ...refused("STALE_PROPOSAL", message, "Propose it anew if it is still wanted."), diff: proposal.diff };
      }
      return { kind: "approve", id, options: patchDecision(options), user, time: now() };
    };
    return this.log.add(JSON.stringify(options).length, prepare, only);
  }

  async refuse(id: string, reason: string | undefined, user: User): Promise<RoomResult> {
    await this.#lookFor(id);
    return this.log.add(0, (batch) => {
      const refusal = this.#refusalOfSettling(id, batch);
      return refusal ?? { kind: "refuse", id, ...(reason !== undefined && { reason }), user, time: now() };
    });
  }

  /** A page may know of a proposal by another server, before this one has read it. */
  async #lookFor(id: string): Promise<void> {
    const { proposals } = this.state;
    if (proposals.waiting(id) === undefined && proposals.settled(id) === undefined) await this.log.fresh();
  }

  #refusalOfSettling(id: string, batch: Batch): RoomResult | undefined {
    const settled = this.state.proposals.settled(id);
    if (settled !== undefined || batch.ids.has(id)) {
      const message = `The proposal "${id}" is ${settled?.decision ?? "being settled"}${settled === undefined ? "" : ` by ${settled.user.name ?? settled.user.id}`}.`;
      return refused("PROPOSAL_SETTLED", message, "Nothing is left to do.");
    }
    batch.ids.add(id);
    if (this.state.proposals.waiting(id) !== undefined) return undefined;
    return refused("UNKNOWN_PROPOSAL", `There is no proposal "${id}".`, "Use the id of a proposal that waits.");
  }
}
