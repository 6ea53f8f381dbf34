/** `ShownDocument`: the document of an instance as the user sees it, with pending calls applied. */
import { Mirror } from "../core/mirror.js";
import type { Json, Rules } from "../types.js";

export class ShownDocument extends Mirror {
  /** A cache of the instance's rules. */
  rules: Rules | undefined;

  constructor(
    readonly name: string,
    public revision: number,
    snapshot: Json,
    freeze: boolean,
  ) {
    super(snapshot, freeze);
  }
}
