// Random conversations against a plain reference: calls whole, broken, cut, repeated, out of order, cancelled, in every form
// that an agent can send, with approvals and rejections in between. The documents are equal, and no call that needs approval
// is executed without it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentTools, FlowStore, PatchStore, Workspace } from "genui-patch";
import { block, blockEvents, CHUNKS, nativeEvents, pieces } from "../support/agent.mjs";
import { random } from "../support/random.mjs";

const CONVERSATIONS = Number(process.env.CONVERSATIONS ?? 1000);
/** The seed of the first conversation; each has a seed of its own, so that a failing one can be run alone. */
const SEED = Number(process.env.SEED ?? 1);
const KEYS = ["a", "b", "c"];
const PAGES = ["one", "two"];
const PATHS = ["x.txt", "y.txt"];
const NODES = ["n1", "n2"];
const VALUES = [0, 1, "s", null, [1], { k: "v" }];

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const copy = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** The expected state: plain objects, and the pending proposals, each with the values it was based on. */
class Reference {
  pages = Object.fromEntries(PAGES.map((name) => [name, { a: 1, b: "s" }]));
  files = { "x.txt": "x0" };
  nodes = { n1: { a: 1 }, n2: { a: 1 } };
  proposals = [];

  constructor(asks) {
    this.asks = asks;
  }

  /** The effect of a call; `undefined` if it is refused. */
  plan({ name, arguments: args }) {
    switch (name) {
      case "patch_ui_state": {
        const page = this.pages[args.instance_name];
        if (page === undefined) return undefined;
        const next = copy(page);
        for (const { op, path, value } of args.patches) {
          const key = path.slice("state.params.".length);
          if (op === "set") next[key] = value;
          else if (next[key] === undefined || typeof next[key] === "number") next[key] = (next[key] ?? 0) + 1;
          else return undefined;
        }
        return {
          room: "pages",
          place: args.instance_name,
          fields: KEYS.filter((key) => !same(page[key], next[key])),
          next,
        };
      }
      case "updateNode": {
        const node = this.nodes[args.nodeId];
        if (node === undefined) return undefined;
        const next = { ...node, ...copy(args.newData) };
        const fields = Object.keys(args.newData).filter((key) => !same(node[key], next[key]));
        return { room: "nodes", place: args.nodeId, fields, next, newData: args.newData };
      }
      case "write_file":
        return args.path.startsWith("..") ? undefined : { room: "files", place: args.path, text: args.content };
      case "delete_file":
        return args.path in this.files ? { room: "files", place: args.path, text: null } : undefined;
      case "edit_file": {
        const { old_string, new_string } = args.search_replace;
        const text = this.files[args.path];
        if (text?.split(old_string).length !== 2) return undefined;
        return { room: "files", place: args.path, text: text.replace(old_string, () => new_string) };
      }
      case "list_instances":
        return {};
      default:
        return undefined;
    }
  }

  /** Executes or proposes a call: "success", "pending" or "error". */
  take(call) {
    const plan = this.plan(call);
    if (plan === undefined) return "error";
    if (plan.room === undefined) return "success";
    const isNode = plan.room === "nodes";
    // An update of fields with a pending proposal needs approval too.
    const waiting = this.proposals.filter(
      (own) =>
        isNode &&
        own.room === "nodes" &&
        own.place === plan.place &&
        own.status === "pending" &&
        Object.keys(own.newData).some((key) => key in plan.newData),
    );
    if (waiting.length === 0 && !this.asks(plan.place)) {
      this.make(plan);
      return "success";
    }
    if (waiting.some((own) => isNode && equalNodes(own.newData, plan.newData))) return "pending";
    const before = plan.room === "files" ? (this.files[plan.place] ?? null) : copy(this[plan.room][plan.place]);
    const after = plan.fields && Object.fromEntries(plan.fields.map((key) => [key, plan.next[key]]));
    this.proposals.push({ ...plan, before, after, status: "pending" });
    return "pending";
  }

  make({ room, place, next, fields, text }) {
    if (room === "files") {
      if (text === null) delete this.files[place];
      else this.files[place] = text;
      return;
    }
    for (const key of fields) this[room][place][key] = copy(next[key]);
    for (const own of this.proposals) {
      if (own.room !== room || own.place !== place || !["pending", "stale"].includes(own.status)) continue;
      // A stale proposal is pending again once the values it was based on are restored.
      const isAsBefore = own.fields.every((key) => same(this[room][place][key], own.before[key]));
      own.status = isAsBefore ? "pending" : "stale";
    }
  }

