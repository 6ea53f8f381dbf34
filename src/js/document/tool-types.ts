/** The types of the five tools' results, and of actions. */
import type { SafeUrl, UrlPolicy } from "../core/url.js";
import type {
  ChangeOptions,
  Criterion,
  DeepReadonly,
  Json,
  PatchCall,
  PatchError,
  PatchOperation,
  PatchResult,
  Skipped,
  Warning,
} from "../types.js";

/** The result of one criterion of `validate_completion`. */
export interface CriterionResult extends Required<Pick<Criterion, "type" | "path" | "description">> {
  passed: boolean;
  /** The value that the criterion asks for; absent for criteria that ask for no value. */
  expected?: Json;
  /** The value in the document, or null. */
  actual: Json;
  /** The result in one sentence, for the model. */
  details: string;
}

/** An instance in the result of `list_instances`. */
export interface InstanceSummary {
  name: string;
  /** The document's `page_key`, or `pageKey` of its `meta`; null without either. */
  page_key: Json;
  blocks_count: number;
  /** The actions of all blocks and the global actions. */
  actions_count: number;
}

/** A patch that had no effect, or, with the reason `unknown_key`, only a part of its effect. */
export interface SkippedPatch extends Pick<Skipped, "reason" | "key" | "error"> {
  patch: PatchOperation;
}

/**
 * The result of a tool, for the agent. In this order: of `patch_ui_state`, of `get_schema` and `access_instance`, of
 * `list_instances`, of `validate_completion`, and the error of any tool.
 */
export type ToolResult =
  | {
      status: "success";
      message: string;
      instance_name: string;
      patches_applied: PatchOperation[];
      skipped_patches: SkippedPatch[];
      warnings?: Warning[];
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
      /** With `onError: "stop"`: the patches before the failure, which stay applied. */
      patches_applied?: PatchOperation[];
      skipped_patches?: SkippedPatch[];
    };

/** The options of `runAction`. */
export interface ActionOptions extends ChangeOptions {
  /** Set before the action runs. Params that are neither in state.params nor declared by a field are ignored. */
  params?: Record<string, unknown> | undefined;
  /** The table row whose button was pressed. It is stored in state.runtime.temp_rowData. */
  rowData?: unknown;
  /** Where an action of the type `api` or `navigate` may lead. Default: the store's `urls`. */
  urls?: UrlPolicy | undefined;
  /** Applied as a pending call, as by `applyOptimistic`. Default false. */
  optimistic?: boolean | undefined;
}

/** An instruction for the page: the properties of the action, with templates filled in. */
export interface ActionInstruction {
  /** The id of the action. */
  action: string;
  /** The check of every URL, by its path in the instruction. In the instruction itself an unsafe URL is null. */
  urls: Record<string, SafeUrl>;
  [property: string]: unknown;
}

/** The result of an action: a call that was applied, or an instruction for the page. */
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
  | {
      status: "error";
      error: PatchError;
      /** As in `error`. */
      code?: "URL_NOT_ALLOWED";
      kind?: undefined;
      call?: undefined;
      instruction?: undefined;
    };
