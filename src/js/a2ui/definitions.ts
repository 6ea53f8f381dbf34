/** The tools by which a model builds surfaces of A2UI, as it reads them. */
import { object, text } from "../definitions/format.js";
import type { ToolDefinition, ToolSchema } from "../definitions/types.js";
import type { A2uiInputs } from "./types.js";

const surfaceId = text("The id of the surface.");
// The items have no schema: a component has any properties besides `id` and `component`, which no provider's strict schema can
// express.
const components: ToolSchema = {
  type: "array",
  description:
    'The components, a flat list of objects: {"id": "title", "component": "Text", "text": "Hello"}. The outermost one has the id root.',
  items: {},
};

/** The tools. What they write is in {@link A2uiWriter}. */
export const a2uiDefinitions: readonly (ToolDefinition & { name: keyof A2uiInputs })[] = [
  {
    name: "createSurface",
    description: "Creates a user interface with its first components and its data, and shows it.",
    input: object(
      {
        surfaceId: text("A new id for the surface."),
        catalogId: text("The catalog of the components that name none. Leave it out if there is only one."),
        components,
        dataModel: { description: "An object with the data that components are bound to." },
      },
      ["surfaceId", "components"],
    ),
  },
  {
    name: "updateComponents",
    description:
      "Adds components to a surface, or replaces those with the same ids. Parents and children may come in any order and in several calls.",
    input: object({ surfaceId, components }),
  },
  {
    name: "updateDataModel",
    description:
      "Sets the data of a surface: all, or what stands at a path. It replaces what was there, and does not merge; null deletes it.",
    input: object(
      {
        surfaceId,
        path: text("A JSON Pointer, such as /user/name or /items/0; without it the whole model."),
        value: { description: "The data: any JSON value." },
      },
      ["surfaceId", "value"],
    ),
  },
  { name: "deleteSurface", description: "Removes a surface.", input: object({ surfaceId }) },
];