  /** Approves a proposal; returns whether that succeeds. */
  approve(index) {
    const own = this.proposals[index];
    if (own.room === "files") {
      const now = this.files[own.place] ?? null;
      const isMerged = now !== null && own.before === own.text;
      if (now !== own.before && now !== own.text && !isMerged) return false;
      if (isMerged) own.text = now;
    } else if (own.status === "stale") return false;
    own.status = "approved";
    this.make(own);
    return true;
  }

  get state() {
    return [this.pages, this.files, this.nodes];
  }
}

const equalNodes = (a, b) => same(Object.entries(a).sort(), Object.entries(b).sort());

function isAmong({ tool, ...args }, calls) {
  return calls.some((call) => (tool === undefined || tool === call.name) && same(args, call.arguments));
}

function randomCall({ pick, chance, below }) {
  switch (below(8)) {
    case 0:
      return {
        name: "write_file",
        arguments: { path: chance(0.1) ? "../x.txt" : pick(PATHS), content: `w${below(3)}` },
      };
    case 1:
      return {
        name: "edit_file",
        arguments: {
          path: pick(PATHS),
          search_replace: { old_string: pick(["x", "w", "0"]), new_string: `w${below(9)}$&` },
        },
      };
    case 2:
      return { name: "delete_file", arguments: { path: pick(PATHS) } };
    case 3:
    case 4: {
      const entries = KEYS.filter(() => chance(0.5)).map((key) => [key, pick(VALUES)]);
      const newData = Object.fromEntries(entries.length ? entries : [["a", 2]]);
      return { name: "updateNode", arguments: { taskId: "t", nodeId: chance(0.1) ? "n9" : pick(NODES), newData } };
    }
    case 5:
      return chance(0.5)
        ? { name: "list_instances", arguments: {} }
        : { name: pick(["approve", "toString"]), arguments: {} };
    default: {
      const keys = KEYS.filter(() => chance(0.5));
      const patches = (keys.length ? keys : ["a"]).map((key) =>
        chance(0.7)
          ? { op: "set", path: `state.params.${key}`, value: pick(VALUES) }
          : { op: "increment", path: `state.params.${key}` },
      );
      return { name: "patch_ui_state", arguments: { instance_name: chance(0.1) ? "gone" : pick(PAGES), patches } };
    }
  }
}

