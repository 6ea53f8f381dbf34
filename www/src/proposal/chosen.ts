/** The proposal that is looked at, by its id. */
import { cell } from "../lib/cell";

export const chosen = cell<string | undefined>(undefined);
