import { useState } from "react";
import { Tabs } from "../lib/Tabs";
import { isObject, listOf, objectOf, objectsOf, textOf, type View } from "../lib/view";
import { Actions } from "./Actions";
import { BlockView } from "./BlockView";
import { InstanceHead } from "./InstanceHead";
import { useSnapshot } from "./instances";
import { at } from "./touched";

/** An instance as the person sees it. Blocks whose part of the snapshot is the same are not rendered again. */
export function InstanceView({ name }: { name: string }) {
  const snapshot = useSnapshot(name);
  if (!isObject(snapshot)) return <p className="nothing">There is no instance. Create one with a call, or reset.</p>;

  const layout = objectOf(snapshot.layout);
  const blocks = listOf(snapshot.blocks).map((block, index) => renderBlock(name, block, index));
  return (
    <article className="instance" aria-label={`Instance ${name}`}>
      <InstanceHead name={name} meta={snapshot.meta} pageKey={snapshot.page_key} />
      {blocks.length === 0 && (
        <p className="nothing" data-at={at("blocks")}>
          No blocks yet.
        </p>
      )}
      {layout.type === "tabs" && blocks.length > 0 ? (
        <TabbedBlocks blocks={objectsOf(snapshot.blocks)}>{blocks}</TabbedBlocks>
      ) : (
        <div className="blocks" data-layout={textOf(layout.type)} style={columns(layout.columns)}>
          {blocks}
        </div>
      )}
      <div data-at={at("actions")}>
        <Actions instance={name} actions={snapshot.actions} />
      </div>
    </article>
  );
}

function renderBlock(name: string, block: View, index: number) {
  if (!isObject(block)) return null;
  const bind = textOf(block.bind) || "state.params";
  return <BlockView key={textOf(block.id)} instance={name} block={block} index={index} bind={bind} />;
}

/** One block at a time. */
function TabbedBlocks({ blocks, children }: { blocks: readonly View[]; children: (React.ReactNode | null)[] }) {
  const tabs = blocks.map((block) => {
    const { id, title } = objectOf(block);
    return { id: textOf(id), label: textOf(title) || textOf(id) };
  });
  const [chosen, setChosen] = useState("");
  const selected = Math.max(
    0,
    tabs.findIndex(({ id }) => id === chosen),
  );
  return (
    <Tabs label="Blocks" tabs={tabs} selected={tabs[selected]?.id ?? ""} onSelect={setChosen}>
      {children[selected]}
    </Tabs>
  );
}

const columns = (count: View | undefined) =>
  typeof count === "number" ? { "--columns": Math.min(12, Math.max(1, count)) } : undefined;
