/** The entries of a room's log, and the messages that pages get of them. */
import type { ApproveOptions } from "../approval/inputs.js";
import type { FileCall } from "../blocks/types.js";
import { parseJson } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import type { FileApproval } from "../files/types.js";
import type { ApproveNodeOptions, TaskFlow } from "../flow/types.js";
import type { Author, PatchCall } from "../types.js";
import type { AgreedFile } from "./room-files.js";
import type { User } from "./types.js";

interface Made {
  user: User;
  /** The user is an agent. */
  agent?: true | undefined;
  /** In ISO 8601. */
  time: string;
}

interface CallEntry extends Made {
  kind: "call";
  call: PatchCall;
  /** The id under which a page knows the call. */
  id?: string | undefined;
  /** The call is made once for a key. */
  key?: string | undefined;
}

export type Entry =
  /** The server has read the log and begins a new session, so that pages that saw lost entries ask for a snapshot. */
  | { kind: "session"; session: string; time: string }
  | CallEntry
  /** Shows an instance on all pages, or a block of it. */
  | ({ kind: "show"; name: string; block?: string | undefined } & Made)
  | ({ kind: "propose"; id: string; call: PatchCall } & Made)
  | ({ kind: "approve"; id: string; options: ApproveOptions } & Made)
  /** A file gets a text, or is deleted. */
  | ({ kind: "file"; path: string; text: string | null; key?: string | undefined } & Made)
  | ({ kind: "propose-file"; id: string; call: FileCall; after: string | null } & Made)
  /** A user's approval of a call on a file: the approved text, and the text that the file gets. */
  | ({ kind: "approve-file"; id: string; path: string; agreed: AgreedFile; options: FileApproval } & Made)
  | ({ kind: "flow"; flow: TaskFlow } & Made)
  /** An update of a node. `id` is that of its proposal, if it becomes one. */
  | ({ kind: "node"; id: string; args: Members; waits?: true; key?: string | undefined } & Made)
  | ({ kind: "approve-node"; id: string; options: ApproveNodeOptions } & Made)
  | ({ kind: "refuse"; id: string; reason?: string | undefined } & Made);

export function isCall(value: unknown): value is PatchCall {
  return isObject(value) && (isText(value.instance_name) || isText(value.instanceId));
}

const isUser = (value: unknown): value is User => isObject(value) && isText(value.id);

/** Whether the parts that an entry of its kind has are there. */
const PARTS: { readonly [kind in Entry["kind"]]: (entry: { [key: string]: unknown }) => boolean } = {
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

const isKind = (kind: unknown): kind is Entry["kind"] => isText(kind) && Object.hasOwn(PARTS, kind);

function isEntry(value: unknown): value is Entry {
  return isObject(value) && isKind(value.kind) && PARTS[value.kind](value);
}

/** An entry of the log; `undefined` for one that this version of the server does not know. */
export function readEntry(text: string): Entry | undefined {
  const value = parseJson(text);
  return isEntry(value) ? value : undefined;
}

/** The name of the instance that a call is about, in either dialect; `undefined` if it names none. */
export function targetOf(call: PatchCall): string | undefined {
  const {
    instance_name,
    instanceId,
    new_instance_name,
    newInstanceId,
    target_instance_name,
    targetInstanceId,
  }: { [key: string]: unknown } = { ...call };
  const about = instance_name ?? instanceId;
  const name =
    about === "__CREATE__"
      ? (new_instance_name ?? newInstanceId)
      : about === "__DELETE__"
        ? (target_instance_name ?? targetInstanceId)
        : about;
  return isText(name) ? name : undefined;
}

/** The author of an entry, as stores name authors. */
export function authorOf({ user: { id }, agent }: Made): Author {
  return { kind: agent ? "agent" : id === SERVER.id ? "server" : "user", id };
}

/** The application itself. */
export const SERVER: User = { id: "server" };

/** A call as a message for pages. */
export function callMessage(call: PatchCall): object {
  const about = "instance_name" in call ? call.instance_name : call.instanceId;
  if (about === "__CREATE__" || about === "__DELETE__") return call;
  return { type: "patch", instance_name: about, patch: call.patches ?? [] };
}
