/** A stream of surface messages in small pieces. */
import { pieces } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";
import { stream } from "../lib/surfaces.mjs";

const CHUNK = 16;

/** The id of the component in the last line but one. */
const lastId = (text) => /"id":"(c\d+)"[^\n]*\n[^\n]*\n$/.exec(text.slice(-1000))[1];

async function ours({ length }) {
  const { SurfaceStream } = await import("genui-patch");
  const text = stream(length);
  const chunks = pieces(text, CHUNK);
  const id = lastId(text);
  return {
    run(lap) {
      const surfaces = new SurfaceStream();
      for (const chunk of chunks) {
        surfaces.push(chunk);
        lap?.();
      }
      surfaces.end();
      const found = surfaces.components("main")[id].props.text.literalString;
      surfaces.dispose();
      return found;
    },
    check: (found) => same(text.includes(found), true),
  };
}

/** What one would write without any check: lines, and JSON.parse. */
async function byHand({ length }) {
  const text = stream(length);
  const chunks = pieces(text, CHUNK);
  const id = lastId(text);
  return {
    run(lap) {
      let rest = "";
      const components = {};
      const data = {};
      for (const chunk of chunks) {
        rest += chunk;
        for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
          const { componentUpdate, dataModelUpdate } = JSON.parse(rest.slice(0, end));
          rest = rest.slice(end + 1);
          for (const component of componentUpdate?.components ?? []) components[component.id] = component;
          if (dataModelUpdate) data[dataModelUpdate.path.slice(1)] = dataModelUpdate.contents;
        }
        lap?.();
      }
      return components[id].componentProperties.Text.text.literalString;
    },
    check: (found) => same(text.includes(found), true),
  };
}

export default {
  name: "surface-stream",
  title: "A stream of surface messages in 16-character pieces",
  about:
    "Components and data, line by line. genui-patch checks every message and keeps components and data up to date " +
    "after every piece. The peers have no reader of streams.",
  kind: "stream",
  unit: "ms",
  browser: true,
  variants: [
    { label: "100 KB", length: 100 * 1024 },
    { label: "1 MB", length: 1024 * 1024 },
  ],
  quick: { label: "5 KB", length: 5 * 1024 },
  contenders: {
    "genui-patch": { role: "ours", make: ours },
    "by hand": { role: "floor", make: byHand },
  },
  targets: [{ contender: "genui-patch", variant: "1 MB", most: 60 }],
  growth: [{ contender: "genui-patch", from: "100 KB", to: "1 MB", most: 12 }],
};
