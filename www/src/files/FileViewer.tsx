import { memo, useEffect, useState } from "react";
import { t } from "../words/words";
import { colour } from "./colour";
import { workspace } from "./workspace";

interface Props {
  path: string;
  /** Another number: the file may have changed. */
  version: number;
}

/** The current text of a file. */
export function FileViewer({ path, version }: Props) {
  const [text, setText] = useState<string | null>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another version may have another text
  useEffect(() => {
    let gone = false;
    workspace()
      .then((files) => files.read(path))
      .then((found) => {
        if (!gone) setText(found);
      });
    return () => {
      gone = true;
    };
  }, [path, version]);

  if (text === undefined) return <p className="nothing">{t("Reading…")}</p>;
  if (text === null) return <p className="nothing">{t("There is no such file yet.")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section className="file-text" aria-label={t("Text of {path}", { path })} tabIndex={0}>
      <ol>
        {text.split("\n").map((line, at, all) =>
          at === all.length - 1 && line === "" ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <Line key={at} line={line} path={path} />
          ),
        )}
      </ol>
    </section>
  );
}

const Line = memo(function Line({ line, path }: { line: string; path: string }) {
  return (
    <li>
      <code>
        {colour(line, path).map(({ at, kind, text }) =>
          kind === undefined ? (
            text
          ) : (
            <span key={at} className={`json-${kind}`}>
              {text}
            </span>
          ),
        )}
      </code>
    </li>
  );
});
