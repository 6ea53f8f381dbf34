/** `watchSilence`: notices sockets whose other side is gone without closing them, as after a lost network. */
import type { ServerSocket } from "./types.js";

/** Pings without an answer after which a socket counts as dead. One is not enough: this process may have been busy. */
const MOST_UNANSWERED = 2;

/**
 * Pings a socket of the package `ws` at an interval, and calls `onSilent` once when it does not answer. Other sockets are pinged
 * by their platforms. Returns a function that stops the pings.
 */
export function watchSilence(socket: ServerSocket, milliseconds: number, onSilent: () => void): () => void {
  // Of the sockets that the package knows, only those of `ws` have these methods.
  if (socket.ping === undefined || socket.on === undefined) return () => {};
  let unansweredCount = 0;
  socket.on("pong", () => {
    unansweredCount = 0;
  });
  const timer = setInterval(() => {
    if (unansweredCount >= MOST_UNANSWERED) {
      clearInterval(timer);
      onSilent();
      return;
    }
    unansweredCount += 1;
    socket.ping?.();
  }, milliseconds);
  return () => clearInterval(timer);
}
