/** `RemoteContents`: the files and task flows of a room on the server, as a page sees them. */
import { isObject, isText, mapMembers } from "../core/kinds.js";
import type { TaskFlow } from "../flow/types.js";
import type { ServerMessage } from "../types.js";

const isFlow = (value: unknown): value is TaskFlow => isObject(value) && isText(value.id) && Array.isArray(value.nodes);

export class RemoteContents {
  files: { readonly [path: string]: string } = Object.freeze({});
  flows: readonly TaskFlow[] = Object.freeze([]);

  /** Applies a message about a file or a flow; returns false for any other. A message without `text` deletes the file. */
  receive({ type, path, text, flow }: ServerMessage): boolean {
    if (type === "file" && isText(path)) {
      // A changed file keeps its position: the order is that of creation, as on the server, so that all pages list them alike.
      const { [path]: _, ...others } = this.files;
      this.files = Object.freeze(isText(text) ? { ...this.files, [path]: text } : others);
    } else if (type === "flow" && isFlow(flow)) {
      const isNew = !this.flows.some(({ id }) => id === flow.id);
      this.flows = Object.freeze(
        isNew ? [...this.flows, flow] : this.flows.map((known) => (known.id === flow.id ? flow : known)),
      );
    } else return false;
    return true;
  }

  /** Replaces all files and flows by those of a snapshot. Returns false for a room that has none. */
  reset({ files, flows }: ServerMessage): boolean {
    if (files === undefined && flows === undefined) return false;
    this.files = Object.freeze(mapMembers(isObject(files) ? files : {}, String));
    this.flows = Object.freeze(Array.isArray(flows) ? flows.filter(isFlow) : []);
    return true;
  }
}
