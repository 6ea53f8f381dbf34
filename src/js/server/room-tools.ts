/** The tools of a room, for an agent: as those of a store, but changes go through the log. */

import { agentTools } from "../agent/index.js";
import type { ParsedCall } from "../agent/parsed-call.js";
import {
  type Answer,
  type Failed,
  failed,
  type ToolSet,
  type ToolSource,
  toolSet,
  type ValidatedCall,
} from "../agent/tool-set.js";
import type { AgentTools, ApprovalPolicy } from "../agent/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { isText, type Members } from "../core/kinds.js";
import type { Catalog } from "../document/catalog-types.js";
import { isCall } from "./entry.js";
import type { RoomCore } from "./room.js";
import type { Identity, RoomResult } from "./types.js";

/** Tools that change nothing: a viewer has these. */
const READING: readonly string[] = ["get_schema", "list_instances", "validate_completion"];

/** The tools for one request. `key`: what it changes is changed once, however often the request is sent. */
export function roomTools(
  room: RoomCore,
  identity: Identity,
  policy: ApprovalPolicy = "always",
  key?: string | undefined,
): AgentTools {
  const source: ToolSource & { readonly catalog?: Catalog | undefined } = {
    catalog: room.store.catalog,
    proposals: () => room.proposals(),
    [toolSet]: () => toolsOf(room, identity, key),
  };
  return agentTools({ store: source, approve: identity.role === "agent" ? policy : "never" });
}

function toolsOf(room: RoomCore, { user, role }: Identity, key: string | undefined): ToolSet {
  const own = room.store[toolSet]();
  const isAllowed = (tool: string) => role !== "viewer" || READING.includes(tool);
  /** The call as the room makes it: its changes go through the log. */
  const inRoom = (call: ParsedCall, validated: ValidatedCall | Failed): ValidatedCall | Failed => {
    if ("status" in validated) return validated;
    const { args } = validated;
    if (call.tool === "access_instance") {
      const name = args.instance_name ?? args.instanceId;
      if (!isText(name)) return validated;
      return { args, execute: () => answered(room.show(name, undefined, user)) };
    }
    if (validated.propose === undefined) return validated;
    const sent = isCall(args) ? args : { instance_name: "" };
    return {
      ...validated,
      execute: () => answered(room.write(sent, { user, key, ...(role === "agent" && { agent: true }) })),
      propose: async () => {
        const result = await room.propose(withoutId(args), user).catch(notKnown);
        if (result.status === "error") return toAnswer(result);
        const proposal = room.proposal(String(result.proposal));
        return proposal === undefined
          ? failed("INTERNAL", "The proposal was not kept.", "Nothing was changed. Tell the user.")
          : { status: "pending", proposal, result: { proposal: proposal.id } };
      },
    };
  };
  return {
    definitions: own.definitions.filter(({ name }) => isAllowed(name)),
    validate(call) {
      if (!isAllowed(call.tool)) return failed("FORBIDDEN", "A viewer changes nothing.", "Read, or ask an editor.");
      const validated = own.validate(call);
      return validated instanceof Promise ? validated.then((done) => inRoom(call, done)) : inRoom(call, validated);
    },
  };
}

/** With an id, the page identifies its own proposals: a model must not reach them. */
function withoutId({ id: _, ...rest }: Members) {
  return isCall(rest) ? rest : { instance_name: "" };
}

const answered = async (result: Promise<RoomResult>): Promise<Answer> => toAnswer(await result.catch(notKnown));

/** The answer to a call that may be in the log, or may not. */
function notKnown(cause: unknown): RoomResult {
  if (!(cause instanceof GenuiPatchError)) throw cause;
  const solution = "Read the document before you send it again, or send it with the same idempotency key.";
  return { status: "error", error: { code: cause.code, message: cause.message, solution } };
}

function toAnswer(result: RoomResult): Answer {
  if (result.status === "success") return { status: "success", result };
  const { error, ...rest } = result;
  return { status: "error", error: { ...error }, result: rest };
}
