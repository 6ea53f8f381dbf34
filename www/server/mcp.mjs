/** MCP: the tools of `agentTools` for any client, and the documents as resources. */
import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { agentTools, version } from "genui-patch";
import { ask, askedOf, DESK, deskFiles, deskFlow } from "./desk.mjs";

const INSTANCES = "genui://instances/";
const PROPOSALS = "genui://proposals";

const INSTRUCTIONS = `Pages that a user has open in a browser: your changes appear there at once, and the user's input is in \
get_schema. Files are written and nodes changed after the user's approval: ${PROPOSALS} returns the decisions.`;

/** Beside the tools of the package: pages light up a block, and nothing changes. */
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

const refusal = {
  code: "INVALID_INSTANCE",
  message: `"${DESK}" is reserved for the user.`,
  solution: "Use another name.",
};
const NOT_FOR_AGENTS = { status: "error", result: { status: "error", error: refusal }, error: refusal };

/**
 * The calls of agents. None of them changes anything by itself: each comes out as an answer, or as a proposal. A patch is then
 * executed through the log; a file or a node waits for the user's approval.
 */
export class AgentDoor {
  #documents;
  #files;
  #flow;
  #agent;

  constructor(documents) {
    this.#documents = documents;
    this.#files = deskFiles(documents);
    this.#flow = deskFlow(documents);
    this.#agent = agentTools({
      store: documents.pages,
      files: this.#files,
      flow: this.#flow.flow,
      approve: "always",
    });
    this.tools = [...this.#agent.definitions("mcp"), HIGHLIGHT];
  }

  async call(name, args) {
    await this.#documents.fresh();
    if (name === HIGHLIGHT.name) return this.#highlight(args ?? {});
    if (name === "updateNode") this.#flow.refresh();
    const sent = await this.#agent.execute({ name, arguments: args ?? {} });
    if (sent.error?.code === "UNKNOWN_TOOL")
      sent.error.solution = `Use one of ${this.tools.map((tool) => tool.name).join(", ")}.`;
    return this.#agent.reply(await this.#settle(sent), "mcp");
  }

  async #settle(sent) {
    const id = `agent-${randomUUID()}`;
    if (sent.status === "success" && sent.tool === "access_instance") {
      await this.#documents.show(sent.result.instance_name, { id, by: "agent" });
      return sent;
    }
    if (sent.status !== "pending") return sent;
    const { kind, target, proposed, id: proposal } = sent.proposal;
    if (kind === "patch") {
      this.#documents.pages.refuse(proposal);
      if (target === DESK) return { ...sent, ...NOT_FOR_AGENTS };
      const result = await this.#documents.write(proposed, { id, by: "agent" });
      return { tool: sent.tool, status: result.status, result, ...(result.error && { error: result.error }) };
    }
    const asks = {
      file: () => this.#askFile(proposal, proposed),
      node: () => this.#askNode(proposal, target, proposed),
    };
    const { tool, args } = await asks[kind]();
    const asked = await ask(this.#documents, id, { tool, args });
    if (asked.status === "error") return { tool: sent.tool, status: "error", result: asked, error: asked.error };
    return { ...sent, result: { ...sent.result, proposal: id } };
  }

  async #askFile(proposal, { tool, args }) {
    await this.#files.refuse(proposal);
    return { tool, args };
  }

  #askNode(proposal, target, newData) {
    this.#flow.flow.refuse(proposal);
    const [taskId, nodeId] = target.split("/");
    return { tool: "updateNode", args: { taskId, nodeId, newData } };
  }

  /** Lights up a block on all pages. */
  async #highlight({ instance_name, block_id }) {
    const name = typeof instance_name === "string" ? instance_name : "";
    const blocks = this.#documents.pages.confirmed(name)?.blocks ?? [];
    const isThere = blocks.some((block) => block?.id === block_id);
    if (isThere) await this.#documents.show(instance_name, { id: `agent-${randomUUID()}`, by: "agent" }, block_id);
    const error = {
      code: "PATH_NOT_FOUND",
      message: `There is no block ${JSON.stringify(block_id)} in ${JSON.stringify(instance_name)}.`,
      solution: "get_schema tells the ids of the blocks.",
    };
    const answer = isThere ? { status: "success", instance_name, block_id } : { status: "error", error };
    return {
      content: [{ type: "text", text: JSON.stringify(answer) }],
      structuredContent: answer,
      isError: !isThere,
    };
  }

  /** A server for one connection. */
  serve() {
    const server = new Server(
      { name: "genui-patch", version },
      { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: this.tools }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => this.call(params.name, params.arguments));
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: this.#resources() }));
    server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
      resourceTemplates: [{ uriTemplate: `${INSTANCES}{name}`, name: "instance", mimeType: "application/json" }],
    }));
    server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
      await this.#documents.fresh();
      return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(this.#read(uri)) }] };
    });
    return server;
  }

  #resources() {
    const mimeType = "application/json";
    const instances = this.#documents.pages.names().map((name) => ({
      uri: INSTANCES + encodeURIComponent(name),
      name,
      description: "The schema of an instance: its blocks, actions and state.",
      mimeType,
    }));
    const description = "The proposals that wait for the user's approval, and the decisions on earlier ones.";
    return [...instances, { uri: PROPOSALS, name: "proposals", description, mimeType }];
  }

  #read(uri) {
    if (uri === PROPOSALS) return askedOf(this.#documents);
    let document;
    try {
      if (uri.startsWith(INSTANCES))
        document = this.#documents.pages.confirmed(decodeURIComponent(uri.slice(INSTANCES.length)));
    } catch {
      // No well-formed address, so no instance has it.
    }
    if (document === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no resource ${uri}.`);
    return document;
  }
}