async function conversation(seed) {
  const chosen = random(seed);
  const { below, chance, pick } = chosen;
  const store = new PatchStore({ rules: "open" });
  const files = Workspace.memory({ "x.txt": "x0" });
  const flow = new FlowStore();
  for (const name of PAGES) store.load(name, { state: { params: { a: 1, b: "s" } } });
  flow.load({ id: "t", nodes: NODES.map((id) => ({ id, data: { a: 1 } })) });
  const guarded = new Set([...PAGES, ...PATHS, ...NODES].filter(() => chance(0.5)));
  const asks = (place) => guarded.has(place);
  const policy = pick([
    ["never", () => false],
    ["always", () => true],
    [({ target }) => asks(target.replace("t/", "")), asks],
  ]);
  const agent = agentTools({ store, files, flow, approve: policy[0] });
  const reference = new Reference(policy[1]);
  /** The proposals in the order in which the reference has them. */
  const known = [];
  let id = 0;

  const proposals = () => [...store.proposals(), ...files.proposals(), ...flow.proposals()];
  const settle = (call, { status, proposal }) => {
    const wanted = reference.take(call);
    assert.equal(status, wanted, JSON.stringify([seed, call]));
    if (proposal && !known.includes(proposal.id)) known.push(proposal.id);
    proposals();
  };

  for (let step = 0; step < 12; step++) {
    const calls = Array.from({ length: 1 + below(3) }, () => ({ id: `c${id++}`, ...randomCall(chosen) }));
    if (chance(0.2)) calls.push({ ...calls[0], id: `c${id++}` });
    if (chance(0.2)) calls.reverse();
    const stop = new AbortController();
    const options = chance(0.3) ? { signal: stop.signal } : {};
    const cancelAt = options.signal ? below(calls.length + 1) : calls.length;
    const length = () => 1 + below(30);
    const way = pick(["text", "native", "request", "at once"]);
    if (way === "at once") {
      const running = calls.map((call, place) => {
        if (place === cancelAt) stop.abort();
        return agent.execute(call, options);
      });
      // Calls on one target are executed in order, and no call affects another target.
      const results = await Promise.all(running);
      for (const [place, call] of calls.entries()) {
        if (results[place].error?.code !== "CANCELLED") settle(call, results[place]);
        else assert.ok(place >= cancelAt || call.name.endsWith("_file"));
      }
    } else if (way === "request") {
      for (const [place, call] of calls.entries()) {
        if (place === cancelAt) stop.abort();
        const { arguments: args } = call;
        const result = await agent.execute({ ...call, arguments: chance(0.5) ? JSON.stringify(args) : args }, options);
        if (place >= cancelAt) assert.equal(result.error.code, "CANCELLED");
        else settle(call, result);
      }
    } else {
      // Some of the input is damaged, or cut off.
      const format = pick(Object.keys(CHUNKS));
      let text = calls.map(block).join("And\n");
      let chunks = CHUNKS[format](calls, (whole) => pieces(whole, length));
      if (chance(0.2)) text = text.slice(0, below(text.length));
      if (chance(0.2)) chunks = chunks.slice(0, below(chunks.length));
      if (chance(0.2)) {
        const at = below(text.length);
        text = text.slice(0, at) + (chance(0.5) ? text[at] + text[at] : "") + text.slice(at + 1);
      }
      const events = way === "text" ? blockEvents(agent, pieces(text, length)) : nativeEvents(agent, format, chunks);
      for (const event of events) {
        const found = event.call ? [event.call] : (event.calls ?? []);
        // Damage inside a string yields another call, which the tests of the parsers cover.
        if (found.some(({ args }) => !isAmong(args, calls))) return;
        const results = await agent.executeBlock(event);
        if (event.type === "json-tool-block") assert.equal(results.length, Math.max(1, found.length));
        for (const [place, { tool, args }] of found.entries()) {
          const { tool: _, ...rest } = args;
          settle({ name: tool, arguments: rest }, results[place]);
        }
        if (event.type === "json-tool-block" && found.length === 0) assert.equal(results[0].status, "error");
      }
    }
    // The user decides on some proposals, and the model receives each decision once.
    const decided = [];
    for (let visit = below(3); visit > 0; visit--) {
      const open = reference.proposals.flatMap(({ status }, index) =>
        status === "pending" || status === "stale" ? [index] : [],
      );
      if (open.length === 0) break;
      const index = pick(open);
      const { room, place } = reference.proposals[index];
      const owner = { pages: store, files, nodes: flow }[room];
      if (chance(0.3)) {
        owner.refuse(known[index]);
        reference.proposals[index].status = "refused";
        decided.push(`refused ${place}`);
      } else {
        const answer = await owner.approve(known[index]);
        const isMade = reference.approve(index);
        if (isMade) decided.push(`approved ${place}`);
        assert.equal(answer.error === undefined, isMade, JSON.stringify([seed, reference.proposals[index], answer]));
      }
      proposals();
    }
    const [, ...lines] = agent.decisions().trimEnd().split("\n");
    const decisions = lines.map((line) => JSON.parse(line.slice(line.indexOf(": ") + 2)));
    assert.deepEqual(
      decisions
        .flatMap(({ status, target }) => (status === "stale" ? [] : `${status} ${target.replace("t/", "")}`))
        .sort(),
      decided.sort(),
      `seed ${seed}, step ${step}`,
    );
    const pages = Object.fromEntries(PAGES.map((name) => [name, store.get(name, "state.params")]));
    const nodes = Object.fromEntries(NODES.map((id) => [id, flow.node("t", id).data]));
    assert.deepEqual([pages, await files.snapshot(), nodes], reference.state, `seed ${seed}, step ${step}`);
  }
  store.dispose();
  flow.dispose();
}

test(`${CONVERSATIONS} random conversations come to what a plain reference says`, async () => {
  for (let seed = SEED; seed < SEED + CONVERSATIONS; seed++) await conversation(seed);
});
