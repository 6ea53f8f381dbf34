"use client";
/** The field types of a page, and the component of each. */
import { type ComponentType, useId, useRef } from "react";
import { isObject } from "../../core/kinds.js";
import { safeUrl } from "../../core/url.js";
import type { FieldType } from "../../generated/facts.js";
import { Actions } from "./action.js";
import { type FieldComponentProps as Props, usePage } from "./page-context.js";
import { fill, firstText, listOf, objectOf, objectsOf, textOf, type View, type ViewObject } from "./values.js";

/** `control`: one control below its label; `inline`: before its label; `group`: several controls under one label; `shown`: no control. */
export type Shape = "control" | "inline" | "group" | "shown";

/** Attributes that all text controls share. */
const common = ({ id, field, describedBy, props }: Props) => ({
  ...props,
  id,
  className: "gp-input",
  "aria-describedby": describedBy,
  placeholder: textOf(field.placeholder) || undefined,
  disabled: field.disabled === true,
  readOnly: field.readonly === true || field.readOnly === true,
});

const TextField = (own: Props) => <input {...common(own)} type="text" />;

const TextArea = (own: Props) => (
  <textarea {...common(own)} rows={typeof own.field.rows === "number" ? own.field.rows : 3} />
);

/** No `type="number"`: browsers drop what is half typed, and read 1,05 in the language of the user. */
const NumberField = (own: Props) => <input {...common(own)} type="text" inputMode="decimal" autoComplete="off" />;

function DateField(own: Props) {
  const { field } = own;
  const [min, max] = [field.min, field.max].map((value) => textOf(value) || undefined);
  return <input {...common(own)} type={field.type === "date" ? "date" : "datetime-local"} min={min} max={max} />;
}

const JsonField = (own: Props) => <textarea {...common(own)} rows={4} data-code="" spellCheck={false} />;

function CheckboxField(own: Props) {
  const { readOnly, placeholder, value, ...rest } = common(own);
  return <input {...rest} type="checkbox" className="gp-check" disabled={rest.disabled || readOnly} />;
}

interface Option {
  /** Its value as JSON, which tells 1 from "1". */
  id: string;
  label: string;
  value: View;
}

const optionsOf = (field: ViewObject): Option[] =>
  objectsOf(field.options).map(({ label, value = null }) => ({
    id: JSON.stringify(value),
    label: firstText(label, value),
    value,
  }));

