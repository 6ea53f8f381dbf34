/** What was measured, as Markdown. */
import { summary } from "./measure.mjs";

const factors = { µs: 1000, ms: 1 };

/** Three digits that count. */
export function figure(number) {
  if (number >= 100) return Math.round(number).toLocaleString("en-US");
  return number
    .toPrecision(3)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
}

export function table(heads, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map((_, place) => (place === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

const FIGURES = ["cold", "warm", "slowest"];

/** A case on one host: `results` are what its processes gave, by variant and contender. */
export function section(known, host, results, proves = true) {
  const factor = factors[known.unit];
  const found = {};
  for (const [variant, contenders] of Object.entries(results)) {
    found[variant] = {};
    for (const [contender, processes] of Object.entries(contenders)) {
      const kinds = FIGURES.filter((kind) => processes[0][kind] !== undefined);
      const of = (kind) => summary(processes.map((one) => one[kind] * factor));
      found[variant][contender] = Object.fromEntries(kinds.map((kind) => [kind, of(kind)]));
    }
  }
  const parts = [`### ${known.title}, ${host}`, known.about];
  for (const [variant, figures] of Object.entries(found)) parts.push(variantTable(known, variant, figures, proves));
  if (proves) parts.push(asked(known, found).join("\n"));
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Ratios are those to the first contender. */
function variantTable(known, variant, found, proves) {
  const [[, ours]] = Object.entries(found);
  const { first = 1, unit } = known;
  const names = { cold: first > 1 ? `cold (the first ${first})` : "cold", warm: "warm", slowest: "slowest piece" };
  const kinds = FIGURES.filter((kind) => Object.values(found).some((own) => own[kind]));
  const heads = [variant, ...kinds.flatMap((kind) => [`${names[kind]}, ${unit}`, "×", "range"]), "processes"];
  const rows = Object.entries(found).map(([contender, own]) => {
    const cells = kinds.flatMap((kind) => {
      const { [kind]: value } = own;
      if (!value) return ["", "", ""];
      const ratio = ours[kind] ? figure(value.median / ours[kind].median) : "";
      return [figure(value.median), ratio, `${figure(value.least)} to ${figure(value.most)}`];
    });
    return [contender, ...cells, own.cold.count];
  });
  return proves ? `${table(heads, rows)}\n\n${faster(known, variant, found)}` : table(heads, rows);
}

/** Which peers are faster, than which of ours. */
function faster(known, variant, found) {
  const of = (role) => Object.entries(found).filter(([contender]) => known.contenders[contender].role === role);
  if (of("peer").length === 0) return "- There is no peer in this table.";
  const lines = of("peer").flatMap(([peer, theirs]) =>
    of("ours").flatMap(([name, ours]) =>
      FIGURES.filter((kind) => theirs[kind] && ours[kind] && theirs[kind].median < ours[kind].median).map(
        (kind) =>
          `- **${peer} is faster** than ${name}, ${kind}: ${figure(theirs[kind].median)} against ` +
          `${figure(ours[kind].median)} ${known.unit}.`,
      ),
    ),
  );
  return lines.length > 0 ? lines.join("\n") : `- No peer is faster (${variant}).`;
}

/**
 * What design asks for: `{ contender, variant?, figure?, most, of?, aim? }`. With `of` it is a ratio to that contender in the
 * same table, else a time; with `from` a ratio to the same contender in that variant. `aim` is where it should come to.
 */
function asked({ asked: list = [], unit }, found) {
  return list.flatMap(({ contender, variant, figure: kind = "warm", from, ...wanted }) =>
    Object.entries(found)
      .filter(([label, all]) => all[contender]?.[kind] && (variant === undefined || variant === label))
      .filter(([label]) => from === undefined || (label !== from && found[from]?.[contender]))
      .map(([label, all]) => {
        const own = all[contender][kind].median;
        const told = (most, of) => {
          const base = from === undefined ? of && all[of]?.[kind]?.median : found[from][contender][kind].median;
          const value = base === undefined ? own : own / base;
          const measure = base === undefined ? `${most} ${unit}` : `${most} of ${from ?? of}`;
          return `at most ${measure}: ${figure(value)}, ${value <= most ? "met" : "**missed**"}`;
        };
        const aim = wanted.aim ? `; aim ${told(wanted.aim.most, wanted.aim.of)}` : "";
        return `- Asked of ${contender}, ${label}, ${kind}: ${told(wanted.most, wanted.of)}${aim}.`;
      }),
  );
}
