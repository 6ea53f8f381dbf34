import { useMemo } from "react";
import { t } from "../words/words";
import { HostContext, type SurfaceHost } from "./host";
import { NodeView } from "./NodeView";
import { surfaces } from "./surfaces";
import { themeOf } from "./theme";

/** One surface, as far as it has come; `over` once its stream has ended. */
export function SurfaceView({ id, over }: { id: string; over: boolean }) {
  const { stream } = surfaces;
  const tree = stream?.tree(id);
  const host = useMemo<SurfaceHost>(
    () => ({
      pathOf: (node, prop) => node.bindings?.[prop],
      write: (path, value) => surfaces.write(id, path, value),
      act: (node) => surfaces.act(id, node),
      over,
    }),
    [id, over],
  );
  const { style, logo } = themeOf(stream?.info(id));
  return (
    <section className="surface" aria-label={t("Surface {id}", { id })} style={style}>
      {logo && <img className="s-logo" src={logo} alt="" referrerPolicy="no-referrer" />}
      {tree === undefined ? (
        <p className="nothing">
          {over ? t("The order to render never came.") : t("Components arrive; the order to render has not come yet.")}
        </p>
      ) : (
        <HostContext value={host}>
          <NodeView node={tree} />
        </HostContext>
      )}
    </section>
  );
}
