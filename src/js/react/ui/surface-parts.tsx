"use client";
/** The components of GULF and of A2UI's basic catalog. */
import { type ComponentType, createContext, type ReactNode, useContext, useId, useRef, useState } from "react";
import { safeUrl } from "../../core/url.js";
import type { SurfaceNode } from "../../surface/types.js";
import { englishFieldLabels, useTyped } from "../use-field.js";
import { ICONS } from "./icons.js";
import {
  faultOf,
  groupOf,
  hintOf,
  numberProp,
  placeOf,
  propOf,
  run,
  spokenOf,
  textProp,
  useBound,
  useHost,
} from "./surface-host.js";
import { Tabs as TabList } from "./tabs.js";
import { fill, firstText, headingTag, idList, listOf, objectOf, objectsOf, textOf } from "./values.js";

interface Props {
  node: SurfaceNode;
}

/** Called when a button inside is pressed, before the action of the button. */
const PressContext = createContext<(() => void) | undefined>(undefined);

const Row = ({ node }: Props) => <Box node={node} kind="row" />;
const Column = ({ node }: Props) => <Box node={node} kind="column" />;
const Card = ({ node }: Props) => <Box node={node} kind="card" />;

function Box({ node, kind }: Props & { kind: string }) {
  const { Children } = useHost();
  return (
    <div
      className={`gp-${kind}`}
      data-justify={textProp(node, "distribution", "justify") || undefined}
      data-align={textProp(node, "alignment", "align") || undefined}
      {...groupOf(node)}
    >
      <Children node={node} />
    </div>
  );
}

function List({ node }: Props) {
  const { Node } = useHost();
  return (
    <ul
      className="gp-list"
      data-direction={textProp(node, "direction") || "vertical"}
      data-align={textProp(node, "alignment", "align") || undefined}
      {...groupOf(node)}
    >
      {node.children.map((child) => (
        <li key={`${child.slot} ${child.id}`}>
          <Node node={child} />
        </li>
      ))}
    </ul>
  );
}

function Divider({ node }: Props) {
  const isUpright = textProp(node, "axis") === "vertical";
  return <hr className="gp-divider" aria-orientation={isUpright ? "vertical" : "horizontal"} />;
}

const Heading = ({ node }: Props) => <Titled node={node} size={numberProp(node, 2, "level")} />;

function Titled({ node, size }: Props & { size: number }) {
  const { headingLevel } = useHost();
  // Agents begin with size 1 or 2: no level is left out after the headings of the page.
  const Tag = headingTag(headingLevel + Math.max(0, size - 2));
  return (
    <Tag className="gp-heading" data-size={size} {...placeOf(node)} {...spokenOf(node)}>
      {textProp(node, "text")}
    </Tag>
  );
}

/** `text` is Markdown in all protocols. It becomes markup only through the host's `markdown`. */
function Text({ node }: Props) {
  const { markdown } = useHost().handlers.current;
  const use = textProp(node, "usageHint", "variant");
  if (/^h[1-5]$/.test(use)) return <Titled node={node} size={Number(use[1])} />;
  const text = textProp(node, "text");
  const common = { className: "gp-text", "data-use": use || undefined, ...groupOf(node) };
  if (markdown === undefined) return <p {...common}>{text}</p>;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the host has sanitized it.
  return <div {...common} dangerouslySetInnerHTML={{ __html: markdown(text) }} />;
}

/** An icon that the agent draws itself: commands of an SVG path, and nothing else. */
const DRAWING = /^[\dMmLlHhVvCcSsQqTtAaZz\s.,e+-]{1,4000}$/;

function Icon({ node }: Props) {
  const name = propOf(node, "name");
  const drawn = textOf(objectOf(name).svgPath);
  const known = typeof name === "string" && Object.hasOwn(ICONS, name) ? ICONS[name] : undefined;
  const words = textOf(typeof name === "object" ? "" : name)
    .replace(/([A-Z])/g, " $1")
    .toLowerCase();
  const isDrawing = DRAWING.test(drawn);
  if (!isDrawing && known === undefined)
    return (
      <span className="gp-badge" {...groupOf(node)}>
        {words}
      </span>
    );
  // A custom drawing has no name to read out.
  const own = spokenOf(node);
  const spoken =
    own["aria-label"] !== undefined
      ? { role: "img", ...own }
      : words !== ""
        ? { role: "img", "aria-label": words }
        : { "aria-hidden": true };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or says nothing.
    <svg
      className="gp-icon"
      viewBox={isDrawing ? "0 0 24 24" : "0 0 20 20"}
      data-drawing={isDrawing || undefined}
      {...spoken}
    >
      <path d={isDrawing ? drawn : known} />
    </svg>
  );
}

