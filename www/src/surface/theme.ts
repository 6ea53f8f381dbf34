/** A surface's own colour and logo, as far as they are fit to be shown. */
import { safeUrl } from "genui-patch";
import { objectOf, textOf, type View } from "../lib/view";

export function themeOf(info: unknown): { style: React.CSSProperties | undefined; logo: string | undefined } {
  const { styles, theme } = objectOf(info as View | undefined);
  const { primaryColor, logoUrl, iconUrl } = objectOf(styles ?? theme);
  const logo = safeUrl(textOf(logoUrl ?? iconUrl), "image");
  return { style: accent(textOf(primaryColor)), logo: logo.ok && logo.url !== "" ? logo.url : undefined };
}

/** The colour, with the one of black and white that stands out from it. */
function accent(colour: string): React.CSSProperties | undefined {
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour)?.slice(1);
  if (parts === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map((part) => (Number.parseInt(part, 16) / 255) ** 2.2);
  const bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return { "--gp-accent": colour, "--gp-on-accent": bright > 0.18 ? "#000" : "#fff" };
}
