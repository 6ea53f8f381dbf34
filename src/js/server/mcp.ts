/**
 * MCP over HTTP, without sessions: any server may answer any request. One endpoint answers both eras of the protocol: "modern" is
 * 2026-07-28, whose requests carry their version and capabilities in `_meta` and headers; "legacy" are the revisions before it,
 * whose clients begin with `initialize`.
 */
import { isObject, isText } from "../core/kinds.js";
import { version } from "../generated/facts.js";

/** The revisions that begin with `initialize`, the newest first. */
const LEGACY: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const MODERN = "2026-07-28";
const SUPPORTED: readonly string[] = [MODERN, ...LEGACY];
/** Messages in a batch. */
const MOST_IN_BATCH = 50;

/** The prefix of the protocol's own keys in `_meta`. */
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

/** An error of JSON-RPC. `status`: of the HTTP response to a modern request; responses to legacy requests have the status 200. */
class McpError extends Error {
  readonly data: object | undefined;
  readonly status: number;

  constructor(
    readonly code: number,
    message: string,
    { data, status = 200 }: { data?: object | undefined; status?: number } = {},
  ) {
    super(message);
    this.data = data;
    this.status = status;
  }
}

export const invalidParams = (message: string, data?: object): Error => new McpError(INVALID_PARAMS, message, { data });

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
  /** The capabilities of the client; empty for legacy clients, which do not send them in each request. */
  capabilities: { readonly [capability: string]: unknown };
  /** The answers to the `inputRequests` of an earlier result, as they were sent; `undefined` if none exist. */
  inputResponses: unknown;
  /** The `requestState` of that result, as it was sent; `undefined` for a first call. */
  requestState: unknown;
}

/** A text of a resource. `maxAge`: milliseconds for which clients may keep it, whoever reads it. Absent: no client may. */
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
  /** The templates of resources, as `resources/templates/list` has them. Default: none. */
  templates?: readonly object[] | undefined;
  /** `undefined` for an address without a resource. */
  read(uri: string): Promise<McpText | undefined>;
}

/** The response to a request. */
export interface McpAnswer {
  status: number;
  /** A value for JSON. Absent: the response has no body. */
  body?: unknown;
}

type Members = { [key: string]: unknown };

/** A request, and whether its client speaks the modern protocol. */
interface McpRequest {
  method: string;
  /** Empty if none exist. */
  params: Members;
  /** `_meta` of the parameters. Empty if none exists. */
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
  if (body.length === 0 || body.length > MOST_IN_BATCH)
    return { status: 400, body: failure(null, INVALID_REQUEST, `A batch has 1 to ${MOST_IN_BATCH} messages.`) };
  const answers: unknown[] = [];
  for (const message of body) {
    const { body: answer } = await answerOne(source, message, headers);
    if (answer !== undefined) answers.push(answer);
  }
  return answers.length === 0 ? { status: 202 } : { status: 200, body: answers };
}

/** A JSON-RPC message with an error. `id`: null if that of the request is unknown. */
function failure(id: unknown, code: number, message: string, data?: object): object {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
}

/** The value if it is an object, else an empty object. */
const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

/** Answers one message. A notification, or an answer to a request, has an answer without a body. */
async function answerOne(source: McpSource, message: unknown, headers: Headers): Promise<McpAnswer> {
  if (!isObject(message) || message.jsonrpc !== "2.0" || !isText(message.method)) {
    // An answer to a request is ignored: this server sends none.
    if (isObject(message) && ("result" in message || "error" in message)) return { status: 202 };
    const wanted = 'Send a JSON-RPC 2.0 request: { "jsonrpc": "2.0", "id", "method", "params" }.';
    return { status: 400, body: failure(null, INVALID_REQUEST, wanted) };
  }
  const { id, method } = message;
  // A notification: this server needs none of them.
  if (id === undefined) return { status: 202 };
  if (!isText(id) && !Number.isSafeInteger(id))
    return { status: 400, body: failure(null, INVALID_REQUEST, "The id must be a string or an integer.") };
  const params = membersOf(message.params);
  const meta = membersOf(params._meta);
  const request: McpRequest = { method, params, meta, isModern: isModern(method, meta, headers) };
  try {
    const refusal = request.isModern ? refusalOf(request, headers) : undefined;
    if (refusal !== undefined) throw refusal;
    const result = await resultOf(source, request);
    return { status: 200, body: { jsonrpc: "2.0", id, result } };
  } catch (cause) {
    if (!(cause instanceof McpError)) throw cause;
    const { code, message, data, status } = cause;
    return { status: request.isModern ? status : 200, body: failure(id, code, message, data) };
  }
}

/**
 * Whether a request is modern: it says so in `_meta` or in a header, or only the modern protocol has its method. A request with
 * an unknown version counts as modern, so that its refusal names the versions that the server knows.
 */
function isModern(method: string, meta: Members, headers: Headers): boolean {
  if (`${META}protocolVersion` in meta || method === "server/discover") return true;
  const headerVersion = headers.get("mcp-protocol-version");
  return method !== "initialize" && headerVersion !== null && !LEGACY.includes(headerVersion);
}

/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAME_PARAMETER: { readonly [method: string]: string } = {
  "tools/call": "name",
  "resources/read": "uri",
  "prompts/get": "name",
};

