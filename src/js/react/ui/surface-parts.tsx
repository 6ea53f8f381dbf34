"use client";
/** The components of GULF and of A2UI's basic catalog. Where the protocols have several names for a property, all are read. */
import { type ComponentType, createContext, type ReactNode, useContext, useId, useRef, useState } from "react";
import { safeUrl } from "../../core/url.js";
import type { SurfaceNode } from "../../surface/types.js";
import { useTypedText } from "../typed-text.js";
import { englishFieldLabels } from "../use-field.js";
import { ICONS } from "./icons.js";
import {
  faultOf,
  frameAttributes,
  groupAttributes,
  hintOf,
  labelAttributes,
  numberProp,
  propOf,
  runAction,
  textProp,
  useBound,
  useHost,
} from "./surface-host.js";
import { Tabs as TabList } from "./tabs.js";
import { fill, firstText, headingTag, idList, listOf, objectOf, objectsOf, textOf } from "./values.js";

interface Props {
  node: SurfaceNode;
}

/** What a press of a button does besides its action: a `Modal` opens. `undefined` for buttons that open none. */
const PressContext = createContext<(() => void) | undefined>(undefined);

const Row = ({ node }: Props) => <Box node={node} kind="row" />;
const Column = ({ node }: Props) => <Box node={node} kind="column" />;
const Card = ({ node }: Props) => <Box node={node} kind="card" />;

