/** `watchSilence`: notices sockets whose other side is gone without a word, as after a lost network. */
import type { ServerSocket } from "./types.js";

/** Pings without an answer after which a socket is dead. One would not do: this process may have been busy. */
const MOST_UNANSWERED = 2;

/**
 * Pings a socket of the package `ws`, and calls a function when it does not answer. Other sockets are pinged by their platforms.
 * Returns a function that ends it.
 */
export function watchSilence(socket: ServerSocket, milliseconds: number, onSilent: () => void): () => void {
  if (socket.ping === undefined || socket.on === undefined) return () => {};
  let unanswered = 0;
  socket.on("pong", () => {
    unanswered = 0;
  });
  const timer = setInterval(() => {
    if (unanswered >= MOST_UNANSWERED) {
      clearInterval(timer);
      onSilent();
      return;
    }
    unanswered += 1;
    socket.ping?.();
  }, milliseconds);
  return () => clearInterval(timer);
}
