const shapes = {
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  cross: "M5.5 5.5l9 9m0-9l-9 9",
  warn: "M10 5.5v6m0 3v.01",
  cut: "M3.5 10h5.5m3 0h1.5m2.8 0h.2",
  chevron: "M7.5 5.5L12 10l-4.5 4.5",
  play: "M7 4.8v10.4l8.2-5.2z",
  pause: "M7 5v10m6-10v10",
  restart: "M5 10a5 5 0 1 0 1.6-3.7M5 4.5v3h3",
  undo: "M7.5 4L4 7.5 7.5 11M4.5 7.5h7a4 4 0 0 1 0 8H8",
  redo: "M12.5 4L16 7.5 12.5 11M15.5 7.5h-7a4 4 0 0 0 0 8H12",
  download: "M10 3.5v9m-3.5-3.5L10 12.5 13.5 9M4 16.5h12",
  file: "M5.5 3h6l3.5 3.5V17h-9.5zM11 3v4h4",
  folder: "M3 5.5h5l1.5 2H17V16H3z",
  pencil: "M4 16l.8-3.4L13.2 4.2l2.6 2.6-8.4 8.4z",
  spark: "M10 3l1.8 5.2L17 10l-5.2 1.8L10 17l-1.8-5.2L3 10l5.2-1.8z",
  send: "M3.5 10h12m-5-5l5 5-5 5",
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
