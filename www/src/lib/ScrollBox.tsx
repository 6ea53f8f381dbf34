import type { ReactNode, Ref } from "react";

interface Props {
  label: string;
  className?: string | undefined;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}

/** Text as it is, in a box that scrolls, also by keyboard. */
export function ScrollBox({ label, className = "", ref, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section aria-label={label} className={`scroll ${className}`} tabIndex={0} ref={ref}>
      <pre>{children}</pre>
    </section>
  );
}
