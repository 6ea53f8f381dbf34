/** `a2uiSystemPrompt`: teaches a model to build surfaces of A2UI, by tools or by text. */
import { writeText } from "../core/json.js";
import { oneOf, requireKind, requireOptions, TEXT } from "../core/require.js";
import { CATALOGS } from "../surface/catalogs.js";
import type { A2uiPromptOptions, A2uiVersion } from "./types.js";
import { VERSION } from "./writer.js";

const OPTIONS = { version: VERSION, writes: /* @__PURE__ */ oneOf("tools", "text"), instructions: TEXT };

/** By version: examples of a binding and a call, the sentence on `@index` with a blank before it, and the `version` of messages. */
const FORMS: Record<A2uiVersion, { path: string; call: string; index: string; name: string }> = {
  "1.0": {
    path: '{"@path": "/user/name"}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of formatString.
    call: '{"@call": "formatString", "args": {"value": "Hello ${/user/name}"}}',
    index: ' {"@call": "@index", "args": {"offset": 1}} is the number of the item.',
    name: "v1.0",
  },
  "0.9.1": {
    path: '{"path": "/user/name"}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of formatString.
    call: '{"call": "formatString", "args": {"value": "Hello ${/user/name}"}}',
    index: "",
    name: "v0.9.1",
  },
};

/** The part of a prompt that says how components and data are described. */
export const a2uiRules = (version: A2uiVersion): string => {
  const { path, call, index } = FORMS[version];
  return `How an interface is described
- Components form a flat list. Each is an object with an id of its own, its type in "component", and the properties of that type beside them.
- The outermost component has the id "root". A component holds others by naming their ids: "child" is one id, "children" is a list of ids. Never put a component inside another one.
- A value is fixed, or bound to the data by a JSON Pointer: ${path}. Bind whatever may change or is typed in by the user; inputs write back to their path.
- A value may be computed by a function of the catalog: ${call}.
- Lists of data become lists of components by a template: "children": {"componentId": "row", "path": "/items"} makes one "row" for each item. Inside of it, paths without a leading "/" are read from the item.${index}
- An action of a button is {"event": {"name": "send", "context": {"name": ${path}}}}.
- A component sent again under its id replaces the old one. Data replace what stands at their path.`;
};

/** The part of a prompt that says how messages are written as JSON Lines. */
export const a2uiLines = (version: A2uiVersion): string => {
  const { name } = FORMS[version];
  const create =
    version === "1.0"
      ? `{"version":"${name}","createSurface":{"surfaceId":"s","catalogId":"…","components":[…],"dataModel":{…}}}`
      : `{"version":"${name}","createSurface":{"surfaceId":"s","catalogId":"…"}}`;
  const deletion = version === "1.0" ? '"value": null deletes it' : 'without "value" it is deleted';
  return `What you write
Write JSON Lines: each line is one message, complete, without line breaks in it.
${create}
{"version":"${name}","updateComponents":{"surfaceId":"s","components":[…]}}
{"version":"${name}","updateDataModel":{"surfaceId":"s","path":"/user","value":…}} (${deletion})
{"version":"${name}","deleteSurface":{"surfaceId":"s"}}
A surface is created once; afterwards it is updated.`;
};

/** The part of a prompt for a model that calls tools, in place of {@link a2uiLines}. */
const TOOLS = `Which tools, in which order
1. createSurface with the component that holds everything, the first ones inside it, and their data.
2. updateComponents and updateDataModel for the rest, few in each call, those on top first.
If a tool answers with an error, correct the input that it names and call it again. When the interface is complete, stop calling tools; you may close with a short text for the user.`;

/**
 * A system prompt that teaches a model A2UI: the flat list of components, ids, data apart from components, the order of the tools
 * (or the messages, if it `writes` text), and the client's catalog or catalogs.
 *
 * ```ts
 * a2uiSystemPrompt(catalog, { instructions: "Answer in German." });
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` for a catalog that is not an object or a list of them, or unknown options.
 */
export function a2uiSystemPrompt(catalog: object | readonly object[], options: A2uiPromptOptions = {}): string {
  requireKind("a2uiSystemPrompt", "catalog", catalog, CATALOGS);
  requireOptions("a2uiSystemPrompt", options, OPTIONS);
  const { version = "1.0", writes = "tools", instructions } = options;
  const opening =
    writes === "tools"
      ? "You build user interfaces by calling tools, never by writing markup."
      : `You build user interfaces by writing messages of A2UI ${version}, never markup.`;
  const parts = [
    `${opening} The client shows them with its own components while you work.`,
    a2uiRules(version),
    writes === "tools" ? TOOLS : a2uiLines(version),
    catalogText(catalog),
  ];
  return [...parts, ...(instructions ? [instructions] : [])].join("\n\n");
}

/** The part of a prompt that has the catalog or the catalogs. */
export function catalogText(catalog: object | readonly object[]): string {
  const intro = Array.isArray(catalog)
    ? 'The catalogs of components, as JSON Schemas. Each component names its own in "catalogId", unless it is that of its surface.'
    : "The catalog of components, as a JSON Schema.";
  return `${intro} Use no other types and properties.\n${writeText(catalog, "catalog")}`;
}
