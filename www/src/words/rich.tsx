import { Fragment, type ReactNode } from "react";
import { type Filling, piecesOf, type Sentence } from "./words";

/** A sentence with elements in it. */
export function rich<S extends Sentence>(english: S, values: Filling<S, ReactNode>): ReactNode {
  const filling: Readonly<Record<string, ReactNode>> = values;
  return piecesOf(english).map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence stay in their places
    <Fragment key={at}>{at % 2 === 0 ? piece : filling[piece]}</Fragment>
  ));
}
