import { useEffect, useRef } from "react";
import { ScrollBox } from "../lib/ScrollBox";
import { t } from "../words/words";
import type { LiveText } from "./parts";

const labels = { content: "Content", old_string: "Replace", new_string: "With" } as const;

/** The texts of a block, as far as they have come. */
export function LiveContent({ live, arriving }: { live: readonly LiveText[]; arriving: boolean }) {
  return live.map((text, at) => (
    <LiveField key={`${text.index}-${text.field}`} live={text} arriving={arriving && at === live.length - 1} />
  ));
}

function LiveField({ live: { field, text }, arriving }: { live: LiveText; arriving: boolean }) {
  const box = useRef<HTMLElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: more text is what makes it longer
  useEffect(() => {
    if (box.current && arriving) box.current.scrollTop = box.current.scrollHeight;
  }, [text, arriving]);

  return (
    <figure className="live" data-field={field}>
      <figcaption>{t(labels[field])}</figcaption>
      <ScrollBox label={t(labels[field])} className={arriving ? "arriving" : undefined} ref={box}>
        {text}
      </ScrollBox>
    </figure>
  );
}
