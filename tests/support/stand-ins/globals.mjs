/** The globals of Node that tests use. */
import { notHere } from "./node.mjs";

export const process = { env: {}, argv: [], memoryUsage: notHere("memoryUsage"), on: notHere("process.on") };
export const Buffer = { byteLength: (text) => new TextEncoder().encode(text).length };
