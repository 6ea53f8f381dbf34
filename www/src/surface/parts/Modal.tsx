import { useRef } from "react";
import { t } from "../../words/words";
import { type PartProps, PressContext } from "../host";
import { NodeView } from "../NodeView";

const entrySlots = /^(entryPointChild|trigger)/;

/** A component that opens another over the page. A button opens it itself; anything else is made one. */
export function Modal({ node }: PartProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const entry = node.children.find(({ slot }) => entrySlots.test(slot));
  const content = node.children.find(({ slot }) => !entrySlots.test(slot));
  const open = () => dialog.current?.showModal();
  return (
    <>
      {entry?.type === "Button" ? (
        <PressContext value={open}>
          <NodeView node={entry} />
        </PressContext>
      ) : (
        <button type="button" className="s-opener" aria-haspopup="dialog" onClick={open}>
          {entry ? <NodeView node={entry} /> : t("Open")}
        </button>
      )}
      <dialog ref={dialog} className="s-modal" aria-label={t("Details")} closedby="any">
        <form method="dialog">
          <button type="submit" className="small">
            {t("Close")}
          </button>
        </form>
        <PressContext value={undefined}>{content && <NodeView node={content} />}</PressContext>
      </dialog>
    </>
  );
}
