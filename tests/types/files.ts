/** The types of workspaces and text diffs. */
import {
  applyHunks,
  type ExecutionResult,
  type FileErrorCode,
  type FilePreview,
  type Hunk,
  type ToolCall,
  textDiff,
  Workspace,
  type WorkspaceHost,
} from "genui-patch";

textDiff("a", "b", { by: "word", context: 0 }) satisfies Hunk[];
// @ts-expect-error
textDiff("a", "b", { by: "letter" });
applyHunks("a", "b", [0]) satisfies string;

const host: WorkspaceHost = {
  read: (path) => (path === "a" ? "text" : null),
  write: async () => {},
  remove: () => {},
  list: () => ["a"],
};
// @ts-expect-error
Workspace.custom({ read: host.read });
// @ts-expect-error
new Workspace();
Workspace.opfs("project") satisfies Promise<Workspace>;

export async function use(call: ToolCall): Promise<void> {
  const files = Workspace.memory({ a: "text" }, { policy: { roots: ["src"] } });
  const result: ExecutionResult = await files.execute(call);
  result.error?.code satisfies FileErrorCode | undefined;
  result.error?.nearest?.line satisfies number | undefined;
  (await files.preview(call)) satisfies FilePreview;
  const proposal = await files.propose(call);
  if (proposal.status === "error") throw new Error(proposal.error.message);
  proposal.diff satisfies Hunk[];
  await files.approve(proposal.id, { hunks: [0] });
  await files.approve(proposal.id, { edits: "text" });
  files.refuse(proposal.id, "no");
  // The page may build a call from parts.
  const made = await files.execute({ tool: "write_file", path: "a", content: "text" });
  made.call.id satisfies string;
  // @ts-expect-error
  await files.execute({ tool: "write_file", content: "text" });
  files.subscribe((event) => {
    if (event.type === "status") event.call.status satisfies ToolCall["status"];
    else event.proposal.effective satisfies string | null | undefined;
  });
  (await files.snapshot()) satisfies Record<string, string>;
  made.warnings?.[0]?.paths satisfies readonly string[] | undefined;
  files.proposals()[0]?.outcome?.applied satisfies readonly number[] | undefined;
  files.proposals()[0]?.action satisfies "created" | "deleted" | undefined;
  (await Workspace.restore(files.save(), { files })) satisfies Workspace;
  await Workspace.restore(files.save(), { policy: { roots: ["src"] } });
  // @ts-expect-error
  await Workspace.restore(files.save(), files);
}
