/** What a user adds to an approval. It crosses as the `reason` of the SDK's response, the only text that it stores for the agent. */
import { parseJson } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";

export interface Addition {
  /** The user's own arguments, which replace the proposed ones. */
  editedArgs?: Members;
  /** A signed approval of `genui-patch/server`. */
  approval?: Json;
}

export function writeAddition(addition: Addition): string | undefined {
  const text = JSON.stringify(addition);
  return text === "{}" ? undefined : text;
}

/** Reads the reason of an approval. Any other text adds nothing. */
export function readAddition(reason: unknown): Addition {
  const read = isText(reason) ? parseJson(reason) : undefined;
  if (!isObject<Json>(read)) return {};
  const { editedArgs, approval } = read;
  return { ...(isObject<Json>(editedArgs) && { editedArgs }), ...(approval !== undefined && { approval }) };
}
