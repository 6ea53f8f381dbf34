"use client";
/** `SurfaceView`: a surface of GULF or A2UI, rendered by the components of the basic catalog or of the host's own. */
import { memo, type ReactNode, useMemo, useRef } from "react";
import type { UrlPolicy } from "../../core/url.js";
import type { ClientEvent, FunctionAction, SurfaceNode } from "../../surface/types.js";
import { useSurface } from "../hooks.js";
import { useStable } from "../select.js";
import { englishSurfaceLabels, type SurfaceLabels } from "./labels.js";
import {
  type Host,
  HostContext,
  runAction,
  type SurfaceComponents,
  type SurfaceSource,
  setBoundProp,
  useHost,
  weightOf,
} from "./surface-host.js";
import { COMPONENTS } from "./surface-parts.js";
import { fill, textOf } from "./values.js";

export interface SurfaceViewProps {
  /** A `SurfaceStream`. */
  surfaces: SurfaceSource;
  /** The id of the surface; that of GULF is `main`. */
  id: string;
  /** Components of the host's own, by type. */
  components?: SurfaceComponents | undefined;
  labels?: Partial<SurfaceLabels> | undefined;
  /** The level of the largest headings. Default 2. */
  headingLevel?: 1 | 2 | 3 | undefined;
  /** Which origins pictures, videos and sounds may come from. Default: pictures from the page's own only, the others from all. */
  urls?: UrlPolicy | undefined;
  /** Makes HTML of a Markdown text, sanitized. Without it a text is shown as it is. */
  markdown?: ((text: string) => string) | undefined;
  /** The stream has ended: placeholders of missing components say so. */
  ended?: boolean | undefined;
  /**
   * Called when a button was pressed: with the event to send, or an instruction such as `openUrl`. The button is pending while
   * the returned promise is.
   */
  onAction?: ((event: ClientEvent | FunctionAction, node: SurfaceNode) => unknown) | undefined;
}

/**
 * Renders the tree of a surface. A node that has not changed is not rendered again.
 */
export function SurfaceView({
  surfaces,
  id,
  components = {},
  labels = {},
  headingLevel = 2,
  ended = false,
  ...latestHandlers
}: SurfaceViewProps) {
  const tree = useSurface(surfaces, id);
  const handlers = useRef(latestHandlers);
  handlers.current = latestHandlers;
  const stableComponents = useStable(components);
  const texts = useStable(labels);
  const host = useMemo<Host>(
    () => ({
      ...{ surfaces, id, headingLevel, ended, handlers },
      components: stableComponents,
      labels: { ...englishSurfaceLabels, ...texts },
      Node: NodeView,
      Children,
    }),
    [surfaces, id, headingLevel, ended, stableComponents, texts],
  );
  return (
    <section className="gp-surface" aria-label={host.labels.surface} data-surface={id}>
      {tree === undefined ? (
        <p className="gp-empty" role="status">
          {ended ? host.labels.noSurface : host.labels.waitingForSurface}
        </p>
      ) : (
        <HostContext.Provider value={host}>
          <NodeView node={tree} />
        </HostContext.Provider>
      )}
    </section>
  );
}

/**
 * A node: a note or a placeholder if it cannot be rendered; else the component of the host for its type, else that of the basic
 * catalog, else its children below a note that the type is unknown.
 */
const NodeView = memo(function NodeView({ node }: { node: SurfaceNode }): ReactNode {
  const host = useHost();
  const { components, labels, surfaces, id } = host;
  const { type, state, componentId } = node;
  if (state === "pending" && host.ended)
    return <p className="gp-note">{fill(labels.neverCame, { id: componentId })}</p>;
  if (state === "pending") {
    return <div className="gp-pending" role="img" aria-label={labels.waitingFor} data-weight={weightOf(node)} />;
  }
  if (state === "cyclic") return <p className="gp-note">{fill(labels.cyclic, { id: componentId })}</p>;
  const Custom = Object.hasOwn(components, type) ? components[type] : undefined;
  if (Custom) {
    return (
      <Custom
        {...{ node, surfaces, id }}
        run={() => void runAction(host, node)}
        set={(prop, value) => setBoundProp(host, node, prop, value)}
      >
        <Children node={node} />
      </Custom>
    );
  }
  const Basic = Object.hasOwn(COMPONENTS, type) ? COMPONENTS[type] : undefined;
  if (Basic) return <Basic node={node} />;
  return (
    <div className="gp-note">
      <p>{fill(labels.unknownComponent, { type: textOf(type) })}</p>
      <Children node={node} />
    </div>
  );
});

/** Of several children with one id, as of two lists with one template, the slot makes the key unique. */
function Children({ node }: { node: SurfaceNode }): ReactNode {
  return node.children.map((child) => <NodeView key={`${child.slot} ${child.id}`} node={child} />);
}
