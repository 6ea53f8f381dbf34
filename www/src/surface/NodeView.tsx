import type { SurfaceNode } from "genui-patch";
import { memo } from "react";
import { useHost } from "./host";
import { parts } from "./parts";

/** One component and what is in it. A node that is the same object as before is not rendered again. */
export const NodeView = memo(function NodeView({ node }: { node: SurfaceNode }) {
  if (node.state === "pending") return <Pending node={node} />;
  if (node.state === "cyclic") {
    return (
      <p className="s-fault">
        <code>{node.componentId}</code> contains itself: cut here.
      </p>
    );
  }
  const Part = parts[node.type];
  if (node.state === "unknown" || Part === undefined) {
    return (
      <div className="s-fault">
        <p>
          This page has no <code>{node.type || "nameless"}</code> component.
        </p>
        <Children node={node} />
      </div>
    );
  }
  return <Part node={node} />;
});

/** The place of a component that has not come. */
function Pending({ node }: { node: SurfaceNode }) {
  if (useHost().over) {
    return (
      <p className="s-fault" style={grow(node)}>
        <code>{node.componentId}</code> never came.
      </p>
    );
  }
  return (
    <div className="s-pending" role="img" aria-label={`${node.componentId} has not arrived yet`} style={grow(node)} />
  );
}

/** All that is in a component, in its order. */
export function Children({ node }: { node: SurfaceNode }) {
  return node.children.map((child) => <NodeView key={`${child.slot} ${child.id}`} node={child} />);
}

/** The share of the room that a component takes in its row or column. */
export const grow = ({ weight }: SurfaceNode) =>
  weight === undefined || !(weight > 0) ? undefined : { flex: `${weight} 1 0`, minWidth: 0 };
