import { safeUrl } from "genui-patch";
import { textOf } from "../../lib/view";
import { t } from "../../words/words";
import type { FieldProps } from "./kind";

/** Only an address that the package takes is loaded. */
export function ImageField({ field, value }: FieldProps) {
  const address = textOf(value);
  if (address === "") return <p className="nothing">{t("No picture.")}</p>;
  const checked = safeUrl(address, "image");
  if (!checked.ok)
    return (
      <p className="fault">
        {t("Not loaded.")} {checked.message}
      </p>
    );
  return <img src={checked.url} alt={textOf(field.alt ?? field.label)} loading="lazy" referrerPolicy="no-referrer" />;
}
