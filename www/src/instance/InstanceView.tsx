import { memo, useState } from "react";
import { Tabs } from "../lib/Tabs";
import { isObject, listOf, objectOf, objectsOf, textOf, type View } from "../lib/view";
import { t } from "../words/words";
import { Actions } from "./Actions";
import { BlockView } from "./BlockView";
import { InstanceHead } from "./InstanceHead";
import { useSnapshot } from "./instances";
import { at } from "./touched";

/** So many blocks are laid out, painted and compared together; most numbers of columns fill their last row. */
const perGroup = 60;

/** An instance as the person sees it. Blocks whose part of the snapshot is the same are not rendered again. */
export function InstanceView({ name }: { name: string }) {
  const snapshot = useSnapshot(name);
  if (!isObject(snapshot))
    return <p className="nothing">{t("There is no instance. Create one with a call, or reset.")}</p>;

  const layout = objectOf(snapshot.layout);
  const blocks = listOf(snapshot.blocks);
  return (
    <article className="instance" aria-label={t("Instance {name}", { name })}>
      <InstanceHead name={name} meta={snapshot.meta} pageKey={snapshot.page_key} />
      {blocks.length === 0 && (
        <p className="nothing" data-at={at("blocks")}>
          {t("No blocks yet.")}
        </p>
      )}
      {layout.type === "tabs" && blocks.length > 0 ? (
        <TabbedBlocks blocks={objectsOf(snapshot.blocks)}>
          {blocks.map((block, index) => renderBlock(name, block, index))}
        </TabbedBlocks>
      ) : (
        groupsOf(blocks).map((group, at) => (
          <BlockGroup
            // biome-ignore lint/suspicious/noArrayIndexKey: what moves to another group is rendered anew
            key={at}
            name={name}
            blocks={group}
            first={at * perGroup}
            layout={textOf(layout.type)}
            columns={layout.columns}
          />
        ))
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

const groupsOf = (blocks: readonly View[]) =>
  Array.from({ length: Math.ceil(blocks.length / perGroup) }, (_, at) =>
    blocks.slice(at * perGroup, (at + 1) * perGroup),
  );

interface GroupProps {
  name: string;
  blocks: readonly View[];
  /** The place of the first of them. */
  first: number;
  layout: string;
  columns: View | undefined;
}

/** Blocks that follow each other: on a page of a thousand, a keystroke costs what one group does. */
const BlockGroup = memo(
  function BlockGroup({ name, blocks, first, layout, columns: count }: GroupProps) {
    return (
      <div className="blocks" data-layout={layout} style={columns(count)}>
        {blocks.map((block, at) => renderBlock(name, block, first + at))}
      </div>
    );
  },
  (before, now) =>
    before.name === now.name &&
    before.layout === now.layout &&
    before.columns === now.columns &&
    before.blocks.length === now.blocks.length &&
    before.blocks.every((block, at) => block === now.blocks[at]),
);

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
    <Tabs label={t("Blocks")} tabs={tabs} selected={tabs[selected]?.id ?? ""} onSelect={setChosen}>
      {children[selected]}
    </Tabs>
  );
}

const columns = (count: View | undefined) =>
  typeof count === "number" ? { "--columns": Math.min(12, Math.max(1, count)) } : undefined;
