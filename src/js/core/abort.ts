/** Promises that an `AbortSignal` cancels. */

/**
 * The result of `work`, or that of `onAbort` as soon as the signal is aborted: the work may never finish. Without a signal, the
 * work itself.
 */
export function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  onAbort: () => Result,
): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const cancel = () => resolve(onAbort());
    const stopListening = () => signal.removeEventListener("abort", cancel);
    work.then(resolve, reject).then(stopListening);
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel);
  });
}
