/** Another number after each change of any call's work. */
import { cell } from "../lib/cell";

export const workChanges = cell(0);
