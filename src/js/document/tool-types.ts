/** What the five tools take and answer (seed 001), and what an action comes to. */
import type { SafeUrl } from "../core/url.js";
import type {
  Criterion,
  DeepReadonly,
  Json,
  PatchCall,
  PatchError,
  PatchOperation,
  PatchResult,
  Skipped,
} from "../types.js";

export interface CriterionResult extends Required<Pick<Criterion, "type" | "path" | "description">> {
  passed: boolean;
  expected?: Json;
  /** What was found; null where there is nothing. */
  actual: Json;
  details: string;
}

export interface InstanceSummary {
  name: string;
  page_key: Json;
  blocks_count: number;
  /** Of the blocks, and the global ones. */
  actions_count: number;
}

/** A patch of a call that had no effect, or only a part of one. */
export interface SkippedPatch extends Pick<Skipped, "reason" | "key" | "error"> {
  patch: PatchOperation;
}

/** What an agent reads. */
export type ToolResult =
  | {
      status: "success";
      message: string;
      instance_name: string;
      patches_applied: PatchOperation[];
      skipped_patches: SkippedPatch[];
      error?: undefined;
    }
  | { status: "success"; instance_name: string; schema: DeepReadonly<Json>; error?: undefined }
  | { status: "success"; instances: InstanceSummary[]; total: number; error?: undefined }
  | {
      status: "success";
      instance_name: string;
      completed: boolean;
      state_summary: { params: DeepReadonly<Json>; runtime: DeepReadonly<Json> };
      criteria_results: CriterionResult[];
      /** From 0 to 1; 1 without criteria. */
      completion_ratio: number;
      error?: undefined;
    }
  | {
      status: "error";
      error: PatchError;
      instance_name?: string;
      available_instances?: string[];
      available_tools?: string[];
      /** With `onError: "stop"`: what came before the failure, and stays. */
      patches_applied?: PatchOperation[];
      skipped_patches?: SkippedPatch[];
    };

export interface ActionOptions {
  /** Set first: those that are in state.params, or that a field declares. Others are left out. */
  params?: Record<string, unknown> | undefined;
  /** The row of a table whose button was pressed; it goes to state.runtime.temp_rowData. */
  rowData?: unknown;
  /** Whether the call is one that the server has still to take. */
  optimistic?: boolean | undefined;
}

/** What the page is to do: the action's own properties, templates filled in. */
export interface ActionInstruction {
  action: string;
  /** Every URL in it, by its place: checked. Where it stands is the URL that a page may use, or null. */
  urls: Record<string, SafeUrl>;
  [property: string]: unknown;
}

/** What an action came to: a call that was applied, or something for the page to do. */
export type ActionResult =
  | {
      status: "success";
      kind: "patch";
      call: PatchCall;
      result: PatchResult;
      pendingId?: string;
      instruction?: undefined;
      error?: undefined;
    }
  | {
      status: "success";
      kind: "navigate" | "navigate_block" | "api" | "modal";
      instruction: ActionInstruction;
      call?: undefined;
      error?: undefined;
    }
  | { status: "error"; error: PatchError; kind?: undefined; call?: undefined; instruction?: undefined };
