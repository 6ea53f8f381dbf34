/** Streams of surfaces, written for this page. */
import type { Plain } from "../../words/words";
import { bikes } from "./bikes";
import { booking } from "./booking";
import { faults } from "./faults";
import { loans } from "./loans";
import { walk } from "./walk";

export interface SurfaceRecording {
  id: string;
  title: Plain;
  protocol: string;
  stream: string;
}

const lines = (messages: readonly (object | string)[]) =>
  messages.map((message) => `${typeof message === "string" ? message : JSON.stringify(message)}\n`).join("");

export const surfaceRecordings: readonly [SurfaceRecording, ...SurfaceRecording[]] = [
  { id: "walk", title: "A day's walk: all 18 components", protocol: "GULF 1.0", stream: lines(walk) },
  { id: "loans", title: "Library loans", protocol: "A2UI v0.8", stream: lines(loans) },
  { id: "bikes", title: "Bike hire, with checks", protocol: "A2UI v0.9", stream: lines(bikes) },
  { id: "booking", title: "A booking, as in the first minute", protocol: "GULF 1.0", stream: lines(booking) },
  { id: "faults", title: "Bad lines, a cycle, a missing part", protocol: "GULF 1.0", stream: lines(faults) },
];
