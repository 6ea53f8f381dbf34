/** Portable approvals: a user's decision that another process can check, by HMAC-SHA-256 over the exact call. */
import { misuse } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";
import type { Json } from "../types.js";
import { sha256 } from "./sha256.js";
import type { User } from "./types.js";

/** A decision on a proposal, signed. All of it is covered by the signature. */
export interface Approval {
  /** The id of the proposal. */
  proposal: string;
  /** {@link digestOf} the call and the revision on which the user decided. */
  digest: string;
  decision: "approved" | "refused";
  /** The approved part and the user's own values; null for all of it as proposed. */
  edits: Json;
  user: User;
  /** In ISO 8601. */
  time: string;
  /** From this time on it is not valid any more, in ISO 8601. Without it the decision does not expire. */
  expires?: string | undefined;
  /** HMAC-SHA-256, 64 hexadecimal digits. */
  signature: string;
}

/** The JSON text of a value, with the keys of objects sorted, so that it does not depend on their order. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(",")}}`;
}

/** The SHA-256 of a call and of the number of the log's entry that proposed it, as hexadecimal digits. */
export function digestOf(call: object, revision: number): string {
  return sha256(canonical({ call, revision }));
}

const encoder = /* @__PURE__ */ new TextEncoder();

async function macKey(key: string): Promise<CryptoKey> {
  const keyBytes = encoder.encode(key);
  const isExtractable = false;
  return crypto.subtle.importKey("raw", keyBytes, { name: "HMAC", hash: "SHA-256" }, isExtractable, ["sign", "verify"]);
}

const toHex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: text.length / 2 }, (_, index) => Number.parseInt(text.slice(index * 2, index * 2 + 2), 16));

/** @throws GenuiPatchError `INVALID_ARGUMENT` without keys, or for a key that is too short: it could be guessed. */
export function requireSigningKeys(method: string, keys: readonly string[]): void {
  const isLong = (key: unknown) => typeof key === "string" && key.length >= 32;
  if (keys.length === 0 || !keys.every(isLong))
    throw misuse(`${method}: the keys must be a list of strings of at least 32 characters each.`);
}

/** The HMAC-SHA-256 of a text, as 64 hexadecimal digits. */
export async function macOf(text: string, key: string): Promise<string> {
  return toHex(await crypto.subtle.sign("HMAC", await macKey(key), encoder.encode(text)));
}

/** Whether `mac` is the HMAC of a text with one of the keys. */
export async function isMac(mac: string, text: string, keys: readonly string[]): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/.test(mac)) return false;
  for (const key of keys)
    if (await crypto.subtle.verify("HMAC", await macKey(key), fromHex(mac), encoder.encode(text))) return true;
  return false;
}

export async function signApproval(approval: Omit<Approval, "signature">, key: string): Promise<Approval> {
  return { ...approval, signature: await macOf(canonical(approval), key) };
}

/** The arguments of {@link verifyApproval}. */
export interface ApprovalCheck {
  /** The keys of the server, the newest first: while keys rotate, two. At least 32 characters each. */
  keys: readonly string[];
  /** The call that is to be executed. */
  call: object;
  /** The number of the log's entry that proposed it: `entry` of the proposal. */
  revision: number;
  /** Milliseconds after the decision from which on the approval is not valid any more. Default: only its own `expires` counts. */
  maxAge?: number | undefined;
}

/**
 * Whether an approval is signed by one of the keys, approves, and is about exactly this call at this revision.
 *
 * ```ts
 * const approval = await room.approval(id);
 * if (!(await verifyApproval(approval, { keys: [key], call, revision }))) throw new Error("not approved");
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` for keys that are too short.
 */
export async function verifyApproval(
  approval: unknown,
  { keys, call, revision, maxAge }: ApprovalCheck,
): Promise<boolean> {
  requireSigningKeys("verifyApproval", keys);
  if (!isObject(approval)) return false;
  const { signature, ...signedPart } = approval;
  if (!isText(signature)) return false;
  if (signedPart.decision !== "approved" || signedPart.digest !== digestOf(call, revision)) return false;
  const age = Date.now() - Date.parse(String(signedPart.time));
  // Negated, so that a date that cannot be read (NaN) is refused.
  if (maxAge !== undefined && !(age <= maxAge)) return false;
  if (signedPart.expires !== undefined && !(Date.now() < Date.parse(String(signedPart.expires)))) return false;
  return isMac(signature, canonical(signedPart), keys);
}
