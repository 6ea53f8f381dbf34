/**
 * Proposals as forms of MCP clients (`input_required` with an elicitation). A client's answer settles a proposal only in the name
 * of the user whom the application's `mcp.answersFor` returns for that client: nothing in the answer says who gave it.
 */
import type { AgentResult } from "../agent/types.js";
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import { describeProposal } from "../document/describe.js";
import { canonical, isMac, macOf } from "./approval.js";
import { invalidParams, type McpCall } from "./mcp.js";
import type { McpContext } from "./mcp-room.js";
import { sha256 } from "./sha256.js";
import type { RoomProposal, RoomResult } from "./types.js";

/** The key of the form among the `inputRequests` of a result, and of its answer among the `inputResponses`. */
const FORM = "approval";
/** Milliseconds for which a form can be answered. */
const MOST_AGE = 3_600_000;
/** Lines of a form that describe changes. */
const MOST_LINES = 20;
/** Characters of the reason of a refusal. */
const MOST_REASON = 1_000;
/** Characters of a `requestState`. One that this server made is far shorter. */
const MOST_STATE = 4_096;
/** Hexadecimal digits of an HMAC. */
const MAC_LENGTH = 64;
/** Signed with the text, so that the signature of a request's state is never valid for an approval. */
const PURPOSE = "genui-patch mcp request ";

/** What a form is about. It goes to the client with the form, and comes back with the answer, as `requestState`. */
interface FormState {
  /** The id of the proposal. */
  proposal: string;
  /** The name of the room. */
  room: string;
  /** The id of the user who has sent the call. */
  user: string;
  /** The SHA-256 of the call. */
  call: string;
  /** Milliseconds since 1970 until which the form can be answered. */
  until: number;
}

/** For servers without the option `keys`: a form can be answered until the process ends. */
let processKeys: readonly string[] | undefined;

function keysOf({ keys }: McpContext): readonly string[] {
  if (keys !== undefined) return keys;
  // One UUID has 122 random bits, of the 128 that a key should have.
  processKeys ??= [crypto.randomUUID() + crypto.randomUUID()];
  return processKeys;
}

const digestOfCall = ({ name, arguments: args }: McpCall): string => sha256(canonical({ name, args }));

/** The state as text, with its signature before it. */
async function sign(state: FormState, context: McpContext): Promise<string> {
  const text = JSON.stringify(state);
  const [key = ""] = keysOf(context);
  return `${await macOf(PURPOSE + text, key)}${text}`;
}

function isState(value: unknown): value is FormState & { [key: string]: unknown } {
  return (
    isObject(value) &&
    ["proposal", "room", "user", "call"].every((name) => isText(value[name])) &&
    typeof value.until === "number"
  );
}

/**
 * The state of the form that a call answers; `undefined` unless a server with the same keys made it for this user, this room and
 * this call, and not too long ago.
 */
async function verifiedState(call: McpCall, context: McpContext): Promise<FormState | undefined> {
  const { requestState: signed } = call;
  if (!isText(signed) || signed.length > MOST_STATE) return undefined;
  const [mac, text] = [signed.slice(0, MAC_LENGTH), signed.slice(MAC_LENGTH)];
  if (!(await isMac(mac, PURPOSE + text, keysOf(context)))) return undefined;
  const state = parseJson(text);
  const { room, identity } = context;
  return isState(state) &&
    state.room === room.name &&
    state.user === identity.user.id &&
    state.call === digestOfCall(call) &&
    state.until > Date.now()
    ? state
    : undefined;
}

/** Whether the client shows forms. The capability `elicitation` without modes means forms. */
function showsForms({ capabilities: { elicitation } }: McpCall): boolean {
  return isObject(elicitation) && ("form" in elicitation || !("url" in elicitation));
}

/**
 * The result with a form for a call that became a proposal; `undefined` if the client shows none, or its answers settle nothing.
 */
export async function ask(result: AgentResult, call: McpCall, context: McpContext): Promise<object | undefined> {
  const { room, identity, answersFor } = context;
  if (result.status !== "pending" || answersFor === null || !showsForms(call)) return undefined;
  const proposal = room.proposals.get(String(result.result.proposal ?? ""));
  if (proposal?.status !== "pending") return undefined;
  const state = {
    proposal: proposal.id,
    room: room.name,
    user: identity.user.id,
    call: digestOfCall(call),
    until: Date.now() + MOST_AGE,
  };
  return formFor(proposal, state, context);
}

