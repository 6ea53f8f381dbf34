import type { Json } from "genui-patch";
import { type FormEvent, useId, useRef, useState } from "react";
import { compactJson } from "../lib/compactJson";
import { Icon } from "../lib/Icon";
import type { View } from "../lib/view";
import { rich } from "../words/rich";
import { t } from "../words/words";

interface Props {
  label: string;
  value: Json;
  edited: boolean;
  /** The person's own value; undefined goes back to the proposed one. */
  onEdit(value: Json | undefined): void;
}

/** A value of the person's own instead of the proposed one. A text is edited as it is, anything else as JSON. */
export function ValueEditor({ label, value, edited, onEdit }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [fault, setFault] = useState("");
  const plain = typeof value === "string";

  function open() {
    setText(plain ? value : compactJson(value as View));
    setFault("");
    dialog.current?.showModal();
  }

  function take(event: FormEvent) {
    event.preventDefault();
    try {
      onEdit(plain ? text : (JSON.parse(text) as Json));
      dialog.current?.close();
    } catch {
      setFault(t("This is not JSON yet."));
    }
  }

  return (
    <span className="value-editor">
      <button type="button" className="small" aria-label={t("Edit {label}", { label })} onClick={open}>
        <Icon name="pencil" />
        {t("Edit")}
      </button>
      {edited && (
        <button
          type="button"
          className="small"
          aria-label={t("Undo the edit of {label}", { label })}
          onClick={() => onEdit(undefined)}
        >
          {t("Undo")}
        </button>
      )}
      <dialog ref={dialog} className="dialog" aria-labelledby={id}>
        <form onSubmit={take}>
          <h3 id={id}>{rich("Your value for {label}", { label: <code>{label}</code> })}</h3>
          <textarea
            className="mono"
            rows={Math.min(14, Math.max(3, text.split("\n").length + 1))}
            aria-label={plain ? t("Text") : "JSON"}
            spellCheck={plain}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {fault && (
            <p className="fault" role="alert">
              {fault}
            </p>
          )}
          <div className="buttons">
            <button type="submit" className="primary">
              {t("Use this")}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              {t("Cancel")}
            </button>
          </div>
        </form>
      </dialog>
    </span>
  );
}
