import { failedChecks, type PartProps } from "../host";

/** What the first of the input's checks that fails complains of. */
export function Faults({ id, node }: PartProps & { id: string }) {
  const [fault] = failedChecks(node);
  return (
    <p id={id} className="fault" role="status" hidden={fault === undefined}>
      {fault}
    </p>
  );
}
