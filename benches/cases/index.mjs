/** All cases, in the order of the report. To add one: a file beside this, and a line here. */
import call from "./call.mjs";
import calls from "./calls.mjs";
import diffDocument from "./diff-document.mjs";
import growth from "./growth.mjs";
import jsonDelta from "./json-delta.mjs";
import load from "./load.mjs";
import oneCall from "./one-call.mjs";
import pending from "./pending.mjs";
import rebase from "./rebase.mjs";
import repair from "./repair.mjs";
import set from "./set.mjs";
import setBlock from "./set-block.mjs";
import stream from "./stream.mjs";
import surfaceData from "./surface-data.mjs";
import surfaceStream from "./surface-stream.mjs";
import textDiff from "./text-diff.mjs";
import validate from "./validate.mjs";

export const cases = [
  stream,
  validate,
  repair,
  set,
  oneCall,
  calls,
  setBlock,
  call,
  jsonDelta,
  pending,
  rebase,
  load,
  diffDocument,
  textDiff,
  surfaceData,
  surfaceStream,
  growth,
];
