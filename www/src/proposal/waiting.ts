/** How many proposals wait for a person, and how many of them are for files. */
import { cell } from "../lib/cell";

export const waiting = cell({ all: 0, files: 0 });
