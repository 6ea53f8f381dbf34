/** The content of a file while its tool block arrives. */
import { fenced, pieces, writeFile } from "../lib/content.mjs";
import { same } from "../lib/setters.mjs";

const CHUNK = 4;

/**
 * A contender that receives piece by piece: `open` returns a stream with `push`, `end?` and `content`, the content so far, or
 * its length where the contender does not collect it.
 */
const pushing = (role, open, { text = (json) => json } = {}) => ({
  role,
  make: async () => {
    const start = await open();
    return {
      given: (json) => pieces(text(json), CHUNK),
      run(chunks, _, lap) {
        const stream = start();
        for (const chunk of chunks) {
          stream.push(chunk);
          lap?.();
        }
        stream.end?.();
        return stream.content();
      },
      check: expect,
    };
  },
});

function expect(found, json) {
  const { content } = JSON.parse(json);
  same(typeof found === "number" ? found === content.length : found === content, true);
}

/** Each piece is delivered as what is new; `adds` is a consumer that keeps all of it as one text. */
const ours = (adds) => async () => {
  const { ToolBlockStream } = await import("genui-patch");
  return () => {
    const stream = new ToolBlockStream({ contentDeltas: true });
    let content = adds ? "" : 0;
    let call;
    const take = (events) => {
      for (const event of events) {
        if (event.type === "json-tool-delta") content += adds ? event.delta : event.delta.length;
        else if (event.type === "json-tool-block") ({ call } = event);
      }
    };
    return {
      push: (chunk) => take(stream.push(chunk)),
      end() {
        take(stream.end());
        stream.dispose();
        same(call.content.length, adds ? content.length : content);
      },
      content: () => content,
    };
  };
};

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

/** The contender pulls its pieces, so that a lap is the time from one pull to the next. */
const jsonriver = {
  role: "peer",
  make: async () => {
    const { parse } = await import("jsonriver");
    return {
      given: (json) => pieces(json, CHUNK),
      async run(chunks, _, lap) {
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
      check: expect,
    };
  },
};

const escapes = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", '"': '"', "\\": "\\", "/": "/" };

/** A program written for this one JSON text: it searches for `"content":"` and decodes what follows. */
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

const block = { text: fenced };

export default {
  name: "stream",
  title: "A write_file block in 4-character pieces",
  about:
    "Code with quotes, escapes, line ends of both kinds, letters beyond ASCII and emoji; another file each time. After each " +
    "piece the decoded content is there: from genui-patch as what is new, from the peers as all so far, as they give it. " +
    "What it costs a consumer to add up the pieces is the difference of our two lines. genui-patch also finds the fence, " +
    "validates, checks the path and keeps the block; the peers read the JSON alone. partial-json reads everything again with " +
    "each piece, for 100 KB more than ten seconds, and is left out. 1 MB is there for growth. The slowest piece is without pauses " +
    "of the machine: the largest of the pieces' medians over some runs of one text.",
  kind: "stream",
  // Engines take a second until they have made up their mind about loops like these.
  warmUp: 5,
  unit: "ms",
  most: 2,
  page: { variants: ["100 KB"], contenders: ["genui-patch", "@streamparser/json", "jsonriver"] },
  variants: [
    { label: "100 KB", length: 100 * 1024, laps: true },
    { label: "1 MB", length: 1024 * 1024, contenders: ["genui-patch", "by hand"] },
  ],
  quick: { label: "5 KB", length: 5 * 1024 },
  edits:
    ({ length }) =>
    (turn) =>
      writeFile(length, turn),
  contenders: {
    "genui-patch": pushing("ours", ours(false), block),
    "genui-patch, added up": pushing("ours", ours(true), block),
    "@streamparser/json": pushing("peer", streamparser),
    jsonriver,
    "by hand": pushing("floor", byHand),
  },
  asked: [
    {
      contender: "genui-patch",
      variant: "100 KB",
      most: 0.3,
      of: "jsonriver",
      aim: { most: 2, of: "by hand" },
      why:
        "The module is built for its size: small functions are not inlined, and a piece passes through many of them, in 1 µs. " +
        "While JavaScript decoded strings by itself it took a fifth of this; nobody notices, since models send some hundred " +
        "pieces a second.",
    },
    {
      contender: "genui-patch",
      variant: "100 KB",
      figure: "cold",
      most: 0.8,
      of: "jsonriver",
      why: "A fifth of it is the module, which is unpacked and compiled with the first piece.",
    },
    { contender: "genui-patch", variant: "100 KB", figure: "slowest", most: 0.2 },
    {
      contender: "genui-patch",
      variant: "1 MB",
      most: 12,
      from: "100 KB",
      why: "Strings of a megabyte: adding them up by hand grows more.",
    },
  ],
};
