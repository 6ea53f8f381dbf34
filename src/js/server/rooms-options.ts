/** The options of `createRooms`: their checks, and the default limits. */
import { misuse } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";
import { ANY, type ArgumentKind, FUNCTION, OBJECT, requireOptions, TEXT, TEXTS } from "../core/require.js";
import { requireSigningKeys } from "./approval.js";
import type { RoomsOptions, ServerLimits } from "./types.js";

/** The default limits. */
const LIMITS: ServerLimits = {
  maxBytes: 256 * 2 ** 20,
  maxMessage: 8 * 2 ** 20,
  maxInstances: 1_000,
  maxProposals: 100,
  maxPages: 1_000,
  maxRooms: 10_000,
  perSecond: 200,
  maxWaiting: 1_000,
  maxUnread: 16 * 2 ** 20,
  deadline: 5_000,
  appendDeadline: 10_000,
  idle: 60_000,
  beat: 15_000,
};

/** The methods that every storage has. The others are optional. */
const METHODS = ["read", "append", "writePart", "readPart", "snapshot", "latest", "cut", "remove"];
const STORAGE: ArgumentKind = [
  `a storage, such as memoryStorage(), with the methods ${METHODS.join(", ")}`,
  (value) => isObject(value) && METHODS.every((name) => typeof value[name] === "function"),
];

/**
 * Checks the options, and returns all limits.
 * @throws GenuiPatchError `INVALID_ARGUMENT`.
 */
export function checkedLimits(options: RoomsOptions): ServerLimits {
  requireOptions("createRooms", options, {
    storage: STORAGE,
    authorize: FUNCTION,
    open: FUNCTION,
    path: TEXT,
    hosts: TEXTS,
    origins: TEXTS,
    keys: TEXTS,
    // Checked below.
    approvalAge: ANY,
    mcp: OBJECT,
    limits: OBJECT,
    onError: FUNCTION,
  });
  if (options.storage === undefined || options.authorize === undefined)
    throw misuse("createRooms: the options must have storage and authorize.");
  const { limits = {}, keys, approvalAge } = options;
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(LIMITS, name))
      throw misuse(`createRooms: the limits have no "${name}"; they have ${Object.keys(LIMITS).join(", ")}.`);
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw misuse(`createRooms: the limit ${name} must be a number above 0.`);
  }
  if (keys !== undefined) requireSigningKeys("createRooms", keys);
  if (approvalAge !== undefined && !(Number.isFinite(approvalAge) && approvalAge > 0))
    throw misuse("createRooms: approvalAge must be a number above 0.");
  if (options.mcp !== undefined)
    requireOptions("createRooms: mcp", options.mcp, { answersFor: FUNCTION, app: OBJECT, surfaces: FUNCTION });
  const { html } = options.mcp?.app ?? { html: "" };
  if (!isText(html) && typeof html !== "function")
    throw misuse("createRooms: mcp.app must have html: the text of an HTML document, or a function that returns it.");
  return { ...LIMITS, ...limits };
}
