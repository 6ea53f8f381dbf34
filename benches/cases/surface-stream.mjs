/** A stream of surface messages in small pieces. */
import { pieces } from "../lib/content.mjs";
import { same } from "../lib/setters.mjs";
import { stream } from "../lib/surfaces.mjs";

const CHUNK = 16;

/** The component in the last line but one. */
const lastOf = (text) => JSON.parse(text.trimEnd().split("\n").at(-2)).componentUpdate.components[0];
const textOf = (component) => component.componentProperties.Text.text.literalString;

/** Evidence that all messages were read: the last component is the one that was sent. */
const reading = (role, load) => ({
  role,
  make: async () => {
    const start = await load();
    return {
      given: (text) => ({ chunks: pieces(text, CHUNK), id: lastOf(text).id }),
      run({ chunks, id }, _, lap) {
        const { push, end } = start();
        for (const chunk of chunks) {
          push(chunk);
          lap?.();
        }
        return end(id);
      },
      check: (found, text) => same(found, textOf(lastOf(text))),
    };
  },
});

const ours = reading("ours", async () => {
  const { SurfaceStream } = await import("genui-patch");
  return () => {
    const surfaces = new SurfaceStream();
    return {
      push: (chunk) => surfaces.push(chunk),
      end(id) {
        surfaces.end();
        const found = surfaces.components("main")[id].props.text.literalString;
        surfaces.dispose();
        return found;
      },
    };
  };
});

/** A program without any checks: split lines, and JSON.parse. */
const byHand = reading("floor", async () => () => {
  let rest = "";
  const components = {};
  const data = {};
  return {
    push(chunk) {
      rest += chunk;
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        const { componentUpdate, dataModelUpdate } = JSON.parse(rest.slice(0, end));
        rest = rest.slice(end + 1);
        for (const component of componentUpdate?.components ?? []) components[component.id] = component;
        if (dataModelUpdate) data[dataModelUpdate.path.slice(1)] = dataModelUpdate.contents;
      }
    },
    end: (id) => textOf(components[id]),
  };
});

export default {
  name: "surface-stream",
  title: "A stream of surface messages in 16-character pieces",
  about:
    "Components and data, line by line, other ones each time. genui-patch checks every message and keeps components and data " +
    "up to date after every piece. The peers have no reader of streams.",
  kind: "stream",
  unit: "ms",
  most: 2,
  page: { variants: ["100 KB"] },
  variants: [
    { label: "100 KB", length: 100 * 1024, laps: true },
    { label: "1 MB", length: 1024 * 1024 },
  ],
  quick: { label: "5 KB", length: 5 * 1024 },
  edits:
    ({ length }) =>
    (turn) =>
      stream(length, turn),
  contenders: { "genui-patch": ours, "by hand": byHand },
  asked: [
    { contender: "genui-patch", variant: "1 MB", most: 60 },
    { contender: "genui-patch", variant: "1 MB", most: 12, from: "100 KB" },
  ],
};
