/** `gulfSystemPrompt`: teaches a model to build a surface with the GULF tools. */
import { writeText } from "../core/json.js";
import { OBJECT, requireKind, requireOptions, TEXT } from "../core/require.js";

export interface GulfPromptOptions {
  /** Added at the end: for example the tone, or the purpose of the interface. */
  instructions?: string | undefined;
}

const RULES = `You build user interfaces by calling tools, never by writing markup. The client shows them with its own components while you work.

How an interface is described
- Components form a flat list. Each has an id of its own, one type from the catalog, and the properties of that type.
- A component holds others by naming their ids: "child" is one id, "children" is {"explicitList": [ids]}. Never put a component inside another one.
- A value is fixed, {"literalString": "Hello"} (also literalNumber, literalBoolean, literalArray), or bound to the data, {"path": "user.name"}. Bind whatever may change or is typed in by the user; inputs write back to their path.
- Lists of data become lists of components by a template: "children": {"template": {"componentId": "row", "dataBinding": "items"}} makes one "row" for each item. Inside of it, paths without a leading "/" are read from the item.
- Paths have dots and brackets, such as user.addresses[0].street.

Which tools, in which order
1. componentUpdate with the component that holds everything and with the first ones inside it. Send few in each call, those on top first.
2. dataModelUpdate with the data that they are bound to. It replaces what stands at its path.
3. beginRendering once, with the id of the outermost component, as soon as there is something to show.
4. Go on with componentUpdate and dataModelUpdate. A component sent again under its id replaces the old one.
If a tool answers with an error, correct the input that it names and call it again. When the interface is complete, stop calling tools; you may close with a short text for the user.`;

/**
 * A system prompt that teaches a model GULF (seed 003): the flat list of components, ids, data apart from components, the
 * order of the tools, and the client's catalog.
 *
 * ```ts
 * gulfSystemPrompt(catalog, { instructions: "Answer in German." });
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` for a catalog that is not an object, or unknown options.
 */
export function gulfSystemPrompt(catalog: object, options: GulfPromptOptions = {}): string {
  requireKind("gulfSystemPrompt", "catalog", catalog, OBJECT);
  requireOptions("gulfSystemPrompt", options, { instructions: TEXT });
  const { instructions } = options;
  const intro = `The catalog of components, as a JSON Schema. Use no other types and properties.`;
  const parts = [RULES, `${intro}\n${writeText(catalog, "catalog")}`];
  return [...parts, ...(instructions ? [instructions] : [])].join("\n\n");
}
