/** The MCP endpoint of a room: the tools of its documents, the documents, and the proposals. */
import type { ApprovalPolicy } from "../agent/types.js";
import { isObject, isText, isTexts } from "../core/kinds.js";
import type { Json } from "../types.js";
import { isCall } from "./entry.js";
import type { McpCall, McpResource, McpSource, McpText, McpTool } from "./mcp.js";
import { ask, resume, toolResult } from "./mcp-approval.js";
import { refused } from "./results.js";
import type { RoomCore } from "./room.js";
import { roomTools } from "./room-tools.js";
import type { Identity, McpOptions, McpSurface, RoomResult, User } from "./types.js";

/** The address of an instance, without its name. */
const INSTANCES = "genui://instances/";
/** The address of the proposals. */
const PROPOSALS = "genui://proposals";
const JSON_TYPE = "application/json";
const SURFACE_TYPE = "application/a2ui+json";

const INSTRUCTIONS = `Pages that users have open: your changes appear there at once, and what they enter is in get_schema. A call \
whose result is pending waits for a user's approval: ${PROPOSALS} has the decisions.`;

/** The tool that shows the user a block, and changes nothing. */
export const highlightTool: McpTool = {
  name: "highlight_block",
  description: "Shows the user a block of a page: it is highlighted for a moment. Nothing is changed.",
  inputSchema: {
    type: "object",
    properties: {
      instance_name: { type: "string", description: "The instance that the block is in." },
      block_id: { type: "string", description: "The block's id." },
    },
    required: ["instance_name", "block_id"],
    additionalProperties: false,
  },
};

/**
 * The documents of a server as resources, and its proposals, for an {@link McpSource}. `proposals` returns a value for JSON, or a
 * promise of it.
 */
export function documentResources(
  store: { names(): readonly string[]; confirmed(name: string): unknown },
  proposals: () => unknown,
): Required<Pick<McpSource, "templates">> & {
  resources(): readonly McpResource[];
  read(uri: string): Promise<McpText | undefined>;
} {
  const valueAt = (uri: string): unknown => {
    if (uri === PROPOSALS) return proposals();
    if (!uri.startsWith(INSTANCES)) return undefined;
    try {
      return store.confirmed(decodeURIComponent(uri.slice(INSTANCES.length)));
    } catch {
      // No well-formed address, so no instance has it.
      return undefined;
    }
  };
  return {
    templates: [{ uriTemplate: `${INSTANCES}{name}`, name: "instance", mimeType: JSON_TYPE }],
    resources: () => [
      ...store.names().map((name) => ({
        uri: INSTANCES + encodeURIComponent(name),
        name,
        description: "The schema of an instance: its blocks, actions and state.",
        mimeType: JSON_TYPE,
      })),
      {
        uri: PROPOSALS,
        name: "proposals",
        description: "The proposals that wait for a user's approval, and the decisions on earlier ones.",
        mimeType: JSON_TYPE,
      },
    ],
    async read(uri) {
      const value = await valueAt(uri);
      return value === undefined ? undefined : { mimeType: JSON_TYPE, text: JSON.stringify(value) };
    },
  };
}

/** What the endpoint of a room knows for one request. */
export interface McpContext {
  room: RoomCore;
  /** Who has sent the request. */
  identity: Identity;
  /** Which calls of an agent wait for an approval. Undefined: all that change something. */
  policy: ApprovalPolicy | undefined;
  /** From the header `idempotency-key`. */
  key: string | undefined;
  /** The user in whose name the client answers forms; null for a client whose answers settle nothing. */
  answersFor: User | null;
  /** Keys that sign the state of a form, which the client sends back. Undefined: a key of the process. */
  keys: readonly string[] | undefined;
  app: McpOptions["app"];
  /** The surfaces of the room, as this identity sees them. Undefined: none. */
  surfaces?: (() => readonly McpSurface[] | Promise<readonly McpSurface[]>) | undefined;
}

/** The tools and resources of a room, for one request. */
export function roomSource(context: McpContext): McpSource {
  const { room, identity, policy, app, answersFor, surfaces = () => [] } = context;
  const isViewer = identity.role === "viewer";
  const { templates, resources, read } = documentResources(room.store, () => proposalsOf(room));
  return {
    instructions: INSTRUCTIONS,
    templates,
    ...(app !== undefined && { extensions: { "io.modelcontextprotocol/ui": {} } }),
    tools() {
      const tools: McpTool[] = roomTools(room, identity, policy).definitions("mcp");
      if (isViewer) return tools;
      const editorTools = [...tools, highlightTool];
      if (app === undefined) return editorTools;
      const withPage = editorTools.map((tool) =>
        SHOWN_IN_APP.includes(tool.name) ? { ...tool, _meta: { ui: { resourceUri: APP } } } : tool,
      );
      // What the page in the host's frame calls is done in the name of `answersFor`.
      return answersFor === null ? withPage : [...withPage, ...USER_TOOLS];
    },
    // A viewer who calls a tool of editors gets a refusal with a solution, instead of an error of the protocol.
    hides: (name) =>
      name === highlightTool.name ||
      roomTools(room, { ...identity, role: "editor" })
        .definitions("mcp")
        .some((tool) => tool.name === name),
    call: (call) => callTool(call, context),
    async resources() {
      await room.readLatest();
      const page = app === undefined ? [] : [{ ...APP_RESOURCE, ...uiOf(app) }];
      const surfaceList = await surfaces();
      return [
        ...resources(),
        ...page,
        ...surfaceList.map(({ uri, name, description }) => ({ uri, name, description, mimeType: SURFACE_TYPE })),
      ];
    },
    async read(uri) {
      if (app !== undefined && uri === APP) {
        const text = isText(app.html) ? app.html : await app.html();
        return { mimeType: APP_RESOURCE.mimeType, text, meta: uiOf(app)._meta };
      }
      await room.readLatest();
      const document = await read(uri);
      if (document !== undefined) return document;
      const { messages } = (await surfaces()).find((surface) => surface.uri === uri) ?? {};
      if (messages === undefined) return undefined;
      const texts = messages.map((message) => (isText(message) ? message.trim() : JSON.stringify(message)));
      return { mimeType: SURFACE_TYPE, text: `[${texts.join(",")}]` };
    },
  };
}

