/** Reads the schemas of a catalog or of a tool: JSON Schema (2020-12), or a Standard Schema of any library. */

import type { JsonSchema, StandardSchema } from "../core/catalog-types.js";
import { misuse } from "../core/errors.js";
import type { HostCheck } from "../core/host-checks.js";
import { copyJson } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { deepFreeze } from "../core/tree.js";
import type { Json } from "../types.js";

/** A schema as it was read. A value must satisfy both: the core validates it by `json` first, then `check` is called. */
export interface ReadSchema {
  readonly json: JsonSchema;
  /** The library's own validation: returns its first message, or an empty text for a valid value. */
  readonly check?: HostCheck;
}

/**
 * Reads a schema. `place` says in messages where the schema stands, e.g. `catalog.blocks.chart.props`. `jsonSchema` is a Standard
 * Schema in JSON, for a library that has no converter.
 * @throws GenuiPatchError for any other value.
 */
export function readSchema(place: string, schema: unknown, jsonSchema?: unknown): ReadSchema {
  const standard = isStandard(schema) ? schema : undefined;
  const schemaAsJson = standard === undefined ? schema : (jsonSchema ?? convert(place, standard));
  if (typeof schemaAsJson !== "boolean" && !isObject(schemaAsJson))
    throw misuse(`${place} must be a JSON Schema or a Standard Schema (Zod, Valibot, ArkType).`);
  const copy = copyJson(schemaAsJson, place);
  deepFreeze(copy);
  // The copy of a boolean or an object is one too; the test is for its type.
  const json = typeof copy === "boolean" || isObject<Json>(copy) ? copy : false;
  if (standard === undefined) return { json };
  return { json, check: (value) => validate(place, standard, value) };
}

/** Whether a schema is a Standard Schema. Schemas of ArkType are functions. */
function isStandard(schema: unknown): schema is StandardSchema & { toJSONSchema?: unknown; toJsonSchema?: unknown } {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  return "~standard" in schema && schema["~standard"] !== undefined;
}

/** The JSON Schema of a schema, written by the schema's library: by the standard's converter, or a method of its own. */
function convert(place: string, schema: StandardSchema & { toJSONSchema?: unknown; toJsonSchema?: unknown }): unknown {
  const { toJSONSchema, toJsonSchema } = schema;
  const standard = schema["~standard"];
  try {
    if (standard.jsonSchema !== undefined) return standard.jsonSchema.input({ target: "draft-2020-12" });
    if (typeof toJSONSchema === "function") return toJSONSchema.call(schema, { io: "input" });
    if (typeof toJsonSchema === "function") return toJsonSchema.call(schema);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw misuse(
      `${place}: ${standard.vendor} cannot write it as JSON Schema (${message}). Give jsonSchema beside it.`,
    );
  }
  throw misuse(`${place}: ${standard.vendor} does not write its schemas as JSON Schema. Give jsonSchema beside it.`);
}

/** The first message of a validation, with the path in the value; empty for a valid value. */
function validate(place: string, schema: StandardSchema, value: Json): string {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) {
    // The result of an asynchronous schema is ignored: using one is misuse.
    result.catch(() => {});
    throw misuse(`${place} validates asynchronously, or has thrown; give a schema that does neither.`);
  }
  const [issue] = result.issues ?? [];
  if (issue === undefined) return "";
  // The standard writes a step as a key, or as an object with the key.
  const steps = issue.path?.map((step) => String(isObject<unknown>(step) ? step.key : step)) ?? [];
  return steps.length === 0 ? issue.message : `${steps.join(".")}: ${issue.message}`;
}
