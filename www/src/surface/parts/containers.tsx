import type { SurfaceNode } from "genui-patch";
import { num, type PartProps, prop, text } from "../host";
import { Children, grow, NodeView } from "../NodeView";

const places: Record<string, string> = {
  spaceBetween: "space-between",
  spaceAround: "space-around",
  spaceEvenly: "space-evenly",
  start: "start",
  center: "center",
  end: "end",
  stretch: "stretch",
};

const place = (node: SurfaceNode, ...names: string[]) => places[text(prop(node, ...names))];

function flow(node: SurfaceNode): React.CSSProperties {
  const justifyContent = place(node, "distribution", "justify");
  const alignItems = place(node, "alignment", "align");
  return { ...grow(node), ...(justifyContent && { justifyContent }), ...(alignItems && { alignItems }) };
}

export function Row({ node }: PartProps) {
  return (
    <div className="s-row" style={flow(node)}>
      <Children node={node} />
    </div>
  );
}

export function Column({ node }: PartProps) {
  return (
    <div className="s-column" data-align={place(node, "alignment", "align")} style={flow(node)}>
      <Children node={node} />
    </div>
  );
}

export function List({ node }: PartProps) {
  const direction = text(prop(node, "direction")) === "horizontal" ? "horizontal" : "vertical";
  return (
    <ul className="s-list" data-direction={direction} style={flow(node)}>
      {node.children.map((child) => (
        <li key={`${child.slot} ${child.id}`}>
          <NodeView node={child} />
        </li>
      ))}
    </ul>
  );
}

export function Card({ node }: PartProps) {
  return (
    <div className="s-card" style={grow(node)}>
      <Children node={node} />
    </div>
  );
}

const colour = /^#[0-9a-f]{3,8}$/i;

export function Divider({ node }: PartProps) {
  const upright = text(prop(node, "axis")) === "vertical";
  const given = text(prop(node, "color"));
  const thickness = Math.min(16, Math.max(1, num(prop(node, "thickness"), 1)));
  return (
    <hr
      className="s-divider"
      aria-orientation={upright ? "vertical" : "horizontal"}
      style={{ "--thick": `${thickness}px`, ...(colour.test(given) && { background: given }) }}
    />
  );
}
