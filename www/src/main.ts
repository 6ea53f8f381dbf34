/** Little, so that what stands there before is painted at once; the page comes with its styles. */
import { spoken } from "./words/language";

document.documentElement.lang = spoken();
import("./start");
