/** The types of an approval policy: which calls of an agent the user approves. */
import type { Author, Change, DeepReadonly, Json } from "../types.js";

/** An agent's call as a policy function gets it: exactly as it would be executed. */
export interface AgentRequest {
  /** The id of the call: the provider's, or that of its tool block. */
  readonly id?: string | undefined;
  readonly tool: string;
  /** The arguments with normalised paths, and keys in snake_case. */
  readonly args: { readonly [key: string]: Json };
  /**
   * The instance, the node (`taskId/nodeId`) or the file that the call would change: the same text for all its spellings. For
   * a file it is the path inside the workspace, in NFC and lower case, with links followed where the host has `realpath`. The
   * path in its own spelling is `args.path`. For an own tool it is the name of the tool. A call without a target is refused
   * before the policy is asked.
   */
  readonly target: string;
  /** The agent's author. */
  readonly author: Author;
  /**
   * What the call would change, as `changes` of its result would have it: computed by a dry run when it is read for the first
   * time. For a file one change of the whole text, at the path `[]`. Empty for a call that would fail, and for own tools.
   */
  readonly changes: readonly Change[];
  /** The document, the node or the text of the file as it is now; null for what is not there, and for own tools. */
  readonly before: DeepReadonly<Json>;
}

/**
 * The decision of a policy: `false` executes the call, `true` or `"ask"` asks the user, and `{ deny }` refuses the call with a
 * reason that the model reads.
 */
export type ApprovalAnswer = boolean | "ask" | { readonly deny: string };

/** Decides about one call. Called before the call is executed or proposed. */
export type ApprovalFunction = (call: AgentRequest) => ApprovalAnswer | PromiseLike<ApprovalAnswer>;

/**
 * The calls that a user has to approve.
 *
 * - `"never"`: none, except for nodes whose type requires an approval.
 * - `"always"`: every call that changes a document, a file or a node, and every call of an own tool that is not `readOnly`.
 * - A function: the calls for which it does not return `false` or `{ deny }`; it may be asynchronous. Whatever it returns, the
 *   user is asked about a call for a file whose path differs from another file's only in case or accents, a call with the warning
 *   `ELIDED_CONTENT`, and a call that would change something else by the time an asynchronous policy has decided.
 */
export type ApprovalPolicy = "never" | "always" | ApprovalFunction;
