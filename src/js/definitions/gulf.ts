/** The three tools by which a model builds a surface (seed 003), as it reads them. */
import type { ToolDefinition } from "./format.js";

/** The tools. What they write is in {@link GulfWriter}. */
export const gulfTools: readonly ToolDefinition[] = [
  {
    name: "componentUpdate",
    description:
      "Defines components of the user interface, or defines them anew. They come as a flat list and name their children by id; parents and children may come in any order and in several calls.",
    input: {
      type: "object",
      properties: {
        components: {
          type: "array",
          description: "The components.",
          items: {
            type: "object",
            properties: {
              id: {
                type: "string",
                description: "Unique in the user interface; used again, it replaces the component.",
              },
              weight: { type: "number", description: "The share of the space in a Row or Column." },
              componentProperties: {
                description:
                  'An object with one key, the type of the component, and its properties as the value: {"Text": {"text": {"literalString": "Hello"}}}.',
              },
            },
            required: ["id", "componentProperties"],
          },
        },
      },
      required: ["components"],
    },
  },
  {
    name: "dataModelUpdate",
    description:
      "Sets the data that components are bound to: the whole model, or what stands at a path. What was there is replaced, not merged.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "Where, such as user.name or /items/0; without it the whole model." },
        contents: { description: "The data: any JSON value." },
      },
      required: ["contents"],
    },
  },
  {
    name: "beginRendering",
    description:
      "Shows the user interface. Call it once, after the first components; what is updated afterwards appears at once.",
    input: {
      type: "object",
      properties: { root: { type: "string", description: "The id of the component that holds all others." } },
      required: ["root"],
    },
  },
];
