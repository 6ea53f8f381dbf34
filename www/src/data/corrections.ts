/** The recorded corrections of the bad blocks, by the block's path. */

const fenced = (call: object) => `\`\`\`json\n${JSON.stringify(call, null, 2)}\n\`\`\``;

export const recordedCorrections: Readonly<Record<string, string>> = {
  "src/empty.ts": fenced({ tool: "write_file", path: "src/empty.ts", content: "export {};\n" }),
  "src/app.ts": fenced({
    tool: "edit_file",
    path: "src/app.ts",
    search_replace: { old_string: "return null;", new_string: "return new Date().toISOString().slice(0, 10);" },
  }),
  // This model repeats its mistake: the block stays refused.
  "../../.ssh/authorized_keys": fenced({
    tool: "write_file",
    path: "~/.ssh/authorized_keys",
    content: "ssh-ed25519 AAAA…",
  }),
};
