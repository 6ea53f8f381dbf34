/** Work that must not grow faster than what it is about. */
import { same } from "../lib/setters.mjs";

const succeed = ({ status, error }) => same(error?.code ?? status, "success");

const opened = async (document) => {
  const { PatchStore } = await import("genui-patch");
  const store = new PatchStore({ rules: "open" });
  succeed(store.load("x", document));
  return store;
};

/** The work by name: each makes what is needed, and gives what the clock is for. */
const WORK = {
  "keys removed": async (size) => {
    const keys = Array.from({ length: size }, (_, n) => `k${n}`);
    const store = await opened(Object.fromEntries(keys.map((key) => [key, key])));
    const patches = keys.map((path) => ({ op: "remove", path }));
    return () => succeed(store.apply({ instance_name: "x", patches }));
  },
  "the front of a list removed": async (size) => {
    const store = await opened({ l: Array.from({ length: 10 * size }, (_, n) => ({ id: `i${n}`, n })) });
    const patches = Array.from({ length: size }, (_, n) => ({ op: "remove", path: `l["i${n}"]` }));
    return () => succeed(store.apply({ instance_name: "x", patches }));
  },
  "params of an action": async (size) => {
    const { PatchStore } = await import("genui-patch");
    const store = new PatchStore();
    const params = Object.fromEntries(Array.from({ length: size }, (_, n) => [`p${n}`, n]));
    const actions = [{ id: "go", label: "Go", action_type: "apply_patch", patches: { "state.params.p0": 1 } }];
    succeed(store.load("x", { state: { params, runtime: {} }, layout: { type: "single" }, blocks: [], actions }));
    const given = Object.fromEntries(Object.entries(params).map(([key, n]) => [key, n + 1]));
    return () => succeed(store.runAction("x", "go", { params: given }));
  },
  "messages of a surface, as many nodes": async (size) => {
    const { SurfaceStream } = await import("genui-patch");
    const { gulf, updates } = await import("../lib/surfaces.mjs");
    const made = gulf(updates(size, 1));
    const surfaces = new SurfaceStream();
    surfaces.push(made.start);
    return () => {
      for (const line of made.updates) surfaces.push(line);
      same(surfaces.tree("main").children.length, size);
    };
  },
};

const SIZES = [1000, 4000];

const sized = (size) => ({
  role: "ours",
  cold: true,
  make: async ({ work, share = 1 }) => ({ run: await WORK[work](size / share) }),
});

export default {
  name: "growth",
  title: "Work that grows",
  about: "The first and only run of a process. Four times as much may take little more than four times as long.",
  kind: "operation",
  unit: "ms",
  page: false,
  variants: Object.keys(WORK).map((work) => ({ label: work, work })),
  quick: { share: 20 },
  contenders: Object.fromEntries(SIZES.map((size) => [size.toLocaleString("en"), sized(size)])),
  asked: [{ contender: "4,000", figure: "cold", most: 6, of: "1,000" }],
};
