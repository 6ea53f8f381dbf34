/** One contender in a process of its own: `node child.mjs <case> <variant> <contender> <plan>`, what they took as JSON. */
import { cases } from "./cases/index.mjs";
import { measure } from "./lib/measure.mjs";

const [name, variant, contender, plan] = process.argv.slice(2);
const known = cases.find((one) => one.name === name);
const times = await measure(known, known.contenders[contender], known.variants[variant], JSON.parse(plan));
console.log(JSON.stringify(times));
