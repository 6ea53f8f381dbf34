/**
 * Requests of agents through the backend: files to write, nodes to change. Each open page turns them into proposals and
 * records the user's decisions in the desk, a shared document, which also contains the files and the nodes.
 */
import { type FileProposal, formatPath, type Json, type PatchOperation, Workspace } from "genui-patch";
import { taskFlow } from "../data/taskFlow";
import { store } from "../instance/store";
import { objectOf, textOf, type ViewObject } from "../lib/view";
import { log } from "../log/log";
import { carryOut } from "../proposal/effects";
import { flow } from "../proposal/flow";
import { SETTLED_ELSEWHERE } from "../proposal/reasons";

const DESK = "$desk";

const params = () => objectOf(objectOf(objectOf(store.snapshot(DESK)).state).params);
const place = (kind: string, ...keys: string[]) =>
  formatPath(["state", "params", kind, ...keys].map((key) => ({ key })));

function change(...patches: PatchOperation[]): void {
  const result = store.applyOptimistic({ instance_name: DESK, patches });
  if (result.status === "error") log("files", result.error.code, result.error.message, { tone: "bad" });
}

/** The files of the backend: the same on every open page. */
export const sharedFiles = () =>
  Workspace.custom({
    read: async (path) => {
      const files = objectOf(params().files);
      return Object.hasOwn(files, path) ? textOf(files[path]) : null;
    },
    list: async () => Object.keys(objectOf(params().files)),
    write: async (path, content) => change({ op: "set", path: place("files", path), value: content }),
    remove: async (path) => change({ op: "remove", path: place("files", path) }),
  });

/** Makes proposals of what is asked for, and settles what is decided, here or on another page. */
export function followDesk(
  files: Workspace,
  proposals: () => readonly FileProposal[],
  changed: () => void,
): () => void {
  /** The proposal of each call, by its id on the desk; undefined while it is being made. */
  const made = new Map<string, string | undefined>();
  /** Whether the requests from before this page was opened have been loaded. */
  let isOpened = false;
  let seenFiles: unknown;
  let seenNodes: unknown;

  function read(): void {
    const { asked, files: now, nodes } = params();
    if (now !== seenFiles) {
      seenFiles = now;
      changed();
    }
    if (nodes !== seenNodes) {
      seenNodes = nodes;
      loadNodes(objectOf(nodes));
    }
    for (const [id, call] of Object.entries(objectOf(asked))) {
      const { tool, args, status } = objectOf(call);
      const proposal = made.get(id);
      if (status === "pending" && !made.has(id)) void propose(id, textOf(tool), objectOf(args) as never);
      else if (status !== "pending" && proposal !== undefined && isOpen(find(proposal)?.status))
        void withdraw(proposal, SETTLED_ELSEWHERE);
    }
    isOpened = store.names().includes(DESK);
  }

  async function propose(id: string, tool: string, args: { path: string; content?: string }): Promise<void> {
    made.set(id, undefined);
    const proposal = tool === "updateNode" ? proposeNode(args, isOpened) : await files.propose({ tool, ...args });
    if (!("id" in proposal)) {
      const { code, message } = proposal.error ?? {};
      return change(...settled(id, "refused", `${code}: ${message}`));
    }
    made.set(id, proposal.id);
    // Another page may have settled it meanwhile.
    if (!isWaiting(id)) await withdraw(proposal.id, SETTLED_ELSEWHERE);
  }

  async function withdraw(proposal: string, reason: string): Promise<void> {
    if (flow.proposals().some(({ id }) => id === proposal)) carryOut(flow.refuse(proposal, reason));
    else await files.refuse(proposal, reason);
  }

  /** Records a decision on a proposal; several calls may have asked for the same change. */
  function settle(proposal: string): void {
    const { status, reason } = find(proposal) ?? {};
    if (status !== "approved" && status !== "refused") return;
    const waiting = [...made].filter(([id, one]) => one === proposal && isWaiting(id));
    const patches = waiting.flatMap(([id]) => settled(id, status, reason));
    if (patches.length > 0) change(...patches);
  }

  /** The nodes of an event that differ from those on the desk. */
  function newNodes(taskId: string, nodeIds: readonly string[]): PatchOperation[] {
    return nodeIds.flatMap((nodeId) => {
      const key = `${taskId}/${nodeId}`;
      const value = flow.node(taskId, nodeId)?.data as Json;
      const isKnown = JSON.stringify(objectOf(params().nodes)[key] ?? firstOf(nodeId)) === JSON.stringify(value);
      return isKnown ? [] : [{ op: "set" as const, path: place("nodes", key), value }];
    });
  }

  const isWaiting = (id: string) => objectOf(objectOf(params().asked)[id]).status === "pending";
  const find = (proposal: string) => [...proposals(), ...flow.proposals()].find(({ id }) => id === proposal);

  const ends = [
    store.subscribe(read, { instance: DESK }),
    files.subscribe((event) => {
      if (event.type === "proposal") settle(event.proposal.id);
    }),
    flow.subscribe(({ type, taskId, nodeIds, proposalId }) => {
      if (type === "proposal" && proposalId !== undefined) settle(proposalId);
      const patches = type === "update" ? newNodes(taskId, nodeIds) : [];
      if (patches.length > 0) change(...patches);
    }),
  ];
  read();
  return () => {
    for (const end of ends) end();
  };
}

const isOpen = (status: string | undefined) => status === "pending" || status === "stale";

/** An approval on another page wins over a refusal here. */
function settled(id: string, status: "approved" | "refused", reason?: Json): PatchOperation[] {
  const path = place("asked", id, "status");
  const own = status === "refused" ? { condition: `${path} == "pending"` } : {};
  const why = place("asked", id, "reason");
  return [
    ...(reason === undefined ? [] : [{ op: "set" as const, path: why, value: reason, ...own }]),
    { op: "set", path, value: status, ...own },
  ];
}

const firstOf = (nodeId: string) => taskFlow.nodes?.find(({ id }) => id === nodeId)?.data;

/** The nodes as the desk has them. */
function loadNodes(changed: ViewObject): void {
  const nodes = taskFlow.nodes.map((node) => {
    const data = changed[`${taskFlow.id}/${node.id}`];
    return data === undefined ? node : { ...node, data: data as never };
  });
  flow.load({ ...taskFlow, nodes });
}

/** `isNew`: the request arrives while the page is open. Older requests are not opened automatically. */
function proposeNode(
  args: object,
  isNew: boolean,
): { id: string } | { error: { code: string; message: string } | undefined } {
  const answer = flow.callTool("updateNode", { ...args, approvalStyle: "visual" });
  if (isNew) carryOut(answer);
  return "pending_confirmation" in answer ? { id: answer.pending_confirmation.proposalId } : { error: answer.error };
}
