import { isObject } from "../../lib/view";
import { t } from "../../words/words";
import { type PartProps, prop, text } from "../host";
import { shapes } from "./iconShapes";

/** A path of drawing commands, and nothing else. */
const drawing = /^[\dMmLlHhVvCcSsQqTtAaZz\s.,e+-]{1,4000}$/;

/** One of the catalog's icons, or a drawing of the agent's own. Its name in words is what is read out. */
export function Icon({ node }: PartProps) {
  const name = prop(node, "name");
  const own = isObject(name) ? text(name.svgPath) : "";
  const words = isObject(name)
    ? t("Icon")
    : text(name)
        .replace(/([A-Z])/g, " $1")
        .toLowerCase();
  if (drawing.test(own)) {
    return (
      <svg className="s-icon" viewBox="0 0 24 24" role="img" aria-label={words}>
        <path d={own} fill="currentColor" />
      </svg>
    );
  }
  const shape = shapes[text(name)];
  if (shape === undefined) return <span className="chip">{words}</span>;
  return (
    <svg className="s-icon" viewBox="0 0 20 20" role="img" aria-label={words} data-name={text(name)}>
      <path d={shape} />
    </svg>
  );
}
