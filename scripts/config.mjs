/** The choices of the build that are worth changing, each in one place. */

/** Instructions beyond those that rustc takes for granted, such as "+simd128": they raise the oldest engine supported. */
export const targetFeatures = [];

/** Up to which cost LLVM inlines a function; 225 by itself. See "Size and speed" in CONTRIBUTING. */
export const inlineThreshold = 36;

/**
 * Optimization by wasm-opt, and how much it may take away. It inlines nothing: where that pays LLVM has done it. It is the
 * one who strips: see `strip` in CONTRIBUTING. Nothing lies in the lowest kilobyte: the stack ends there, and the data comes
 * after the stack.
 */
export const wasmOpt = [
  "-O3",
  "--converge",
  "--always-inline-max-function-size=1",
  "--flexible-inline-max-function-size=5",
  "--one-caller-inline-max-function-size=1",
  "--low-memory-unused",
  "--strip-debug",
  "--strip-producers",
  "--strip-target-features",
];

/** How hard zopfli tries: so many rounds, and as many blocks as it likes. */
export const deflation = { numiterations: 15, blocksplittingmax: 0 };

/**
 * The largest that `import "genui-patch"` may be: bundled, minified and gzipped, with the module inlined. It keeps what
 * has been reached; the goal is 77 KB (CONTRIBUTING, "Size and speed").
 */
export const sizeLimit = 292 * 1024;
