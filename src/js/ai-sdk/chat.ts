/** `ChatApprovals`: the page's side of approvals in a chat of the AI SDK. */
import type { CallProposal } from "../agent/types.js";
import { keepIfEqual } from "../approval/collection.js";
import { GenuiPatchError } from "../core/errors.js";
import { copyJson, copyWithinDepth } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import { Listeners } from "../core/listeners.js";
import { ANY, requireOptions, requireText, wrong } from "../core/require.js";
import { deepFreeze } from "../core/tree.js";
import type { Json } from "../types.js";
import { type Addition, readAddition, writeAddition } from "./answer.js";

/** The members of a `Chat`, or of the result of `useChat`, that approvals need. */
export interface ChatToAnswer {
  readonly messages: readonly { readonly role: string; readonly parts: readonly { readonly type: string }[] }[];
  addToolApprovalResponse(response: { id: string; approved: boolean; reason?: string }): unknown;
}

/** A call that waits for the user, beside the proposals of stores and agents. */
export interface ChatProposal extends CallProposal {
  toolCallId: string;
  /** Why the agent asks, in its words. */
  requestReason?: string;
}

/** The user's answer. */
export interface ApproveChatOptions {
  /** The user's own arguments, which replace the proposed ones where the agent has `toolsWithApproval`. */
  args?: { readonly [key: string]: unknown } | undefined;
  /** A signed approval, for the agent to verify: that of `room.approval` of `genui-patch/server`. */
  approval?: unknown;
}

/** An approval that the chat has asked for. */
interface Entry {
  /** The `state` of the part in the chat when the proposal was made from it. */
  state: string;
  proposal: ChatProposal;
}

/** A part of a message, as the chat has it. */
interface Part {
  readonly [key: string]: unknown;
}

/**
 * The approvals that a chat of the AI SDK asks for, as proposals: one more source of a `ProposalList`. The user's decision is
 * sent as the SDK's approval response. A request that the user has passed over with another message is not listed: the SDK drops
 * it.
 *
 * ```ts
 * const approvals = new ChatApprovals();
 * approvals.update(chat); // after each change of the messages
 * approvals.proposals()[0]?.proposed; // { tool: "delete_file", args: { path: "a.txt" } }
 * ```
 */
export class ChatApprovals {
  readonly #listeners = new Listeners<void>();
  #chat: ChatToAnswer | undefined;
  /** The approvals that the chat has asked for, by id of the approval. */
  #entries = new Map<string, Entry>();
  /** The proposals of the entries: the same list until one of them changes. */
  #list: readonly ChatProposal[] = [];

  /** Reads the messages of a chat: what `useChat` returns, or a `Chat`. */
  update(chat: ChatToAnswer): void {
    if (!isObject(chat) || !Array.isArray(chat.messages) || typeof chat.addToolApprovalResponse !== "function")
      throw wrong("update", "chat", "what useChat returns, or a Chat", chat);
    this.#chat = chat;
    const entries = new Map<string, Entry>();
    const lastUserIndex = chat.messages.map(({ role }) => role).lastIndexOf("user");
    for (const [index, { parts }] of chat.messages.entries()) {
      for (const part of parts) {
        const entry = isObject(part) ? this.#read(part, index > lastUserIndex) : undefined;
        if (entry !== undefined) entries.set(entry.proposal.id, entry);
      }
    }
    this.#entries = entries;
    this.#updateList();
  }

