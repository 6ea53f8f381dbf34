import { memo, useId } from "react";
import { textOf, type ViewObject } from "../lib/view";
import { Actions } from "./Actions";
import { FieldList } from "./FieldList";
import { Sections } from "./Sections";
import { at } from "./touched";

export interface BlockProps {
  instance: string;
  block: ViewObject;
  /** Its place among the blocks. */
  index: number;
  bind: string;
}

const kinds = ["form", "grid", "tabs", "accordion"];

export const BlockView = memo(function BlockView({ instance, block, index, bind }: BlockProps) {
  const id = useId();
  const props = (block.props ?? {}) as ViewObject;
  const kind = [block.type, block.layout].find((word) => kinds.includes(textOf(word))) ?? "form";
  const sections = props.tabs ?? props.panels;
  const title = textOf(block.title);
  const heading = title || textOf(block.id);

  return (
    <section className="block" data-kind={textOf(kind)} data-at={at("blocks", index)} aria-labelledby={id}>
      <h4 id={id} className={title ? undefined : "by-id"}>
        {heading}
      </h4>
      {block.description !== undefined && <p className="hint">{textOf(block.description)}</p>}
      <FieldList
        instance={instance}
        fields={props.fields}
        bind={bind}
        columns={props.columns ?? (kind === "grid" ? 2 : 1)}
      />
      {sections !== undefined && (
        <Sections
          kind={kind === "tabs" ? "tabs" : "accordion"}
          label={heading}
          sections={sections}
          {...{ instance, bind }}
        />
      )}
      <Actions instance={instance} actions={props.actions} />
    </section>
  );
});
