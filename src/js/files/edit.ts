/** One piece of a text replaced by another. */
import { blocksModule } from "../core/blocks.js";

/** Why a piece could not be replaced. */
export interface EditFailure {
  matches: number;
  /** The lines of the first matches. */
  lines?: number[];
  /** Where the text is most like the piece. */
  nearest?: NearestText;
}

/** A place in a file that is like what was looked for. */
export interface NearestText {
  /** From 1. */
  line: number;
  /** As many lines as were looked for. */
  text: string;
}

/** The text with the one place of a piece replaced. */
export function editText(text: string, from: string, to: string): string | EditFailure {
  // The lengths go first, so that neither side escapes what may be long.
  const sent = `[${[text, from, to].map(({ length }) => length).join()}]\n${text}\n${from}\n${to}\n`;
  const answer = blocksModule.call((glue) => blocksModule.receive(glue.edit_text(blocksModule.send(sent))));
  return answer[0] === "=" ? answer.slice(1) : (JSON.parse(answer) as EditFailure);
}
