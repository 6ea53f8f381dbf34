/** The parsers of patches, by format: the file that an agent's first call with a patch loads. */
import { parseApplyPatch } from "./apply-patch.js";
import { planPatch } from "./plan.js";
import type { PatchParsers } from "./types.js";
import { parseUnified } from "./unified.js";

export const patchParsers: PatchParsers = {
  apply_patch: { parse: parseApplyPatch, plan: planPatch },
  unified: { parse: parseUnified, plan: planPatch },
};
