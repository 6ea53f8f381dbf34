/** A worker: packs a module by LZMA, less the header, which says no more than what `scripts/unpack` takes for granted. */
import { parentPort, workerData } from "node:worker_threads";
import lzma from "lzma/src/lzma_worker.js";
import { split } from "./split.mjs";

/** The byte of 3 literal context bits, no literal position bits and 2 position bits, before the sizes of dictionary and text. */
const PROPERTIES = 93;
const HEADER = 13;

const streams = split(workerData);
const packed = lzma.LZMA.compress(streams, 9);
if (packed[0] !== PROPERTIES) throw new Error("lzma packs in a way that scripts/unpack does not read");
const length = Uint8Array.from([0, 8, 16, 24], (shift) => streams.length >> shift);
parentPort.postMessage(Uint8Array.from([...length, ...packed.slice(HEADER)]));
