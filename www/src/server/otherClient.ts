/** A simulated second user of the same instance, who makes one edit at a time. */
import type { Json, PatchCall } from "genui-patch";
import { listOf, objectOf, objectsOf, textOf, type ViewObject } from "../lib/view";
import { applyElsewhere, serverSnapshot } from "./link";

export const edits = [
  { id: "field", label: "Enters something" },
  { id: "add", label: "Adds a block" },
  { id: "remove", label: "Removes the last block" },
] as const;

export type Edit = (typeof edits)[number]["id"];

const words = ["Grace", "Lin", "Noor", "Otto", "Mika"];
let turn = 0;

/** Makes an edit. False if there is nothing to do it to. */
export function editElsewhere(name: string, edit: Edit): boolean {
  const document = objectOf(serverSnapshot(name));
  const patch = patches[edit](document, turn++);
  if (patch === undefined) return false;
  const call: PatchCall = { instance_name: name, patches: [patch] };
  return applyElsewhere(call).status === "success";
}

type Patch = NonNullable<PatchCall["patches"]>[number];

const patches: Record<Edit, (document: ViewObject, turn: number) => Patch | undefined> = {
  field(document, at) {
    const open = objectsOf(document.blocks).flatMap((block) =>
      objectsOf(objectOf(block.props).fields).flatMap((field) => {
        const path = `${textOf(block.bind) || "state.params"}[${JSON.stringify(textOf(field.key))}]`;
        const value = valueFor(field, at);
        return value === undefined ? [] : [{ op: "set", path, value } as const];
      }),
    );
    return open[at % Math.max(1, open.length)];
  },
  add(_, at) {
    const fields = [{ key: `note_${at}`, label: "Note", type: "text", value: words[at % words.length] }];
    const value = { id: `other_${at}`, type: "form", title: "From another client", props: { fields } };
    return { op: "add", path: "blocks+", value };
  },
  remove(document) {
    const id = objectOf(listOf(document.blocks).at(-1)).id;
    return typeof id === "string" ? { op: "remove", path: `blocks[${JSON.stringify(id)}]` } : undefined;
  },
};

function valueFor(field: ViewObject, at: number): Json | undefined {
  switch (field.type) {
    case "text":
    case "textarea":
      return words[at % words.length];
    case "number":
      return 1 + ((at * 7) % 40);
    case "checkbox":
      return at % 2 === 0;
    case "select":
    case "radio": {
      const options = objectsOf(field.options);
      return options[at % Math.max(1, options.length)]?.value as Json | undefined;
    }
    default:
      return undefined;
  }
}
