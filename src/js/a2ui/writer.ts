/// <reference lib="esnext.disposable" preserve="true" />
/** `A2uiWriter`: writes messages of A2UI 1.0 and 0.9.1 as lines. */

import { cut, disposed, GenuiPatchError } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";
import { bindMethods } from "../core/methods.js";
import { type ArgumentKind, FUNCTION, fits, oneOf, requireKeys, requireOptions } from "../core/require.js";
import { fromFormat } from "../definitions/format.js";
import { wrongForms } from "../surface/directives.js";
import { writeMessage } from "../surface/line.js";
import { readMessage } from "../surface/messages.js";
import { Refusal } from "../surface/refusal.js";
import { INVALID } from "../surface/requests.js";
import type { SurfaceErrorCode } from "../surface/types.js";
import { a2uiDefinitions } from "./definitions.js";
import type {
  A2uiCatalog,
  A2uiInputs,
  A2uiRun,
  A2uiVersion,
  A2uiWriterOptions,
  AgentAnswer,
  RendererCall,
} from "./types.js";

/** The kind of a message. */
type MessageKind = keyof A2uiInputs | "callRendererFunction" | "agentFunctionResponse";

/** Input of a method or of a model, before it is checked. */
type RawInput = { readonly [key: string]: unknown };

/** The keys that each input may have. */
const KEYS = {
  createSurface: ["surfaceId", "catalogId", "components", "dataModel", "sendDataModel", "theme"],
  updateComponents: ["surfaceId", "components"],
  updateDataModel: ["surfaceId", "path", "value"],
  deleteSurface: ["surfaceId"],
  callRendererFunction: ["functionCallId", "call", "catalogId", "args"],
  agentFunctionResponse: ["functionCallId", "value", "error"],
} satisfies Record<MessageKind, readonly string[]>;

/** What the option `catalog` may be. */
const CATALOG: ArgumentKind = [
  "what a2uiCatalog(catalog) returns",
  (value) => isObject(value) && Array.isArray(value.ids) && fits(FUNCTION, value.check),
];

/** What the option `version` may be. */
export const VERSION = /* @__PURE__ */ oneOf("1.0", "0.9.1");

/**
 * Writes a stream of A2UI: each method turns the input of one message into a line, and validates it as a client does.
 *
 * ```ts
 * const writer = new A2uiWriter({ catalog: a2uiCatalog(catalog) });
 * writer.createSurface({ surfaceId: "s", components: [{ id: "root", component: "Text", text: "Hello" }] });
 * // '{"version":"v1.0","createSurface":{"surfaceId":"s","catalogId":"…","components":[…]}}\n'
 * ```
 *
 * In 0.9.1, whose surfaces begin empty, `createSurface` with components or data gives several lines. Invalid input throws a
 * {@link GenuiPatchError} and changes nothing: `INVALID_ARGUMENT` for unknown keys and values that JSON cannot carry;
 * `INVALID_MESSAGE`, `INVALID_PATH`, `LIMIT_EXCEEDED` for input that a client would refuse; `UNKNOWN_TYPE`,
 * `INVALID_COMPONENT`, `INVALID_BINDING`, `UNKNOWN_CATALOG` for components; `SURFACE_EXISTS`, `UNKNOWN_SURFACE`.
 */
export class A2uiWriter {
  readonly version: A2uiVersion;
  readonly #catalog: A2uiCatalog | undefined;
  /** By the id of each surface, the id of its catalog; `undefined` if it names none. */
  readonly #surfaces = new Map<string, string | undefined>();
  #disposed = false;

  /** @throws GenuiPatchError `INVALID_ARGUMENT` for options that are not understood. */
  constructor(options: A2uiWriterOptions = {}) {
    requireOptions("A2uiWriter", options, { version: VERSION, catalog: CATALOG });
    const { version = "1.0", catalog } = options;
    this.version = version;
    this.#catalog = catalog;
    bindMethods(this);
  }

