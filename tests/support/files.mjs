/** Calls of the file tools. */
export const base = { id: "tool_1", args: {}, status: "detected" };
export const write = (path, content) => ({ ...base, tool: "write_file", path, content });
export const edit = (path, old_string, new_string) => ({
  ...base,
  tool: "edit_file",
  path,
  search_replace: { old_string, new_string },
});
export const remove = (path) => ({ ...base, tool: "delete_file", path });

/** A Node folder as the host of a workspace, as docs/workspace.md shows it. */
import * as fs from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";

export function nodeHost(root) {
  const at = (path) => join(root, path);
  return {
    read: (path) =>
      fs.readFile(at(path), "utf8").catch((error) => (error.code === "ENOENT" ? null : Promise.reject(error))),
    async write(path, content) {
      await fs.mkdir(dirname(at(path)), { recursive: true });
      // Writes a temporary file, then renames it: the write is atomic.
      const beside = `${at(path)}.${process.pid}.tmp`;
      await fs.writeFile(beside, content);
      await fs.rename(beside, at(path)).catch(async (error) => {
        await fs.rm(beside, { force: true });
        throw error;
      });
    },
    remove: (path) => fs.unlink(at(path)),
    async list(dir = "") {
      const entries = await fs.readdir(at(dir), { recursive: true, withFileTypes: true }).catch(() => []);
      const files = entries.filter((entry) => entry.isFile());
      return files.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
    },
    // A dangling link is not absent: writing would follow it.
    realpath: (path) =>
      fs.realpath(at(path)).catch(async (error) => {
        const target = await fs.readlink(at(path)).catch(() => Promise.reject(error));
        return resolve(dirname(at(path)), target);
      }),
  };
}