/** Nodes in a row, in a column, or in a column with a border (`card`). */
function Box({ node, kind }: Props & { kind: string }) {
  const { Children } = useHost();
  return (
    <div
      className={`gp-${kind}`}
      data-justify={textProp(node, "distribution", "justify") || undefined}
      data-align={textProp(node, "alignment", "align") || undefined}
      {...groupAttributes(node)}
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
      {...groupAttributes(node)}
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
  const isVertical = textProp(node, "axis") === "vertical";
  return <hr className="gp-divider" aria-orientation={isVertical ? "vertical" : "horizontal"} />;
}

const Heading = ({ node }: Props) => <SizedHeading node={node} size={numberProp(node, { fallback: 2 }, "level")} />;

/** A heading of a size from 1, the largest. */
function SizedHeading({ node, size }: Props & { size: number }) {
  const { headingLevel } = useHost();
  // Some agents begin with size 1 and others with 2. Both become `headingLevel`, so that no level is left out below the headings
  // of the page.
  const Tag = headingTag(headingLevel + Math.max(0, size - 2));
  return (
    <Tag className="gp-heading" data-size={size} {...frameAttributes(node)} {...labelAttributes(node)}>
      {textProp(node, "text")}
    </Tag>
  );
}

/** `text` is Markdown in all protocols. It becomes markup only through the host's `markdown`. */
function Text({ node }: Props) {
  const { markdown } = useHost().handlers.current;
  const usage = textProp(node, "usageHint", "variant");
  if (/^h[1-5]$/.test(usage)) return <SizedHeading node={node} size={Number(usage[1])} />;
  const text = textProp(node, "text");
  const attributes = { className: "gp-text", "data-use": usage || undefined, ...groupAttributes(node) };
  if (markdown === undefined) return <p {...attributes}>{text}</p>;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the host has sanitized it.
  return <div {...attributes} dangerouslySetInnerHTML={{ __html: markdown(text) }} />;
}

/** An icon that the agent draws itself: commands of an SVG path, and nothing else. 4,000 characters are ample for an icon. */
const DRAWING = /^[\dMmLlHhVvCcSsQqTtAaZz\s.,e+-]{1,4000}$/;

/** An icon: a drawing of the agent's, or the one of the catalog with its name. A name without an icon is shown as words. */
function Icon({ node }: Props) {
  const name = propOf(node, "name");
  const drawing = textOf(objectOf(name).svgPath);
  const catalogIcon = typeof name === "string" && Object.hasOwn(ICONS, name) ? ICONS[name] : undefined;
  // `arrowBack` becomes `arrow back`; a drawing has no name.
  const words = textOf(typeof name === "object" ? "" : name)
    .replace(/([A-Z])/g, " $1")
    .toLowerCase();
  const isDrawing = DRAWING.test(drawing);
  if (!isDrawing && catalogIcon === undefined)
    return (
      <span className="gp-badge" {...groupAttributes(node)}>
        {words}
      </span>
    );
  // Assistive technologies read out the label of the agent, else the name; an icon without either is hidden from them.
  const labels = labelAttributes(node);
  const label = labels["aria-label"] ?? words;
  const attributes = label === "" ? { "aria-hidden": true } : { role: "img", ...labels, "aria-label": label };
  return (
    // A drawing is taken to be on a square of 24, as Material icons are; the icons of the catalog are on one of 20.
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or is hidden.
    <svg
      className="gp-icon"
      viewBox={isDrawing ? "0 0 24 24" : "0 0 20 20"}
      data-drawing={isDrawing || undefined}
      {...attributes}
    >
      <path d={isDrawing ? drawing : catalogIcon} />
    </svg>
  );
}

/** Stands for a picture, a video or a sound whose address is not safe. */
function RefusedMedia() {
  return <p className="gp-error">{useHost().labels.mediaRefused}</p>;
}

function Image({ node }: Props) {
  const { url } = safeUrl(textProp(node, "url"), "image", useHost().handlers.current.urls);
  if (url === undefined) return <RefusedMedia />;
  return (
    <img
      className="gp-image"
      data-use={textProp(node, "usageHint", "variant") || undefined}
      data-fit={textProp(node, "fit") || undefined}
      {...frameAttributes(node)}
      src={url}
      alt={textProp(node, "altText", "description")}
      {...labelAttributes(node)}
      loading="lazy"
      referrerPolicy="no-referrer"
    />
  );
}

/** A video or a sound. */
function Media({ node }: Props) {
  const { labels, handlers } = useHost();
  // Under the rules of links, other origins are allowed unless `urls` says otherwise.
  const { url } = safeUrl(textProp(node, "url"), "link", handlers.current.urls);
  if (url === undefined) return <RefusedMedia />;
  if (node.type === "Video") {
    const poster = safeUrl(textProp(node, "posterUrl"), "image", handlers.current.urls).url;
    return (
      <video
        className="gp-video"
        src={url}
        poster={poster}
        controls
        preload="none"
        {...frameAttributes(node)}
        {...labelAttributes(node)}
      />
    );
  }
  const description = textProp(node, "description");
  return (
    <figure className="gp-audio" {...groupAttributes(node)}>
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

/** The slot of the node that opens a `Modal`: `entryPointChild` in A2UI 0.8, `trigger` in 0.9. Any other has the content. */
const ENTRY_SLOT = /^(entryPointChild|trigger)/;

/**
 * A node that opens another one in a dialog over the page. If it is not a button, it is rendered inside of one. A button inside
 * the dialog does not open the dialog again.
 */
function Modal({ node }: Props) {
  const { labels, Node } = useHost();
  const dialog = useRef<HTMLDialogElement>(null);
  const entry = node.children.find(({ slot }) => ENTRY_SLOT.test(slot));
  const content = node.children.find(({ slot }) => !ENTRY_SLOT.test(slot));
  const openDialog = () => dialog.current?.showModal();
  return (
    <>
      {entry?.type === "Button" ? (
        <PressContext.Provider value={openDialog}>
          <Node node={entry} />
        </PressContext.Provider>
      ) : (
        <button type="button" className="gp-opener" aria-haspopup="dialog" onClick={openDialog}>
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

/** A button: disabled while a check of its node fails, and pending while the promise of `onAction` is. */
function Button({ node }: Props) {
  const host = useHost();
  const openModal = useContext(PressContext);
  const [isPending, setPending] = useState(false);
  const isPrimary = propOf(node, "primary") === true;
  const label = textProp(node, "label", "title");
  const fault = faultOf(node);
  function onClick() {
    if (isPending) return;
    openModal?.();
    const answer = runAction(host, node);
    if (!(answer instanceof Promise)) return;
    setPending(true);
    // The host reports its errors itself.
    answer.catch(() => {}).finally(() => setPending(false));
  }
  return (
    <button
      type="button"
      className="gp-button"
      data-style={isPrimary ? "primary" : textProp(node, "variant") || "default"}
      {...frameAttributes(node)}
      {...labelAttributes(node)}
      data-pending={isPending || undefined}
      aria-busy={isPending || undefined}
      aria-disabled={isPending || undefined}
      aria-haspopup={openModal && "dialog"}
      disabled={fault !== ""}
      title={fault || undefined}
      onClick={onClick}
    >
      {label || <host.Children node={node} />}
    </button>
  );
}

/** What the control of a {@link Field} needs. */
interface FieldParts {
  /** The id of the control, which its label names. */
  id: string;
  /** The ids of the error and the hint: `aria-describedby` of the control. */
  describedBy: string | undefined;
  /** There is an error: `aria-invalid` of the control. */
  isBad: true | undefined;
}

/**
 * A control with its label and one note below it: `error`, the error of half-typed text; or, once the user has left the control,
 * the message of the first failing check, those that make the value wrong before warnings. `children` renders the control.
 */
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
      {...frameAttributes(node)}
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

/**
 * {@link useTypedText} for a control that is bound to data by one of the properties `names`. A surface has one label for
 * incomplete text, whether it is a number or a date.
 */
function useInput(node: SurfaceNode, type: string, ...names: string[]) {
  const { labels } = useHost();
  const [value, write] = useBound(node, ...names);
  return useTypedText(type, value, { ...englishFieldLabels, ...labels, notADate: labels.notANumber }, (newValue) => {
    // A control gives a number, a text, or null if it is empty.
    const stored = typeof newValue === "number" || typeof newValue === "string" ? newValue : null;
    write(stored);
    return { stored };
  });
}

/** The `type` of the `input` for some kinds of text fields; for all others it is `text`. */
const INPUT_TYPES: { readonly [kind: string]: string } = { date: "date", obscured: "password" };

/** A field for text. The pattern that an agent sends to check it is not executed: one that never ends would block the page. */
function TextField({ node }: Props) {
  const kind = textProp(node, "textFieldType", "variant", "type");
  // Data that was a number once becomes one again, also after the control was empty (null).
  const [memory] = useState({ wasNumber: false });
  if (typeof propOf(node, "text", "value") === "number") memory.wasNumber = true;
  const isNumber = memory.wasNumber;
  const { error, props } = useInput(node, isNumber ? "number" : "text", "text", "value");
  const label = textProp(node, "label");
  return (
    <Field {...{ node, label, error }}>
      {({ id, describedBy, isBad }) => {
        const placeholder = textProp(node, "placeholder") || undefined;
        const attributes = {
          ...props,
          id,
          placeholder,
          ...labelAttributes(node),
          className: "gp-input",
          "aria-describedby": describedBy,
          "aria-invalid": isBad,
        };
        if (kind === "longText") return <textarea {...attributes} rows={3} />;
        const mode = kind === "number" || isNumber ? "decimal" : undefined;
        return <input {...attributes} type={INPUT_TYPES[kind] ?? "text"} inputMode={mode} autoComplete="off" />;
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
          {...labelAttributes(node)}
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
  const min = numberProp(node, { fallback: 0 }, "minValue", "min");
  const max = numberProp(node, { fallback: 100 }, "maxValue", "max");
  // The number of equal parts between the two ends; 0 without the property.
  const steps = numberProp(node, { fallback: 0 }, "steps");
  // Whole numbers would be too coarse between 0 and 1, for example.
  const defaultStep = max - min <= 2 ? "any" : 1;
  const position = typeof value === "number" ? value : Number(value) || min;
  return (
    <Field node={node} label={textProp(node, "label") || labels.value}>
      {({ id }) => (
        <div className="gp-slider">
          <input
            id={id}
            type="range"
            {...labelAttributes(node)}
            min={min}
            max={max}
            step={steps >= 1 ? (max - min) / steps : defaultStep}
            value={position}
            onChange={({ target }) => write(target.valueAsNumber)}
          />
          <output htmlFor={id}>{position}</output>
        </div>
      )}
    </Field>
  );
}

function DateTimeInput({ node }: Props) {
  const { labels } = useHost();
  const hasDate = propOf(node, "enableDate") !== false;
  const hasTime = propOf(node, "enableTime") === true;
  const kindWithTime = hasDate ? "datetime" : "time";
  const kind = hasTime ? kindWithTime : "date";
  const inputType = kind === "datetime" ? "datetime-local" : kind;
  const { text, error, props } = useInput(node, kind, "value");
  const names = { date: labels.date, datetime: labels.dateAndTime, time: labels.time };
  // The control shows nothing for a text with more than its part: `2026-01-31` for a date, `12:30` for a time.
  const visibleTexts = {
    date: text.slice(0, "2026-01-31".length),
    datetime: text,
    time: text.slice(text.indexOf("T") + 1).slice(0, "12:30".length),
  };
  return (
    <Field {...{ node, error }} label={textProp(node, "label") || names[kind]}>
      {({ id, describedBy, isBad }) => (
        <input
          {...props}
          id={id}
          type={inputType}
          {...labelAttributes(node)}
          className="gp-input"
          value={visibleTexts[kind]}
          min={textProp(node, "min") || undefined}
          max={textProp(node, "max") || undefined}
          aria-describedby={describedBy}
          aria-invalid={isBad}
        />
      )}
    </Field>
  );
}

/**
 * `MultipleChoice` of GULF and A2UI 0.8, `ChoicePicker` of 0.9: radio buttons if one option may be chosen, else checkboxes. The
 * value is a list also for one option. Once the maximum is chosen, the other checkboxes are disabled.
 */
function Choice({ node }: Props) {
  const { labels } = useHost();
  const id = useId();
  const [query, setQuery] = useState("");
  const [isTouched, setTouched] = useState(false);
  const isPicker = node.type === "ChoicePicker";
  const [value, write] = useBound(node, isPicker ? "value" : "selections");
  const isSingle = isPicker
    ? textProp(node, "variant") !== "multipleSelection"
    : numberProp(node, { fallback: 0 }, "maxAllowedSelections") === 1;
  const maximum = isSingle ? 1 : numberProp(node, { fallback: Number.POSITIVE_INFINITY }, "maxAllowedSelections");
  const chosenValues = (Array.isArray(value) ? listOf(value) : [value]).map(textOf).filter(Boolean);
  const options = objectsOf(propOf(node, "options")).map(
    (option) => [firstText(option.label), textOf(option.value)] as const,
  );
  const isFilterable = propOf(node, "filterable") === true;
  const visibleOptions = options.filter(([label]) => label.toLowerCase().includes(query.trim().toLowerCase()));
  const isChips = [propOf(node, "displayStyle"), propOf(node, "variant")].includes("chips");
  const fault = isTouched ? faultOf(node) : "";
  const withToggled = (option: string) =>
    chosenValues.includes(option) ? chosenValues.filter((other) => other !== option) : [...chosenValues, option];
  const choose = (option: string) => write(isSingle ? [option] : withToggled(option));
  return (
    <fieldset
      className="gp-field"
      data-shape="group"
      data-type={node.type}
      {...frameAttributes(node)}
      {...labelAttributes(node)}
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
        {visibleOptions.map(([label, option]) => (
          <label key={option} className="gp-choice">
            <input
              className="gp-check"
              type={isSingle ? "radio" : "checkbox"}
              name={`${id}-choice`}
              checked={chosenValues.includes(option)}
              disabled={!isSingle && chosenValues.length >= maximum && !chosenValues.includes(option)}
              onChange={() => choose(option)}
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

/** The components by the type of a node: all names that the protocols use. */
export const COMPONENTS: { readonly [type: string]: ComponentType<Props> } = {
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
