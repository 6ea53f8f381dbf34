/** `RemoteProposals`: the proposals of a room on the server, as a page sees and settles them. */
import type { ApproveOptions } from "../approval/inputs.js";
import type { Proposal } from "../approval/types.js";
import { isObject, isText } from "../core/kinds.js";
import type { FileApproval } from "../files/types.js";
import type { ApproveNodeOptions } from "../flow/types.js";
import type { PatchError, ServerMessage } from "../types.js";

/** The server's answer to a decision. `revision`: the number of the decision in the server's log. */
export type DecisionResult =
  | { status: "success"; revision: number; [detail: string]: unknown }
  | { status: "error"; error: Omit<PatchError, "code"> & { code: string }; [detail: string]: unknown };

/** The part of a proposal that is approved: of a document, a file or a node. */
export type RemoteApproval = ApproveOptions | FileApproval | ApproveNodeOptions;

/**
 * A user's decision about a proposal, or a user's tool call. `proposal` is an id, `seen` the revision of the proposal that the
 * user saw. The server's answer repeats `request`.
 */
export type Decision =
  | ({ type: "approve"; proposal: string; request: number; seen?: number | undefined } & RemoteApproval)
  | { type: "tool"; tool: string; arguments: object; request: number }
  | { type: "refuse"; proposal: string; request: number; reason?: string | undefined };

const isProposal = (value: unknown): value is Proposal => isObject(value) && isText(value.id) && isText(value.kind);
const isResult = (value: unknown): value is DecisionResult => isObject(value) && isText(value.status);

export class RemoteProposals {
  #list: readonly Proposal[] = Object.freeze([]);
  /** The number of requests so far, which is that of the last one. */
  #requestCount = 0;
  /** By number of an open request: the function that resolves its promise. */
  readonly #resolvers = new Map<number, (result: DecisionResult) => void>();

  all(): readonly Proposal[] {
    return this.#list;
  }

  /** Applies a message about proposals; returns false for any other. */
  receive({ type, proposals, request, result }: ServerMessage): boolean {
    if (type === "proposals" && Array.isArray(proposals)) this.#list = Object.freeze(proposals.filter(isProposal));
    else if (type === "answer" && isResult(result)) this.#answer(Number(request), result);
    else return false;
    return true;
  }

  /** Resolves the promise of a request, if it is still open. */
  #answer(request: number, result: DecisionResult): void {
    this.#resolvers.get(request)?.(result);
    this.#resolvers.delete(request);
  }

  /** Sends a decision, and resolves with the server's answer. `send` returns false if the connection is not open. */
  decide(send: (request: number) => boolean): Promise<DecisionResult> {
    this.#requestCount += 1;
    const request = this.#requestCount;
    return new Promise((resolve) => {
      this.#resolvers.set(request, resolve);
      if (!send(request)) this.#answer(request, NOT_CONNECTED);
    });
  }

  /** Answers all open requests with an error: the socket is closed, and whether a decision arrived is not known. */
  connectionLost(): void {
    for (const request of [...this.#resolvers.keys()]) this.#answer(request, NOT_CONNECTED);
  }
}

const NOT_CONNECTED: DecisionResult = {
  status: "error",
  error: {
    code: "NOT_CONNECTED",
    message: "The server is not connected, so it is not known whether the decision has arrived.",
    solution: "Decide again if the proposal still waits after the page has connected.",
  },
};
