const shapes = {
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  cross: "M5.5 5.5l9 9m0-9l-9 9",
  warn: "M10 5.5v6m0 3v.01",
  cut: "M3.5 10h5.5m3 0h1.5m2.8 0h.2",
  chevron: "M7.5 5.5L12 10l-4.5 4.5",
  play: "M7 4.8v10.4l8.2-5.2z",
  pause: "M7 5v10m6-10v10",
  restart: "M5 10a5 5 0 1 0 1.6-3.7M5 4.5v3h3",
  wrench: "M12.9 4.3a3.6 3.6 0 0 0-4.6 4.6l-4.2 4.2 2.3 2.3 4.2-4.2a3.6 3.6 0 0 0 4.6-4.6l-2.1 2.1-2.1-.6-.6-2.1z",
} as const;

export type IconName = keyof typeof shapes;

/** A drawing beside words that say the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={shapes[name]} fill={name === "play" ? "currentColor" : "none"} />
    </svg>
  );
}
