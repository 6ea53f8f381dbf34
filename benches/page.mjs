/** The same as child.mjs for a page: a function to be called from outside. */
import { cases } from "./cases/index.mjs";
import { measure } from "./lib/measure.mjs";

globalThis.measureContender = (name, variant, contender, plan) => {
  const known = cases.find((one) => one.name === name);
  return measure(known, known.contenders[contender], known.variants[variant], plan);
};
