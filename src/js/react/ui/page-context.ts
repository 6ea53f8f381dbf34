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
  /** Which origins pictures may come from, besides the page's own. */
  readonly urls?: UrlPolicy | undefined;
  /** A press of a button of the page or of a block. */
  runAction(name: string, actionId: string, options?: ActionOptions): ActionResult;
  /** A press of a button in a table. `place`: the id of the block, the key of the table, and the index of the row. */
  runRowAction(
    name: string,
    place: { block: string; field: string; row: number },
    actionId: string,
    options?: Omit<ActionOptions, "rowData">,
  ): ActionResult;
}

/** A press of a button, and the result of the store. If its `kind` is not `patch`, the host executes its `instruction`. */
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
  /** The id of the block. */
  block: string;
  /** The field, as the document has it. */
  field: ViewObject;
  value: unknown;
  /** The result of the store: the call and its changes, or the refusal. */
  result: OptimisticResult;
}

/** The field for which a user chose files. */
export interface ChosenFiles {
  /** The instance. */
  name: string;
  /** The id of the block. */
  block: string;
  /** The field, as the document has it. */
  field: ViewObject;
}

/** The props of a component for fields of a type: the state of the field, and the ids of its label and its notes. */
export interface FieldComponentProps extends FieldState {
  /** The field, as the document has it. */
  field: ViewObject;
  /** The id that the control must have: the label refers to it. */
  id: string;
  /** The id of the label, for `aria-labelledby` of controls other than form elements. */
  labelId: string;
  /** The ids of the hint, the error and the note that it is being saved: `aria-describedby` of the control. */
  describedBy: string | undefined;
  store: PageStore;
  /** The instance. */
  name: string;
  /** The id of the block. */
  block: string;
}

/** The props of a component for blocks of a type. */
export interface BlockComponentProps {
  /** The block, as the document has it. */
  block: ViewObject;
  /** The `props` of the block. */
  props: ViewObject;
  store: PageStore;
  /** The instance. */
  name: string;
  /** The fields, tabs and buttons of the block, as a `PageView` renders them. */
  children: ReactNode;
}

/** The props of a component for buttons. */
export interface ActionComponentProps {
  /** The action, as the document has it. */
  action: ViewObject;
  label: string;
  /** The `style` of the action: `primary`, `secondary`, `danger`, …; `default` without one. */
  look: string;
  disabled: boolean;
  /** The call of the last press is pending, or the promise that `onAction` returned for it. */
  isPending: boolean;
  /** Why the last press failed; `""` if it did not. */
  error: string;
  /** Call it when the button is pressed. */
  run(): void;
}

/** Components of the host: for blocks and fields by their type, for blocks also by their layout, and one for all buttons. */
export interface PageComponents {
  blocks?: { readonly [type: string]: ComponentType<BlockComponentProps> } | undefined;
  fields?: { readonly [type: string]: ComponentType<FieldComponentProps> } | undefined;
  actions?: ComponentType<ActionComponentProps> | undefined;
}

/** The settings of a `PageView`, for all components in it. */
export interface Page {
  store: PageStore;
  /** The instance. */
  name: string;
  labels: PageLabels;
  /** User input becomes pending calls. */
  optimistic: boolean;
  /** The level of the page's title. */
  headingLevel: number;
  /** The components of the host, as in {@link PageComponents}. */
  blocks: NonNullable<PageComponents["blocks"]>;
  fields: NonNullable<PageComponents["fields"]>;
  actions: PageComponents["actions"];
  /** The handlers of the last rendering: in a ref, so that new functions do not render all components again. */
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

/** The settings of the `PageView` around a component. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("This component belongs into a PageView.");
  return page;
}

/** The value of a type in a table; `undefined` without one. Inherited names such as `constructor` are not found. */
export const ownEntry = <Value>(table: { readonly [type: string]: Value }, type: View): Value | undefined =>
  typeof type === "string" && Object.hasOwn(table, type) ? table[type] : undefined;
