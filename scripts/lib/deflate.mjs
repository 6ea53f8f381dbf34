/** A worker: zopfli takes seconds for what zlib does at once, makes it a twentieth smaller, and knows no thread of its own. */
import { promisify } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import zopfli from "@gfx/zopfli";

const { bytes, options } = workerData;
parentPort.postMessage(await promisify(zopfli.deflate)(bytes, options));
