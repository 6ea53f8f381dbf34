/** The choices of the build that are worth changing, each in one place. */

/** Instructions beyond those that rustc takes for granted, such as "+simd128": they raise the oldest engine supported. */
export const targetFeatures = [];

/** Up to which cost LLVM inlines a function; 225 by itself: an eighth larger, about a tenth faster. */
export const inlineThreshold = 60;

/** Optimization by wasm-opt, and how much it may take away. It is the one who strips: see `strip` in CONTRIBUTING. */
export const wasmOpt = ["-O3", "--strip-debug", "--strip-producers", "--strip-target-features"];

/**
 * The largest that `import "genui-patch"` may be: bundled, minified and gzipped, with the module inlined. It keeps what
 * has been reached; the goal is 77 KB (CONTRIBUTING, "Size and speed").
 */
export const sizeLimit = 301 * 1024;
