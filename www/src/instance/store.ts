/** The page's store: what the person sees, with the calls that the server has not settled on top. */
import { PatchStore } from "genui-patch";

/** The ids of the page's calls begin with it: the backend tells by them what a snapshot holds already. */
export const clientId = Math.random().toString(36).slice(2, 10);

export const store = new PatchStore({ clientId });
