"use client";
/** `PageView`: a page that an agent builds: its blocks, fields and buttons. */
import { memo, type ReactNode, useCallback, useId, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useInstance } from "../hooks.js";
import { isShallowEqual } from "../select.js";
import { untyped, useFieldOf } from "../use-field.js";
import { Actions } from "./action.js";
import { fieldType, type Shape } from "./fields.js";
import { englishPageLabels, type PageLabels } from "./labels.js";
import {
  type ChosenFiles,
  ownEntry,
  type Page,
  type PageAction,
  type PageComponents,
  PageContext,
  type PageEdit,
  type PageStore,
  usePage,
} from "./page-context.js";
import { Tabs } from "./tabs.js";
import {
  fill,
  firstText,
  headingTag,
  idList,
  listOf,
  objectOf,
  objectsOf,
  textOf,
  type View,
  type ViewObject,
  wordFor,
} from "./values.js";

export interface PageViewProps {
  /** A `PatchStore`. */
  store: PageStore;
  /** The instance that is shown. */
  name: string;
  /** Components of the host's own, by type of block and field, and one for buttons. */
  components?: PageComponents | undefined;
  /** Texts in another language, or in other words. */
  labels?: Partial<PageLabels> | undefined;
  /** User input becomes pending calls, as with `applyOptimistic`. */
  optimistic?: boolean | undefined;
  /** The level of the page's title; those of its blocks are one below. Default 2. */
  headingLevel?: 1 | 2 | 3 | 4 | 5 | undefined;
  /** Makes markup of the HTML of `html` fields safe, such as DOMPurify's `sanitize`. Without it they show their text. */
  sanitize?: ((html: string) => string) | undefined;
  /** A button was pressed. The button is pending while the returned promise is. */
  onAction?: ((event: PageAction) => unknown) | undefined;
  /** Called when a user has set a field, also if the store has refused the value: for a log or a status line. */
  onEdit?: ((edit: PageEdit) => void) | undefined;
  /** Called when the user has chosen files. The result is stored as the value of the field. */
  onFiles?: ((files: readonly File[], about: ChosenFiles) => unknown) | undefined;
}

const NONE = {};

/**
 * Renders an instance under the rules `"ui"`. A change renders only the parts that it concerns: for the value of a field, that field.
 */
export function PageView({
  store,
  name,
  components,
  labels,
  optimistic = false,
  headingLevel = 2,
  ...rest
}: PageViewProps) {
  const handlers = useRef(rest);
  handlers.current = rest;
  const blocks = useAlike(components?.blocks ?? NONE);
  const fields = useAlike(components?.fields ?? NONE);
  const texts = useAlike(labels ?? NONE);
  const actions = components?.actions;
  const page = useMemo<Page>(
    () => ({
      ...{ store, name, optimistic, headingLevel, blocks, fields, actions, handlers },
      labels: { ...englishPageLabels, ...texts },
    }),
    [store, name, optimistic, headingLevel, blocks, fields, actions, texts],
  );
  return (
    <PageContext.Provider value={page}>
      <Whole key={name} page={page} />
    </PageContext.Provider>
  );
}

/** The same object as before while it has the same members. */
function useAlike<Value extends object>(value: Value): Value {
  const [kept] = useState({ value });
  if (!isShallowEqual(kept.value, value)) kept.value = value;
  return kept.value;
}

/** The parts of a page without its state, which only fields read. */
const partsOf = (page: ViewObject | undefined) =>
  page && [page.title, page.meta, page.layout, page.blocks, page.actions];

function Whole({ page }: { page: Page }) {
  const { store, name, labels } = page;
  const parts = useInstance(untyped(store), name, partsOf);
  const isDraft = useIsDraft(page);
  if (parts === undefined) return <p className="gp-page gp-empty">{labels.noPage}</p>;
  const [title, meta, layout, blocks, actions] = parts;
  const shown = objectsOf(blocks);
  const { type, columns } = objectOf(layout);
  const { step, ...about } = objectOf(meta);
  const status = textOf(about.status);
  const heading = firstText(title, about.title);
  return (
    <article
      className="gp-page"
      data-instance={name}
      data-draft={isDraft || undefined}
      data-status={status || undefined}
      aria-label={heading || name}
    >
      {(heading || status || isDraft) && (
        <header className="gp-page-head">
          {heading && <Heading className="gp-title">{heading}</Heading>}
          {status && <span className="gp-badge">{wordFor(labels.statuses, status)}</span>}
          {isDraft && (
            <span className="gp-badge" data-value="running">
              {labels.draft}
            </span>
          )}
        </header>
      )}
      <Steps step={step} />
      {!isDraft && shown.length === 0 && listOf(actions).length === 0 && <p className="gp-empty">{labels.noBlocks}</p>}
      {type === "tabs" && shown.length > 1 ? (
        <Tabs
          label={labels.blocks}
          tabs={shown.map((block) => ({
            id: textOf(block.id),
            label: firstText(block.title, block.id),
            content: <Block block={block} />,
          }))}
        />
      ) : (
        <div className="gp-blocks" data-layout={textOf(type) || "single"} data-columns={columnsOf(columns)}>
          {shown.map((block) => (
            <Block key={textOf(block.id)} block={block} />
          ))}
        </div>
      )}
      <Actions actions={objectsOf(actions)} />
    </article>
  );
}