  /**
   * The approval in a part; `undefined` for a part without one, or with one on which the SDK has decided itself (`isAutomatic`).
   * `isOpen`: no message of the user comes after it, so that it can still be answered. The entry is the same object until the
   * state of the part changes.
   */
  #read(part: Part, isOpen: boolean): Entry | undefined {
    const { approval, toolCallId } = part;
    const tool = toolOf(part);
    if (!isObject(approval) || approval.isAutomatic === true || tool === undefined || !isText(toolCallId))
      return undefined;
    const { id, approved } = approval;
    if (!isText(id) || (typeof approved !== "boolean" && !isOpen)) return undefined;
    const entryBefore = this.#entries.get(id);
    const state = `${part.state}`;
    // The user may have answered through this object, and the chat does not have the answer yet.
    const isAhead = approved === undefined && entryBefore?.proposal.status !== "pending";
    if (entryBefore !== undefined && (entryBefore.state === state || isAhead)) return entryBefore;
    const args = copyWithinDepth(part.input, "input");
    const { editedArgs } = readAddition(approved === true ? approval.reason : undefined);
    const proposal: ChatProposal = {
      id,
      kind: "call",
      target: tool,
      // The proposal of a call has no document that it would change.
      revision: 0,
      diff: [],
      changes: [],
      status: approved === undefined ? "pending" : approved === true ? "approved" : "refused",
      proposed: { tool, args: isObject<Json>(args) ? args : {} },
      toolCallId,
      ...(isText(approval.requestReason) && { requestReason: approval.requestReason }),
      ...(editedArgs && { approved: { tool, args: editedArgs } }),
      ...(approved === false && isText(approval.reason) && { reason: approval.reason }),
      ...effectOf(part),
    };
    deepFreeze(proposal);
    return { state, proposal };
  }

  /** Makes the list again. If it differs, the listeners are called. */
  #updateList(): void {
    const listBefore = this.#list;
    this.#list = keepIfEqual(
      listBefore,
      [...this.#entries.values()].map(({ proposal }) => proposal),
    );
    if (this.#list !== listBefore) this.#listeners.emit();
  }

  /** The approvals that the chat has asked for: the same list until one of them changes. */
  proposals(): readonly ChatProposal[] {
    return this.#list;
  }

  /**
   * The user approves a call, as proposed or with other arguments.
   * @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`.
   */
  approve(id: string, options: ApproveChatOptions = {}): void {
    requireOptions("approve", options, { args: ANY, approval: ANY });
    const { args, approval } = options;
    const editedArgs = args === undefined ? undefined : copyJson(args, "args");
    if (editedArgs !== undefined && !isObject<Json>(editedArgs)) throw wrong("approve", "args", "an object", args);
    const addition: Addition = {
      ...(editedArgs && { editedArgs }),
      ...(approval !== undefined && { approval: copyJson(approval, "approval") }),
    };
    const reason = writeAddition(addition);
    const response = { id, approved: true, ...(reason !== undefined && { reason }) };
    this.#answer("approve", response, (proposal) => ({
      ...proposal,
      status: "approved",
      ...(editedArgs && { approved: { tool: proposal.target, args: editedArgs } }),
    }));
  }

  /** The user refuses a call, with a reason for the model. @throws GenuiPatchError `UNKNOWN_PROPOSAL`, `PROPOSAL_SETTLED`. */
  refuse(id: string, reason?: string): void {
    if (reason !== undefined) requireText("refuse", "reason", reason);
    const givenReason = reason !== undefined && { reason };
    this.#answer("refuse", { id, approved: false, ...givenReason }, (proposal) => ({
      ...proposal,
      status: "refused",
      ...givenReason,
    }));
  }

  /** Settles a pending proposal, and sends the response to the chat. `method`: the caller's name, for errors. */
  #answer(
    method: string,
    response: Parameters<ChatToAnswer["addToolApprovalResponse"]>[0],
    settle: (proposal: ChatProposal) => ChatProposal,
  ): void {
    const { id } = response;
    requireText(method, "proposal id", id);
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new GenuiPatchError("UNKNOWN_PROPOSAL", `No approval has the id "${id}".`);
    if (entry.proposal.status !== "pending")
      throw new GenuiPatchError("PROPOSAL_SETTLED", `The approval "${id}" was answered before.`);
    const proposal = settle(entry.proposal);
    deepFreeze(proposal);
    this.#entries.set(id, { ...entry, proposal });
    this.#updateList();
    this.#chat?.addToolApprovalResponse(response);
  }

  /** Calls the listener when `proposals()` changes. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }
}

/** The name of the tool that a part calls, e.g. `delete_file` for the type `tool-delete_file`; `undefined` for any other part. */
function toolOf({ type, toolName }: Part): string | undefined {
  if (type === "dynamic-tool") return isText(toolName) ? toolName : undefined;
  return isText(type) && type.startsWith("tool-") ? type.slice("tool-".length) : undefined;
}

/** The result of an approved call, or its error; `{}` before the call has ended. */
function effectOf({ state, output, errorText }: Part): Pick<ChatProposal, "effective"> {
  if (state === "output-available") return { effective: copyWithinDepth(output, "output") ?? null };
  return state === "output-error" ? { effective: { error: { message: `${errorText}` } } } : {};
}
