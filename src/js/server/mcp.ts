/**
 * MCP over HTTP, without sessions: any server may answer any request. One endpoint answers both eras of the protocol: 2026-07-28,
 * whose requests carry their version and capabilities in `_meta` and headers, and the revisions with `initialize` before it.
 */
import { isObject, isText } from "../core/kinds.js";
import { version } from "../generated/facts.js";

/** The revisions that begin with `initialize`, the newest first. */
const LEGACY: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const MODERN = "2026-07-28";
const SUPPORTED: readonly string[] = [MODERN, ...LEGACY];
const MOST_AT_ONCE = 50;

const META = "io.modelcontextprotocol/";

/** The codes of JSON-RPC, and those that MCP adds. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const NO_METHOD = -32601;
const INVALID_PARAMS = -32602;
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

/** Milliseconds for which clients may keep what changes with the version of the server only. */
const MAX_AGE_STATIC = 3_600_000;
/** Milliseconds for which clients may keep lists of tools. */
const MAX_AGE_TOOLS = 60_000;

/** An error of the protocol. `status`: of the response since the revision 2026-07-28; before, errors have the status 200. */
class McpError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
    readonly status = 200,
  ) {
    super(message);
  }
}

export const invalidParams = (message: string, data?: object): Error => new McpError(INVALID_PARAMS, message, data);

/** A tool as `tools/list` has it. */
export interface McpTool {
  name: string;
  description?: string | undefined;
  inputSchema: object;
  _meta?: object | undefined;
}

/** A resource as `resources/list` has it. */
export interface McpResource {
  uri: string;
  name: string;
  description?: string | undefined;
  mimeType?: string | undefined;
  _meta?: object | undefined;
}

/** A call of a tool. */
export interface McpCall {
  name: string;
  arguments: unknown;
  /** `_meta` of the request. */
  meta: { readonly [key: string]: unknown };
  /** The capabilities of the client, if its revision sends them in each request. */
  capabilities: { readonly [capability: string]: unknown };
  /** The answers to the `inputRequests` of an earlier result, and its `requestState`. */
  inputResponses: unknown;
  requestState: unknown;
}

/** A text of a resource. `maxAge`: milliseconds for which clients may keep it, whoever reads it. Default: none may. */
export interface McpText {
  mimeType: string;
  text: string;
  meta?: object | undefined;
  maxAge?: number | undefined;
}

/** The tools and resources of an MCP endpoint. */
export interface McpSource {
  /** Default: genui-patch, and its version. */
  info?: { name: string; version: string } | undefined;
  /** How to use the tools, for the model. */
  instructions?: string | undefined;
  /** Extensions of the protocol, by name, with their settings. */
  extensions?: { readonly [name: string]: object } | undefined;
  tools(): readonly McpTool[];
  /** Whether there is a tool that `tools` does not list for this user: `call` says why not. Default: none. */
  hides?(name: string): boolean;
  /** The result of a call: `content`, `structuredContent` and `isError`, or `inputRequests` and `requestState`. */
  call(call: McpCall): Promise<object>;
  resources(): readonly McpResource[] | Promise<readonly McpResource[]>;
  templates?: readonly object[] | undefined;
  /** `undefined` for an address without a resource. */
  read(uri: string): Promise<McpText | undefined>;
}

/** The response to a request. Without a body it has none. */
export interface McpAnswer {
  status: number;
  body?: unknown;
}

type Members = { [key: string]: unknown };

/** A request, with the revision of the protocol that its client speaks. */
interface McpRequest {
  method: string;
  params: Members;
  meta: Members;
  isModern: boolean;
}

/**
 * Answers the body of a request to an MCP endpoint, given as parsed JSON (`undefined` for text that is not JSON). The caller has
 * checked who sends it, `Origin` and sizes.
 *
 * ```ts
 * const { status, body } = await answerMcp(source, await request.json(), request.headers);
 * return body === undefined ? new Response(null, { status }) : Response.json(body, { status });
 * ```
 */
