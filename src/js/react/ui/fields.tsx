"use client";
/** The field types of a page, and the component of each. */
import { type ComponentType, useId, useRef } from "react";
import { isObject } from "../../core/kinds.js";
import { safeUrl } from "../../core/url.js";
import type { FieldType } from "../../generated/facts.js";
import { Actions } from "./action.js";
import { ownEntry, type FieldComponentProps as Props, usePage } from "./page-context.js";
import { fill, firstText, listOf, objectOf, objectsOf, textOf, type View, type ViewObject } from "./values.js";

/**
 * The arrangement of a field. `control`: one control below its label; `inline`: one control before its label; `group`: several
 * controls under one label; `shown`: no control that takes a value.
 */
export type Shape = "control" | "inline" | "group" | "shown";

/** Agents write either spelling. */
const isReadOnly = ({ readonly, readOnly }: ViewObject): boolean => readonly === true || readOnly === true;

/** For controls that HTML can only disable: checkboxes, radio buttons, selects and files are never read-only. */
const isLocked = (field: ViewObject): boolean => field.disabled === true || isReadOnly(field);

/** The attributes and the handlers that most controls share. */
const controlProps = ({ id, field, describedBy, props }: Props) => ({
  ...props,
  id,
  className: "gp-input",
  "aria-describedby": describedBy,
  placeholder: textOf(field.placeholder) || undefined,
  disabled: field.disabled === true,
  readOnly: isReadOnly(field),
});

const TextField = (state: Props) => <input {...controlProps(state)} type="text" />;

const TextArea = (state: Props) => (
  <textarea {...controlProps(state)} rows={typeof state.field.rows === "number" ? state.field.rows : 3} />
);

/** Not `type="number"`: with it browsers drop what is half typed, and read 1,05 in the language of the user. */
const NumberField = (state: Props) => (
  <input {...controlProps(state)} type="text" inputMode="decimal" autoComplete="off" />
);

function DateField(state: Props) {
  const { field } = state;
  const [min, max] = [field.min, field.max].map((value) => textOf(value) || undefined);
  return (
    <input {...controlProps(state)} type={field.type === "date" ? "date" : "datetime-local"} min={min} max={max} />
  );
}

const JsonField = (state: Props) => <textarea {...controlProps(state)} rows={4} data-code="" spellCheck={false} />;

function CheckboxField(state: Props) {
  // A checkbox has `checked` in place of `value`, and the other two do not apply to it.
  const { readOnly, placeholder, value, ...rest } = controlProps(state);
  return <input {...rest} type="checkbox" className="gp-check" disabled={isLocked(state.field)} />;
}

