/** The page's workspace: kept by the browser where it can, else in memory. */
import { type FileProposal, GenuiPatchError, type ToolCall, Workspace, type WorkspaceEvent } from "genui-patch";
import { starter } from "../data/starter";
import { cell } from "../lib/cell";
import { log } from "../log/log";
import { RESET } from "../proposal/reasons";
import { contents, isLive } from "../server/live";
import { sharedFiles } from "./shared";

export interface FilesState {
  /** Where the files are; undefined until that is known. */
  place: "opfs" | "memory" | "backend" | undefined;
  /** Why they are only in memory. */
  why: string;
  paths: readonly string[];
  /** Changes with everything that is written. */
  version: number;
}

export const files = cell<FilesState>({ place: undefined, why: "", paths: [], version: 0 });

/** Proposals for files, the oldest first. */
export const fileProposals = cell<readonly FileProposal[]>([]);

/** The file that is looked at. */
export const chosenFile = cell<string | undefined>(undefined);

/** Whether the user is asked before anything is written. */
export const asking = cell(true);

/** A file that is there while the first ones are written. If the page is closed meanwhile, the next one writes them. */
const FILLING = ".filling";

let opened: Promise<Workspace> | undefined;

/** The workspace, opened when it is first asked for. */
export function workspace(): Promise<Workspace> {
  // Not at once: what is opened may ask for it meanwhile.
  opened ??= Promise.resolve().then(open);
  return opened;
}

async function open(): Promise<Workspace> {
  if (isLive) return openShared();
  const { made, why } = await choose();
  const paths = await made.list();
  if (paths.length === 0 || paths.includes(FILLING)) {
    await made.execute(writing(FILLING, ""));
    await fill(made);
    await made.execute(removing(FILLING));
  }
  made.subscribe(follow);
  files.set({ ...files.get(), place: why === "" ? "opfs" : "memory", why, paths: await pathsOf(made) });
  log("files", "open", why === "" ? "opfs" : "memory", { tone: why === "" ? "good" : "warn" });
  return made;
}

async function openShared(): Promise<Workspace> {
  const made = sharedFiles();
  made.subscribe(follow);
  let seen = contents.get()?.files;
  contents.subscribe(() => {
    const now = contents.get()?.files;
    if (now === seen) return;
    seen = now;
    void refresh();
  });
  files.set({ ...files.get(), place: "backend", paths: await pathsOf(made) });
  return made;
}

async function choose(): Promise<{ made: Workspace; why: string }> {
  try {
    return { made: await Workspace.opfs("genui-patch-demo"), why: "" };
  } catch (error) {
    if (!(error instanceof GenuiPatchError)) throw error;
    return { made: Workspace.memory(), why: error.message };
  }
}

async function fill(made: Workspace, folder = ""): Promise<void> {
  for (const [path, content] of Object.entries(starter)) await made.execute(writing(`${folder}${path}`, content));
}

/** The files of a folder as they were at the start; what waits for them is withdrawn. */
export async function fillFolder(folder: string): Promise<void> {
  await emptyFolder(folder);
  await fill(await workspace(), folder);
  await refresh();
}

/** Takes away the files of a folder, and what is proposed for them. */
export async function emptyFolder(folder: string): Promise<void> {
  const made = await workspace();
  for (const { id, status, target } of fileProposals.get())
    if (target.startsWith(folder) && (status === "pending" || status === "stale")) await made.refuse(id, RESET);
  fileProposals.set(fileProposals.get().filter(({ target }) => !target.startsWith(folder)));
  for (const path of await made.list()) if (path.startsWith(folder)) await made.execute(removing(path));
}

const removing = (path: string): ToolCall => ({
  id: "reset",
  tool: "delete_file",
  path,
  args: { path },
  status: "detected",
});

const writing = (path: string, content: string): ToolCall => ({
  id: `starter ${path}`,
  tool: "write_file",
  path,
  content,
  args: { path, content },
  status: "detected",
});

const pathsOf = async (made: Workspace) => [...(await made.list())].sort(byFolder);

/** Folders before files, each by name. */
function byFolder(a: string, b: string): number {
  const [inA, inB] = [a.includes("/"), b.includes("/")];
  return inA === inB ? a.localeCompare(b) : inA ? -1 : 1;
}

function follow(event: WorkspaceEvent): void {
  if (event.type === "proposal") {
    const { proposal } = event;
    log("files", "proposal", `${proposal.target} · ${proposal.status}`, { detail: proposal });
    const known = fileProposals.get();
    const isKnown = known.some(({ id }) => id === proposal.id);
    fileProposals.set(isKnown ? known.map((one) => (one.id === proposal.id ? proposal : one)) : [...known, proposal]);
    return;
  }
  const { call, result } = event;
  if (result === undefined || call.id.startsWith("starter ")) return;
  const failed = result.status === "failed";
  log(
    "files",
    failed ? "failed" : (result.action ?? call.status),
    `${call.path}${result.error ? ` · ${result.error.code}` : ""}`,
    {
      tone: failed ? "bad" : "good",
      detail: result,
    },
  );
  void refresh();
}

/** How many listings have been asked for, and which of them is shown. */
let listings = 0;
let shownListing = 0;

/** Lists the files again. Listings may come out of order: one that was asked for before the one that is shown says nothing new. */
async function refresh(): Promise<void> {
  const made = await workspace();
  listings += 1;
  const listing = listings;
  const paths = await pathsOf(made);
  if (listing < shownListing) return;
  shownListing = listing;
  files.set({ ...files.get(), paths, version: files.get().version + 1 });
}

/** All files as they were at the start. */
export const resetFiles = (): Promise<void> => fillFolder("");
