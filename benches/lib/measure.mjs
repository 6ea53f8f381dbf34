/** Taking times, in Node and in a page alike. Times are in milliseconds. */

/**
 * Takes the times of one contender, in a process that runs nothing else. A contender's `make` gives
 *
 * - `run(given, turn)`: the work of one turn; what it is given is made by the case's `edits(variant)` (what happens in a
 *   turn, the same for all contenders) and by the contender's own `given` (the form in which it takes that), before the
 *   clock starts. No turn is given what another one was.
 * - `check?(result, edit, turn)`: throws if a turn did not come to what it should.
 *
 * The result is `{ cold, warm }`: what the first turns of the process took each (as many as `first` of the case says), and
 * what turns take once the engine has made up its mind. Of streams also `slowest`, what the slowest of their pieces took:
 * the largest of the pieces' medians over some runs, so that pauses of the machine and of the collector are not in it.
 * `warmUp` of the case says how many times the usual warm-up it needs, `most` how many turns a sample may have, for what is
 * given to them is in memory all at once. Making that often takes longer than what is measured: so a warm-up ends after
 * `turns` of the variant or of the plan too, and no more samples are taken than fill `enough` milliseconds.
 */
export async function measure(known, contender, chosen, plan) {
  const variant = plan.quick ? { ...chosen, ...known.quick } : chosen;
  const { cold: coldOnly = false } = contender;
  const edits = known.edits?.(variant) ?? (() => undefined);
  const { run, given = (edit) => edit, check } = await contender.make(variant);
  let turn = 0;
  const take = async (count) => {
    const from = turn;
    const all = Array.from({ length: count }, (_, place) => edits(from + place));
    const taken = all.map((edit, place) => given(edit, from + place));
    const start = performance.now();
    let result;
    for (let place = 0; place < count; place++) {
      result = run(taken[place], turn++);
      if (known.kind === "stream") result = await result;
    }
    const time = performance.now() - start;
    check?.(result, all[count - 1], turn - 1);
    return time / count;
  };
  const cold = await take(known.first ?? 1);
  if (coldOnly) return { cold };

  let count = 1;
  const { warmUp = 1, most = 2 ** 12 } = known;
  const { turns = plan.turns } = variant;
  for (let passed = 0; passed < plan.warmUp * warmUp && turn < turns; ) {
    const time = (await take(count)) * count;
    passed += time;
    if (time < plan.batch && count < most) count *= 2;
  }
  const times = [];
  for (let passed = 0; times.length < plan.samples && passed < plan.enough; passed += times.at(-1) * count)
    times.push(await take(count));
  const warm = summary(times).median;
  return variant.laps ? { cold, warm, slowest: await slowest(run, given(edits(turn), turn), plan) } : { cold, warm };
}

/** Clocks cost time, so that the slowest piece is looked for in runs of their own. */
async function slowest(run, given, { samples }) {
  const runs = [];
  for (let sample = 0; sample < samples; sample++) {
    const laps = [];
    let last = performance.now();
    const lap = () => {
      laps.push(performance.now() - last);
      // Growing the list is not part of the contender's time.
      last = performance.now();
    };
    await run(given, sample, lap);
    runs.push(laps);
  }
  return runs[0].reduce((most, _, piece) => Math.max(most, summary(runs.map((laps) => laps[piece])).median), 0);
}

/** The middle of the times, and how far they lie apart. */
export function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, least: sorted[0], most: sorted.at(-1), count: sorted.length };
}
