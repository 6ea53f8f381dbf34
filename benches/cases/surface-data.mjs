/** Data of a surface, one key after the other, with the tree after each. */
import { same } from "../lib/setters.mjs";
import { gulf, updates, v9 } from "../lib/surfaces.mjs";

/** `open` makes a surface and gives `update`, which takes one message and gives how many texts there are, and `text`. */
const updating = (role, open, protocol) => ({
  role,
  make: async ({ count }) => {
    const make = await open();
    return {
      given: protocol,
      run({ start, updates, last }, _, lap) {
        const { update, text, end } = make(start);
        for (const message of updates) {
          same(update(message), count);
          lap?.();
        }
        const shown = text(last);
        end?.();
        return shown;
      },
      check: (shown, { values, order }) => same(shown, values[order.at(-1)]),
    };
  },
});

/** The surface is built anew for each run, which is in its time. */
async function ours() {
  const { SurfaceStream } = await import("genui-patch");
  return (start) => {
    const surfaces = new SurfaceStream();
    surfaces.push(start);
    return {
      update(line) {
        surfaces.push(line);
        return surfaces.tree("main").children.length;
      },
      text: (index) => surfaces.tree("main").children[index].props.text,
      end: () => surfaces.dispose(),
    };
  };
}

async function nine() {
  const { Catalog, MessageProcessor, NodeResolver, peekValue, TextApi, ColumnApi } = await import(
    "@a2ui/web_core/v0_9"
  );
  return (start) => {
    const catalog = new Catalog("bench", [TextApi, ColumnApi], []);
    const processor = new MessageProcessor([catalog]);
    processor.processMessages(start);
    const surface = processor.model.getSurface("s");
    const resolver = new NodeResolver(surface, catalog);
    const children = () => peekValue(peekValue(resolver.rootNode).props).children;
    return {
      update(message) {
        processor.processMessages([message]);
        return children().length;
      },
      text: (index) => peekValue(children()[index].props).text.value,
      end: () => resolver.dispose(),
    };
  };
}

export default {
  name: "surface-data",
  title: "One-key data updates of a surface, the tree read after each",
  about:
    "As many updates as components, each for one of them, in no order, with another text each. genui-patch reads lines of " +
    "text and makes an immutable tree each time, in which what did not change is shared; the peers take objects. A2UI " +
    "web_core v0.8 builds its tree anew, takes ten seconds for that, and is left out; v0.9 changes the nodes of one tree in place and " +
    "knows no earlier one. Building the surface is in the time.",
  kind: "stream",
  unit: "ms",
  most: 1,
  page: { contenders: ["genui-patch", "A2UI web_core v0.9"] },
  variants: [{ label: "2,000 components", count: 2000 }],
  quick: { label: "50 components", count: 50 },
  edits:
    ({ count }) =>
    (turn) =>
      updates(count, turn),
  contenders: {
    "genui-patch": updating("ours", ours, gulf),
    "A2UI web_core v0.9": updating("peer", nine, v9),
  },
  asked: [
    {
      contender: "genui-patch",
      variant: "2,000 components",
      most: 0.3,
      of: "A2UI web_core v0.9",
      why: "Each update is a line of text that is read, and makes a tree that shares with the one before; the peer takes objects and changes its one tree.",
    },
  ],
};
