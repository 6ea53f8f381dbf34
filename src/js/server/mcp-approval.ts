/**
 * Proposals as forms of MCP clients (`input_required` with an elicitation). A client's answer settles a proposal only in the name
 * of the user whom the application's `mcp.answersFor` returns for that client: nothing in the answer says who gave it.
 */
import type { AgentResult } from "../agent/types.js";
import { describeProposal } from "../approval/describe.js";
import { parseJson } from "../core/json.js";
import { isObject, isText } from "../core/kinds.js";
import { canonical, isMac, macOf } from "./approval.js";
import { invalidParams, type McpCall } from "./mcp.js";
import type { McpContext } from "./mcp-room.js";
import { sha256 } from "./sha256.js";
import type { RoomProposal, RoomResult } from "./types.js";

/** The key of the form among the requests of a result. */
const FORM = "approval";
/** Milliseconds for which a form can be answered. */
const MOST_AGE = 3_600_000;
/** Lines of a form that describe changes. */
const MOST_LINES = 20;
const MOST_REASON = 1_000;
/** Signed with the text, so that the signature of a request's state is never valid for an approval. */
const PURPOSE = "genui-patch mcp request ";

/** The state that the client sends back with an answer. */
interface State {
  proposal: string;
  room: string;
  /** The id of the user whose call it is. */
  user: string;
  /** The SHA-256 of the call. */
  call: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** For servers without keys of their own: a form can be answered until the process ends. */
let ownKeys: readonly string[] | undefined;

function keysOf({ keys }: McpContext): readonly string[] {
  if (keys !== undefined) return keys;
  ownKeys ??= [crypto.randomUUID() + crypto.randomUUID()];
  return ownKeys;
}

const digestOfCall = ({ name, arguments: args }: McpCall): string => sha256(canonical({ name, args }));

async function sealed(state: State, context: McpContext): Promise<string> {
  const text = JSON.stringify(state);
  const [key = ""] = keysOf(context);
  return `${await macOf(PURPOSE + text, key)}${text}`;
}

function isState(value: unknown): value is State & { [key: string]: unknown } {
  return (
    isObject(value) &&
    ["proposal", "room", "user", "call"].every((name) => isText(value[name])) &&
    typeof value.until === "number"
  );
}

/** The state of a request, if this server made it for this user, this room and this call, and not too long ago. */
async function opened(sent: McpCall, context: McpContext): Promise<State | undefined> {
  const { requestState: sealedText } = sent;
  if (!isText(sealedText) || sealedText.length > 4_096) return undefined;
  const [mac, text] = [sealedText.slice(0, 64), sealedText.slice(64)];
  if (!(await isMac(mac, PURPOSE + text, keysOf(context)))) return undefined;
  const state = parseJson(text);
  const { room, identity } = context;
  return isState(state) &&
    state.room === room.name &&
    state.user === identity.user.id &&
    state.call === digestOfCall(sent) &&
    state.until > Date.now()
    ? state
    : undefined;
}

/** Whether the client shows forms. A capability without modes means forms. */
function showsForms({ capabilities: { elicitation } }: McpCall): boolean {
  return isObject(elicitation) && ("form" in elicitation || !("url" in elicitation));
}

/** A form for a call that became a proposal; `undefined` where the client shows none, or its answers settle nothing. */
export async function ask(result: AgentResult, sent: McpCall, context: McpContext): Promise<object | undefined> {
  const { room, identity, answersFor } = context;
  if (result.status !== "pending" || answersFor === null || !showsForms(sent)) return undefined;
  const proposal = room.proposals.get(String(result.result.proposal ?? ""));
  if (proposal?.status !== "pending") return undefined;
  const state = {
    proposal: proposal.id,
    room: room.name,
    user: identity.user.id,
    call: digestOfCall(sent),
    until: Date.now() + MOST_AGE,
  };
  return formFor(proposal, state, context);
}

async function formFor(proposal: RoomProposal, state: State, context: McpContext): Promise<object> {
  const lines = describeProposal(proposal, context.room.store.confirmed(proposal.target)).map(
    ({ text }) => `- ${text}`,
  );
  const more = lines.length > MOST_LINES ? [`- and ${lines.length - MOST_LINES} more changes`] : [];
  const who = proposal.by.name ?? proposal.by.id;
  const message = [`${who} wants to change "${proposal.target}":`, ...lines.slice(0, MOST_LINES), ...more].join("\n");
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
    requestState: await sealed(state, context),
  };
}

/** The result of a call that is sent again with the answer to its form. */
export async function resume(sent: McpCall, context: McpContext): Promise<object> {
  const state = await opened(sent, context);
  if (state === undefined)
    throw invalidParams(
      "The requestState is not valid for this call: it is another call's or too old. If the call became a proposal, it waits: genui://proposals has it.",
    );
  const { room, answersFor } = context;
  const { inputResponses } = sent;
  const answer: unknown = isObject(inputResponses) ? inputResponses[FORM] : undefined;
  const proposal = room.proposals.get(state.proposal);
  if (proposal === undefined || answersFor === null || proposal.status === "approved" || proposal.status === "refused")
    return report(context, state.proposal);
  if (!isObject(answer)) return formFor(proposal, state, context);
  const { decision, reason } = isObject(answer.content) ? answer.content : {};
  let result: RoomResult | undefined;
  if (answer.action === "decline" || (answer.action === "accept" && decision === "refuse"))
    result = await room.calls.refuse(
      state.proposal,
      isText(reason) && reason !== "" ? reason.slice(0, MOST_REASON) : undefined,
      answersFor,
    );
  else if (answer.action === "accept" && decision === "approve")
    result = await room.calls.approve(state.proposal, {}, answersFor);
  else if (answer.action !== "cancel") return formFor(proposal, state, context);
  // A page may have settled the proposal in the meantime.
  if (result?.status === "error" && result.error.code !== "PROPOSAL_SETTLED") return toolResult(result);
  return report(context, state.proposal);
}

/** The result of the call of a proposal: its status and the decision. */
async function report({ room }: McpContext, id: string): Promise<object> {
  const proposal = room.proposals.get(id);
  const approval = await room.proposals.approval(id);
  const about = { proposal: id, ...(proposal?.settled !== undefined && { settled: proposal.settled }), approval };
  switch (proposal?.status) {
    case "approved": {
      const { outcome, approved } = proposal;
      const part = outcome !== undefined && outcome.extent !== "all" ? { extent: outcome.extent, approved } : {};
      return toolResult({ status: "success", decision: "approved", ...part, ...about });
    }
    case "refused": {
      const { reason } = proposal;
      const error = {
        code: "PROPOSAL_REFUSED",
        message: `The user has refused the change${reason === undefined ? "." : `: ${reason}`}`,
        solution: "Nothing was changed. Do something else, or ask the user what they want.",
      };
      return toolResult({ status: "error", decision: "refused", error, ...about });
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

/** A result as tools answer it. */
export function toolResult(result: object): object {
  return {
    content: [{ type: "text", text: JSON.stringify(result) }],
    structuredContent: JSON.parse(JSON.stringify(result)),
    isError: "status" in result && result.status === "error",
  };
}
