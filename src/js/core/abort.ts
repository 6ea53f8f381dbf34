/** Work that a signal may abort. */

/** The result of some work; that of `cancelled` as soon as the signal is aborted, since the work may never end. */
export function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  cancelled: () => Result,
): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const cancel = () => resolve(cancelled());
    const end = () => signal.removeEventListener("abort", cancel);
    work.then(resolve, reject).then(end);
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel);
  });
}
