import { failedChecks, type PartProps } from "../host";

/** What the input's checks complain of. */
export function Faults({ id, node }: PartProps & { id: string }) {
  const faults = failedChecks(node);
  return (
    <p id={id} className="fault" role="status" hidden={faults.length === 0}>
      {faults.join(" ")}
    </p>
  );
}