/** Whether an agent is still writing the page. */
function useIsDraft({ store, name }: Page): boolean {
  const subscribe = useCallback((listener: () => void) => store.subscribe(listener, { instance: name }), [store, name]);
  const read = () => store.drafts?.().includes(name) === true;
  return useSyncExternalStore(subscribe, read, read);
}

const columnsOf = (columns: View) => (typeof columns === "number" ? columns : listOf(columns).length || undefined);

function Heading({ below = 0, ...rest }: { below?: number; className: string; id?: string; children: ReactNode }) {
  const Tag = headingTag(usePage().headingLevel + below);
  return <Tag {...rest} />;
}

function Steps({ step }: { step: View }) {
  const { labels } = usePage();
  const { current, total } = objectOf(step);
  if (typeof current !== "number" || typeof total !== "number" || total < 2) return null;
  const text = fill(labels.step, { current, total });
  return (
    <p className="gp-steps">
      <progress max={total} value={current} aria-label={text} />
      <span aria-hidden="true">{text}</span>
    </p>
  );
}

/** The types and layouts of blocks that differ in how they are rendered. */
const KINDS = ["form", "grid", "tabs", "accordion"];

const Block = memo(function Block({ block }: { block: ViewObject }) {
  const { store, name, blocks } = usePage();
  const id = useId();
  const props = objectOf(block.props);
  const kind = [block.type, block.layout].map(textOf).find((word) => KINDS.includes(word)) ?? "form";
  const Own = ownEntry(blocks, block.type) ?? ownEntry(blocks, block.layout);
  const title = textOf(block.title);
  const body = <Body block={block} kind={kind} />;
  return (
    <section
      className="gp-block"
      data-block={textOf(block.id)}
      data-type={firstText(block.type, kind)}
      data-kind={kind}
      aria-labelledby={title ? id : undefined}
      aria-label={title ? undefined : textOf(block.id)}
    >
      {title && (
        <Heading className="gp-block-title" id={id} below={1}>
          {title}
        </Heading>
      )}
      {block.description !== undefined && <p className="gp-hint">{textOf(block.description)}</p>}
      {Own ? <Own {...{ block, props, store, name }}>{body}</Own> : body}
    </section>
  );
});

function Body({ block, kind }: { block: ViewObject; kind: string }) {
  const { labels } = usePage();
  const props = objectOf(block.props);
  const groups = [...objectsOf(props.tabs), ...objectsOf(props.panels)].map((group, index) => ({
    id: firstText(group.id, index),
    label: firstText(group.title, group.label, group.id),
    content: <Group block={block} group={group} kind={kind} />,
  }));
  return (
    <>
      <Group block={block} group={props} kind={kind} />
      {groups.length > 0 && kind === "tabs" && <Tabs label={firstText(block.title, labels.blocks)} tabs={groups} />}
      {kind !== "tabs" &&
        groups.map(({ id, label, content }, index) => (
          <details key={id} className="gp-panel" open={index === 0}>
            <summary className="gp-summary">{label}</summary>
            {content}
          </details>
        ))}
    </>
  );
}

/** The fields and buttons of a block, a tab or a panel. */
const Group = memo(function Group({ block, group, kind }: { block: ViewObject; group: ViewObject; kind: string }) {
  const fields = objectsOf(group.fields);
  return (
    <>
      {fields.length > 0 && (
        <div className="gp-fields" data-columns={columnsOf(group.columns) ?? (kind === "grid" ? 2 : undefined)}>
          {fields.map((field) => (
            <OneField key={textOf(field.key)} block={textOf(block.id)} bind={block.bind} field={field} />
          ))}
        </div>
      )}
      <Actions actions={objectsOf(group.actions)} />
    </>
  );
});

const OneField = memo(function OneField({ block, bind, field }: { block: string; bind: View; field: ViewObject }) {
  const { store, name, fields, labels, optimistic, handlers } = usePage();
  const id = useId();
  const state = useFieldOf(store, name, block, field, typeof bind === "string" ? bind : undefined, {
    optimistic,
    labels,
    onEdit: (value, result) => handlers.current.onEdit?.({ name, block, field, value, result }),
  });
  const Own = ownEntry(fields, field.type);
  const [shape, Control]: readonly [Shape, NonNullable<typeof Own>] = Own ? ["control", Own] : fieldType(field.type);
  const { pending } = state;
  const Frame = shape === "group" ? "fieldset" : "div";
  const Label = shape === "group" ? "legend" : shape === "shown" ? "span" : "label";
  const label = firstText(field.label, field.type === "html" ? "" : field.key);
  const hint = textOf(field.description);
  const describedBy = idList(hint && `${id}-hint`, state.error && `${id}-error`, pending && `${id}-pending`);
  return (
    <Frame
      className="gp-field"
      data-field={textOf(field.key)}
      data-type={textOf(field.type)}
      data-shape={shape}
      data-pending={pending}
    >
      {label && (
        <Label className="gp-label" id={`${id}-label`} {...(Label === "label" && { htmlFor: id })}>
          {label}
          {field.required === true && (
            <span className="gp-required" aria-hidden="true">
              *
            </span>
          )}
        </Label>
      )}
      <Control {...state} {...{ field, id, describedBy, store, name, block }} labelId={`${id}-label`} />
      {pending && (
        <span className="gp-saving" id={`${id}-pending`}>
          {pending === "sent" ? labels.saving : labels.notSent}
        </span>
      )}
      {hint && (
        <p className="gp-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {state.error && (
        <p className="gp-error" id={`${id}-error`} role="alert">
          {state.error}
        </p>
      )}
    </Frame>
  );
});
