/** Taking times, in Node and in a page alike. Times are in milliseconds. */

/**
 * Takes the times of one contender, in a process that runs nothing else.
 *
 * - operation: `make` gives `{ run(turn), check?(lastTurn) }`; a time is that of one turn in a batch of many.
 * - stream: `make` gives `{ run(lap?), check(result) }`; a time is that of one whole stream. `slowest` are the times of
 *   each run's slowest piece, by `lap`, which is called after each; `own` is that of the piece that is slowest by the
 *   median over the runs. Clocks cost time, so that these are looked for in runs of their own.
 */
export function measure({ kind, quick }, contender, variant, plan) {
  const { samples = plan.samples, warm = true } = contender;
  const size = plan.quick ? { ...variant, ...quick } : variant;
  return kinds[kind](contender, size, { ...plan, samples: Math.min(samples, plan.samples), warm });
}

const kinds = { operation: operations, stream: streams };

async function operations(contender, variant, { samples, batch }) {
  const { run, check } = await contender.make(variant);
  let turn = 0;
  const take = (count) => {
    const start = performance.now();
    for (const end = turn + count; turn < end; turn++) run(turn);
    return performance.now() - start;
  };
  let count = 1;
  while (take(count) < batch) count *= 2;
  take(count);
  const times = Array.from({ length: samples }, () => take(count) / count);
  check?.(turn - 1);
  return { times };
}

async function streams(contender, variant, { samples, warm }) {
  const { run, check } = await contender.make(variant);
  const total = async () => {
    const start = performance.now();
    const result = await run();
    const time = performance.now() - start;
    check(result);
    return time;
  };
  const slow = async () => {
    const laps = [];
    let last = performance.now();
    const lap = () => {
      laps.push(performance.now() - last);
      // What the list costs when it grows is none of the contender's.
      last = performance.now();
    };
    check(await run(lap));
    return laps;
  };
  const series = async (take) => {
    const times = [];
    for (let sample = 0; sample < samples; sample++) times.push(await take());
    return times;
  };
  if (warm) for (let turn = 0; turn < 3; turn++) await total();
  const runs = await series(slow);
  // Where a run takes seconds, clocks are nothing.
  const times = warm ? await series(total) : runs.map((laps) => laps.reduce((sum, time) => sum + time, 0));
  const most = (list) => list.reduce((most, time) => Math.max(most, time), 0);
  // What is slow at the same piece in most of the runs is the contender's own doing; the rest are pauses.
  const own = most(runs[0].map((_, piece) => summary(runs.map((laps) => laps[piece])).median));
  return { times, slowest: runs.map(most), own };
}

/** The middle of the times, and how far they lie apart. */
export function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, least: sorted[0], most: sorted.at(-1), count: sorted.length };
}
