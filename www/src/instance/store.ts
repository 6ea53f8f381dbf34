/** The page's store: what the person sees, with the calls that the server has not settled on top. */
import { PatchStore } from "genui-patch";

export const store = new PatchStore();