function Refused() {
  return <p className="gp-error">{useHost().labels.mediaRefused}</p>;
}

function Image({ node }: Props) {
  const { url } = safeUrl(textProp(node, "url"), "image", useHost().handlers.current.urls);
  if (url === undefined) return <Refused />;
  return (
    <img
      className="gp-image"
      data-use={textProp(node, "usageHint", "variant") || undefined}
      data-fit={textProp(node, "fit") || undefined}
      {...placeOf(node)}
      src={url}
      alt={textProp(node, "altText", "description")}
      {...spokenOf(node)}
      loading="lazy"
      referrerPolicy="no-referrer"
    />
  );
}

function Media({ node }: Props) {
  const { labels, handlers } = useHost();
  const { url } = safeUrl(textProp(node, "url"), "link", handlers.current.urls);
  if (url === undefined) return <Refused />;
  if (node.type === "Video") {
    const poster = safeUrl(textProp(node, "posterUrl"), "image", handlers.current.urls).url;
    return (
      <video
        className="gp-video"
        src={url}
        poster={poster}
        controls
        preload="none"
        {...placeOf(node)}
        {...spokenOf(node)}
      />
    );
  }
  const description = textProp(node, "description");
  return (
    <figure className="gp-audio" {...groupOf(node)}>
      {description && <figcaption>{description}</figcaption>}
      {/* biome-ignore lint/a11y/useMediaCaption: the protocols have no captions. */}
      <audio src={url} controls preload="none" aria-label={description || labels.audio} />
    </figure>
  );
}

function Tabs({ node }: Props) {
  const { labels, Node } = useHost();
  const titles = objectsOf(propOf(node, "tabItems", "tabs")).map(({ title }) => textOf(title));
  const tabs = node.children.map((child, index) => ({
    id: String(index),
    label: titles[index] || fill(labels.part, { number: index + 1 }),
    content: <Node node={child} />,
  }));
  return tabs.length === 0 ? null : <TabList label={labels.parts} tabs={tabs} />;
}

const ENTRY = /^(entryPointChild|trigger)/;

/** A component that opens another one over the page. If it is not a button, it is rendered inside of one. */
function Modal({ node }: Props) {
  const { labels, Node } = useHost();
  const dialog = useRef<HTMLDialogElement>(null);
  const entry = node.children.find(({ slot }) => ENTRY.test(slot));
  const content = node.children.find(({ slot }) => !ENTRY.test(slot));
  const open = () => dialog.current?.showModal();
  return (
    <>
      {entry?.type === "Button" ? (
        <PressContext.Provider value={open}>
          <Node node={entry} />
        </PressContext.Provider>
      ) : (
        <button type="button" className="gp-opener" aria-haspopup="dialog" onClick={open}>
          {entry ? <Node node={entry} /> : labels.open}
        </button>
      )}
      <dialog ref={dialog} className="gp-modal" aria-label={labels.details}>
        <PressContext.Provider value={undefined}>{content && <Node node={content} />}</PressContext.Provider>
        <div className="gp-actions">
          <button type="button" className="gp-button" onClick={() => dialog.current?.close()}>
            {labels.close}
          </button>
        </div>
      </dialog>
    </>
  );
}

function Button({ node }: Props) {
  const host = useHost();
  const pressed = useContext(PressContext);
  const [isPending, setPending] = useState(false);
  const isPrimary = propOf(node, "primary") === true;
  const label = textProp(node, "label", "title");
  const fault = faultOf(node);
  function onClick() {
    if (isPending) return;
    pressed?.();
    const answer = run(host, node);
    if (!(answer instanceof Promise)) return;
    setPending(true);
    answer.catch(() => {}).finally(() => setPending(false));
  }
  return (
    <button
      type="button"
      className="gp-button"
      data-style={isPrimary ? "primary" : textProp(node, "variant") || "default"}
      {...placeOf(node)}
      {...spokenOf(node)}
      data-pending={isPending || undefined}
      aria-busy={isPending || undefined}
      aria-disabled={isPending || undefined}
      aria-haspopup={pressed && "dialog"}
      disabled={fault !== ""}
      title={fault || undefined}
      onClick={onClick}
    >
      {label || <host.Children node={node} />}
    </button>
  );
}

