import { SurfaceView } from "genui-patch/react/ui";
import { useMemo } from "react";
import { blocksOf, htmlOfBlock, htmlOfLine } from "../lib/markdown";
import { safeMarkup } from "../lib/safeHtml";
import { componentLabels } from "../words/componentLabels";
import { t } from "../words/words";
import { surfaces } from "./surfaces";
import { themeOf } from "./theme";

/** One surface as far as it has arrived, in its own colour and with its logo. */
export function SurfaceCard({ id, ended }: { id: string; ended: boolean }) {
  const { source, stream } = surfaces;
  const labels = useMemo(() => ({ ...componentLabels(), surface: t("Surface {id}", { id }) }), [id]);
  if (source === undefined) return null;
  const { style, logo } = themeOf(stream?.info(id));
  return (
    <div className="surface" style={style}>
      {logo && <img className="surface-logo" src={logo} alt="" referrerPolicy="no-referrer" />}
      <SurfaceView
        surfaces={source}
        id={id}
        ended={ended}
        headingLevel={3}
        labels={labels}
        markdown={markdown}
        onAction={(event, node) => surfaces.send(id, node.id, event)}
      />
    </div>
  );
}

const markdown = (text: string): string =>
  safeMarkup(text.includes("\n") ? blocksOf(text).map(htmlOfBlock).join("") : htmlOfLine(text));
