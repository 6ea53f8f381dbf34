/**
 * The desk: files that agents write through MCP, nodes of the task flow, and requests that wait for the user's approval. It is a document like the others, so
 * that open pages, the log and other servers have it by the same way; but agents have no tool that reaches it.
 */
import { readFileSync } from "node:fs";
import { FlowStore, Workspace } from "genui-patch";

const { taskFlow, nodeTypes } = JSON.parse(readFileSync(new URL("../src/data/taskFlow.json", import.meta.url), "utf8"));

export const DESK = "$desk";

/** Calls that wait at once, and settled ones that are still told of. */
const MOST_WAITING = 100;
const MOST_SETTLED = 100;

export const newDesk = () => ({
  state: { params: { files: {}, nodes: {}, asked: {} }, runtime: {} },
  blocks: [],
  actions: [],
});

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a document is a desk: any page may write to it, and the agents' door reads it. */
export function isDesk(document) {
  const { files, nodes, asked } = document?.state?.params ?? {};
  if (![files, nodes, asked].every(isObject)) return false;
  if (!Object.values(files).every((text) => typeof text === "string")) return false;
  return [...Object.values(nodes), ...Object.values(asked)].every(isObject);
}

/** Why a call that leaves no desk is refused. */
export const NO_DESK = {
  code: "INVALID_STRUCTURE",
  message: `"${DESK}" holds texts in state.params.files, and objects in state.params.nodes and state.params.asked.`,
  solution: "Set one file, one node or one call by its key.",
};

const paramsOf = (documents) => documents.desk.confirmed(DESK).state.params;

const inDesk = (kind, key) => `state.params.${kind}[${JSON.stringify(key)}]`;

/** The files, read-only: a page writes them after the user's approval. */
export function deskFiles(documents) {
  const refuse = () => {
    throw new Error("files are written by the page, after an approval");
  };
  const files = () => paramsOf(documents).files;
  return Workspace.custom({
    read: async (path) => (Object.hasOwn(files(), path) ? files()[path] : null),
    list: async () => Object.keys(files()),
    write: refuse,
    remove: refuse,
  });
}

/** The task flow, to be read; `refresh` takes what pages have written of its nodes since. */
export function deskFlow(documents) {
  const flow = new FlowStore({ nodeTypes });
  const refresh = () => {
    const { nodes: changed = {} } = paramsOf(documents);
    const nodes = taskFlow.nodes.map((node) => {
      const key = `${taskFlow.id}/${node.id}`;
      return Object.hasOwn(changed, key) ? { ...node, data: changed[key] } : node;
    });
    flow.load({ ...taskFlow, nodes });
  };
  refresh();
  return { flow, refresh };
}

/** The requests of agents, by id: `{ tool, args, status, at }`. */
export const askedOf = (documents) => paramsOf(documents).asked;

/** Adds a request. Every open page shows it as a proposal, and sets its `status` when the user decides. */
export async function ask(documents, id, { tool, args }) {
  const known = Object.entries(askedOf(documents));
  if (known.filter(([, { status }]) => status === "pending").length >= MOST_WAITING) {
    const message = `${MOST_WAITING} calls already wait for the user's approval.`;
    return { status: "error", error: { code: "LIMIT_EXCEEDED", message, solution: "Wait until some are settled." } };
  }
  const settled = known.filter(([, { status }]) => status !== "pending");
  const old = settled.slice(0, Math.max(0, settled.length - MOST_SETTLED));
  const patches = [
    { op: "set", path: inDesk("asked", id), value: { tool, args, status: "pending", at: new Date().toISOString() } },
    ...old.map(([key]) => ({ op: "remove", path: inDesk("asked", key) })),
  ];
  return documents.write({ instance_name: DESK, patches }, { id, by: "agent" });
}
