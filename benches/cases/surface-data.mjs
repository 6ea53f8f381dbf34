/** Data of a surface, one key after the other, with the tree after each. */
import { same } from "../lib/setters.mjs";
import { gulf, last, v8, v9 } from "../lib/surfaces.mjs";

/** `open` makes a surface and gives `update`, which takes one message and gives the texts' places, and `text`. */
function updating(open) {
  return async ({ count }) => {
    const make = await open(count);
    return {
      run(lap) {
        const { updates, update, text, end } = make();
        for (const message of updates) {
          same(update(message), count);
          lap?.();
        }
        const shown = text(count - 1);
        end?.();
        return shown;
      },
      check: (shown) => same(shown, last(count)),
    };
  };
}

/** The surface is built anew for each run, which is in its time. */
async function ours(count) {
  const { SurfaceStream } = await import("genui-patch");
  const { start, updates } = gulf(count);
  return () => {
    const surfaces = new SurfaceStream();
    surfaces.push(start);
    return {
      updates,
      update(line) {
        surfaces.push(line);
        return surfaces.tree("main").children.length;
      },
      text: (index) => surfaces.tree("main").children[index].props.text,
      end: () => surfaces.dispose(),
    };
  };
}

async function eight(count) {
  const { A2uiMessageProcessor } = await import("@a2ui/web_core/v0_8");
  const { start, updates } = v8(count);
  return () => {
    const processor = new A2uiMessageProcessor();
    processor.processMessages(start);
    const tree = () => processor.getSurfaces().get("s").componentTree;
    return {
      updates,
      update(message) {
        processor.processMessages([message]);
        return tree().properties.children.length;
      },
      text: (index) => processor.getData(tree().properties.children[index], `/v${index}`, "s"),
    };
  };
}

async function nine(count) {
  const { Catalog, MessageProcessor, NodeResolver, peekValue, TextApi, ColumnApi } = await import(
    "@a2ui/web_core/v0_9"
  );
  const { start, updates } = v9(count);
  return () => {
    const catalog = new Catalog("bench", [TextApi, ColumnApi], []);
    const processor = new MessageProcessor([catalog]);
    processor.processMessages(start);
    const surface = processor.model.getSurface("s");
    const resolver = new NodeResolver(surface, catalog);
    const children = () => peekValue(peekValue(resolver.rootNode).props).children;
    return {
      updates,
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
    "As many updates as components, each for one of them. genui-patch reads lines of text and makes an immutable tree " +
    "each time, in which what did not change is shared; the peers take objects. A2UI web_core v0.8 builds its tree " +
    "anew; v0.9 changes the nodes of one tree in place and knows no earlier one. Building the surface is in the time.",
  kind: "stream",
  unit: "ms",
  browser: true,
  variants: [{ label: "2,000 components", count: 2000 }],
  quick: { label: "50 components", count: 50 },
  contenders: {
    "genui-patch": { role: "ours", make: updating(ours) },
    "A2UI web_core v0.8": { role: "peer", make: updating(eight), samples: 3, warm: false },
    "A2UI web_core v0.9": { role: "peer", make: updating(nine) },
  },
  targets: [{ contender: "genui-patch", variant: "2,000 components", most: 30 }],
};
