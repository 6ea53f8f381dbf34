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

/** A case on one host: `results` are lists of times by variant and contender. One run alone proves nothing. */
export function section(known, host, results, proves = true) {
  const factor = factors[known.unit];
  const figures = {};
  for (const [variant, contenders] of Object.entries(results)) {
    figures[variant] = {};
    for (const [contender, { times, slowest, own }] of Object.entries(contenders)) {
      const scale = (list) => summary(list.map((time) => time * factor));
      figures[variant][contender] = {
        ...scale(times),
        ...(slowest && { slowest: scale(slowest).median, own: own * factor }),
      };
    }
  }
  const parts = [`### ${known.title}, ${host}`, known.about];
  for (const [variant, found] of Object.entries(figures)) parts.push(variantTable(known, variant, found, proves));
  if (proves) parts.push([...targets(known, figures), ...growth(known, figures)].join("\n"));
  return parts.filter((part) => part !== "").join("\n\n");
}

function variantTable(known, variant, found, proves) {
  const [[first, ours]] = Object.entries(found);
  const slow = Object.values(found).some(({ slowest }) => slowest !== undefined);
  const heads = [variant, `median, ${known.unit}`, "range", "runs", `× ${first}`];
  if (slow) heads.push(`slowest piece, ${known.unit}`, "without pauses");
  const rows = Object.entries(found).map(([contender, { median, least, most, count, slowest, own }]) => {
    const cells = [
      contender,
      figure(median),
      `${figure(least)} to ${figure(most)}`,
      count,
      figure(median / ours.median),
    ];
    return slow ? [...cells, figure(slowest), figure(own)] : cells;
  });
  return proves ? `${table(heads, rows)}\n\n${faster(known, variant, found)}` : table(heads, rows);
}

/** Which peers are faster, than which of ours. */
function faster(known, variant, found) {
  const of = (role) => Object.entries(found).filter(([contender]) => known.contenders[contender].role === role);
  if (of("peer").length === 0) return "- There is no peer in this table.";
  const lines = of("peer").flatMap(([peer, { median }]) =>
    of("ours")
      .filter(([, ours]) => median < ours.median)
      .map(
        ([name, ours]) =>
          `- **${peer} is faster** than ${name}: ${figure(median)} against ${figure(ours.median)} ${known.unit}.`,
      ),
  );
  return lines.length > 0 ? lines.join("\n") : `- No peer is faster (${variant}).`;
}

const pieces = { slowest: "slowest piece", own: "slowest piece without pauses" };

const verdict = (value, most) => (value <= most ? "met" : "**missed**");

function targets(known, figures) {
  return known.targets.flatMap(({ contender, variant, figure: kind = "median", most }) =>
    Object.entries(figures)
      .filter(([label, found]) => found[contender] !== undefined && (variant === undefined || variant === label))
      .map(([label, found]) => {
        const value = found[contender][kind];
        const what = kind === "median" ? "" : `, ${pieces[kind]}`;
        const limit = `at most ${most} ${known.unit}`;
        return `- Target for ${contender}${what}, ${label}: ${limit}; ${figure(value)} ${known.unit}: ${verdict(value, most)}.`;
      }),
  );
}

function growth({ growth: list = [] }, figures) {
  return list
    .filter(({ contender, from, to }) => figures[from]?.[contender] && figures[to]?.[contender])
    .map(({ contender, from, to, most }) => {
      const value = figures[to][contender].median / figures[from][contender].median;
      return `- Target for ${contender}, ${to} against ${from}: at most ${most} times; ${figure(value)}: ${verdict(value, most)}.`;
    });
}
