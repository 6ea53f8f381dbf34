/** The definitions of the three tools by which a model builds a surface, a UI as a list of components (GULF, seed 003). */
import type { Json } from "../types.js";
import { object, text } from "./format.js";
import type { ToolDefinition } from "./types.js";

export interface GulfComponent {
  id: string;
  /** Its share of the room in the component around it. */
  weight?: number;
  /** An object with one key, which is the type; the value has the properties. */
  componentProperties: { [type: string]: { [property: string]: Json } };
}

/** The arguments of the methods of a {@link GulfWriter}. */
export interface GulfInputs {
  componentUpdate: { components: readonly GulfComponent[] };
  dataModelUpdate: { path?: string; contents: Json };
  beginRendering: { root: string; styles?: { [name: string]: Json } };
}

const component = object(
  {
    id: text("Unique in the user interface; used again, it replaces the component."),
    weight: { type: "number", description: "The share of the space in a Row or Column." },
    componentProperties: {
      description:
        'An object with one key, the type of the component, and its properties as the value: {"Text": {"text": {"literalString": "Hello"}}}.',
    },
  },
  ["id", "componentProperties"],
);

/** The tools. {@link GulfWriter} executes their calls. */
export const gulfTools: readonly (ToolDefinition & { name: keyof GulfInputs })[] = [
  {
    name: "componentUpdate",
    description:
      "Defines or replaces components of the user interface. They are a flat list and name their children by id; parents and children may come in any order and in several calls.",
    input: object({ components: { type: "array", description: "The components.", items: component } }),
  },
  {
    name: "dataModelUpdate",
    description:
      "Sets the data that components are bound to: all, or what stands at a path. It replaces what was there, and does not merge.",
    input: object(
      {
        path: text("Where, such as user.name or /items/0; without it the whole model."),
        contents: { description: "The data: any JSON value." },
      },
      ["contents"],
    ),
  },
  {
    name: "beginRendering",
    description: "Shows the user interface. Call it once, after the first components.",
    input: object({ root: text("The id of the component that holds all others.") }),
  },
];
