/** Whether what is under the hood is shown. Who comes to a room by its address has come to look closer. */
import { cell } from "./cell";

const key = "under-the-hood";

export const hood = cell(
  sessionStorage.getItem(key) === null ? location.hash !== "" : sessionStorage.getItem(key) === "1",
);

export function setHood(open: boolean): void {
  hood.set(open);
  sessionStorage.setItem(key, open ? "1" : "0");
}
