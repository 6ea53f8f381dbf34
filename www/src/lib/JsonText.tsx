import { memo } from "react";
import { brackets, entries, flatJson, indent } from "./compactJson";
import { JsonLine } from "./JsonLine";
import type { View } from "./view";

/** A value as JSON. What is the same object as before is not rendered again. */
export function JsonText({ value }: { value: View }) {
  return (
    <code className="json">
      <Node value={value} depth={0} />
    </code>
  );
}

const Node = memo(function Node({ value, depth }: { value: View; depth: number }) {
  const flat = flatJson(value, depth);
  if (flat !== undefined) return <JsonLine text={flat} />;
  const [open, close] = brackets(value);
  return (
    <>
      {open}
      {entries(value).map(([name, item], at, all) => (
        <span key={name ?? at} className="json-row">
          {indent(depth + 1)}
          {name !== undefined && <JsonLine text={`${JSON.stringify(name)}: `} />}
          <Node value={item} depth={depth + 1} />
          {at < all.length - 1 && ","}
        </span>
      ))}
      {indent(depth)}
      {close}
    </>
  );
});