interface Option {
  /** The value as JSON, which distinguishes 1 from "1". */
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

/**
 * A select whose first option stands for no choice. That option is left out once a required field has a value. The
 * select also shows a value that is none of the options, for example one that an agent has stored.
 */
function SelectField(state: Props) {
  const { labels } = usePage();
  const { readOnly, placeholder, onChange, ...rest } = controlProps(state);
  const options = optionsOf(state.field);
  const chosenOption = options.find(({ id }) => id === JSON.stringify(state.value));
  const isForeignValue = chosenOption === undefined && state.text !== "";
  return (
    <select
      {...rest}
      value={chosenOption?.id ?? ""}
      disabled={isLocked(state.field)}
      onChange={({ target }) => state.setValue(options.find(({ id }) => id === target.value)?.value ?? null)}
    >
      {(chosenOption === undefined || !rest.required) && (
        <option value="">
          {isForeignValue ? fill(labels.notAnOption, { value: state.text }) : placeholder || labels.choose}
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
function Choices(state: Props) {
  const { field, value, props, id: name, describedBy } = state;
  const isMany = field.type === "multiselect";
  const options = optionsOf(field);
  const chosenIds = (isMany ? listOf(value) : [value]).map((item) => JSON.stringify(item));
  const choose = (option: Option) => {
    if (!isMany) return state.setValue(option.value);
    // The chosen options, with `option` toggled, in their order. Values without an option are dropped: the store refuses them.
    const nextChosen = options.filter(({ id }) => chosenIds.includes(id) !== (id === option.id));
    return state.setValue(nextChosen.map((item) => item.value));
  };
  // A browser wants every required checkbox checked. So only the first is required, and only while none is checked.
  const isMissing = listOf(value).length === 0;
  return (
    <div className="gp-choices">
      {options.map((option, index) => (
        <label key={option.id} className="gp-choice">
          <input
            className="gp-check"
            type={isMany ? "checkbox" : "radio"}
            name={name}
            checked={chosenIds.includes(option.id)}
            required={props.required && (!isMany || (index === 0 && isMissing))}
            disabled={isLocked(field)}
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
function FileField(state: Props) {
  const { handlers, labels } = usePage();
  const { field, name, block, value, setValue, props } = state;
  const { ref, name: key, required, onInvalid } = props;
  // The value may be one file, a list of them, or nothing.
  const storedFiles = value === undefined || value === null ? [] : [value].flat();
  const names = storedFiles.map((file) => (isObject<View>(file) ? firstText(file.name, file) : textOf(file)));
  async function onChange(files: readonly File[]) {
    if (files.length === 0) return;
    const result = await handlers.current.onFiles?.(files, { name, block, field });
    const metadata = files.map(({ name: fileName, size, type }) => ({ name: fileName, size, type }));
    const defaultValue = field.multiple === true ? metadata : metadata[0];
    setValue(result === undefined ? defaultValue : result);
  }
  return (
    <>
      <input
        {...{ ref, onInvalid }}
        name={key}
        id={state.id}
        type="file"
        className="gp-input"
        multiple={field.multiple === true}
        accept={textOf(field.accept) || undefined}
        required={required && storedFiles.length === 0}
        disabled={isLocked(field)}
        aria-describedby={state.describedBy}
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

/** A picture from an address that is safe, and whose origin the store allows. */
function ImageField({ field, value }: Props) {
  const { labels, store } = usePage();
  const address = textOf(value);
  if (address === "") return <p className="gp-empty">{labels.noImage}</p>;
  const { url } = safeUrl(address, "image", store.urls);
  if (url === undefined) return <p className="gp-error">{labels.imageRefused}</p>;
  const alt = firstText(field.alt, field.label);
  return <img className="gp-image" src={url} alt={alt} loading="lazy" referrerPolicy="no-referrer" />;
}

/** A badge or a tag for each word of the value. A word that is the value of an option is shown by the label of the option. */
function BadgeField({ field, value, labelId }: Props) {
  const words = (Array.isArray(value) ? listOf(value) : [value]).map(textOf).filter((word) => word !== "");
  const options = optionsOf(field);
  return (
    <ul className="gp-badges" data-kind={textOf(field.type)} aria-labelledby={labelId}>
      {words.map((word, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same word may occur twice.
        <li key={index} className="gp-badge" data-value={word}>
          {options.find((option) => textOf(option.value) === word)?.label ?? word}
        </li>
      ))}
    </ul>
  );
}

function ProgressField({ field, value, labelId }: Props) {
  const max = typeof field.max === "number" && field.max > 0 ? field.max : 100;
  const current = Math.min(max, Math.max(0, Number(value) || 0));
  return (
    <div className="gp-progress">
      <progress max={max} value={current} aria-labelledby={labelId} />
      <span aria-hidden="true">{Math.round((current / max) * 100)}%</span>
    </div>
  );
}

/** The buttons of a table, of one of its columns, or of a modal, under whichever of these keys the agent wrote them. */
function buttonsOf(holder: ViewObject): ViewObject[] {
  return [holder.actions, holder.row_actions, holder.rowActions].flatMap(objectsOf);
}

/**
 * A table: rows of the value, else those that the field declares. A column may have buttons in its cells, the table in a last
 * column.
 */
function TableField({ field, value, labelId, block }: Props) {
  const { labels } = usePage();
  const key = textOf(field.key);
  const columns = objectsOf(field.columns);
  const rows = listOf(value ?? field.rows);
  const buttons = buttonsOf(field);
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
                // The style sheet aligns cells by their type, and the head of a column by the type of its first cell.
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
            const rowPlace = { block, field: key, row: index };
            const cells = objectOf(row);
            return (
              <tr key={firstText(cells.id, index)}>
                {columns.map((column) => {
                  const name = textOf(column.key);
                  const cell = Object.hasOwn(cells, name) ? cells[name] : undefined;
                  return (
                    <td key={name} data-kind={typeof cell}>
                      {textOf(cell)}
                      <Actions actions={buttonsOf(column)} row={rowPlace} />
                    </td>
                  );
                })}
                {buttons.length > 0 && (
                  <td>
                    <Actions actions={buttons} row={rowPlace} />
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
  const titleId = useId();
  const title = firstText(field.title, field.label, field.key);
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
      <dialog ref={dialog} className="gp-modal" aria-labelledby={titleId}>
        <h3 id={titleId} className="gp-title">
          {title}
        </h3>
        <p className="gp-text">{firstText(value, field.content, field.text)}</p>
        <div className="gp-actions">
          <Actions actions={buttonsOf(field)} />
          <button type="button" className="gp-button" onClick={() => dialog.current?.close()}>
            {labels.close}
          </button>
        </div>
      </dialog>
    </>
  );
}

/** Stands for a field that only a component of the host could show. */
function UnknownField({ field }: Props) {
  const { labels } = usePage();
  const type = field.type === "component" ? firstText(field.component, field.type) : textOf(field.type);
  return <p className="gp-empty">{fill(labels.unknownField, { type })}</p>;
}

/** The shape and the component of fields, by their type. */
interface Components {
  readonly [type: string]: readonly [Shape, ComponentType<Props>];
}

/** The field types of the core's vocabulary: a missing one does not compile. */
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

/** The shape and the component for a field's type, whatever an agent wrote there. */
export const fieldType = (type: View): Components[string] => ownEntry(TYPES, type) ?? ["shown", UnknownField];
