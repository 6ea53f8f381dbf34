import type { Json } from "genui-patch";
import { memo, useCallback, useId, useMemo, useState } from "react";
import { textOf, type View, type ViewObject } from "../lib/view";
import { usePendingAt } from "../server/pendingPlaces";
import { t } from "../words/words";
import { fieldKinds, Unknown } from "./fields";
import { write } from "./instances";
import { stepsOf } from "./paths";
import { at } from "./touched";

interface Props {
  instance: string;
  field: ViewObject;
  /** Where its value is kept; undefined if its key can have no path. */
  path: string | undefined;
  value: View | undefined;
}

/** One field: its label, what its type asks for, its description, and why a value was not written. */
export const FieldView = memo(function FieldView({ instance, field, path, value }: Props) {
  const id = useId();
  const [fault, setFault] = useState("");
  const steps = useMemo(() => (path === undefined ? undefined : stepsOf(path)), [path]);
  const pending = usePendingAt(instance, steps);
  const kind = fieldKinds[textOf(field.type)];
  const shape = kind?.shape ?? "shown";
  const Input = kind?.Input ?? Unknown;
  const label = textOf(field.label) || textOf(field.key);
  const description = textOf(field.description);

  const onWrite = useCallback(
    (next: Json) => {
      if (path === undefined) return setFault(t("This key can have no path: nothing is written."));
      const result = write(instance, path, next);
      setFault(result.status === "error" ? `${result.error.code}: ${result.error.message}` : "");
    },
    [instance, path],
  );

  const notes =
    [description && `${id}-hint`, fault && `${id}-fault`, pending && `${id}-pending`].filter(Boolean).join(" ") ||
    undefined;
  const input = <Input id={id} field={field} value={value} notes={notes} onWrite={onWrite} onFault={setFault} />;
  const Frame = shape === "group" ? "fieldset" : "div";
  const Label = shape === "group" ? "legend" : shape === "shown" ? "span" : "label";

  return (
    <Frame
      className="field"
      data-shape={shape}
      data-type={textOf(field.type)}
      data-at={steps && at(...steps)}
      data-pending={pending}
      aria-describedby={shape === "group" ? notes : undefined}
    >
      <Label className="field-label" {...(shape === "control" || shape === "inline" ? { htmlFor: id } : {})}>
        {label}
      </Label>
      {input}
      {pending && (
        <span className="pending-mark" id={`${id}-pending`}>
          {pending === "sent" ? t("saving…") : t("not sent yet")}
        </span>
      )}
      {description && (
        <p className="hint" id={`${id}-hint`}>
          {description}
        </p>
      )}
      {fault && (
        <p className="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </Frame>
  );
});
