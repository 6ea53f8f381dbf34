/** The choices of the build that are worth changing, each in one place. */

/** Instructions beyond those that rustc takes for granted, such as "+simd128": they raise the oldest engine supported. */
export const targetFeatures = [];

/**
 * The wasm modules. Each is a feature and a profile of the crate, which says how far it is optimized, an object in
 * `src/js/core/` and an `init` of the slim entry. `llvm`: up to which cost a function is inlined (225 by itself; 325 if it
 * asks for it), and a loop unrolled. `wasmOpt`: its level and passes. See "Size and speed" in CONTRIBUTING.
 */
export const modules = {
  store: {
    init: "initStore",
    llvm: ["-inline-threshold=34", "-inlinehint-threshold=120", "-unroll-threshold=20"],
    wasmOpt: ["-O3"],
  },
  blocks: {
    init: "initBlocks",
    llvm: ["-inline-threshold=8"],
    // Control flow written anew, and then optimized again.
    wasmOpt: ["-Oz", "--flatten", "--rereloop", "-Oz", "-Oz"],
  },
};

/**
 * Optimization by wasm-opt, and how much it may take away. It inlines nothing: where that pays LLVM has done it. It is the
 * one who strips: see `strip` in CONTRIBUTING. Nothing lies in the lowest kilobyte: the stack ends there, and the data comes
 * after the stack.
 */
export const wasmOpt = [
  "--converge",
  "--always-inline-max-function-size=1",
  "--flexible-inline-max-function-size=5",
  "--one-caller-inline-max-function-size=1",
  "--low-memory-unused",
  "--strip-debug",
  "--strip-producers",
  "--strip-target-features",
];

/** The single-file builds for pages without a bundler, and the exported names in each; undefined: all names. */
const always = ["GenuiPatchError", "limits", "preload", "version"];
export const standalone = {
  "genui-patch": undefined,
  store: [...always, "PatchStore", "FlowStore", "parsePath", "formatPath", "toJsonPatch", "fromJsonPatch", "jsonDiff"],
  blocks: [
    ...always,
    "ToolBlockStream",
    "ToolCallStream",
    "NativeCallStream",
    "Workspace",
    "validateToolBlock",
    "parseToolCalls",
    "repairToolBlock",
    "repairJson",
    "parsePartialJson",
    "correctionPrompt",
    "correctToolBlock",
    "toolBlockTransform",
    "checkPath",
    "safeUrl",
    "textDiff",
    "applyHunks",
    "toolDefinitions",
  ],
  surface: [...always, "SurfaceStream", "GulfWriter", "gulfSystemPrompt", "gulfFlow"],
};

/**
 * The most that each import may cost, in KB of 1,024 bytes: bundled by esbuild, minified and gzipped, modules included. A row
 * without names is everything. `asked` is the project's own target, which the benchmarks report.
 */
export const budgets = [
  { names: "ToolBlockStream, validateToolBlock, repairToolBlock", most: 83, asked: 80 },
  { names: "PatchStore", most: 127, asked: 110 },
  { names: "SurfaceStream", most: 28, asked: 28 },
  {
    names: "GulfWriter, gulfFlow, gulfSystemPrompt, A2uiWriter, a2uiSystemPrompt, a2uiTools",
    most: 12,
    asked: 12,
  },
  { names: "agentTools", most: 16 },
  // Six sevenths of it are what reads tool blocks, with its module.
  { names: "agentTools, runAgent", most: 106, asked: 14 },
  // No more than the store and the tools: what works on files is not in it.
  { names: "agentTools, PatchStore", most: 139 },
  { names: "jsonDiff", most: 4, asked: 4 },
  { names: "textDiff", most: 6, asked: 6 },
  { most: 302, asked: 255 },
];
