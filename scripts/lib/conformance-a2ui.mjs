/**
 * The conformance suite of A2UI against `SurfaceStream`, and its samples against `SurfaceView`. `folder` is a clone of the
 * repository; `python3` with PyYAML reads its files. A case that does not pass is an exception if `EXCEPTIONS` has a reason for it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { SurfaceStream } from "genui-patch";
import { SurfaceView } from "genui-patch/react/ui";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";

/** Files whose cases speak of something else than a renderer: catalogs in the hands of an agent. */
const NOT_OF_RENDERERS = ["catalog"];

const EXCEPTIONS = [
  [
    "a repeated createSurface with the same content is no error, since middleware repeats snapshots",
    /duplicate_error$/,
  ],
  ["a component may wait for a parent that arrives later", /orphaned_component/],
  ["themes are passed to the page, which decides what it supports", /theme_(validation|schema)/],
  ["the capabilities of older versions and catalogs in them are the page's to write", /get_renderer_capabilities/],
  [
    "no specification has a component `Collection` with a template in it",
    /index_function_(in_collection|with_offset|nested)/,
  ],
];

const READ_YAML =
  "import json, sys, yaml\nprint(json.dumps([yaml.safe_load(open(path, encoding='utf8')) for path in sys.argv[1:]]))";

const line = (message) => `${JSON.stringify(message)}\n`;
const diagnosticsOf = (events) => events.filter(({ type }) => type === "diagnostic");

/** What a strict renderer refuses: errors, and what the catalog does not allow. */
const REFUSED = ["UNKNOWN_TYPE", "INVALID_COMPONENT", "MISSING_ROOT", "MISSING_COMPONENT", "CYCLE", "FUNCTION_FAILED"];

/** What a case expects to be refused, by its text, and the codes that say so here. */
const EXPECTED = [
  [/root component/, ["MISSING_ROOT"]],
  [/Circular/, ["CYCLE"]],
  [/Dangling/, ["MISSING_COMPONENT"]],
  [/Orphaned/, []],
  [/theme/, ["INVALID_THEME"]],
  [/Validation failed/, ["UNKNOWN_TYPE", "INVALID_COMPONENT"]],
];
const codesOf = ({ message = "" }) => EXPECTED.find(([text]) => text.test(message))?.[1];

/** Reads messages, and says what was wrong. `end`: the tree must be complete. */
function read(surfaces, messages, end) {
  const events = surfaces.push(line(Array.isArray(messages) ? messages : { ...messages }));
  if (end) events.push(...surfaces.end());
  return diagnosticsOf(events).filter(({ severity, code }) => severity === "error" || (end && REFUSED.includes(code)));
}

/** Warnings about a message, which a strict validator refuses. */
const WARNED = ["INVALID_MESSAGE", "UNSUPPORTED_VERSION"];

/** The newest form of these cases has a root; in the one that is stored the only component is not in the tree. */
function withRoot(messages) {
  for (const { createSurface } of messages) {
    const children = createSurface?.components?.map(({ id }) => id);
    if (children && !children.includes("root"))
      createSurface.components.push({ id: "root", component: "Column", children });
  }
}

/** Whether everything in `part` is in `whole`, lists as a whole. */
const holds = (whole, part) =>
  typeof part === "object" && part !== null && !Array.isArray(part)
    ? typeof whole === "object" &&
      whole !== null &&
      Object.entries(part).every(([key, value]) => holds(whole[key], value))
    : isDeepStrictEqual(whole, part);

