/** The measurements as Markdown. */
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

/** The times of a case on one host, by variant, contender and figure: `results` are what its processes gave. */
export function figures(known, results) {
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
  return found;
}

export function section(known, host, found, proves = true) {
  const tables = Object.entries(found).map(([variant, times]) => variantTable(known, variant, times, proves));
  return [`### ${known.title}, ${host}`, known.about, ...tables].join("\n\n");
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
 * A requirement of a case, and its result: `{ contender, variant?, figure?, most, of?, aim? }`. With `of` it is a ratio to
 * that contender in the same table, else a time; with `from` a ratio to the same contender in that variant. `aim` is the
 * target. `why` says why a requirement is missed.
 */
export function asked({ title, asked: list = [], contenders, unit }, found) {
  return list.flatMap(({ contender, variant, figure: kind = "warm", from, ...wanted }) =>
    Object.entries(found)
      .filter(([label, all]) => all[contender]?.[kind] && (variant === undefined || variant === label))
      .filter(([label]) => from === undefined || (label !== from && found[from]?.[contender]))
      // Not every host measures all.
      .filter(([, all]) => wanted.of === undefined || all[wanted.of])
      .map(([label, all]) => {
        const own = all[contender][kind].median;
        const to = ({ most, of }) => {
          if (of === undefined && from === undefined) return { value: own, most, unit };
          const base = from === undefined ? all[of] : found[from][contender];
          return base && { value: own / base[kind].median, most, unit: `× ${from ?? of}` };
        };
        const behind = Object.entries(all)
          .filter(([name, times]) => contenders[name].role === "peer" && times[kind]?.median < own)
          .map(([name, times]) => `${name} (${figure(times[kind].median)} against ${figure(own)} ${unit})`);
        const row = `${title}: ${[contender, label, kind].filter((part) => part !== title).join(", ")}`;
        return { row, ...to(wanted), aim: wanted.aim && to(wanted.aim), behind, why: wanted.why };
      }),
  );
}

/** All that is asked, in one table: rows of the same name and unit come from different hosts. */
export function reached(rows) {
  const hosts = [...new Set(rows.map(({ host }) => host))];
  const most = ({ most, unit }) => `${figure(most)} ${unit}`;
  const once = (texts) => [...new Set(texts)].join(" / ");
  const nameOf = ({ row, unit }) => `${row}, ${unit}`;
  const lines = [...new Set(rows.map(nameOf))].map((name) => {
    const of = rows.filter((row) => nameOf(row) === name);
    const cells = hosts.map((host) => {
      const one = of.find((each) => each.host === host);
      if (!one) return "";
      const aim = one.aim ? ` (${figure(one.aim.value)})` : "";
      return `${figure(one.value)}${aim}, ${one.value <= one.most ? "met" : "**missed**"}`;
    });
    const aim = of[0].aim ? ` (${most(of[0].aim)})` : "";
    const asked = once(of.map(most));
    const behind = of.flatMap(({ host, behind = [] }) => behind.map((peer) => `${host}: **behind** ${peer}`));
    return [of[0].row, `${asked}${aim}`, ...cells, behind.join("; ")];
  });
  const missed = hosts.map((host) => {
    const own = rows.filter((row) => row.host === host);
    const count = (test) => own.filter(test).length;
    return `${host}: ${own.length} rows, ${count(({ value, most }) => value > most)} missed, ${count(({ behind }) => behind?.length > 0)} behind a peer`;
  });
  const about =
    "At most this much; in brackets the aim and how far it is. A peer that is faster in the same table is told even where it " +
    "gives less than genui-patch, as its name or the words above the table say.";
  const reasons = new Map();
  for (const { row, value, most, why = "The cause is not known." } of rows) {
    if (value > most) reasons.set(why, [...(reasons.get(why) ?? []), row]);
  }
  const why = [...reasons].map(([reason, rows]) => `- ${once(rows)}. ${reason}`);
  return [
    "## Asked and reached",
    about,
    `${missed.join(". ")}.`,
    table(["", "asked", ...hosts, "faster"], lines),
    ...(why.length > 0 ? ["### Why rows are missed", why.join("\n")] : []),
  ].join("\n\n");
}
