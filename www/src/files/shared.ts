/** The files of the backend's room: the same on every open page. */
import { Workspace } from "genui-patch";
import { callInRoom, contents } from "../server/live";

async function change(tool: string, args: object): Promise<void> {
  const result = await callInRoom(tool, args);
  if (result.status === "error") throw new Error(`${result.error.code}: ${result.error.message}`);
}

const files = () => contents.get()?.files ?? {};

export const sharedFiles = () =>
  Workspace.custom({
    read: async (path) => (Object.hasOwn(files(), path) ? (files()[path] ?? null) : null),
    list: async () => Object.keys(files()),
    write: (path, content) => change("write_file", { path, content }),
    remove: (path) => change("delete_file", { path }),
  });
