/** The entries of a room's log: their kinds, and how they are checked and read. */
import type { ApproveOptions } from "../approval/inputs.js";
import type { FileCall } from "../blocks/types.js";
import { parseJson } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import type { FileApproval } from "../files/types.js";
import type { ApproveNodeOptions, TaskFlow } from "../flow/types.js";
import type { Author, PatchCall } from "../types.js";
import type { AgreedFile } from "./room-files.js";
import type { RoomResult, User } from "./types.js";

/** Who has caused an entry, and when. */
interface Origin {
  user: User;
  /** The user is an agent. */
  agent?: true | undefined;
  /** In ISO 8601. */
  time: string;
}

interface CallEntry extends Origin {
  kind: "call";
  call: PatchCall;
  /** The id under which a page knows the call: it has the call pending until the server confirms it. */
  id?: string | undefined;
  /** Idempotency key: a second call with the same key is not executed. */
  key?: string | undefined;
}

/** `id` of a kind that proposes, approves or refuses is the id of the proposal. `key` is as in a {@link CallEntry}. */
export type Entry =
  /**
   * The first entry that a server writes after it has read the log. Pages may have received entries that were lost in a crash:
   * the new name of the session shows them that the log goes on differently, and they ask for a snapshot.
   */
  | { kind: "session"; session: string; time: string }
  | CallEntry
  /** Shows an instance on all pages, or a block of it. */
  | ({ kind: "show"; name: string; block?: string | undefined } & Origin)
  | ({ kind: "propose"; id: string; call: PatchCall } & Origin)
  | ({ kind: "approve"; id: string; options: ApproveOptions } & Origin)
  /** The new text of a file; null deletes it. */
  | ({ kind: "file"; path: string; text: string | null; key?: string | undefined } & Origin)
  /** `after`: the text that the file would have; null if the call deletes it. */
  | ({ kind: "propose-file"; id: string; call: FileCall; after: string | null } & Origin)
  /** A user's approval of a call on a file. `agreed` has the approved text, and the text that the file gets. */
  | ({ kind: "approve-file"; id: string; path: string; agreed: AgreedFile; options: FileApproval } & Origin)
  /** Loads a task flow. */
  | ({ kind: "flow"; flow: TaskFlow } & Origin)
  /**
   * An update of a node. It becomes a proposal with this `id` if `waits` is set, or if it is an agent's and the type of the node
   * asks for an approval. Else it is executed at once.
   */
  | ({ kind: "node"; id: string; args: Members; waits?: true; key?: string | undefined } & Origin)
  | ({ kind: "approve-node"; id: string; options: ApproveNodeOptions } & Origin)
  | ({ kind: "refuse"; id: string; reason?: string | undefined } & Origin);

/** Whether a value names an instance as patch calls do, in snake_case or in camelCase. The store checks the rest. */
export function isCall(value: unknown): value is PatchCall {
  return isObject(value) && (isText(value.instance_name) || isText(value.instanceId));
}

const isUser = (value: unknown): value is User => isObject(value) && isText(value.id);

/** By kind: whether an entry has the members that the kind needs. */
const IS_COMPLETE: { readonly [kind in Entry["kind"]]: (entry: { [key: string]: unknown }) => boolean } = {
  session: ({ session }) => isText(session),
  call: ({ call, user }) => isCall(call) && isUser(user),
  show: ({ name, user }) => isText(name) && isUser(user),
  propose: ({ id, call, user }) => isText(id) && isCall(call) && isUser(user),
  approve: ({ id, options, user }) => isText(id) && isObject(options) && isUser(user),
  file: ({ path, text, user }) => isText(path) && (isText(text) || text === null) && isUser(user),
  "propose-file": ({ id, call, after, user }) =>
    isText(id) && isObject(call) && isText(call.path) && (isText(after) || after === null) && isUser(user),
  "approve-file": ({ id, path, agreed, user }) => isText(id) && isText(path) && isObject(agreed) && isUser(user),
  flow: ({ flow, user }) => isObject(flow) && isText(flow.id) && isUser(user),
  node: ({ id, args, user }) => isText(id) && isObject(args) && isUser(user),
  "approve-node": ({ id, options, user }) => isText(id) && isObject(options) && isUser(user),
  refuse: ({ id, user }) => isText(id) && isUser(user),
};

const isKind = (kind: unknown): kind is Entry["kind"] => isText(kind) && Object.hasOwn(IS_COMPLETE, kind);

/** Whether a value that was made for a call is an entry, and not the result of a call that writes nothing. */
export const isEntry = (value: Entry | RoomResult): value is Entry => !("status" in value);

function isCompleteEntry(value: unknown): value is Entry {
  return isObject(value) && isKind(value.kind) && IS_COMPLETE[value.kind](value);
}

/** The entry in a text of the log; `undefined` if this version of the server does not know its kind, or members are missing. */
export function readEntry(text: string): Entry | undefined {
  const value = parseJson(text);
  return isCompleteEntry(value) ? value : undefined;
}

/** The name of the instance that a call changes, creates or deletes, in snake_case or camelCase; `undefined` if it names none. */
export function targetOf(call: PatchCall): string | undefined {
  const {
    instance_name,
    instanceId,
    new_instance_name,
    newInstanceId,
    target_instance_name,
    targetInstanceId,
  }: { [key: string]: unknown } = { ...call };
  const instance = instance_name ?? instanceId;
  const name =
    instance === "__CREATE__"
      ? (new_instance_name ?? newInstanceId)
      : instance === "__DELETE__"
        ? (target_instance_name ?? targetInstanceId)
        : instance;
  return isText(name) ? name : undefined;
}

/** The author of an entry, as stores name authors. */
export function authorOf({ user: { id }, agent }: Origin): Author {
  return { kind: agent ? "agent" : id === SERVER.id ? "server" : "user", id };
}

/** The user in whose name the application itself calls, by default. */
export const SERVER: User = { id: "server" };

/** A call as a message for pages. Calls that create or delete an instance are messages as they are. */
export function callMessage(call: PatchCall): object {
  const instance = "instance_name" in call ? call.instance_name : call.instanceId;
  if (instance === "__CREATE__" || instance === "__DELETE__") return call;
  return { type: "patch", instance_name: instance, patch: call.patches ?? [] };
}
