/** The content of a file while its tool block arrives. */
import { code, fenced, pieces, writeFile } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

const CHUNK = 4;

/**
 * A contender that takes piece by piece: `open` gives what starts a stream, with `push`, `end?` and `content`, which is
 * what has arrived so far.
 */
function pushing(open, text = writeFile) {
  return async ({ length }) => {
    const chunks = pieces(text(length), CHUNK);
    const start = await open();
    return {
      run(lap) {
        const stream = start();
        for (const chunk of chunks) {
          stream.push(chunk);
          lap?.();
        }
        stream.end?.();
        return stream.content();
      },
      check: (content) => same(content === code(length), true),
    };
  };
}

async function ours() {
  const { ToolBlockStream } = await import("genui-patch");
  return () => {
    const stream = new ToolBlockStream({ contentDeltas: true });
    let content = "";
    const take = (events) => {
      for (const event of events) if (event.type === "json-tool-delta") content += event.delta;
    };
    return {
      push: (chunk) => take(stream.push(chunk)),
      end() {
        take(stream.end());
        stream.dispose();
      },
      content: () => content,
    };
  };
}

async function streamparser() {
  const { JSONParser } = await import("@streamparser/json");
  return () => {
    const parser = new JSONParser({ paths: ["$.content"], emitPartialTokens: true, emitPartialValues: true });
    let content = "";
    parser.onValue = ({ value }) => {
      content = value;
    };
    return { push: (chunk) => parser.write(chunk), content: () => content };
  };
}

async function partialJson() {
  // CommonJS: Node finds its names, bundlers put them under `default`.
  const module = await import("partial-json");
  const { parse } = { ...module.default, ...module };
  return () => {
    let text = "";
    let content = "";
    return {
      push(chunk) {
        text += chunk;
        content = parse(text).content ?? "";
      },
      content: () => content,
    };
  };
}

/** It pulls its pieces, so that a lap is from one pull to the next. */
async function jsonriver({ length }) {
  const { parse } = await import("jsonriver");
  const chunks = pieces(writeFile(length), CHUNK);
  return {
    async run(lap) {
      async function* source() {
        for (const chunk of chunks) {
          yield chunk;
          lap?.();
        }
      }
      let content = "";
      for await (const value of parse(source())) content = value.content ?? "";
      return content;
    },
    check: (content) => same(content === code(length), true),
  };
}

const escapes = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", '"': '"', "\\": "\\", "/": "/" };

/** What one would write for this very JSON, and for nothing else: it looks for `"content":"` and decodes. */
async function byHand() {
  const head = '"content":"';
  return () => {
    let before = "";
    let content = "";
    let inside = false;
    let pending = "";
    const decode = (chunk) => {
      for (let at = 0; at < chunk.length && inside; at++) {
        const char = chunk[at];
        if (pending !== "") {
          pending += char;
          if (pending[1] === "u" && pending.length < 6) continue;
          content += pending[1] === "u" ? String.fromCharCode(Number.parseInt(pending.slice(2), 16)) : escapes[char];
          pending = "";
        } else if (char === "\\") pending = char;
        else if (char === '"') inside = false;
        else content += char;
      }
    };
    return {
      push(chunk) {
        if (inside) return decode(chunk);
        before += chunk;
        const at = content === "" ? before.indexOf(head) : -1;
        if (at < 0) return;
        inside = true;
        decode(before.slice(at + head.length));
      },
      content: () => content,
    };
  };
}

const small = ({ length }) => length <= 100 * 1024;

export default {
  name: "stream",
  title: "A write_file block in 4-character pieces",
  about:
    "After each piece the decoded content is there: from genui-patch as what is new, from the peers as all so far, as " +
    "they give it. genui-patch also finds the fence, validates, checks the path and keeps the block; the peers read " +
    "the JSON alone. The slowest piece is the median over the runs of each run's slowest push, in runs of their own; " +
    "pauses of the garbage collector and of the machine are in it. Without them: the piece whose own median over the " +
    "runs is the slowest.",
  kind: "stream",
  unit: "ms",
  browser: true,
  variants: [
    { label: "100 KB", length: 100 * 1024 },
    { label: "1 MB", length: 1024 * 1024 },
  ],
  quick: { label: "5 KB", length: 5 * 1024 },
  contenders: {
    "genui-patch": { role: "ours", make: pushing(ours, (length) => fenced(writeFile(length))) },
    "@streamparser/json": { role: "peer", make: pushing(streamparser) },
    jsonriver: { role: "peer", make: jsonriver },
    // It reads everything again with each piece: three runs take long enough, and 1 MB would take minutes.
    "partial-json": { role: "peer", make: pushing(partialJson), samples: 3, warm: false, only: small },
    "by hand": { role: "floor", make: pushing(byHand) },
  },
  targets: [
    { contender: "genui-patch", variant: "100 KB", most: 5 },
    { contender: "genui-patch", variant: "100 KB", figure: "slowest", most: 0.2 },
    { contender: "genui-patch", variant: "100 KB", figure: "own", most: 0.2 },
  ],
  growth: [{ contender: "genui-patch", from: "100 KB", to: "1 MB", most: 12 }],
};