export async function answerMcp(source: McpSource, body: unknown, headers: Headers): Promise<McpAnswer> {
  if (body === undefined) return { status: 400, body: failure(null, PARSE_ERROR, "The body is no JSON text.") };
  if (!Array.isArray(body)) return answerOne(source, body, headers);
  // Batches are part of the revision 2025-03-26.
  if (body.length === 0 || body.length > MOST_AT_ONCE)
    return { status: 400, body: failure(null, INVALID_REQUEST, `A batch has 1 to ${MOST_AT_ONCE} messages.`) };
  const answers: unknown[] = [];
  for (const message of body) {
    const { body: answer } = await answerOne(source, message, headers);
    if (answer !== undefined) answers.push(answer);
  }
  return answers.length === 0 ? { status: 202 } : { status: 200, body: answers };
}

function failure(id: unknown, code: number, message: string, data?: object): object {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
}

const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

async function answerOne(source: McpSource, message: unknown, headers: Headers): Promise<McpAnswer> {
  if (!isObject(message) || message.jsonrpc !== "2.0" || !isText(message.method)) {
    // An answer. This server sends no requests, so it is ignored.
    if (isObject(message) && ("result" in message || "error" in message)) return { status: 202 };
    const wanted = 'Send a JSON-RPC 2.0 request: { "jsonrpc": "2.0", "id", "method", "params" }.';
    return { status: 400, body: failure(null, INVALID_REQUEST, wanted) };
  }
  const { id, method } = message;
  if (id === undefined) return { status: 202 };
  if (!isText(id) && !Number.isSafeInteger(id))
    return { status: 400, body: failure(null, INVALID_REQUEST, "The id must be a string or an integer.") };
  const params = membersOf(message.params);
  const meta = membersOf(params._meta);
  const asked: McpRequest = { method, params, meta, isModern: isModern(method, meta, headers) };
  try {
    const refusal = asked.isModern ? refusalOf(asked, headers) : undefined;
    if (refusal !== undefined) throw refusal;
    const result = await call(source, asked);
    return { status: 200, body: { jsonrpc: "2.0", id, result } };
  } catch (cause) {
    if (!(cause instanceof McpError)) throw cause;
    const { code, message, data, status } = cause;
    return { status: asked.isModern ? status : 200, body: failure(id, code, message, data) };
  }
}

/**
 * Whether a request is one of the revision without `initialize`: it says so in `_meta` or in a header. A version that is not
 * known counts as one, so that its refusal names the versions that are.
 */
function isModern(method: string, meta: Members, headers: Headers): boolean {
  if (`${META}protocolVersion` in meta || method === "server/discover") return true;
  const version = headers.get("mcp-protocol-version");
  return method !== "initialize" && version !== null && !LEGACY.includes(version);
}

/** Requests whose header `Mcp-Name` repeats a parameter. */
const NAMED: { readonly [method: string]: string } = {
  "tools/call": "name",
  "resources/read": "uri",
  "prompts/get": "name",
};

/** Why a request of 2026-07-28 is refused before it is looked at: its headers and `_meta` are checked here. */
function refusalOf({ method, params, meta }: McpRequest, headers: Headers): McpError | undefined {
  const wanted = meta[`${META}protocolVersion`];
  if (!isText(wanted) || !isObject(meta[`${META}clientCapabilities`]))
    return new McpError(
      INVALID_PARAMS,
      `The request's _meta must have ${META}protocolVersion, a string, and ${META}clientCapabilities, an object.`,
      undefined,
      400,
    );
  const named = NAMED[method];
  const pairs: [string, unknown][] = [
    ["MCP-Protocol-Version", wanted],
    ["Mcp-Method", method],
    ...(named === undefined ? [] : [["Mcp-Name", params[named]] satisfies [string, unknown]]),
  ];
  for (const [name, value] of pairs) {
    const header = headers.get(name);
    const sent = header !== null && name === "Mcp-Name" ? decoded(header) : header;
    if (sent === value) continue;
    const said = header === null ? "is missing" : `is ${JSON.stringify(header)}`;
    const message = `Header mismatch: ${name} ${said}, and the body has ${JSON.stringify(value) ?? "nothing"}.`;
    return new McpError(HEADER_MISMATCH, message, undefined, 400);
  }
  if (wanted === MODERN) return undefined;
  const data = { supported: SUPPORTED, requested: wanted };
  return new McpError(UNSUPPORTED_VERSION, `Unsupported protocol version: ${wanted}`, data, 400);
}