/** The result with the form of a proposal: it describes the changes, and asks for a decision and a reason. */
async function formFor(proposal: RoomProposal, state: FormState, context: McpContext): Promise<object> {
  const lines = describeProposal(proposal, context.room.store.confirmed(proposal.target)).map(
    ({ text }) => `- ${text}`,
  );
  const more = lines.length > MOST_LINES ? [`- and ${lines.length - MOST_LINES} more changes`] : [];
  const agent = proposal.by.name ?? proposal.by.id;
  const message = [`${agent} wants to change "${proposal.target}":`, ...lines.slice(0, MOST_LINES), ...more].join("\n");
  const requestedSchema = {
    type: "object",
    properties: {
      decision: {
        type: "string",
        title: "Decision",
        oneOf: [
          { const: "approve", title: "Approve" },
          { const: "refuse", title: "Refuse" },
        ],
      },
      reason: {
        type: "string",
        title: "Reason",
        description: "Why you refuse: the agent reads it.",
        maxLength: MOST_REASON,
      },
    },
    required: ["decision"],
  };
  return {
    inputRequests: { [FORM]: { method: "elicitation/create", params: { mode: "form", message, requestedSchema } } },
    requestState: await sign(state, context),
  };
}

/**
 * The result of a call that is sent again with the answer to its form. The answer settles the proposal in the name of the
 * context's `answersFor`, or the form is sent once more if the answer has no decision. If the proposal is settled already, or the
 * user has closed the form, the result is the state of the proposal.
 */
export async function resume(call: McpCall, context: McpContext): Promise<object> {
  const state = await verifiedState(call, context);
  if (state === undefined)
    throw invalidParams(
      "The requestState is not valid for this call: it is another call's or too old. If the call became a proposal, it waits: genui://proposals has it.",
    );
  const { room, answersFor } = context;
  const { inputResponses } = call;
  const answer: unknown = isObject(inputResponses) ? inputResponses[FORM] : undefined;
  const proposal = room.proposals.get(state.proposal);
  if (proposal === undefined || answersFor === null || proposal.status === "approved" || proposal.status === "refused")
    return proposalResult(context, state.proposal);
  if (!isObject(answer)) return formFor(proposal, state, context);
  const { action } = answer;
  const { decision, reason } = isObject(answer.content) ? answer.content : {};
  let result: RoomResult | undefined;
  if (action === "decline" || (action === "accept" && decision === "refuse")) {
    const givenReason = isText(reason) && reason !== "" ? reason.slice(0, MOST_REASON) : undefined;
    result = await room.calls.refuse(state.proposal, givenReason, answersFor);
  } else if (action === "accept" && decision === "approve")
    result = await room.calls.approve(state.proposal, {}, answersFor);
  else if (action !== "cancel") return formFor(proposal, state, context);
  // A page may have settled the proposal in the meantime.
  if (result?.status === "error" && result.error.code !== "PROPOSAL_SETTLED") return toolResult(result);
  return proposalResult(context, state.proposal);
}

/** The result of a call that became a proposal: the status of the proposal, and the decision with its signed approval. */
async function proposalResult({ room }: McpContext, id: string): Promise<object> {
  const proposal = room.proposals.get(id);
  const approval = await room.proposals.approval(id);
  const facts = { proposal: id, ...(proposal?.settled !== undefined && { settled: proposal.settled }), approval };
  switch (proposal?.status) {
    case "approved": {
      const { outcome, approved } = proposal;
      const part = outcome !== undefined && outcome.extent !== "all" ? { extent: outcome.extent, approved } : {};
      return toolResult({ status: "success", decision: "approved", ...part, ...facts });
    }
    case "refused": {
      const { reason } = proposal;
      const error = {
        code: "PROPOSAL_REFUSED",
        message: `The user has refused the change${reason === undefined ? "." : `: ${reason}`}`,
        solution: "Nothing was changed. Do something else, or ask the user what they want.",
      };
      return toolResult({ status: "error", decision: "refused", error, ...facts });
    }
    case undefined: {
      const error = {
        code: "UNKNOWN_PROPOSAL",
        message: `The proposal "${id}" is not kept any more.`,
        solution: "Read the document with get_schema, and propose the change anew if it is still wanted.",
      };
      return toolResult({ status: "error", error });
    }
    default:
      return toolResult({ status: "pending", proposal: id, note: "A user has not decided. Go on without it." });
  }
}

/** A value as the result of a tool, in the form of MCP. It is an error if its `status` says so. */
export function toolResult(result: object): object {
  return {
    content: [{ type: "text", text: JSON.stringify(result) }],
    structuredContent: JSON.parse(JSON.stringify(result)),
    isError: "status" in result && result.status === "error",
  };
}
