/** The default entry: the modules are packed into the script, each beside the code that needs it, and start on first use. */
export * from "./api.js";
