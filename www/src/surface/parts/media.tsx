import { safeUrl } from "genui-patch";
import { type Plain, t } from "../../words/words";
import { type PartProps, prop, text } from "../host";
import { grow } from "../NodeView";

/** Only addresses that the package takes are loaded, and the page's own is not told to them. */
export function Image({ node }: PartProps) {
  const checked = safeUrl(text(prop(node, "url")), "image");
  if (!checked.ok) return <Refused words="Picture not loaded." why={checked.message} />;
  const fit = text(prop(node, "fit")) === "scaleDown" ? "scale-down" : text(prop(node, "fit"));
  return (
    <img
      className="s-image"
      data-use={text(prop(node, "usageHint", "variant")) || undefined}
      src={checked.url}
      alt={text(prop(node, "altText", "description"))}
      loading="lazy"
      referrerPolicy="no-referrer"
      style={{ ...grow(node), ...(fit && { objectFit: fit as "cover" }) }}
    />
  );
}

export function Video({ node }: PartProps) {
  const checked = safeUrl(text(prop(node, "url")), "link");
  if (!checked.ok) return <Refused words="Video not loaded." why={checked.message} />;
  // biome-ignore lint/a11y/useMediaCaption: the protocol has no captions
  return <video className="s-video" src={checked.url} controls preload="none" style={grow(node)} />;
}

export function AudioPlayer({ node }: PartProps) {
  const checked = safeUrl(text(prop(node, "url")), "link");
  const description = text(prop(node, "description"));
  if (!checked.ok) return <Refused words="Sound not loaded." why={checked.message} />;
  return (
    <figure className="s-audio" style={grow(node)}>
      {description && <figcaption>{description}</figcaption>}
      {/* biome-ignore lint/a11y/useMediaCaption: the protocol has no captions */}
      <audio src={checked.url} controls preload="none" aria-label={description || t("Sound")} />
    </figure>
  );
}

function Refused({ words, why }: { words: Plain; why: string }) {
  return (
    <p className="s-fault">
      {t(words)} {why}
    </p>
  );
}