function SelectField(own: Props) {
  const { labels } = usePage();
  const { readOnly, placeholder, onChange, ...rest } = common(own);
  const options = optionsOf(own.field);
  const chosen = options.find(({ id }) => id === JSON.stringify(own.value));
  const isEmpty = own.text === "";
  return (
    <select
      {...rest}
      value={chosen?.id ?? ""}
      disabled={rest.disabled || readOnly}
      onChange={({ target }) => own.setValue(options.find(({ id }) => id === target.value)?.value ?? null)}
    >
      {(chosen === undefined || !rest.required) && (
        <option value="">
          {chosen || isEmpty ? placeholder || labels.choose : fill(labels.notAnOption, { value: own.text })}
        </option>
      )}
      {options.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Radio buttons for one option, checkboxes for several. */
function Choices(own: Props) {
  const { field, value, props, id: name, describedBy } = own;
  const isMany = field.type === "multiselect";
  const options = optionsOf(field);
  const chosen = (isMany ? listOf(value) : [value]).map((item) => JSON.stringify(item));
  const choose = (option: Option) => {
    if (!isMany) return own.setValue(option.value);
    // In the order of the options; values without an option are dropped, since the store refuses them.
    return own.setValue(
      options.filter(({ id }) => chosen.includes(id) !== (id === option.id)).map((item) => item.value),
    );
  };
  return (
    <div className="gp-choices">
      {options.map((option, index) => (
        <label key={option.id} className="gp-choice">
          <input
            className="gp-check"
            type={isMany ? "checkbox" : "radio"}
            name={name}
            checked={chosen.includes(option.id)}
            required={props.required && (!isMany || (index === 0 && listOf(value).length === 0))}
            disabled={field.disabled === true || field.readonly === true}
            aria-describedby={describedBy}
            aria-invalid={props["aria-invalid"]}
            onInvalid={props.onInvalid}
            onChange={() => choose(option)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  );
}

/** Stores the value that `onFiles` returns for the files; by default their names, types and sizes. */
function FileField(own: Props) {
  const { handlers, labels } = usePage();
  const { field, name, block, value, setValue, props } = own;
  const { ref, name: key, required, onInvalid } = props;
  const stored = Array.isArray(value) ? listOf(value) : value === undefined || value === null ? [] : [value];
  const names = stored.map((file) => (isObject<View>(file) ? firstText(file.name, file) : textOf(file)));
  async function onChange(files: readonly File[]) {
    if (files.length === 0) return;
    const made = await handlers.current.onFiles?.(files, { name, block, field });
    const facts = files.map(({ name: own, size, type }) => ({ name: own, size, type }));
    setValue(made !== undefined ? made : field.multiple === true ? facts : facts[0]);
  }
  return (
    <>
      <input
        {...{ ref, onInvalid }}
        name={key}
        id={own.id}
        type="file"
        className="gp-input"
        multiple={field.multiple === true}
        accept={textOf(field.accept) || undefined}
        required={required && stored.length === 0}
        disabled={field.disabled === true}
        aria-describedby={own.describedBy}
        aria-invalid={props["aria-invalid"]}
        onChange={({ target }) => void onChange([...(target.files ?? [])])}
      />
      {names.length > 0 && (
        <p className="gp-hint" data-files={names.length}>
          {names.length > 3 ? fill(labels.files, { count: names.length }) : names.join(", ")}
        </p>
      )}
    </>
  );
}

/** HTML of an agent becomes markup only through the host's sanitizer. */
function HtmlField({ value }: Props) {
  const { sanitize } = usePage().handlers.current;
  const html = textOf(value);
  if (sanitize === undefined) return <div className="gp-html">{html}</div>;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the host has sanitized it.
  return <div className="gp-html" dangerouslySetInnerHTML={{ __html: sanitize(html) }} />;
}

function ImageField({ field, value }: Props) {
  const { labels, store } = usePage();
  const address = textOf(value);
  if (address === "") return <p className="gp-empty">{labels.noImage}</p>;
  const { url } = safeUrl(address, "image", store.urls);
  if (url === undefined) return <p className="gp-error">{labels.imageRefused}</p>;
  const alt = firstText(field.alt, field.label);
  return <img className="gp-image" src={url} alt={alt} loading="lazy" referrerPolicy="no-referrer" />;
}

function BadgeField({ field, value, labelId }: Props) {
  const words = (Array.isArray(value) ? listOf(value) : [value]).map(textOf).filter((word) => word !== "");
  const options = optionsOf(field);
  return (
    <ul className="gp-badges" data-kind={textOf(field.type)} aria-labelledby={labelId}>
      {words.map((word, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words may stand there twice.
        <li key={index} className="gp-badge" data-value={word}>
          {options.find((option) => textOf(option.value) === word)?.label ?? word}
        </li>
      ))}
    </ul>
  );
}

function ProgressField({ field, value, labelId }: Props) {
  const max = typeof field.max === "number" && field.max > 0 ? field.max : 100;
  const now = Math.min(max, Math.max(0, Number(value) || 0));
  return (
    <div className="gp-progress">
      <progress max={max} value={now} aria-labelledby={labelId} />
      <span aria-hidden="true">{Math.round((now / max) * 100)}%</span>
    </div>
  );
}

function rowActionsOf(holder: ViewObject): ViewObject[] {
  return [holder.actions, holder.row_actions, holder.rowActions].flatMap(objectsOf);
}

function TableField({ field, value, labelId, block }: Props) {
  const { labels } = usePage();
  const key = textOf(field.key);
  const columns = objectsOf(field.columns);
  const rows = listOf(value ?? field.rows);
  const buttons = rowActionsOf(field);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and regions would flood the landmarks.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <div className="gp-table" role="group" tabIndex={0} aria-labelledby={labelId}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={textOf(column.key)}
                scope="col"
                data-column={textOf(column.key)}
                data-kind={typeof objectOf(rows[0])[textOf(column.key)]}
              >
                {firstText(column.label, column.title, column.key)}
              </th>
            ))}
            {buttons.length > 0 && (
              <th scope="col">
                <span className="gp-unseen">{labels.rowActions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.length === 0 && (
            <tr>
              <td className="gp-empty" colSpan={columns.length + (buttons.length > 0 ? 1 : 0)}>
                {labels.noRows}
              </td>
            </tr>
          )}
          {rows.map((row, index) => {
            const place = { block, field: key, row: index };
            const cells = objectOf(row);
            return (
              <tr key={firstText(cells.id, index)}>
                {columns.map((column) => {
                  const name = textOf(column.key);
                  const cell = Object.hasOwn(cells, name) ? cells[name] : undefined;
                  return (
                    <td key={name} data-kind={typeof cell}>
                      {textOf(cell)}
                      <Actions actions={rowActionsOf(column)} row={place} />
                    </td>
                  );
                })}
                {buttons.length > 0 && (
                  <td>
                    <Actions actions={buttons} row={place} />
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A button that opens a text and its buttons over the page. */
function ModalField({ field, value, id }: Props) {
  const { labels } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const name = firstText(field.title, field.label, field.key);
  return (
    <>
      <button
        id={id}
        type="button"
        className="gp-button"
        aria-haspopup="dialog"
        onClick={() => dialog.current?.showModal()}
      >
        {firstText(field.button, labels.open)}
      </button>
      <dialog ref={dialog} className="gp-modal" aria-labelledby={title}>
        <h3 id={title} className="gp-title">
          {name}
        </h3>
        <p className="gp-text">{firstText(value, field.content, field.text)}</p>
        <div className="gp-actions">
          <Actions actions={rowActionsOf(field)} />
          <button type="button" className="gp-button" onClick={() => dialog.current?.close()}>
            {labels.close}
          </button>
        </div>
      </dialog>
    </>
  );
}

/** A field that only a component of the host can show. */
function UnknownField({ field }: Props) {
  const { labels } = usePage();
  const type = field.type === "component" ? firstText(field.component, field.type) : textOf(field.type);
  return <p className="gp-empty">{fill(labels.unknownField, { type })}</p>;
}

interface Components {
  readonly [type: string]: readonly [Shape, ComponentType<Props>];
}

/** The component of each type of the core's vocabulary: a missing type does not compile. */
const TYPES: Components = {
  text: ["control", TextField],
  textarea: ["control", TextArea],
  number: ["control", NumberField],
  date: ["control", DateField],
  datetime: ["control", DateField],
  json: ["control", JsonField],
  checkbox: ["inline", CheckboxField],
  select: ["control", SelectField],
  radio: ["group", Choices],
  multiselect: ["group", Choices],
  file: ["control", FileField],
  html: ["shown", HtmlField],
  image: ["shown", ImageField],
  tag: ["shown", BadgeField],
  badge: ["shown", BadgeField],
  progress: ["shown", ProgressField],
  table: ["shown", TableField],
  modal: ["shown", ModalField],
  component: ["shown", UnknownField],
} satisfies Record<FieldType, Components[string]>;

export const fieldType = (type: View): Components[string] =>
  (typeof type === "string" && Object.hasOwn(TYPES, type) && TYPES[type]) || ["shown", UnknownField];