  /** The surfaces that were created and not deleted. */
  get surfaces(): string[] {
    return [...this.#surfaces.keys()];
  }

  /** The line, in 0.9.1 the lines, that create a surface with its first components and data. */
  createSurface(input: A2uiInputs["createSurface"]): string {
    return this.#write("createSurface", input);
  }

  /** The line that adds components, or replaces those that have the same ids. */
  updateComponents(input: A2uiInputs["updateComponents"]): string {
    return this.#write("updateComponents", input);
  }

  /** The line that sets data; `null` deletes it. */
  updateDataModel(input: A2uiInputs["updateDataModel"]): string {
    return this.#write("updateDataModel", input);
  }

  /** The line that deletes a surface. */
  deleteSurface(input: A2uiInputs["deleteSurface"]): string {
    return this.#write("deleteSurface", input);
  }

  /** The line that calls a function of the client, which answers with a `rendererFunctionResponse`. 1.0 only. */
  callRendererFunction(input: RendererCall): string {
    this.#checkInput("callRendererFunction", input);
    const { functionCallId, call, catalogId, args = {} } = input;
    // A client also reads a call without a `catalogId`, so `#line` would not refuse it.
    if (!isText(catalogId)) throw refusal("callRendererFunction", "The catalogId is missing.", "/catalogId");
    const body = { functionCallId, callFunction: { "@call": call, catalogId, args } };
    return this.#line("callRendererFunction", body).line;
  }

  /** The line that answers a call of the client (`callAgentFunction`). 1.0 only. */
  agentFunctionResponse(input: AgentAnswer): string {
    this.#checkInput("agentFunctionResponse", input);
    return this.#line("agentFunctionResponse", input).line;
  }

  /**
   * Runs a call that a model made of one of the tools of `a2uiTools`: `input` is an object or JSON text, in the form of any
   * provider. Never throws for what the model wrote: the answer is for the model, which can correct its call.
   */
  run(name: string, input: unknown): A2uiRun {
    try {
      return { lines: this.#run(name, input), answer: { status: "ok" } };
    } catch (error) {
      if (this.#disposed) throw error;
      const code = error instanceof GenuiPatchError ? error.code : "INVALID_MESSAGE";
      const message = error instanceof Error ? error.message : String(error);
      return { lines: "", answer: { status: "error", error: { code, message } } };
    }
  }

  /** Ends the writer. May be called twice; all other methods throw `DISPOSED` afterwards. */
  dispose(): void {
    this.#disposed = true;
  }

  // Set by `bindMethods`. The `reference` in the first line of the file has the symbol's type.
  declare [Symbol.dispose]: () => void;

  /** The lines of a model's call. @throws Error */
  #run(name: string, rawInput: unknown): string {
    if (this.#disposed) throw disposed();
    const tool = a2uiDefinitions.find((tool) => tool.name === name);
    if (tool === undefined) {
      const names = a2uiDefinitions.map(({ name }) => name).join(", ");
      throw new GenuiPatchError("UNKNOWN_TOOL", `There is no tool "${String(name).slice(0, 60)}"; there are ${names}.`);
    }
    const input: unknown = fromFormat(tool.input, typeof rawInput === "string" ? JSON.parse(rawInput) : rawInput);
    if (!isObject(input)) throw refusal(tool.name, "The input must be an object.");
    return this.#write(tool.name, input);
  }

  /** Checks that the writer is not disposed, and the keys of an input. */
  #checkInput(kind: MessageKind, input: object): void {
    if (this.#disposed) throw disposed();
    requireKeys(kind, "input", input, KEYS[kind]);
  }

  /** The lines of a message for a surface. Keeps account of the surfaces. */
  #write(kind: keyof A2uiInputs, input: object): string {
    this.#checkInput(kind, input);
    if (kind === "createSurface") return this.#create(input);
    const { value, ...withoutValue }: RawInput = { ...input };
    if (kind === "updateDataModel" && value === undefined)
      throw refusal(kind, "The value is missing; send null to delete what stands at the path.", "/value");
    // A2UI 0.9.1 deletes by a message without a value.
    const body = value === null && this.version === "0.9.1" ? withoutValue : input;
    const { line, surfaceId } = this.#line(kind, body);
    if (!this.#surfaces.has(surfaceId)) {
      const message = `${kind}: there is no surface "${surfaceId}"; create it first.`;
      throw new GenuiPatchError("UNKNOWN_SURFACE", message);
    }
    if (kind === "deleteSurface") this.#surfaces.delete(surfaceId);
    return line;
  }

  /** The lines of `createSurface`. Components and data are members of the message in 1.0, messages of their own in 0.9.1. */
  #create(input: object): string {
    const kind = "createSurface";
    const { components, dataModel, ...rest }: RawInput = { ...input };
    const ids = this.#catalog?.ids ?? [];
    // If the writer's catalog has only one id, a surface need not name it.
    const idOrDefault = rest.catalogId ?? (ids.length === 1 ? ids[0] : undefined);
    const fields = { ...rest, ...(idOrDefault !== undefined && { catalogId: idOrDefault }) };
    // An id that is no text is refused by `#line`, which reads the message.
    const catalogId = isText(idOrDefault) ? idOrDefault : undefined;
    if (catalogId !== undefined && ids.length > 0 && !ids.includes(catalogId))
      throw refusal(
        kind,
        `There is no catalog "${cut(catalogId)}"; there are ${ids.join(", ")}.`,
        "/catalogId",
        "UNKNOWN_CATALOG",
      );
    const lines: string[] = [];
    let surfaceId: string;
    if (this.version === "1.0") {
      if (rest.theme !== undefined) throw refusal(kind, "A2UI 1.0 has no theme: leave it out.", "/theme");
      const contents = {
        ...(components !== undefined && { components }),
        ...(dataModel !== undefined && { dataModel }),
      };
      const creation = this.#line(kind, { ...fields, ...contents }, catalogId);
      lines.push(creation.line);
      surfaceId = creation.surfaceId;
    } else {
      if (idOrDefault === undefined) throw refusal(kind, "A2UI 0.9.1 needs a catalogId.", "/catalogId");
      const creation = this.#line(kind, fields, catalogId);
      lines.push(creation.line);
      surfaceId = creation.surfaceId;
      if (dataModel !== undefined) lines.push(this.#line("updateDataModel", { surfaceId, value: dataModel }).line);
      if (components !== undefined)
        lines.push(this.#line("updateComponents", { surfaceId, components }, catalogId).line);
    }
    if (this.#surfaces.has(surfaceId)) {
      const message = `${kind}: the surface "${surfaceId}" exists already; update it, or delete it first.`;
      throw new GenuiPatchError("SURFACE_EXISTS", message);
    }
    this.#surfaces.set(surfaceId, catalogId);
    return lines.join("");
  }

  /**
   * Writes one message, and validates it by reading it as a client does. `catalogId`: the catalog of a surface that is being
   * created; those of the others are in `#surfaces`.
   */
  #line(kind: MessageKind, input: object, catalogId?: string): { line: string; surfaceId: string } {
    const { text, value } = writeMessage(kind, { version: `v${this.version}`, [kind]: input });
    const lineNumber = 1;
    const message = readMessage(value, lineNumber);
    if (message instanceof Refusal) throw new GenuiPatchError(message.code, `${kind}: ${message.message}`, message);
    const { request, surfaceId } = message;
    const body = value[kind];
    const components = request.kind === "components" || request.kind === "create" ? request.components : [];
    if (components.length === 0 && isObject(body) && body.components !== undefined)
      throw refusal(kind, "The list of components is empty; send at least one.", "/components");
    for (const [index, component] of components.entries()) {
      const [wrongForm] = wrongForms(component.props, component.protocol);
      const issue = wrongForm ?? this.#catalog?.check(component, catalogId ?? this.#surfaces.get(surfaceId));
      if (issue === undefined) continue;
      const path = `/${kind}/components/${index}${issue.path}`;
      throw new GenuiPatchError(issue.code, `${kind}: component "${component.id}": ${issue.message}`, { path });
    }
    return { line: `${text}\n`, surfaceId };
  }
}

/** An error about an input. `path`: a JSON Pointer into the input. */
function refusal(kind: MessageKind, message: string, path = "", code: SurfaceErrorCode = INVALID): GenuiPatchError {
  return new GenuiPatchError(code, `${kind}: ${message}`, { path: `/${kind}${path}` });
}
