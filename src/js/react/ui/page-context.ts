"use client";
/** The context of a `PageView`, and the types of its components. */
import { type ComponentType, createContext, type ReactNode, useContext } from "react";
import type { UrlPolicy } from "../../core/url.js";
import type { ActionOptions, ActionResult } from "../../document/tool-types.js";
import type { OptimisticResult, PendingCall } from "../../types.js";
import type { FieldState, FieldStore } from "../use-field.js";
import type { PageLabels } from "./labels.js";
import type { View, ViewObject } from "./values.js";

/** The methods of a `PatchStore` that a `PageView` calls. */
export interface PageStore extends FieldStore {
  pending(name?: string): readonly PendingCall[];
  /** The names of the instances that an agent is still writing. */
  drafts?(): readonly string[];
  /** Which origins pictures may come from. */
  readonly urls?: UrlPolicy | undefined;
  runAction(name: string, actionId: string, options?: ActionOptions): ActionResult;
  runRowAction(
    name: string,
    place: { block: string; field: string; row: number },
    actionId: string,
    options?: Omit<ActionOptions, "rowData">,
  ): ActionResult;
}

/** A press of a button, with the result of the store. For other kinds than `patch` the host executes the `instruction`. */
export interface PageAction {
  /** The instance. */
  name: string;
  /** The action, as the document has it. */
  action: ViewObject;
  result: Exclude<ActionResult, { status: "error" }>;
}

/** A user has set a field. */
export interface PageEdit {
  /** The instance. */
  name: string;
  block: string;
  /** The field, as the document has it. */
  field: ViewObject;
  value: unknown;
  /** The result of the store: the call and its changes, or the refusal. */
  result: OptimisticResult;
}

/** The files that a user chose for a field. */
export interface ChosenFiles {
  name: string;
  block: string;
  field: ViewObject;
}

/** The props of a component for fields of a type: the state of the field, and the ids of its frame. */
export interface FieldComponentProps extends FieldState {
  /** The field, as the document has it. */
  field: ViewObject;
  /** For the control that the label names. */
  id: string;
  /** The id of the label, for `aria-labelledby` of controls other than form elements. */
  labelId: string;
  /** The ids of the hint and the error: `aria-describedby` of the control. */
  describedBy: string | undefined;
  store: PageStore;
  name: string;
  block: string;
}

/** The props of a component for blocks of a type. */
export interface BlockComponentProps {
  block: ViewObject;
  /** The `props` of the block. */
  props: ViewObject;
  store: PageStore;
  name: string;
  /** The fields, tabs and buttons of the block, as a `PageView` renders them. */
  children: ReactNode;
}

/** The props of a component for buttons. */
export interface ActionComponentProps {
  action: ViewObject;
  label: string;
  /** `primary`, `secondary`, `danger`, … */
  look: string;
  disabled: boolean;
  /** The call of the last press is pending, or the promise that `onAction` returned for it. */
  isPending: boolean;
  error: string;
  run(): void;
}

export interface PageComponents {
  blocks?: { readonly [type: string]: ComponentType<BlockComponentProps> } | undefined;
  fields?: { readonly [type: string]: ComponentType<FieldComponentProps> } | undefined;
  actions?: ComponentType<ActionComponentProps> | undefined;
}

/** The settings of a `PageView`, for all components in it. */
export interface Page {
  store: PageStore;
  name: string;
  labels: PageLabels;
  optimistic: boolean;
  headingLevel: number;
  blocks: NonNullable<PageComponents["blocks"]>;
  fields: NonNullable<PageComponents["fields"]>;
  actions: PageComponents["actions"];
  /** The handlers of the last rendering. */
  handlers: {
    readonly current: {
      sanitize?: ((html: string) => string) | undefined;
      onAction?: ((event: PageAction) => unknown) | undefined;
      onEdit?: ((edit: PageEdit) => void) | undefined;
      onFiles?: ((files: readonly File[], about: ChosenFiles) => unknown) | undefined;
    };
  };
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("This component belongs into a PageView.");
  return page;
}

/** Looks a type up in a table of components. Inherited names such as `constructor` are not found. */
export const ownEntry = <Value>(table: { readonly [type: string]: Value }, type: View): Value | undefined =>
  typeof type === "string" && Object.hasOwn(table, type) ? table[type] : undefined;