interface FieldParts {
  id: string;
  describedBy: string | undefined;
  isBad: true | undefined;
}

/** A control with its label and its error: that of half-typed text, or, after the first blur, that of the first failing check. */
function Field({
  node,
  label,
  error = "",
  children,
}: Props & { label: string; error?: string; children(parts: FieldParts): ReactNode }) {
  const id = useId();
  const [isTouched, setTouched] = useState(false);
  const fault = error || (isTouched ? faultOf(node) : "");
  const hint = isTouched && !fault ? hintOf(node) : "";
  const describedBy = idList(fault && `${id}-error`, hint && `${id}-hint`);
  const control = children({ id, describedBy, isBad: fault ? true : undefined });
  const shape = node.type === "CheckBox" ? "inline" : "control";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: blur events bubble from its control.
    <div
      className="gp-field"
      data-shape={shape}
      data-type={node.type}
      {...placeOf(node)}
      onBlur={() => setTouched(true)}
    >
      <label className="gp-label" htmlFor={id}>
        {label}
      </label>
      {control}
      {fault && (
        <p className="gp-error" id={`${id}-error`} role="alert">
          {fault}
        </p>
      )}
      {hint && (
        <p className="gp-note" id={`${id}-hint`} role="status">
          {hint}
        </p>
      )}
    </div>
  );
}

/** The typed text of a control that is bound to data. */
function useInput(node: SurfaceNode, type: string, ...names: string[]) {
  const { labels } = useHost();
  const [value, write] = useBound(node, ...names);
  return useTyped(type, value, { ...englishFieldLabels, ...labels, notADate: labels.notANumber }, (given) => {
    const stored = typeof given === "number" || typeof given === "string" ? given : null;
    write(stored);
    return { stored };
  });
}

const INPUT_TYPES: { readonly [kind: string]: string } = { date: "date", obscured: "password" };

/** The pattern of a component is not executed: a pattern that never ends would block the page. */
function TextField({ node }: Props) {
  const kind = textProp(node, "textFieldType", "variant", "type");
  // Data that was a number becomes one again, also after the control was empty (null).
  const [kept] = useState({ isNumber: false });
  if (typeof propOf(node, "text", "value") === "number") kept.isNumber = true;
  const { isNumber } = kept;
  const { error, props } = useInput(node, isNumber ? "number" : "text", "text", "value");
  const label = textProp(node, "label");
  return (
    <Field {...{ node, label, error }}>
      {({ id, describedBy, isBad }) => {
        const placeholder = textProp(node, "placeholder") || undefined;
        const common = {
          ...props,
          id,
          placeholder,
          ...spokenOf(node),
          className: "gp-input",
          "aria-describedby": describedBy,
          "aria-invalid": isBad,
        };
        if (kind === "longText") return <textarea {...common} rows={3} />;
        const mode = kind === "number" || isNumber ? "decimal" : undefined;
        return <input {...common} type={INPUT_TYPES[kind] ?? "text"} inputMode={mode} autoComplete="off" />;
      }}
    </Field>
  );
}

function CheckBox({ node }: Props) {
  const [value, write] = useBound(node, "value");
  return (
    <Field node={node} label={textProp(node, "label")}>
      {({ id, describedBy, isBad }) => (
        <input
          id={id}
          type="checkbox"
          {...spokenOf(node)}
          className="gp-check"
          aria-describedby={describedBy}
          aria-invalid={isBad}
          checked={value === true}
          onChange={({ target }) => write(target.checked)}
        />
      )}
    </Field>
  );
}

function Slider({ node }: Props) {
  const { labels } = useHost();
  const [value, write] = useBound(node, "value");
  const min = numberProp(node, 0, "minValue", "min");
  const max = numberProp(node, 100, "maxValue", "max");
  // How many equal parts there are between the two ends.
  const steps = numberProp(node, 0, "steps");
  const now = typeof value === "number" ? value : Number(value) || min;
  return (
    <Field node={node} label={textProp(node, "label") || labels.value}>
      {({ id }) => (
        <div className="gp-slider">
          <input
            id={id}
            type="range"
            {...spokenOf(node)}
            min={min}
            max={max}
            step={steps >= 1 ? (max - min) / steps : max - min <= 2 ? "any" : 1}
            value={now}
            onChange={({ target }) => write(target.valueAsNumber)}
          />
          <output htmlFor={id}>{now}</output>
        </div>
      )}
    </Field>
  );
}

