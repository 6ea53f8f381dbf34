/** The default entry: the modules are inlined, each where it is needed, and instantiated by the first thing that needs it. */
export * from "./api.js";
