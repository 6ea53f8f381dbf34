import type { SurfaceNode } from "genui-patch";
import { memo } from "react";
import { rich } from "../words/rich";
import { t } from "../words/words";
import { useHost } from "./host";
import { parts } from "./parts";

/** One component and what is in it. A node that is the same object as before is not rendered again. */
export const NodeView = memo(function NodeView({ node }: { node: SurfaceNode }) {
  if (node.state === "pending") return <Pending node={node} />;
  if (node.state === "cyclic") {
    return (
      <p className="s-fault">{rich("{id} contains itself: cut here.", { id: <code>{node.componentId}</code> })}</p>
    );
  }
  const Part = parts[node.type];
  if (node.state === "unknown" || Part === undefined) {
    return (
      <div className="s-fault">
        <p>{rich("This page has no {type} component.", { type: <code>{node.type || "?"}</code> })}</p>
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
        {rich("{id} never came.", { id: <code>{node.componentId}</code> })}
      </p>
    );
  }
  return (
    <div
      className="s-pending"
      role="img"
      aria-label={t("{id} has not arrived yet", { id: node.componentId })}
      style={grow(node)}
    />
  );
}

/** All that is in a component, in its order. */
export function Children({ node }: { node: SurfaceNode }) {
  return node.children.map((child) => <NodeView key={`${child.slot} ${child.id}`} node={child} />);
}

/** The share of the room that a component takes in its row or column. */
export const grow = ({ weight }: SurfaceNode) =>
  weight === undefined || !(weight > 0) ? undefined : { flex: `${weight} 1 0`, minWidth: 0 };
