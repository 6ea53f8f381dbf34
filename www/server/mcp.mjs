/** MCP: the tools of `agentTools` for any client, and the documents as resources. */
import { randomUUID } from "node:crypto";
import { agentTools } from "genui-patch";
import { documentResources, highlightTool } from "genui-patch/server";
import { ask, askedOf, DESK, deskFiles, deskFlow } from "./desk.mjs";

const INSTRUCTIONS = `Pages that a user has open in a browser: your changes appear there at once, and the user's input is in \
get_schema. Files are written and nodes changed after the user's approval: genui://proposals returns the decisions.`;

const refusal = {
  code: "INVALID_INSTANCE",
  message: `"${DESK}" is reserved for the user.`,
  solution: "Use another name.",
};
const NOT_FOR_AGENTS = { status: "error", result: { status: "error", error: refusal }, error: refusal };

/**
 * The calls of agents, as `answerMcp` takes them. None of them changes anything by itself: each comes out as an answer, or as
 * a proposal. A patch is then executed through the log; a file or a node waits for the user's approval.
 */
export class AgentDoor {
  #documents;
  #files;
  #flow;
  #agent;
  instructions = INSTRUCTIONS;

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
    const { templates, resources, read } = documentResources(documents.pages, () => askedOf(documents));
    this.templates = templates;
    this.resources = resources;
    this.read = async (uri) => {
      await documents.fresh();
      return read(uri);
    };
  }

  tools() {
    return [...this.#agent.definitions("mcp"), highlightTool];
  }

  async call({ name, arguments: args }) {
    await this.#documents.fresh();
    if (name === highlightTool.name) return this.#highlight(args ?? {});
    if (name === "updateNode") this.#flow.refresh();
    const sent = await this.#agent.execute({ name, arguments: args ?? {} });
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
}
