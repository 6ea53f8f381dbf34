/** Whether the technical details are shown. A visitor who opens a room by its address sees them. */
import { cell } from "./cell";

const key = "under-the-hood";

export const hood = cell(
  sessionStorage.getItem(key) === null ? location.hash !== "" : sessionStorage.getItem(key) === "1",
);

export function setHood(open: boolean): void {
  hood.set(open);
  sessionStorage.setItem(key, open ? "1" : "0");
}
