"use client";
/**
 * Components for React 18 and later: a page, a surface, proposals, diffs, what an agent does. They import no WebAssembly module,
 * so they work with the default entry and with `genui-patch/slim`. `genui-patch/ui.css` is a style sheet for them.
 */

export {
  type FieldLabels,
  type FieldOptions,
  type FieldProps,
  type FieldState,
  type FieldStore,
  useField,
} from "../use-field.js";
export { ActivityList, type ActivityListProps } from "./activity.js";
export { DiffView, type DiffViewProps } from "./diff.js";
export {
  type ActivityLabels,
  chinese,
  type DiffLabels,
  english,
  type Labels,
  type PageLabels,
  type ProposalLabels,
  type SurfaceLabels,
} from "./labels.js";
export { PageView, type PageViewProps } from "./page.js";
export type {
  ActionComponentProps,
  BlockComponentProps,
  ChosenFiles,
  FieldComponentProps,
  PageAction,
  PageComponents,
  PageEdit,
  PageStore,
} from "./page-context.js";
export {
  ProposalList,
  type ProposalListProps,
  type ProposalSource,
  ProposalView,
  type ProposalViewProps,
} from "./proposals.js";
export { SurfaceView, type SurfaceViewProps } from "./surface.js";
export type { SurfaceComponentProps, SurfaceComponents, SurfaceSource } from "./surface-host.js";
export type { View, ViewObject } from "./values.js";