/** The value of a header that may be in Base64; `undefined` for invalid Base64. */
function decoded(header: string): string | undefined {
  const [, coded] = /^=\?base64\?(.*)\?=$/.exec(header) ?? [];
  if (coded === undefined) return header;
  try {
    const bytes = Uint8Array.from(atob(coded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const nameAndVersion = { name: "genui-patch", version };

function capabilitiesOf({ extensions }: McpSource): object {
  return { tools: {}, resources: {}, ...(extensions !== undefined && { extensions }) };
}

async function call(source: McpSource, asked: McpRequest): Promise<object> {
  const result = await (asked.isModern ? callModern(source, asked) : callLegacy(source, asked));
  if (result === undefined)
    throw new McpError(NO_METHOD, `There is no method ${JSON.stringify(asked.method)}.`, undefined, 404);
  return result;
}

async function callLegacy(source: McpSource, asked: McpRequest): Promise<object | undefined> {
  const { method, params } = asked;
  if (method === "ping") return {};
  if (method !== "initialize") return (await answerTo(source, asked))?.result;
  const { protocolVersion: wanted } = params;
  return {
    protocolVersion: isText(wanted) && LEGACY.includes(wanted) ? wanted : LEGACY[0],
    capabilities: capabilitiesOf(source),
    serverInfo: source.info ?? nameAndVersion,
    ...(source.instructions !== undefined && { instructions: source.instructions }),
  };
}

async function callModern(source: McpSource, asked: McpRequest): Promise<object | undefined> {
  const { info = nameAndVersion, instructions } = source;
  const found =
    asked.method === "server/discover"
      ? {
          result: { supportedVersions: SUPPORTED, capabilities: capabilitiesOf(source), instructions },
          maxAge: MAX_AGE_STATIC,
          isPublic: true,
        }
      : await answerTo(source, asked);
  if (found === undefined) return undefined;
  const { result, maxAge, isPublic } = found;
  const isInterim = "inputRequests" in result || "requestState" in result;
  return {
    resultType: isInterim ? "input_required" : "complete",
    ...result,
    ...(maxAge !== undefined && { ttlMs: maxAge, cacheScope: isPublic ? "public" : "private" }),
    _meta: { ...("_meta" in result && isObject(result._meta) && result._meta), [`${META}serverInfo`]: info },
  };
}

/** A result, and for those that clients may keep how many milliseconds, and whether it is the same for all users. */
interface Found {
  result: object;
  maxAge?: number | undefined;
  isPublic?: boolean | undefined;
}

/** The methods that both eras have. */
async function answerTo(source: McpSource, { method, params, meta, isModern }: McpRequest): Promise<Found | undefined> {
  switch (method) {
    case "tools/list":
      return { result: { tools: source.tools() }, maxAge: MAX_AGE_TOOLS };
    case "tools/call": {
      const { name, arguments: args = {}, inputResponses, requestState } = params;
      const names = source.tools().map((tool) => tool.name);
      if (!isText(name)) throw invalidParams("tools/call: the name must be a string.", { tools: names });
      if (!names.includes(name) && !source.hides?.(name))
        throw invalidParams(`Unknown tool: ${name}`, { tools: names });
      const capabilities = isModern ? membersOf(meta[`${META}clientCapabilities`]) : {};
      return { result: await source.call({ name, arguments: args, meta, capabilities, inputResponses, requestState }) };
    }
    case "resources/list":
      return { result: { resources: await source.resources() }, maxAge: 0 };
    case "resources/templates/list":
      return { result: { resourceTemplates: source.templates ?? [] }, maxAge: MAX_AGE_STATIC, isPublic: true };
    case "resources/read": {
      const { uri } = params;
      const found = isText(uri) ? await source.read(uri) : undefined;
      if (found === undefined) throw invalidParams(`There is no resource ${JSON.stringify(uri)}.`, { uri });
      const { mimeType, text, meta: about, maxAge } = found;
      const contents = [{ uri, mimeType, text, ...(about !== undefined && { _meta: about }) }];
      return { result: { contents }, maxAge: maxAge ?? 0, isPublic: maxAge !== undefined };
    }
    default:
      return undefined;
  }
}
