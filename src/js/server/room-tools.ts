/**
 * The tools of a room, for an agent or for a call of a user: those of its stores of documents, files and flows, but changes go
 * through the log. The stores validate each call; only its execution and its proposal are replaced.
 */
import { agentTools } from "../agent/index.js";
import type { AgentTools, ApprovalPolicy } from "../agent/types.js";
import type { ParsedCall } from "../blocks/parsed-call.js";
import type { FileCall, Replacement } from "../blocks/types.js";
import type { Catalog } from "../core/catalog-types.js";
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import {
  type Answer,
  type Failed,
  failed,
  SPELLINGS,
  type ToolSet,
  type ToolSource,
  toolSet,
  type ValidatedCall,
} from "../tools/tool-set.js";
import type { PatchCall } from "../types.js";
import { isCall } from "./entry.js";
import type { RoomCore } from "./room.js";
import type { Sender } from "./room-calls.js";
import type { Identity, Role, RoomResult } from "./types.js";

/** Tools that change nothing: a viewer has these. */
const READ_ONLY: readonly string[] = ["get_schema", "list_instances", "validate_completion", "read_file", "list_files"];

const isAllowed = (tool: string, role: Role): boolean => role !== "viewer" || READ_ONLY.includes(tool);

/**
 * The tools for one request. `policy`: which calls of an agent wait for an approval; those of a user never do. `key`: the
 * idempotency key of the request.
 */
export function roomTools(
  room: RoomCore,
  identity: Identity,
  policy: ApprovalPolicy = "always",
  key?: string | undefined,
): AgentTools {
  // The first source has the proposals on documents, files and nodes, so the others have none.
  const source: ToolSource & { readonly catalog?: Catalog | undefined } = {
    catalog: room.store.catalog,
    proposals: () => room.proposals.all(),
    [toolSet]: () => documentTools(room, identity, key),
  };
  const { files, flow } = room;
  const others = {
    ...(files && {
      files: {
        proposals: () => [],
        [toolSet]: () =>
          files.workspace[toolSet]().map((set) => toolsInRoom(set, identity, fileCalls(room, identity, key))),
      },
    }),
    ...(flow && {
      flow: {
        proposals: () => [],
        [toolSet]: () => toolsInRoom(flow.store[toolSet](), identity, nodeCalls(room, identity, key)),
      },
    }),
  };
  return agentTools({ store: source, ...others, approve: identity.role === "agent" ? policy : "never" });
}

/** How the room executes and proposes a call that its store has validated. Members that are absent stay as the store has them. */
type CallReplacer = (call: ParsedCall, validated: ValidatedCall) => Partial<Pick<ValidatedCall, "execute" | "propose">>;

/**
 * The tools of a store as a room has them: without those that the role may not call, and with changes that go through the log.
 */
function toolsInRoom(tools: ToolSet, { role }: Identity, replace: CallReplacer): ToolSet {
  const withReplacements = (call: ParsedCall, validated: ValidatedCall | Failed): ValidatedCall | Failed =>
    "status" in validated ? validated : { ...validated, ...replace(call, validated) };
  return {
    ...tools,
    definitions: tools.definitions.filter(({ name }) => isAllowed(name, role)),
    validate(call) {
      if (!isAllowed(call.tool, role))
        return failed("FORBIDDEN", "A viewer changes nothing.", "Read, or ask an editor.");
      const validated = tools.validate(call);
      return validated instanceof Promise
        ? validated.then((result) => withReplacements(call, result))
        : withReplacements(call, validated);
    },
  };
}

/** The tools of documents. */
function documentTools(room: RoomCore, identity: Identity, key: string | undefined): ToolSet {
  const { user } = identity;
  const sender = senderOf(identity, key);
  // `agentTools` must not show drafts of calls in the store of the server, so the other members of the set are left out.
  const { definitions, validate } = toolsInRoom(room.store[toolSet](), identity, (call, { args, propose }) => {
    if (call.tool === "access_instance") {
      const name = args.instance_name ?? args.instanceId;
      return isText(name) ? { execute: () => answerOf(room.calls.show({ name }, user)) } : {};
    }
    // Only tools that change something can be proposed.
    if (propose === undefined) return {};
    const spelledArgs = asSpelled(args, call);
    // With an id, the page identifies its own proposals: a model must not reach them.
    const { id: _, ...withoutId } = spelledArgs;
    return {
      execute: () => answerOf(room.calls.write(asCall(spelledArgs), sender)),
      propose: async () => pendingOr(room, await room.calls.propose(asCall(withoutId), user).catch(toUnknownResult)),
    };
  });
  return { definitions, validate };
}

