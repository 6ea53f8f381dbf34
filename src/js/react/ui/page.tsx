"use client";
/** `PageView`: a page that an agent builds: its blocks, fields and buttons. */
import { memo, type ReactNode, useCallback, useId, useMemo, useRef, useSyncExternalStore } from "react";
import { useInstance } from "../hooks.js";
import { useStable } from "../select.js";
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

/**
 * Renders an instance under the rules `"ui"`. A change renders only the parts that it concerns: for the value of a field, that
 * field.
 */
export function PageView({
  store,
  name,
  components,
  labels,
  optimistic = false,
  headingLevel = 2,
  ...latestHandlers
}: PageViewProps) {
  const handlers = useRef(latestHandlers);
  handlers.current = latestHandlers;
  const blocks = useStable(components?.blocks ?? {});
  const fields = useStable(components?.fields ?? {});
  const texts = useStable(labels ?? {});
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
      {/* Another instance is another page: its components begin without state. */}
      <PageContent key={name} page={page} />
    </PageContext.Provider>
  );
}

/** The parts of a page in a list, whose items `useInstance` compares. Without the state: only fields read it. */
const partsOf = (page: ViewObject | undefined) =>
  page && [page.title, page.meta, page.layout, page.blocks, page.actions];

/** The title, status, steps, blocks and buttons of a page; with the layout `tabs` each of several blocks is a tab. */
function PageContent({ page }: { page: Page }) {
  const { store, name, labels } = page;
  const parts = useInstance(untyped(store), name, partsOf);
  const isDraft = useIsDraft(page);
  if (parts === undefined) return <p className="gp-page gp-empty">{labels.noPage}</p>;
  const [title, meta, layout, blocks, actions] = parts;
  const blockList = objectsOf(blocks);
  const { type, columns } = objectOf(layout);
  const { step, status: rawStatus, title: metaTitle } = objectOf(meta);
  const status = textOf(rawStatus);
  const heading = firstText(title, metaTitle);
  const isEmpty = blockList.length === 0 && listOf(actions).length === 0;
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
      {isEmpty && !isDraft && <p className="gp-empty">{labels.noBlocks}</p>}
      {type === "tabs" && blockList.length > 1 ? (
        <Tabs
          label={labels.blocks}
          tabs={blockList.map((block) => ({
            id: textOf(block.id),
            label: firstText(block.title, block.id),
            content: <Block block={block} />,
          }))}
        />
      ) : (
        <div className="gp-blocks" data-layout={textOf(type) || "single"} data-columns={columnsOf(columns)}>
          {blockList.map((block) => (
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

/** The number of columns, which an agent gives as a number or as a list of the columns; `undefined` without either. */
const columnsOf = (columns: View) => (typeof columns === "number" ? columns : listOf(columns).length || undefined);

/** A heading that is `below` levels below the title of the page. */
function Heading({ below = 0, ...rest }: { below?: number; className: string; id?: string; children: ReactNode }) {
  const Tag = headingTag(usePage().headingLevel + below);
  return <Tag {...rest} />;
}

/** The step of a wizard, such as 2 of 3. A page without `meta.step`, or with one step only, shows none. */
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

/**
 * The kinds of blocks, as a type or a layout names them. They differ in the number of columns, and in how {@link Body} renders
 * groups.
 */
const KINDS = ["form", "grid", "tabs", "accordion"];

const Block = memo(function Block({ block }: { block: ViewObject }) {
  const { store, name, blocks } = usePage();
  const titleId = useId();
  const props = objectOf(block.props);
  // Blocks of other types, such as the host's own, are rendered like forms.
  const kind = [block.type, block.layout].map(textOf).find((word) => KINDS.includes(word)) ?? "form";
  const Custom = ownEntry(blocks, block.type) ?? ownEntry(blocks, block.layout);
  const title = textOf(block.title);
  const body = <Body block={block} kind={kind} />;
  return (
    <section
      className="gp-block"
      data-block={textOf(block.id)}
      data-type={firstText(block.type, kind)}
      data-kind={kind}
      aria-labelledby={title ? titleId : undefined}
      aria-label={title ? undefined : textOf(block.id)}
    >
      {title && (
        <Heading className="gp-block-title" id={titleId} below={1}>
          {title}
        </Heading>
      )}
      {block.description !== undefined && <p className="gp-hint">{textOf(block.description)}</p>}
      {Custom ? <Custom {...{ block, props, store, name }}>{body}</Custom> : body}
    </section>
  );
});

/**
 * The content of a block: its own fields and buttons, and below them those of its tabs and panels. These groups are tabs in a
 * block of the kind `tabs`; in any other they are panels that open and close, the first one open.
 */
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
  // A grid that gives no number has two columns.
  const columns = columnsOf(group.columns) ?? (kind === "grid" ? 2 : undefined);
  return (
    <>
      {fields.length > 0 && (
        <div className="gp-fields" data-columns={columns}>
          {fields.map((field) => (
            <OneField key={textOf(field.key)} block={textOf(block.id)} bind={block.bind} field={field} />
          ))}
        </div>
      )}
      <Actions actions={objectsOf(group.actions)} />
    </>
  );
});

/** A field with its label, its control, and the notes below it: whether it is being saved, its hint, its error. */
const OneField = memo(function OneField({ block, bind, field }: { block: string; bind: View; field: ViewObject }) {
  const { store, name, fields, labels, optimistic, handlers } = usePage();
  const id = useId();
  const state = useFieldOf(store, name, block, field, typeof bind === "string" ? bind : undefined, {
    optimistic,
    labels,
    onEdit: (value, result) => handlers.current.onEdit?.({ name, block, field, value, result }),
  });
  const Custom = ownEntry(fields, field.type);
  // A component of the host's own is labelled as one control.
  const [shape, Control]: readonly [Shape, NonNullable<typeof Custom>] = Custom
    ? ["control", Custom]
    : fieldType(field.type);
  const { pending } = state;
  const Frame = shape === "group" ? "fieldset" : "div";
  // A `label` names one control, a `legend` a group of them. What is only shown has no control to name.
  const Label = shape === "group" ? "legend" : shape === "shown" ? "span" : "label";
  // HTML speaks for itself: its key is not shown in place of a label.
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
