/** MCP over HTTP, without sessions: any server may answer any request. */
import type { ApprovalPolicy } from "../agent/types.js";
import { isObject, isText } from "../core/kinds.js";
import { version } from "../generated/facts.js";
import type { RoomCore } from "./room.js";
import { roomTools } from "./room-tools.js";
import type { Identity } from "./types.js";

const PROTOCOLS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const INSTANCES = "genui://instances/";
const PROPOSALS = "genui://proposals";
const JSON_TYPE = "application/json";
const MOST_AT_ONCE = 50;

const INSTRUCTIONS = `Pages that users have open: your changes appear there at once, and what they enter is in get_schema. A call \
whose result is pending waits for a user's approval: ${PROPOSALS} has the decisions.`;

/** Shows the user a block, and changes nothing. */
const HIGHLIGHT = {
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

/** The codes of JSON-RPC. */
const INVALID_REQUEST = -32600;
const NO_METHOD = -32601;
const INVALID_PARAMS = -32602;

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export interface McpContext {
  room: RoomCore;
  identity: Identity;
  policy: ApprovalPolicy | undefined;
  /** From the header `idempotency-key`. */
  key: string | undefined;
}

/** The answer to the body of a request; `undefined` for notifications, which have none. */
export async function answerMcp(body: unknown, context: McpContext): Promise<unknown> {
  if (!Array.isArray(body)) return answerOne(body, context);
  if (body.length === 0 || body.length > MOST_AT_ONCE)
    return failure(null, INVALID_REQUEST, `A batch has 1 to ${MOST_AT_ONCE} messages.`);
  const answers: unknown[] = [];
  for (const message of body) answers.push(await answerOne(message, context));
  const given = answers.filter((answer) => answer !== undefined);
  return given.length === 0 ? undefined : given;
}

const failure = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } });

async function answerOne(message: unknown, context: McpContext): Promise<unknown> {
  if (!isObject(message) || message.jsonrpc !== "2.0" || !isText(message.method)) {
    // The answer to a request, which this server never sends.
    if (isObject(message) && ("result" in message || "error" in message)) return undefined;
    return failure(
      null,
      INVALID_REQUEST,
      'Send a JSON-RPC 2.0 request: { "jsonrpc": "2.0", "id", "method", "params" }.',
    );
  }
  const { id, method, params } = message;
  if (id === undefined) return undefined;
  try {
    return { jsonrpc: "2.0", id, result: await call(method, isObject(params) ? params : {}, context) };
  } catch (cause) {
    if (cause instanceof RpcError) return failure(id, cause.code, cause.message);
    throw cause;
  }
}

type Params = { [key: string]: unknown };

async function call(method: string, params: Params, context: McpContext): Promise<object> {
  const { room, identity, policy } = context;
  switch (method) {
    case "initialize": {
      const { protocolVersion: asked } = params;
      return {
        protocolVersion: isText(asked) && PROTOCOLS.includes(asked) ? asked : PROTOCOLS[0],
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: "genui-patch", version },
        instructions: INSTRUCTIONS,
      };
    }
    case "ping":
      return {};
    case "tools/list": {
      const tools: object[] = roomTools(room, identity, policy).definitions("mcp");
      return { tools: identity.role === "viewer" ? tools : [...tools, HIGHLIGHT] };
    }
    case "tools/call":
      return callTool(params, context);
    case "resources/list":
      await room.fresh();
      return { resources: resourcesOf(room) };
    case "resources/templates/list":
      return { resourceTemplates: [{ uriTemplate: `${INSTANCES}{name}`, name: "instance", mimeType: JSON_TYPE }] };
    case "resources/read": {
      await room.fresh();
      const { uri } = params;
      const found = isText(uri) ? await read(room, uri) : undefined;
      if (found === undefined) throw new RpcError(INVALID_PARAMS, `There is no resource ${JSON.stringify(uri)}.`);
      return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(found) }] };
    }
    default:
      throw new RpcError(NO_METHOD, `There is no method ${JSON.stringify(method)}.`);
  }
}

async function callTool(params: Params, { room, identity, policy, key: header }: McpContext): Promise<object> {
  const { name, arguments: args = {}, _meta: meta } = params;
  if (!isText(name)) throw new RpcError(INVALID_PARAMS, "tools/call: the name must be a string.");
  await room.fresh();
  if (name === HIGHLIGHT.name && identity.role !== "viewer") return highlight(room, args, identity);
  const sent = isObject(meta) && isText(meta.idempotencyKey) ? meta.idempotencyKey : header;
  // Keys of different users never collide.
  const key = sent === undefined ? undefined : `${identity.user.id} ${sent}`;
  const tools = roomTools(room, identity, policy, key);
  return tools.reply(await tools.execute({ name, arguments: args }), "mcp");
}

async function highlight(room: RoomCore, args: unknown, { user }: Identity): Promise<object> {
  const { instance_name: name, block_id: block } = isObject(args) ? args : {};
  const result = await room.show(String(name ?? ""), String(block ?? ""), user);
  return {
    content: [{ type: "text", text: JSON.stringify(result) }],
    structuredContent: result,
    isError: result.status === "error",
  };
}

function resourcesOf(room: RoomCore): object[] {
  const instances = room.store.names().map((name) => ({
    uri: INSTANCES + encodeURIComponent(name),
    name,
    description: "The schema of an instance: its blocks, actions and state.",
    mimeType: JSON_TYPE,
  }));
  const description = "The proposals that wait for a user's approval, and the decisions on earlier ones.";
  return [...instances, { uri: PROPOSALS, name: "proposals", description, mimeType: JSON_TYPE }];
}

async function read(room: RoomCore, uri: string): Promise<unknown> {
  if (uri === PROPOSALS) return proposalsOf(room);
  if (!uri.startsWith(INSTANCES)) return undefined;
  try {
    return room.store.confirmed(decodeURIComponent(uri.slice(INSTANCES.length)));
  } catch {
    // No well-formed address, so no instance has it.
    return undefined;
  }
}

/** The proposals by id, for an agent: what became of its calls. */
async function proposalsOf(room: RoomCore): Promise<object> {
  const pairs = room
    .proposals()
    .map(async ({ id, status, target, proposed, approved, reason, outcome, by, settled }) => {
      const approval = await room.approval(id);
      const extent = outcome?.extent;
      const part = extent === undefined || extent === "all" ? undefined : approved;
      return [id, { status, target, call: proposed, by, reason, extent, approved: part, settled, approval }] as const;
    });
  return Object.fromEntries(await Promise.all(pairs));
}