/** The page for hosts of MCP Apps. */
const APP = "ui://genui-patch/page";
const APP_RESOURCE = { uri: APP, name: "page", mimeType: "text/html;profile=mcp-app" };
/** Tools beside whose calls hosts show the page. */
const SHOWN_IN_APP: readonly string[] = ["patch_ui_state", "access_instance"];

/** The `_meta` of the page, if the application gives its `ui`. */
const uiOf = ({ ui }: NonNullable<McpOptions["app"]>): { _meta?: object } =>
  ui === undefined ? {} : { _meta: { ui } };

/** A tool for the page in the host's frame, which hosts do not show the model. It works in the name of the client's user. */
const userTool = (name: string, description: string, properties: object, required: readonly string[]): McpTool => ({
  name,
  description,
  inputSchema: { type: "object", properties, required },
  _meta: { ui: { visibility: ["app"] } },
});

const USER_TOOLS: readonly McpTool[] = [
  userTool(
    "edit_as_user",
    "Makes a change that the user has made on the page.",
    { instance_name: { type: "string" } },
    ["instance_name"],
  ),
  userTool("open_proposals", "The proposals that wait for the user, with their changes.", {}, []),
  userTool(
    "settle_proposal",
    "Approves or refuses a proposal, as the user has decided on the page.",
    { proposal: { type: "string" }, decision: { type: "string", enum: ["approve", "refuse"] } },
    ["proposal", "decision"],
  ),
];

/** A call of the page in the host's frame, in the name of the client's user. */
async function callAsUser(
  { name, arguments: args }: McpCall,
  room: RoomCore,
  user: User,
): Promise<RoomResult | object> {
  const members = isObject(args) ? args : {};
  if (name === "open_proposals") return { status: "success", proposals: room.proposals.openProposals() };
  if (name === "edit_as_user")
    return isCall(members)
      ? room.calls.write(members, { user })
      : refused("INVALID_ARGUMENT", "The call names no instance.", "Send a patch call.");
  const { proposal, decision, reason, paths, edits } = members;
  const id = String(proposal ?? "");
  if (decision === "refuse") return room.calls.refuse(id, isText(reason) ? reason : undefined, user);
  if (decision !== "approve")
    return refused("INVALID_ARGUMENT", "The decision is neither approve nor refuse.", "Send one of them.");
  if ((paths !== undefined && !isTexts(paths)) || (edits !== undefined && !isObject<Json>(edits)))
    return refused("INVALID_ARGUMENT", "paths must be a list of strings, and edits an object.", "Send those.");
  return room.calls.approve(id, { ...(paths !== undefined && { paths }), ...(edits !== undefined && { edits }) }, user);
}

/**
 * The result of `tools/call`. A call with a `requestState` is one that was sent again with the answer to a form. Other calls are
 * those of the page in the host's frame, `highlight_block`, and the tools of the room; of these, one that has become a proposal
 * is answered with a form if the client shows forms.
 */
async function callTool(call: McpCall, context: McpContext): Promise<object> {
  const { room, identity, policy, key: headerKey } = context;
  const { name, arguments: args, meta, requestState } = call;
  await room.readLatest();
  if (requestState !== undefined) return resume(call, context);
  const { answersFor, app } = context;
  if (answersFor !== null && app !== undefined && USER_TOOLS.some((tool) => tool.name === name))
    return toolResult(await callAsUser(call, room, answersFor));
  if (name === highlightTool.name && identity.role !== "viewer") return highlight(room, args, identity);
  const clientKey = isText(meta.idempotencyKey) ? meta.idempotencyKey : headerKey;
  // Keys of different users never collide. An id may have blanks, so it is quoted.
  const key = clientKey === undefined ? undefined : `${JSON.stringify(identity.user.id)} ${clientKey}`;
  const tools = roomTools(room, identity, policy, key);
  const result = await tools.execute({ name, arguments: args });
  return (await ask(result, call, context)) ?? tools.reply(result, "mcp");
}

/** The result of `highlight_block`. */
async function highlight(room: RoomCore, args: unknown, { user }: Identity): Promise<object> {
  const { instance_name: name, block_id: block } = isObject(args) ? args : {};
  const result = await room.calls.show({ name: String(name ?? ""), block: String(block ?? "") }, user);
  return toolResult(result);
}

/** The proposals by id, for an agent to read what became of its calls. `approved`: only if it differs from the call. */
async function proposalsOf(room: RoomCore): Promise<object> {
  const pairs = room.proposals
    .all()
    .map(async ({ id, status, target, proposed, approved, reason, outcome, by, settled }) => {
      const approval = await room.proposals.approval(id);
      const extent = outcome?.extent;
      const part = extent === undefined || extent === "all" ? undefined : approved;
      return [id, { status, target, call: proposed, by, reason, extent, approved: part, settled, approval }] as const;
    });
  return Object.fromEntries(await Promise.all(pairs));
}
