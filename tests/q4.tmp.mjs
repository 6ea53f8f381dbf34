import { PatchStore } from "../dist/index.js";
import * as glue from "../dist/generated/glue.js";
import * as bridge from "../dist/bridge.js";
function bench(name, f, n=20000){ for(let i=0;i<3000;i++) f(i); const ts=[]; for(let k=0;k<9;k++){const t=performance.now(); for(let i=0;i<n;i++) f(i+k*n); ts.push((performance.now()-t)*1000/n);} ts.sort((a,b)=>a-b); console.log(name, ts[0].toFixed(3), ts[4].toFixed(3),"µs"); }
const doc = { meta: { pageKey: "p" }, state: { params: { count: 0, name: "x" }, runtime: {} }, layout: { type: "single" },
  blocks: Array.from({ length: 1000 }, (_, i) => ({ id: `b${i}`, type: "form", bind: "state.params", title: `Block ${i}`, props: { fields: [{ label: "Field", key: `f${i}`, type: "text", value: "" }] } })), actions: [] };
const text = JSON.stringify(doc);
const raw = new glue.RawStore(bridge.send("{}"));
raw.stage(bridge.send("p")); raw.load(bridge.send(text),0);
const pid = raw.path(bridge.send("state.params.count"));
const call = i=>`{"instanceId":"p","patches":[{"op":"set","path":"state.params.count","value":${i}}]}`;
bench("typed raw", i=>raw.set_number(0,pid,i));
bench("send only", i=>bridge.send(call(i)));
bench("apply raw", i=>raw.apply(bridge.send(call(i))));
bench("apply raw by id", i=>raw.apply(bridge.send(`{"instanceId":"p","patches":[{"op":"set","path":"blocks[\\"b500\\"].title","value":"t${i}"}]}`)));
let len=raw.apply(bridge.send(call(-5)));
console.log(len);
bench("receive", i=>bridge.receive(len));
bench("receiveJson", i=>bridge.receiveJson(len));
