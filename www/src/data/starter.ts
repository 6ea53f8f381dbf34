/** The files that the workspace begins with: what the recorded answers speak of. */
export const starter: Readonly<Record<string, string>> = {
  "package.json": `{
  "name": "field-notes",
  "private": true,
  "scripts": {
    "start": "node src/start.ts"
  }
}
`,
  "src/start.ts": `import { readdir, readFile } from "node:fs/promises";

const folder = "entries";

/** Prints the entries, the newest first. */
export async function start() {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".md"));
  for (const name of names.sort().reverse()) {
    const text = await readFile(\`\${folder}/\${name}\`, "utf8");
    console.log(text.split("\\n")[0]);
  }
}

await start();
`,
  "src/app.tsx": `export function App({ t }: { t: (key: string) => string }) {
  return (
    <main>
      <h1>Tea notes</h1>
      <p>{t("hint")}</p>
    </main>
  );
}
`,
  "src/app.ts": `export function today(): string | null {
  return null;
}
`,
  "drafts/readme-old.md": `# Notes (old)

To be rewritten.
`,
};
