/**
 * The declarations that listings assume: by page and number for Markdown (the first listing of a page is 1), by file of
 * src/js and number for TSDoc. `modules` are modules that only listings import and that have no types here.
 */
const store = 'declare const store: import("genui-patch").PatchStore;';
const agent = 'declare const agent: import("genui-patch").AgentTools;';
const flow = 'declare const flow: import("genui-patch").FlowStore;';
const answer = " declare const answer: string;";
const surfaces = 'declare const surfaces: import("genui-patch").SurfaceStream;';
const body = "declare const body: ReadableStream<Uint8Array>;";
const show = 'declare const show: (event: import("genui-patch").ToolBlockEvent) => void;';
const block = "declare const block: string;";
const generate = 'declare const generate: import("genui-patch").Generate;';
const model = "declare const model: string;";
const catalog = "declare const catalog: object;";
const ids = "declare const id: string;";
const sessions = 'declare const sessionOf: (cookie: string | null) => import("genui-patch/server").Identity | null;';
const component = (name) => `declare const ${name}: (props: any) => import("react").ReactNode;`;

export const contexts = {
  "agent 3": "declare const generate: (messages: object[]) => Promise<string>;",
  "correction 1": generate,
  "correction 2": model,
  "correction 3": `${model} declare const endpoint: string, key: string;`,
  "correction 4": body + generate,
  "store 6": store + component("Block"),
  "mcp 2":
    'type Answers = import("genui-patch/server").Identity; declare const sessionOf: (headers: Headers) => Answers; declare const signingKey: string; declare const isDesktop: (headers: Headers) => boolean; declare const personOf: (identity: Answers) => import("genui-patch/server").User;',
  "mcp 4":
    'import type { Identity, McpOptions } from "genui-patch/server"; declare const sessionOf: (headers: Headers) => Identity; declare const styles: string, script: string; declare const answersFor: NonNullable<McpOptions["answersFor"]>;',
  "mcp 5": 'declare const sessionOf: (headers: Headers) => import("genui-patch/server").Identity;',
  "server 1": `${sessions} declare const mayEnter: (user: string, room: string) => boolean;`,
  "server 3": `declare const process: { env: { [name: string]: string | undefined } }; interface Known { id: string; name: string; role: "editor" | "viewer" } declare function checkPassword(form: unknown): Promise<Known | null>;`,
  "integrations 2": model,
  "integrations 10": 'declare const adapter: import("@tanstack/ai").AnyTextAdapter;',
  "integrations 3": `${model} declare const secret: string;`,
  "surfaces 4": surfaces,
  "surfaces 5": "declare const checkWithLimits: (value: unknown, pattern: unknown) => boolean;",
  "surfaces 6": `declare const COMPONENTS: Record<string, (props: any) => import("react").ReactNode>;${component("Placeholder")}`,
  "surfaces 11": model,
  "surfaces 12": `${model} declare const ai: { generateStream(o: object): any; dynamicTool(o: object, run: (input: unknown) => unknown): object };`,
  "tools 6": `declare const stream: AsyncIterable<object>;${show}`,
  "workspace 1": block,
  "workspace 2":
    'declare const files: import("genui-patch").Workspace; declare const call: import("genui-patch").ToolCall;',
  "workspace 4": 'declare const files: import("genui-patch").Workspace;',
  "workspace 5": "declare const root: string;",
  "agent/run/index.ts 1": `${agent} declare const show: (text: string) => void;`,
  "testing/index.ts 1": agent,
  "agent/own/define.ts 1": `${store} declare const contacts: { name: string }[];`,
  "agent/index.ts 1": `${store} declare const files: import("genui-patch").Workspace; declare const chunk: string, messages: object[];`,
  "approval/state.ts 1": `${store} declare const call: import("genui-patch").PatchCall;`,
  "blocks/stream.ts 2": body + show,
  "blocks/stream.ts 3": "declare const part: { toolCallId: string };",
  "document/page-prompt.ts 1": store,
  "agent/mcp-app.ts 1": `${store} declare const show: (name: string) => void;`,
  "agent/web-tools.ts 1": store,
  "server/mcp.ts 1": 'declare const source: import("genui-patch/server").McpSource; declare const request: Request;',
  "server/approval.ts 1": `declare const room: import("genui-patch/server").Room; declare const call: import("genui-patch").PatchCall; ${ids} declare const key: string, revision: number;`,
  "connection/connect.ts 1": store,
  "blocks/correction/correct.ts 1": `${block + model} import { generateText } from "ai";`,
  "blocks/correction/prompt.ts 1": block,
  "blocks/correction/transform.ts 1": body + generate + show,
  "blocks/native/index.ts 1": `declare const anthropic: any, request: unknown;${show}`,
  "react/hooks.ts 1": 'declare const agent: import("genui-patch").AgentTools;',
  "react/hooks.ts 6": store,
  "react/hooks.ts 7": store,
  "react/hooks.ts 8": `${store} type Page = { blocks: { id: string }[] };`,
  "react/hooks.ts 2": store,
  "react/hooks.ts 3": flow + ids + component("Review"),
  "react/hooks.ts 4": `${store + flow} declare const files: import("genui-patch").Workspace;`,
  "react/hooks.ts 5": surfaces + component("Node"),
  "react/use-tool-blocks.ts 1": `${body} import { useMemo } from "react";`,
  "store.ts 2": store,
  "store.ts 3": store,
  "store.ts 4": store,
  "store.ts 5": store,
  "store.ts 6": store,
  "store.ts 7": store,
  "store.ts 8": store,
  "flow/flow-store.ts 2": flow,
  "a2ui/catalog.ts 1": catalog,
  "a2ui/correct.ts 1": catalog + answer,
  "a2ui/correct.ts 2": catalog + answer,
  "a2ui/correct.ts 3": `${catalog}${answer} declare const generate: import("genui-patch").Generate;`,
  "a2ui/prompt.ts 1": catalog,
  "a2ui/writer.ts 1": catalog,
  "gulf/flow.ts 1": `${catalog} declare const conversation: unknown[]; declare const runModel: (...all: any[]) => any;`,
  "gulf/prompt.ts 1": catalog,
  "surface/stream.ts 1": body,
  "ai-sdk/chat.ts 1": 'declare const chat: import("genui-patch/ai-sdk").ChatToAnswer;',
  "ai-sdk/tools.ts 1": `${store + agent + model} import { type ModelMessage, streamText } from "ai"; declare const messages: ModelMessage[];`,
  "ag-ui/thread.ts 1": `${store + agent} import { HttpAgent } from "@ag-ui/client"; declare const backend: HttpAgent;`,
  "ag-ui/interrupts.ts 1": `${agent} declare const results: import("genui-patch").AgentResult[]; declare const send: (event: object) => void, threadId: string, runId: string;`,
  "ag-ui/interrupts.ts 2": `${store + agent} declare const input: { resume?: import("genui-patch/ag-ui").ResumeEntry[] };`,
  "files/workspace.ts 2": 'declare const files: import("genui-patch").Workspace; declare const saved: string;',
  "files/workspace.ts 3": 'declare const files: import("genui-patch").Workspace;',
  "files/workspace.ts 1": 'declare const call: import("genui-patch").ToolCall;',
};