function DateTimeInput({ node }: Props) {
  const { labels } = useHost();
  const hasDate = propOf(node, "enableDate") !== false;
  const hasTime = propOf(node, "enableTime") === true;
  const kind = !hasTime ? "date" : hasDate ? "datetime" : "time";
  const type = kind === "datetime" ? "datetime-local" : kind;
  const { text, error, props } = useInput(node, kind, "value");
  const names = { date: labels.date, datetime: labels.dateAndTime, time: labels.time };
  // A date that the control cannot show whole, such as one with a time.
  const shown =
    kind === "date" ? text.slice(0, 10) : kind === "time" ? text.slice(text.indexOf("T") + 1).slice(0, 5) : text;
  return (
    <Field {...{ node, error }} label={textProp(node, "label") || names[kind]}>
      {({ id, describedBy, isBad }) => (
        <input
          {...props}
          {...{ id, type }}
          {...spokenOf(node)}
          className="gp-input"
          value={shown}
          min={textProp(node, "min") || undefined}
          max={textProp(node, "max") || undefined}
          aria-describedby={describedBy}
          aria-invalid={isBad}
        />
      )}
    </Field>
  );
}

/** `MultipleChoice` of GULF and A2UI 0.8, `ChoicePicker` of 0.9. */
function Choice({ node }: Props) {
  const { labels } = useHost();
  const id = useId();
  const [query, setQuery] = useState("");
  const [isTouched, setTouched] = useState(false);
  const isPicker = node.type === "ChoicePicker";
  const [value, write] = useBound(node, isPicker ? "value" : "selections");
  const isOne = isPicker
    ? textProp(node, "variant") !== "multipleSelection"
    : numberProp(node, 0, "maxAllowedSelections") === 1;
  const most = isOne ? 1 : numberProp(node, 1e9, "maxAllowedSelections");
  const chosen = (Array.isArray(value) ? listOf(value) : [value]).map(textOf).filter(Boolean);
  const options = objectsOf(propOf(node, "options")).map(
    (option) => [firstText(option.label), textOf(option.value)] as const,
  );
  const isFilterable = propOf(node, "filterable") === true;
  const shown = options.filter(([label]) => label.toLowerCase().includes(query.trim().toLowerCase()));
  const isChips = [propOf(node, "displayStyle"), propOf(node, "variant")].includes("chips");
  const fault = isTouched ? faultOf(node) : "";
  const choose = (own: string) =>
    write(isOne ? [own] : chosen.includes(own) ? chosen.filter((one) => one !== own) : [...chosen, own]);
  return (
    <fieldset
      className="gp-field"
      data-shape="group"
      data-type={node.type}
      {...placeOf(node)}
      {...spokenOf(node)}
      aria-describedby={idList(fault && id)}
      onBlur={() => setTouched(true)}
    >
      <legend className="gp-label">
        {textProp(node, "label", "description") || <span className="gp-unseen">{labels.choice}</span>}
      </legend>
      {isFilterable && (
        <input
          type="search"
          className="gp-input"
          aria-label={labels.find}
          placeholder={labels.find}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      )}
      <div className="gp-choices" data-display={isChips ? "chips" : undefined}>
        {shown.map(([label, own]) => (
          <label key={own} className="gp-choice">
            <input
              className="gp-check"
              type={isOne ? "radio" : "checkbox"}
              name={`${id}-choice`}
              checked={chosen.includes(own)}
              disabled={!isOne && chosen.length >= most && !chosen.includes(own)}
              onChange={() => choose(own)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {fault && (
        <p className="gp-error" id={id} role="alert">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

/** The components by type. */
export const parts: { readonly [type: string]: ComponentType<Props> } = {
  AudioPlayer: Media,
  Button,
  Card,
  CheckBox,
  ChoicePicker: Choice,
  Column,
  DateTimeInput,
  Divider,
  Heading,
  Icon,
  Image,
  List,
  Modal,
  MultipleChoice: Choice,
  Row,
  Slider,
  Tabs,
  Text,
  TextField,
  Video: Media,
};
