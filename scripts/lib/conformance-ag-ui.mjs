/**
 * The conformance streams of AG-UI against `AgUiThread`. `folder` is a clone of ag-ui-protocol/ag-ui, of which only the files
 * `spec/<version>/conformance/streams/*.json` are read.
 *
 * A stream that a client must reject passes if the thread tells a problem; one that must stay quiet passes if it tells none. Then
 * state, activities, calls, the outcome and the messages of a snapshot are compared. A thread does not assemble the texts of
 * messages, and sends nothing: streams about the requests of a client are not run.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { NativeCallStream, PatchStore } from "genui-patch";
import { AgUiThread } from "genui-patch/ag-ui";

const EXCEPTIONS = [
  ["members that a thread does not know are passed over without a word", /^unknown-property-stripped$/],
  ["messages are passed on as they were sent, with parts that the page may know", /^unknown-part-in-message-list$/],
  ["metadata of calls and messages is left to the client", /metadata/],
  ["a thread cannot be told to speak a version before 1.0", /^era-0-0-57/],
];

/** Whether everything in `part` is in `whole`, lists with their length. */
const holds = (whole, part) =>
  typeof part === "object" && part !== null
    ? typeof whole === "object" &&
      whole !== null &&
      Array.isArray(whole) === Array.isArray(part) &&
      (!Array.isArray(part) || part.length === whole.length) &&
      Object.entries(part).every(([key, value]) => holds(whole[key], value))
    : isDeepStrictEqual(whole, part);

const isAboutRequests = ({ expect }) => "request" in expect || "requestAbsentPaths" in expect;

function passes({ stream, expect, expectOverrides = {} }) {
  const {
    outcome,
    noWarnings,
    warnings,
    runError,
    state,
    messages = [],
    eventPaths = {},
  } = {
    ...expect,
    ...expectOverrides.typescript,
  };
  const store = new PatchStore({ rules: "open" });
  const told = [];
  let shown;
  const thread = new AgUiThread({
    calls: () => new NativeCallStream({ format: "ag-ui", tools: [], repair: false }),
    store,
    instance: "state",
    onMessages: (list) => {
      shown = list;
    },
    onWarning: ({ message }) => told.push(message),
  });
  const calls = [];
  const failures = [];
  for (const event of stream) {
    for (const found of thread.push(event)) if (found.type === "json-tool-block") calls.push(found);
    if (thread.outcome?.type === "error") failures.push(thread.outcome.message);
  }
  const isTold = outcome === "failed" || (warnings?.length ?? 0) > 0;
  const areCalls = messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .every(({ id, function: { name, arguments: text }, metadata }) =>
      calls.some(
        (call) =>
          call.toolId === id &&
          call.toolType === name &&
          call.content === text &&
          (!metadata || holds(call, { metadata })),
      ),
    );
  return (
    (isTold ? told.length > 0 : !noWarnings || told.length === 0) &&
    (runError === undefined || failures.some((text) => text.includes(runError === true ? "" : runError))) &&
    (state === undefined || holds(store.snapshot("state"), state)) &&
    messages.every((own) => own.role !== "activity" || holds(store.snapshot(own.id), { content: own.content })) &&
    messages.every(({ role, metadata }) => role === "activity" || metadata === undefined) &&
    areCalls &&
    (shown === undefined || holds(shown, messages)) &&
    Object.entries(eventPaths).every(
      ([path, value]) => !/\.outcome\.type$/.test(path) || thread.outcome?.type === value,
    )
  );
}

/** The results of each version: `{ name, passed, total, others }`, as of the other suites. */
export function agUiSuites(folder) {
  return ["1.0", "1.1"].flatMap((version) => {
    const place = join(folder, "spec", version, "conformance/streams");
    const files = existsSync(place) ? readdirSync(place).filter((file) => file.endsWith(".json")) : [];
    const streams = files
      .map((file) => JSON.parse(readFileSync(join(place, file), "utf8")))
      .filter((stream) => !isAboutRequests(stream));
    const others = new Map();
    for (const stream of streams) {
      if (passes(stream)) continue;
      const [reason] = EXCEPTIONS.find(([, fits]) => fits.test(stream.name)) ?? ["FAILED"];
      others.set(reason, [...(others.get(reason) ?? []), stream.name]);
    }
    const missed = [...others.values()].flat().length;
    if (files.length === 0) return [];
    return [{ name: `AG-UI ${version} streams`, passed: streams.length - missed, total: streams.length, others }];
  });
}
