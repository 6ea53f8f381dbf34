/**
 * What agents ask for by way of the backend: files to be written. Each open page makes a proposal of it, and says on the desk,
 * a document as the others, what the person has decided. The files stand there too.
 */
import { type FileProposal, formatPath, type Json, type PatchOperation, Workspace } from "genui-patch";
import { store } from "../instance/store";
import { objectOf, textOf } from "../lib/view";
import { log } from "../log/log";

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
  let seen: unknown;

  function read(): void {
    const now = objectOf(params().asked);
    if (params().files !== seen) {
      seen = params().files;
      changed();
    }
    for (const [id, call] of Object.entries(now)) {
      const { tool, args, status } = objectOf(call);
      const proposal = made.get(id);
      if (status === "pending" && !made.has(id)) void propose(id, textOf(tool), objectOf(args) as never);
      else if (status !== "pending" && proposal !== undefined && isOpen(proposal))
        void files.refuse(proposal, "settled on another page");
    }
  }

  async function propose(id: string, tool: string, args: { path: string; content?: string }): Promise<void> {
    made.set(id, undefined);
    const proposal = await files.propose({ tool, ...args });
    if ("error" in proposal) return settle(id, "refused", `${proposal.error?.code}: ${proposal.error?.message}`);
    made.set(id, proposal.id);
  }

  function settle(id: string, status: string, reason?: Json): void {
    change(
      { op: "set", path: place("asked", id, "status"), value: status },
      ...(reason === undefined ? [] : [{ op: "set" as const, path: place("asked", id, "reason"), value: reason }]),
    );
  }

  const find = (proposal: string) => proposals().find((one) => one.id === proposal);
  const isOpen = (proposal: string) => ["pending", "stale"].includes(find(proposal)?.status ?? "");

  const ends = [
    store.subscribe(read, { instance: DESK }),
    files.subscribe((event) => {
      if (event.type !== "proposal") return;
      const { id, status, reason } = event.proposal;
      const asked = [...made].find(([, proposal]) => proposal === id)?.[0];
      const isWaiting = asked !== undefined && objectOf(objectOf(params().asked)[asked]).status === "pending";
      if (isWaiting && (status === "approved" || status === "refused")) settle(asked, status, reason);
    }),
  ];
  read();
  return () => {
    for (const end of ends) end();
  };
}
