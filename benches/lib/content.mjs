/** Text like that of models: code, sentences, values. Generated from a seed, the same in every process. */
import { random } from "../../tests/support/random.mjs";

const WORDS =
  "order table guest river naïve größe façade café 订单 価格 total price label window garden index query render stream café résumé пример".split(
    " ",
  );
const EMOJI = ["🎉", "🚲", "👩‍🌾", "✅", "☕", "🏞️"];

/** A sentence as a user or a model writes it: with quotes, apostrophes, now and then an emoji or a line break. */
export function sentence(rng) {
  const words = [rng.pick(WORDS), ...rng.list(7, () => rng.pick(WORDS))];
  if (rng.chance(0.2)) words.push(`"${rng.pick(WORDS)}"`);
  if (rng.chance(0.2)) words.push(rng.pick(EMOJI));
  if (rng.chance(0.1)) words.push("\n\\", "it's", "100 %\t");
  return words.join(" ");
}

/** One line of a program, in the ways in which lines differ. */
const LINES = [
  (rng, n) => `import { ${rng.pick(WORDS)}_${n}, type Props } from "./${rng.pick(WORDS)}.js";`,
  (rng, n) =>
    `export const value_${n} = compute("${rng.pick(WORDS)}", { naïve: ${rng.below(1000)}, 'a-b': \`x\${${n}}\` });`,
  (rng) => `  if (!/^[\\w.-]+\\\\d{${rng.below(9)}}$/u.test(text)) throw new Error("not a \\"${rng.pick(WORDS)}\\"");`,
  (rng) =>
    `\treturn <p className="${rng.pick(WORDS)}" title='${rng.pick(WORDS)}'>{t("${sentence(rng).replaceAll('"', "'")}")} ${rng.pick(EMOJI)}</p>;`,
  (rng) => `    // ${sentence(rng).replaceAll("\n", " ")}`,
  (rng, n) => `    const row${n} = await db.query(\`SELECT * FROM "${rng.pick(WORDS)}" WHERE id = $1\\n\`, [${n}]);`,
  () => "  }",
  () => "",
  (rng) => `  "${rng.pick(WORDS)}": ["${rng.pick(WORDS)}", ${rng.below(100) / 8}, null, true],`,
];

/** Source code of so many UTF-16 units. Some of its lines end as on Windows. */
export function code(length, seed = 0) {
  const rng = random(seed * 7919 + 17);
  const lines = [];
  for (let size = 0; size < length; ) {
    const line = rng.pick(LINES)(rng, rng.below(10_000)) + (rng.chance(0.05) ? "\r\n" : "\n");
    lines.push(line);
    size += line.length;
  }
  // A surrogate pair is not cut.
  return lines
    .join("")
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, "?");
}

const PATHS = ["src/app.ts", "src/components/Table.tsx", "docs/größe.md", "index.html", "styles/main.css"];

/** The arguments of a write_file call with so much content. */
export const writeFile = (length, seed = 0) =>
  JSON.stringify({ tool: "write_file", path: PATHS[seed % PATHS.length], content: code(length, seed) });

export const fenced = (json) => `\`\`\`json\n${json}\n\`\`\`\n`;

/** A text in pieces of so many units. */
export function pieces(text, size) {
  const list = [];
  for (let at = 0; at < text.length; at += size) list.push(text.slice(at, at + size));
  return list;
}

/** A value of JSON without parts. */
export function scalar(rng) {
  const kind = rng.below(10);
  if (kind < 5) return sentence(rng);
  if (kind < 7) return rng.below(100_000);
  if (kind < 8) return rng.below(100_000) / 64 - 500;
  return rng.chance(0.5);
}

/** A small object, as a model puts into a page's state. */
export function object(rng) {
  const place = { city: sentence(rng), at: [rng.below(90), rng.below(180) / 8], open: rng.chance(0.5) };
  return {
    id: `row_${rng.below(10_000)}`,
    label: sentence(rng),
    count: rng.below(100),
    place,
    tags: rng.list(3, () => rng.pick(WORDS)),
  };
}
