/** Messages as they are read, checked each by itself, before any surface takes them. */
import type { Json } from "../types.js";
import type { Segments } from "./data.js";
import type { SurfaceComponent, SurfaceDiagnostic, SurfaceInfo, SurfaceProtocol } from "./types.js";

/** What a message says of its surface. */
export type Info = Partial<Omit<SurfaceInfo, "protocol" | "rendering">>;

export type Problem = Omit<SurfaceDiagnostic, "type" | "surfaceId">;

/** What a message asks for. Data without a value deletes. */
type Body =
  | [kind: "header" | "delete", line: number, protocol: SurfaceProtocol, surfaceId: string, body: null]
  | [kind: "components", line: number, protocol: SurfaceProtocol, surfaceId: string, body: SurfaceComponent[]]
  | [kind: "data", line: number, protocol: SurfaceProtocol, surfaceId: string, body: [Segments, value?: Json]]
  | [kind: "render" | "create", line: number, protocol: SurfaceProtocol, surfaceId: string, body: Info];

/** A message, perhaps with something that is wrong with it, for which it is taken all the same. */
export type Message = [...Body, warning?: Problem];

/** What the module says of a piece of the stream. */
export type Said =
  | Message
  /** A component of a message that is still arriving. */
  | [kind: "early", surfaceId: string, component: SurfaceComponent]
  /** What was early is over: its message follows, or will not come. */
  | [kind: "settled"]
  /** A line that is no message. */
  | [kind: "wrong", problem: Problem];
