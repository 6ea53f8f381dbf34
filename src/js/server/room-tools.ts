/** The tools of a room, for an agent: as those of a store, but changes go through the log. */

import { agentTools } from "../agent/index.js";
import type { ParsedCall } from "../agent/parsed-call.js";
import {
  type Answer,
  type Failed,
  failed,
  SPELLINGS,
  type ToolSet,
  type ToolSource,
  toolSet,
  type ValidatedCall,
} from "../agent/tool-set.js";
import type { AgentTools, ApprovalPolicy } from "../agent/types.js";
import type { FileCall, Replacement } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import type { Catalog } from "../document/catalog-types.js";
import { isCall } from "./entry.js";
import type { RoomCore } from "./room.js";
import type { Sender } from "./room-calls.js";
import type { Identity, RoomResult } from "./types.js";

/** Tools that change nothing: a viewer has these. */
const READING: readonly string[] = ["get_schema", "list_instances", "validate_completion", "read_file", "list_files"];

/** The tools for one request. `key`: what it changes is changed once, however often the request is sent. */
export function roomTools(
  room: RoomCore,
  identity: Identity,
  policy: ApprovalPolicy = "always",
  key?: string | undefined,
): AgentTools {
  const source: ToolSource & { readonly catalog?: Catalog | undefined } = {
    catalog: room.store.catalog,
    proposals: () => room.proposals.all(),
    [toolSet]: () => toolsOf(room, identity, key),
  };
  const { files, flow } = room;
  const others = {
    ...(files && {
      files: {
        proposals: () => [],
        [toolSet]: () =>
          files.workspace[toolSet]().map((set) => writtenBy(set, identity, filesOf(room, identity, key))),
      },
    }),
    ...(flow && {
      flow: {
        proposals: () => [],
        [toolSet]: () => writtenBy(flow.store[toolSet](), identity, nodesOf(room, identity, key)),
      },
    }),
  };
  return agentTools({ store: source, ...others, approve: identity.role === "agent" ? policy : "never" });
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
      return { args, execute: () => answered(room.calls.show(name, undefined, user)) };
    }
    if (validated.propose === undefined) return validated;
    const spelled = asSpelled(args, call);
    const sent = isCall(spelled) ? spelled : { instance_name: "" };
    return {
      ...validated,
      execute: () => answered(room.calls.write(sent, { user, key, ...(role === "agent" && { agent: true }) })),
      propose: async () => {
        const result = await room.calls.propose(withoutId(spelled), user).catch(notKnown);
        return pendingOr(room, result);
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

/** Who sends a call, and the key under which it is made once. */
const senderOf = ({ user, role }: Identity, key: string | undefined): Sender => ({
  user,
  key,
  ...(role === "agent" && { agent: true as const }),
});

/** A checked call as the room makes it: through its log. */
type InRoom = (tool: string, args: Members) => Pick<ValidatedCall, "execute" | "propose">;

/** The tools of files or of nodes, whose changes go through the log. */
function writtenBy(own: ToolSet, { role }: Identity, inRoom: InRoom): ToolSet {
  const isAllowed = (tool: string) => role !== "viewer" || READING.includes(tool);
  const change = (call: ParsedCall, validated: ValidatedCall | Failed): ValidatedCall | Failed =>
    "status" in validated || validated.propose === undefined
      ? validated
      : { ...validated, ...inRoom(call.tool, validated.args) };
  return {
    ...own,
    definitions: own.definitions.filter(({ name }) => isAllowed(name)),
    validate(call) {
      if (!isAllowed(call.tool)) return failed("FORBIDDEN", "A viewer changes nothing.", "Read, or ask an editor.");
      const validated = own.validate(call);
      return validated instanceof Promise ? validated.then((done) => change(call, done)) : change(call, validated);
    },
  };
}

function filesOf(room: RoomCore, identity: Identity, key: string | undefined): InRoom {
  const sender = senderOf(identity, key);
  return (tool, args) => {
    const { path, content, search_replace, edits } = args;
    const [edit] = toReplacements([search_replace]);
    const call: FileCall = {
      tool,
      path: String(path),
      ...(isText(content) && { content }),
      ...(edit && { search_replace: edit }),
      ...(Array.isArray(edits) && { edits: toReplacements(edits) }),
    };
    return {
      execute: (_, seen) => answered(room.calls.writeFile(call, sender, seen)),
      propose: async () => pendingOr(room, await room.calls.proposeFile(call, sender).catch(notKnown)),
    };
  };
}

/** The replacements of a call that was checked. */
const toReplacements = (edits: readonly unknown[]): Replacement[] =>
  edits.flatMap((edit) => {
    const { old_string, new_string, replace_all } = isObject(edit) ? edit : {};
    const isAll = replace_all === true && { replace_all };
    return isText(old_string) && isText(new_string) ? [{ old_string, new_string, ...isAll }] : [];
  });

function nodesOf(room: RoomCore, identity: Identity, key: string | undefined): InRoom {
  const sender = senderOf(identity, key);
  const update = async (args: Members, waits: boolean) =>
    pendingOr(room, await room.calls.updateNode(args, sender, waits).catch(notKnown));
  return (_, args) => ({ execute: () => update(args, false), propose: () => update(args, true) });
}

/** The answer to a call that may have become a proposal. */
function pendingOr(room: RoomCore, result: RoomResult): Answer {
  if (result.status === "error" || !isText(result.proposal)) return toAnswer(result);
  const proposal = room.proposals.get(result.proposal);
  return proposal === undefined
    ? failed("INTERNAL", "The proposal was not kept.", "Nothing was changed. Tell the user.")
    : { status: "pending", proposal, result: { proposal: proposal.id } };
}

/** A call of a user or of the application: it never waits. */
export async function callTool(room: RoomCore, identity: Identity, name: string, args: unknown): Promise<RoomResult> {
  const tools = roomTools(room, identity, "never");
  const { status, error, result } = await tools.execute({ name, arguments: args });
  if (status === "error" || error !== undefined) {
    const { code = "INTERNAL", message = "The call failed.", solution = "Tell the operator." } = error ?? {};
    return { status: "error", error: { code, message, solution } };
  }

  return { revision: room.revision, ...result, status: "success" };
}

/** Checked arguments with the call's own spelling of their keys: a new page gets the layout of that spelling. */
function asSpelled(args: Members, { args: sent = {} }: ParsedCall): Members {
  const spellingOf = (key: string) => {
    const { [key]: spelling = key } = SPELLINGS;
    return Object.hasOwn(sent, spelling) ? spelling : key;
  };
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [spellingOf(key), value]));
}

/** With an id, the page identifies its own proposals: a model must not reach them. */
function withoutId({ id: _, ...rest }: Members) {
  return isCall(rest) ? rest : { instance_name: "" };
}

const answered = async (result: Promise<RoomResult>): Promise<Answer> => toAnswer(await result.catch(notKnown));

/** The answer to a call that may be in the log, or may not. */
function notKnown(cause: unknown): RoomResult {
  const solution = "Read the document before you send it again, or send it with the same idempotency key.";
  const code = cause instanceof GenuiPatchError ? cause.code : "STORAGE_FAILED";
  const message = cause instanceof Error ? cause.message : String(cause);
  return { status: "error", error: { code, message, solution } };
}

function toAnswer(result: RoomResult): Answer {
  if (result.status === "success") return { status: "success", result };
  const { error, ...rest } = result;
  return { status: "error", error: { ...error }, result: rest };
}