/**
 * The error of a modern request whose `_meta` is invalid, whose headers do not repeat what the body has, or whose version is
 * unknown; `undefined` for other requests.
 */
function refusalOf({ method, params, meta }: McpRequest, headers: Headers): McpError | undefined {
  const requestedVersion = meta[`${META}protocolVersion`];
  if (!isText(requestedVersion) || !isObject(meta[`${META}clientCapabilities`]))
    return new McpError(
      INVALID_PARAMS,
      `The request's _meta must have ${META}protocolVersion, a string, and ${META}clientCapabilities, an object.`,
      { status: 400 },
    );
  const nameParameter = NAME_PARAMETER[method];
  const expected: [header: string, value: unknown][] = [
    ["MCP-Protocol-Version", requestedVersion],
    ["Mcp-Method", method],
    ...(nameParameter === undefined ? [] : [["Mcp-Name", params[nameParameter]] satisfies [string, unknown]]),
  ];
  for (const [name, value] of expected) {
    const header = headers.get(name);
    const headerValue = header !== null && name === "Mcp-Name" ? decodeHeader(header) : header;
    if (headerValue === value) continue;
    const state = header === null ? "is missing" : `is ${JSON.stringify(header)}`;
    const message = `Header mismatch: ${name} ${state}, and the body has ${JSON.stringify(value) ?? "nothing"}.`;
    return new McpError(HEADER_MISMATCH, message, { status: 400 });
  }
  if (requestedVersion === MODERN) return undefined;
  const data = { supported: SUPPORTED, requested: requestedVersion };
  return new McpError(UNSUPPORTED_VERSION, `Unsupported protocol version: ${requestedVersion}`, { data, status: 400 });
}

/** The value of a header, which `=?base64?…?=` encloses if it is Base64 of UTF-8; `undefined` for invalid Base64. */
function decodeHeader(header: string): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(header) ?? [];
  if (base64 === undefined) return header;
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const DEFAULT_INFO = { name: "genui-patch", version };

function capabilitiesOf({ extensions }: McpSource): object {
  return { tools: {}, resources: {}, ...(extensions !== undefined && { extensions }) };
}

/** The result of a request. */
async function resultOf(source: McpSource, request: McpRequest): Promise<object> {
  const result = await (request.isModern ? modernResult(source, request) : legacyResult(source, request));
  if (result === undefined)
    throw new McpError(NO_METHOD, `There is no method ${JSON.stringify(request.method)}.`, { status: 404 });
  return result;
}

/** The result of a legacy request; `undefined` for an unknown method. */
async function legacyResult(source: McpSource, request: McpRequest): Promise<object | undefined> {
  const { method, params } = request;
  if (method === "ping") return {};
  if (method !== "initialize") return (await commonResult(source, request))?.result;
  const { protocolVersion: requestedVersion } = params;
  return {
    protocolVersion: isText(requestedVersion) && LEGACY.includes(requestedVersion) ? requestedVersion : LEGACY[0],
    capabilities: capabilitiesOf(source),
    serverInfo: source.info ?? DEFAULT_INFO,
    ...(source.instructions !== undefined && { instructions: source.instructions }),
  };
}

/** The result of a modern request, with what clients may cache; `undefined` for an unknown method. */
async function modernResult(source: McpSource, request: McpRequest): Promise<object | undefined> {
  const { info = DEFAULT_INFO, instructions } = source;
  const answer =
    request.method === "server/discover"
      ? {
          result: { supportedVersions: SUPPORTED, capabilities: capabilitiesOf(source), instructions },
          maxAge: MAX_AGE_STATIC,
          isPublic: true,
        }
      : await commonResult(source, request);
  if (answer === undefined) return undefined;
  const { result, maxAge, isPublic } = answer;
  // The client has to answer forms first, and then sends the call again.
  const isInterim = "inputRequests" in result || "requestState" in result;
  return {
    resultType: isInterim ? "input_required" : "complete",
    ...result,
    ...(maxAge !== undefined && { ttlMs: maxAge, cacheScope: isPublic ? "public" : "private" }),
    _meta: { ...("_meta" in result && isObject(result._meta) && result._meta), [`${META}serverInfo`]: info },
  };
}

/** A result, and whether clients may cache it. */
interface CacheableResult {
  result: object;
  /** Milliseconds for which clients may cache it. Absent: the result says nothing of caches. */
  maxAge?: number | undefined;
  /** The result is the same for all users. */
  isPublic?: boolean | undefined;
}

/** The result of a method that both eras have; `undefined` for another method. */
async function commonResult(
  source: McpSource,
  { method, params, meta, isModern }: McpRequest,
): Promise<CacheableResult | undefined> {
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
      const resource = isText(uri) ? await source.read(uri) : undefined;
      if (resource === undefined) throw invalidParams(`There is no resource ${JSON.stringify(uri)}.`, { uri });
      const { mimeType, text, meta: _meta, maxAge } = resource;
      const contents = [{ uri, mimeType, text, ...(_meta !== undefined && { _meta }) }];
      return { result: { contents }, maxAge: maxAge ?? 0, isPublic: maxAge !== undefined };
    }
    default:
      return undefined;
  }
}
