"use client";
/**
 * Hooks for React 18 and later. They import no WebAssembly module, so they work with the default entry and with
 * `genui-patch/slim`.
 */

export * from "./hooks.js";
export {
  type FieldLabels,
  type FieldOptions,
  type FieldProps,
  type FieldState,
  type FieldStore,
  useField,
} from "./use-field.js";
export * from "./use-tool-blocks.js";