export const modules = `
declare module "*/agent" {
  export const agent: import("genui-patch").AgentTools, store: import("genui-patch").PatchStore, files: import("genui-patch").Workspace;
}
declare module "*/model" {
  export const send: import("genui-patch").SendMessages;
}
declare module "*/Chat" {
  export const Chat: () => import("react").ReactNode;
}
declare module "*.css";
declare module "react-dom/client" {
  export function createRoot(container: Element): { render(node: import("react").ReactNode): void };
}
declare module "@copilotkit/react-core/v2" {
  interface Tool {
    name: string;
    description?: string;
    parameters?: { "~standard": { version: 1; vendor: string; validate(value: unknown): { value: object }; jsonSchema: object } };
    handler(args: object, context: { toolCall: { id: string; type: "function"; function: { name: string; arguments: string } }; signal?: AbortSignal }): Promise<unknown>;
  }
  export function useFrontendTools(tools: readonly Tool[]): void;
  export function useAgentContext(context: { description: string; value: string }): void;
}
declare module "node:fs/promises" {
  type Of<Value> = (...all: [path: string, ...rest: unknown[]]) => Promise<Value>;
  interface Entry { name: string; parentPath: string; isFile(): boolean }
  export const readdir: Of<Entry[]>;
  export const readFile: Of<string>, realpath: Of<string>, readlink: Of<string>;
  export const mkdir: Of<void>, writeFile: Of<void>, rename: Of<void>, unlink: Of<void>;
}
declare module "node:path" {
  export function join(...parts: string[]): string;
  export function resolve(...parts: string[]): string;
  export function dirname(path: string): string;
  export function relative(from: string, to: string): string;
}
declare module "react-markdown" { export default function Markdown(props: any): import("react").ReactNode; }
declare module "ws" {
  export class WebSocketServer {
    constructor(options: { noServer: boolean });
    handleUpgrade(request: object, socket: object, head: object, done: (page: import("genui-patch/server").ServerSocket) => void): void;
  }
}
declare module "node:http" {
  export function createServer(listener: (request: any, response: any) => unknown): {
    on(event: "upgrade", listener: (request: any, socket: any, head: any) => void): unknown;
    listen(port: number): { on(event: "upgrade", listener: (request: any, socket: any, head: any) => void): unknown };
  };
}
declare module "express" {
  interface Request { body: unknown; session: { user?: unknown; regenerate(done: () => void): void } }
  interface Response { sendStatus(status: number): Response }
  type Handler = (request: any, response: any, next: () => void) => unknown;
  interface App { (request: any, response: any): void; use(...handlers: Handler[]): App; post(path: string, parse: Handler, handler: (request: Request, response: Response) => unknown): App }
  function express(): App;
  namespace express { function json(): Handler }
  export default express;
}
declare module "express-session" {
  export default function session(options: { secret: string; resave: boolean; saveUninitialized: boolean; cookie: { sameSite: "lax" } }): (request: any, response: any, next: () => void) => void;
}
declare module "markdown-it" { export default class { render(text: string): string; utils: { escapeHtml(text: string): string } } }
`;