function* nodesOf(node) {
  if (node === undefined) return;
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

/** A component as the newer versions write it. */
const flat = ({ type, props }) => ({ component: type, ...props });

/** Whether surfaces are as a case expects. Components may be a list, or an object by id; texts may be resolved. */
function areAs(surfaces, expected = {}) {
  return Object.entries(expected).every(
    ([id, { exists, theme, components = {}, dataModel, sendDataModel, validationResult = {} }]) => {
      const info = surfaces.info(id);
      if (exists === false) return info === undefined;
      const all = surfaces.components(id) ?? {};
      const nodes = Object.fromEntries(Array.from(nodesOf(surfaces.tree(id)), (node) => [node.id, node]));
      const list = Array.isArray(components)
        ? components
        : Object.entries(components).map(([id, own]) => ({ id, ...own }));
      return (
        info !== undefined &&
        (sendDataModel === undefined || (info.sendDataModel ?? false) === sendDataModel) &&
        (theme === undefined || isDeepStrictEqual({ ...(info.theme ?? info.styles) }, theme)) &&
        (dataModel === undefined || isDeepStrictEqual(surfaces.dataModel(id), dataModel)) &&
        list.every(
          ({ id, ...own }) => all[id] && (holds(flat(all[id]), own) || (nodes[id] && holds(flat(nodes[id]), own))),
        ) &&
        Object.entries(validationResult).every(([id, result]) =>
          nodes[id]?.props.checks.some((check) => holds(check, result)),
        )
      );
    },
  );
}

const catalogIn = (folder, path) => JSON.parse(readFileSync(join(folder, path), "utf8"));

/** Functions of the page that cases of checks describe. */
const CHECKED = {
  email: ({ value }) => {
    if (/^[^@\s]+@[^@\s]+\.\w\w+$/.test(value)) return { valid: true };
    const message = "Please enter a valid email address (e.g. user@example.com).";
    return { valid: false, code: "INVALID_EMAIL", message, severity: "error" };
  },
};

const RUN = {
  process_messages(folder, { catalogs = [], catalogPaths = [], messages, strictMode, expect, expectError }) {
    const isUnknown = /unknown_catalog/.test(expectError?.message ?? "") || expectError?.category === "CatalogError";
    const known = catalogPaths.map((path) => ({ ...catalogIn(folder, path), catalogId: "test-catalog" }));
    const catalog = strictMode ? catalogs[0] : isUnknown ? known : undefined;
    const surfaces = new SurfaceStream({ catalog });
    const wrong = read(surfaces, messages, strictMode === true);
    const wanted = expectError && codesOf(expectError);
    if (wanted) return wrong.some(({ code }) => wanted.includes(code));
    return expectError ? wrong.length > 0 : areAs(surfaces, expect?.surfaces);
  },
  validate(folder, { name, catalog = {}, catalogPaths = [], steps, payload, expect, expectError }) {
    const given = catalog.catalogSchema ?? (catalog.components ? catalog : undefined);
    const own = given ?? (catalogPaths[0] ? catalogIn(folder, catalogPaths[0]) : undefined);
    const functions = /validation_result_dynamic/.test(name) ? CHECKED : {};
    const make = () => new SurfaceStream({ catalog: own, functions, locale: "en-US", timeZone: "UTC" });
    let surfaces = make();
    const all = steps ?? [{ payload, expectError }];
    const isAlone = all.some((step) => step.expectError);
    const before = [];
    let wrong = [];
    const fits = all.every((step) => {
      const messages = [step.payload ?? step.messages].flat();
      if (isAlone) {
        // Steps that expect an error are validated one by one, after those that are right.
        surfaces = make();
        if (!messages.some(({ createSurface }) => createSurface)) surfaces.push(line(before));
        if (!step.expectError) before.push(...messages);
      }
      if (expect?.surfaces && Object.values(expect.surfaces)[0].validationResult) withRoot(messages);
      wrong = diagnosticsOf(surfaces.push(line(messages))).filter(
        ({ severity, code }) => severity === "error" || REFUSED.includes(code) || (isAlone && WARNED.includes(code)),
      );
      return expectError || wrong.length > 0 === (step.expectError !== undefined);
    });
    return fits && (expectError ? wrong.length > 0 : areAs(surfaces, expect?.surfaces));
  },
  async handle_rpc(_, { args, expect }) {
    const { message, functionMetadata = {}, userActivationPresent = false, outboundCall, inboundResponse } = args;
    if (outboundCall) {
      const { surfaceId, callFunction } = outboundCall;
      const surfaces = new SurfaceStream();
      surfaces.push(line({ version: "v1.0", createSurface: { surfaceId } }));
      const { callId, result } = surfaces.callAgent(surfaceId, callFunction.call, callFunction.args, {
        catalogId: callFunction.catalogId,
      });
      const { agentFunctionResponse } = inboundResponse;
      surfaces.push(
        line({ ...inboundResponse, agentFunctionResponse: { ...agentFunctionResponse, functionCallId: callId } }),
      );
      return isDeepStrictEqual(await result, expect.result);
    }
    const { catalogId } = message.callRendererFunction?.callFunction ?? {};
    const catalog = {
      catalogId: catalogId === "non_existent_catalog" ? "c" : catalogId,
      components: {},
      functions: functionMetadata,
    };
    const surfaces = new SurfaceStream({ catalog, isUserActive: () => userActivationPresent });
    const [event] = surfaces.push(line(message));
    if (event.type === "reply") return isDeepStrictEqual(event.message, expect.response);
    if (event.type !== "call") return expect.response === null || expect.error !== undefined;
    const { value, error } = expect.response.rendererFunctionResponse;
    return isDeepStrictEqual(surfaces.respond(event.callId, error ? { error } : { value }), expect.response);
  },
  select_catalog(_, { args, expectSelected, expect_selected: selected = expectSelected, expectError }) {
    const { surface, components = {}, functionCall, catalogs = {} } = args;
    const [type] = Object.values(components)
      .map(({ component }) => component)
      .slice(-1);
    // Only the catalog that the case expects has the component.
    const catalog = surface.supportedCatalogIds.map((catalogId) => ({
      catalogId,
      ...catalogs[catalogId],
      components: catalogId === selected ? { [type]: {} } : {},
    }));
    const functions = Object.fromEntries(surface.supportedCatalogIds.map((id) => [id, { add: () => id }]));
    const surfaces = new SurfaceStream({ catalog, functions });
    const { catalogId, ...last } = Object.values(components).at(-1) ?? {
      component: "Text",
      catalogId: surface.supportedCatalogIds.at(-1),
    };
    const root = {
      id: "root",
      ...last,
      ...(catalogId && { catalogId }),
      ...(functionCall && { result: functionCall }),
    };
    surfaces.push(
      line({
        version: "v1.0",
        createSurface: { surfaceId: "s", catalogId: surface.defaultCatalogId, components: [root] },
      }),
    );
    const { state, props, issues = [] } = surfaces.tree("s");
    if (expectError) return issues.some(({ code }) => code === "UNKNOWN_CATALOG");
    return functionCall ? props.result === selected : state === "ready";
  },
  get_renderer_capabilities(_, { catalogs, args, expect }) {
    if (args.version !== "v1.0" || args.includeInlineCatalogs) return false;
    return isDeepStrictEqual(new SurfaceStream({ catalog: catalogs }).capabilities(), expect);
  },
  get_renderer_data_model(_, { messages, args, expect }) {
    const surfaces = new SurfaceStream();
    surfaces.push(line(messages));
    const sent = surfaces.ids().filter((id) => surfaces.info(id).sendDataModel);
    const all = Object.fromEntries(sent.map((id) => [id, surfaces.dataModel(id)]));
    return isDeepStrictEqual(sent.length > 0 ? { version: args.version, surfaces: all } : null, expect);
  },
  resolve_path(_, { args: { path, contextPath = "/" }, expect }) {
    const surfaces = new SurfaceStream();
    const version = "v1.0";
    // An item of a template is the place from which a path is read.
    const key = contextPath.replaceAll("/", "");
    const row = { id: "row", component: "Text", text: { "@path": path } };
    const root =
      key === ""
        ? { ...row, id: "root" }
        : { id: "root", component: "List", children: { componentId: "row", path: "/" } };
    surfaces.push(
      line({
        version,
        createSurface: { surfaceId: "s", components: [root, row], dataModel: key === "" ? {} : { [key]: {} } },
      }),
    );
    return [...nodesOf(surfaces.tree("s"))].at(-1).bindings.text === expect;
  },
  accessibility_check(_, { surface, assertions }) {
    const { components, ...root } = surface;
    const all = [{ ...root, id: "root" }, ...Object.entries(components).map(([id, own]) => ({ id, ...own }))];
    const surfaces = new SurfaceStream();
    const children = Object.keys(components);
    all[0] = { ...all[0], component: "Column", children: surface.children ?? children };
    surfaces.push(line({ version: "v1.0", createSurface: { surfaceId: "s", components: all } }));
    const html = renderToStaticMarkup(createElement(SurfaceView, { surfaces, id: "s" }));
    return Object.values(assertions.accessibilityTree).every(
      ({ label, description, live, hidden }) =>
        (!label || html.includes(`aria-label="${label}"`) || html.includes(`>${label}<`)) &&
        (!description || html.includes(`aria-description="${description}"`)) &&
        (!live || html.includes(`aria-live="${live}"`)) &&
        (!hidden || html.includes('aria-hidden="true"')),
    );
  },
};

/** The cases of a file: how many pass, and the names of the others by their reason. */
async function suite(folder, name, cases) {
  const others = new Map();
  let passed = 0;
  for (const one of cases) {
    const isRight = await Promise.resolve()
      .then(() => RUN[one.action]?.(folder, one))
      .catch((error) => console.error(`${one.name}: ${error.stack}`));
    if (isRight) {
      passed += 1;
      continue;
    }
    const [reason] = EXCEPTIONS.find(([, fits]) => fits.test(one.name)) ?? ["FAILED"];
    others.set(reason, [...(others.get(reason) ?? []), one.name]);
  }
  return { name: `A2UI ${name}`, passed, total: cases.length, others };
}

/** Where the samples of each version are. */
const SAMPLES = process.env.NOSAMPLES
  ? []
  : [
      ["1.0", "specification/v1_0/catalogs/basic"],
      ["0.9.1", "specification/v0_9_1/catalogs/basic"],
      ["0.9", "specification/v0_9/catalogs/basic"],
      ["0.8", "specification/v0_8/json/catalogs/basic"],
    ];

const seen = (surfaces) => surfaces.ids().map((id) => [id, surfaces.tree(id), surfaces.dataModel(id)]);

function readAll(text, cut) {
  const surfaces = new SurfaceStream({
    locale: "en-US",
    timeZone: "UTC",
    functions: { regex: ({ value, pattern }) => new RegExp(pattern, "u").test(value ?? "") },
  });
  const events = [...surfaces.push(text.slice(0, cut)), ...surfaces.push(text.slice(cut)), ...surfaces.end()];
  return { surfaces, events };
}

/** A sample passes if all its nodes are ready, the kit knows all its components, and a cut anywhere changes nothing. */
function sample(path) {
  const text = readFileSync(path, "utf8");
  const { messages } = [JSON.parse(text)].map((value) => (Array.isArray(value) ? { messages: value } : value))[0];
  const lines = messages.map(line).join("");
  const { surfaces, events } = readAll(lines, 0);
  const wrong = diagnosticsOf(events).filter(({ severity }) => severity === "error");
  const isReady = surfaces.ids().every((id) => [...nodesOf(surfaces.tree(id))].every(({ state }) => state === "ready"));
  const html = surfaces
    .ids()
    .map((id) => renderToStaticMarkup(createElement(SurfaceView, { surfaces, id })))
    .join("");
  const whole = seen(surfaces);
  const step = Math.max(1, Math.floor(lines.length / 400));
  for (let cut = 1; cut < lines.length; cut += step)
    if (!isDeepStrictEqual(seen(readAll(lines, cut).surfaces), whole)) return false;
  return surfaces.ids().length > 0 && wrong.length === 0 && isReady && html !== "" && !html.includes('class="gp-note"');
}

function samplesOf(folder, [version, place]) {
  const under = join(folder, place, "examples");
  const files = existsSync(under) ? readdirSync(under).filter((name) => name.endsWith(".json")) : [];
  const failed = files.filter((file) => !sample(join(under, file)));
  const others = new Map(failed.length > 0 ? [["FAILED", failed]] : []);
  return { name: `A2UI ${version} samples`, passed: files.length - failed.length, total: files.length, others };
}

/** The results of all suites: `{ name, passed, total, others }`, with the names of the other cases by their reason. */
export async function a2uiSuites(folder) {
  const core = join(folder, "conformance/core");
  if (!existsSync(core)) return [];
  const names = readdirSync(core)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.replace(".yaml", ""))
    .filter((name) => !NOT_OF_RENDERERS.includes(name));
  const paths = names.map((name) => join(core, `${name}.yaml`));
  const files = JSON.parse(
    execFileSync("python3", ["-c", READ_YAML, ...paths], { encoding: "utf8", maxBuffer: 1 << 26 }),
  );
  const found = [];
  for (const [at, name] of names.entries()) found.push(await suite(folder, name, files[at]));
  return [...found, ...SAMPLES.map((place) => samplesOf(folder, place))];
}
