/**
 * `Addition`: data that a user adds to an approval. It is sent as JSON in the `reason` of the SDK's response, its only field with
 * free text.
 */
import { parseJson } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";

export interface Addition {
  /** The user's own arguments, which replace the proposed ones. */
  editedArgs?: Members;
  /** A signed approval of `genui-patch/server`. */
  approval?: Json;
}

/** The reason that carries an addition; `undefined` if nothing is added. */
export function writeAddition(addition: Addition): string | undefined {
  const text = JSON.stringify(addition);
  return text === "{}" ? undefined : text;
}

/** The addition in the reason of an approval; `{}` for a reason that carries none. */
export function readAddition(reason: unknown): Addition {
  const value = isText(reason) ? parseJson(reason) : undefined;
  if (!isObject<Json>(value)) return {};
  const { editedArgs, approval } = value;
  return { ...(isObject<Json>(editedArgs) && { editedArgs }), ...(approval !== undefined && { approval }) };
}
