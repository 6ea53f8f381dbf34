/** The types of writing A2UI. */

import type { Generate } from "../blocks/types.js";
import type { FunctionOutcome, SurfaceComponent, SurfaceDiagnostic, SurfaceIssue } from "../surface/types.js";
import type { Json } from "../types.js";

/** The versions that are written. Version 0.8 is only read. */
export type A2uiVersion = "1.0" | "0.9.1";

export interface A2uiComponent {
  id: string;
  /** The type of the component. */
  component: string;
  weight?: number;
  [property: string]: Json;
}

/** The arguments of the methods of an {@link A2uiWriter}. */
export interface A2uiInputs {
  createSurface: {
    surfaceId: string;
    /** The catalog of components that name none. Default: the writer's only catalog. */
    catalogId?: string;
    components?: readonly A2uiComponent[];
    dataModel?: { [name: string]: Json };
    /** Whether the client sends the data with each of its messages. */
    sendDataModel?: boolean;
    /** 0.9.1 only. */
    theme?: { [name: string]: Json };
  };
  updateComponents: { surfaceId: string; components: readonly A2uiComponent[] };
  /** `null` deletes the value at the path; without a path, the value is the whole model. */
  updateDataModel: { surfaceId: string; path?: string; value: Json };
  deleteSurface: { surfaceId: string };
}

/** The result of `a2uiCatalog`: the catalogs of a client. */
export interface A2uiCatalog {
  /** The ids of the catalogs. */
  readonly ids: readonly string[];
  /**
   * The first violation of the component's catalog, or else of the catalog `catalogId` of its surface; `undefined` without one.
   */
  check(component: SurfaceComponent, catalogId: string | undefined): SurfaceIssue | undefined;
}

export interface A2uiWriterOptions {
  /** Default `"1.0"`. */
  version?: A2uiVersion | undefined;
  /** `a2uiCatalog(catalog)`: components that it does not allow are refused. */
  catalog?: A2uiCatalog | undefined;
}

/** The lines that a model's call of a tool has written, and the answer for the model, which can correct its call by the error. */
export type A2uiRun =
  | { lines: string; answer: { status: "ok" } }
  | { lines: ""; answer: { status: "error"; error: { code: string; message: string } } };

/** A call of a function of the client. */
export interface RendererCall {
  /** Unique among the calls of the session. The client's answer has it. */
  functionCallId: string;
  call: string;
  catalogId: string;
  args?: { [name: string]: Json };
}

/** The answer to a call of the client. */
export type AgentAnswer = { functionCallId: string } & FunctionOutcome;

export interface A2uiPromptOptions {
  /** Default `"1.0"`. */
  version?: A2uiVersion | undefined;
  /** How the model writes: by the tools of `a2uiTools`, or as JSON Lines in its text. Default `"tools"`. */
  writes?: "tools" | "text" | undefined;
  /** Added at the end: for example the tone, or the purpose of the interface. */
  instructions?: string | undefined;
}

export interface A2uiTextOptions {
  /** Default `"1.0"`. */
  version?: A2uiVersion | undefined;
  /** The client's catalog, or a list of them, each with a `catalogId`. */
  catalog?: object | readonly object[] | undefined;
}

export interface A2uiCheckOptions extends A2uiTextOptions {
  /** The stream that the client has had before: the surfaces that the text may update. */
  before?: string | undefined;
}

export interface A2uiCheck {
  isValid: boolean;
  /** The messages of the text, one per line. */
  content: string;
  /** The errors, and the warnings that a model should correct; empty if the text is valid. */
  diagnostics: SurfaceDiagnostic[];
}

export interface CorrectA2uiOptions extends A2uiCheckOptions {
  generate: Generate;
  /** How often the model may be asked. Default 1. */
  maxAttempts?: number | undefined;
  /** Stops the correction. */
  signal?: AbortSignal | undefined;
}

export interface CorrectedA2ui extends A2uiCheck {
  /** Whether the content is a correction by the model; `false`: it is that of the text which was passed in. */
  corrected: boolean;
  /** How often the model was asked. */
  attempts: number;
}