/** Who sends a call, and its idempotency key. */
const senderOf = ({ user, role }: Identity, key: string | undefined): Sender => ({
  user,
  key,
  ...(role === "agent" && { agent: true as const }),
});

/** The calls of the tools of files. */
function fileCalls(room: RoomCore, identity: Identity, key: string | undefined): CallReplacer {
  const sender = senderOf(identity, key);
  return ({ tool }, { args, propose }) => {
    if (propose === undefined) return {};
    // The members of a call on a file, without other arguments that a model may have sent.
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
      execute: ({ seen }) => answerOf(room.calls.writeFile(call, sender, seen)),
      propose: async () => pendingOr(room, await room.calls.proposeFile(call, sender).catch(toUnknownResult)),
    };
  };
}

/** The replacements in a list of arguments. Other values, such as an absent argument, are left out. */
const toReplacements = (edits: readonly unknown[]): Replacement[] =>
  edits.flatMap((edit) => {
    const { old_string, new_string, replace_all } = isObject(edit) ? edit : {};
    const isAll = replace_all === true && { replace_all };
    return isText(old_string) && isText(new_string) ? [{ old_string, new_string, ...isAll }] : [];
  });

/** The calls of updateNode. */
function nodeCalls(room: RoomCore, identity: Identity, key: string | undefined): CallReplacer {
  const sender = senderOf(identity, key);
  const update = async (args: Members, options: { waits: boolean }) =>
    pendingOr(room, await room.calls.updateNode(args, sender, options).catch(toUnknownResult));
  return (_, { args, propose }) =>
    propose === undefined
      ? {}
      : { execute: () => update(args, { waits: false }), propose: () => update(args, { waits: true }) };
}

/** The answer to a call: that it waits, if it has become a proposal. */
function pendingOr(room: RoomCore, result: RoomResult): Answer {
  if (result.status === "error" || !isText(result.proposal)) return toAnswer(result);
  const proposal = room.proposals.get(result.proposal);
  return proposal === undefined
    ? failed("INTERNAL", "The proposal was not kept.", "Nothing was changed. Tell the user.")
    : { status: "pending", proposal, result: { proposal: proposal.id } };
}

/** Calls a tool in the name of a user or of the application: the call never waits for an approval. */
export async function callTool(room: RoomCore, identity: Identity, name: string, args: unknown): Promise<RoomResult> {
  const tools = roomTools(room, identity, "never");
  const { status, error, result } = await tools.execute({ name, arguments: args });
  if (status === "error" || error !== undefined) {
    const { code = "INTERNAL", message = "The call failed.", solution = "Tell the operator." } = error ?? {};
    return { status: "error", error: { code, message, solution } };
  }
  // Tools that only read have no entry in the log: the revision is the current one.
  return { revision: room.revision, ...result, status: "success" };
}

/**
 * Validated arguments, whose keys are in snake_case, with the keys as they were sent, in snake_case or camelCase: a new page gets
 * the layout of the spelling of its call.
 */
function asSpelled(args: Members, { args: sent = {} }: ParsedCall): Members {
  const spellingOf = (key: string) => {
    const camelCase = SPELLINGS[key] ?? key;
    return Object.hasOwn(sent, camelCase) ? camelCase : key;
  };
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [spellingOf(key), value]));
}

/** A validated call always names an instance: the check is for its type. */
const asCall = (args: Members): PatchCall => (isCall(args) ? args : { instance_name: "" });

/** The answer to a call. A call whose promise is rejected has an error, too. */
const answerOf = async (result: Promise<RoomResult>): Promise<Answer> => toAnswer(await result.catch(toUnknownResult));

/** The result of a call whose promise was rejected: it may be in the log, or not. */
function toUnknownResult(cause: unknown): RoomResult {
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
