"use client";
/** `ProposalView` and `ProposalList`: the proposals of agents, for a user to approve or to reject. */
import { type ComponentProps, useEffect, useId, useMemo, useRef, useState } from "react";
import type { CallProposal } from "../../agent/types.js";
import { difference } from "../../approval/reveal.js";
import type { FileEffect, Proposal } from "../../approval/types.js";
import { isObject } from "../../core/kinds.js";
import { describeProposal, type ProposalPart as Part } from "../../document/describe.js";
import type { DeepReadonly, Json } from "../../types.js";
import { useProposals } from "../hooks.js";
import { DiffView, MarkedText } from "./diff.js";
import { englishProposalLabels, type ProposalLabels } from "./labels.js";
import { fill, wordFor } from "./values.js";

/** A proposed change, or a proposed call of an agent's own tool. */
type AnyProposal = Proposal | CallProposal;

/** A `PatchStore`, a `Workspace`, a `FlowStore`, or an agent: the result of `agentTools`. */
export interface ProposalSource {
  proposals(): readonly AnyProposal[];
  subscribe(listener: () => void): () => void;
  approve(id: string, options?: object): unknown;
  refuse(id: string, reason?: string): unknown;
}

/** A source with the methods that only some kinds of sources have. */
interface Source extends ProposalSource {
  /** Makes a proposal of a call. Only a `PatchStore` and a `Workspace` have it. */
  propose?(call: unknown): unknown;
  /** Executes a call of a flow tool such as `updateNode`. Only a `FlowStore` has it. */
  callTool?(tool: string, args: object): unknown;
  /** The document without pending calls. Only a `PatchStore` has it. */
  confirmed?(name: string): DeepReadonly<Json> | undefined;
  /** The text of a file after a call. Only a `Workspace` has it. */
  preview?(call: unknown): Promise<{ after: string | null }>;
}

/** The message of an answer that has an error, else "". */
function errorMessageOf(answer: unknown): string {
  const { error } = isObject(answer) ? answer : {};
  return isObject(error) ? String(error.message) : "";
}

/** `look` is a style of buttons: `primary` or `danger`. */
const Button = ({ look, ...rest }: ComponentProps<"button"> & { look?: string }) => (
  <button type="button" className="gp-button" data-style={look} {...rest} />
);

/** An error message; nothing for an empty one. */
const Problem = ({ id, children }: { id?: string; children: string }) =>
  children && (
    <p className="gp-error" id={id} role="alert">
      {children}
    </p>
  );

export interface ProposalListProps {
  sources: readonly ProposalSource[];
  labels?: Partial<ProposalLabels> | undefined;
}

/** Whether the user has still to decide on a proposal. */
const isOpen = ({ status }: AnyProposal): boolean => status === "pending" || status === "stale";

/** The open proposals of all sources. After a decision the focus goes to the next proposal. */
export function ProposalList({ sources, labels }: ProposalListProps) {
  const texts = { ...englishProposalLabels, ...labels };
  const id = useId();
  const list = useRef<HTMLElement>(null);
  // The proposal on which the user has just decided, and its index in the list, until it has left the list.
  const decision = useRef<{ id: string; index: number } | undefined>(undefined);
  // Renders again when a proposal is added, changes or is removed.
  useProposals(...sources);
  const openProposals = sources.flatMap((source) =>
    source
      .proposals()
      .filter(isOpen)
      .map((proposal) => ({ proposal, source })),
  );
  useEffect(() => {
    const lastDecision = decision.current;
    if (lastDecision === undefined || openProposals.some(({ proposal }) => proposal.id === lastDecision.id)) return;
    decision.current = undefined;
    const focused = document.activeElement;
    // With the proposal its button disappears, and the focus falls to `body`. If the user has moved the focus out of the list, it
    // stays there.
    if (focused !== document.body && !list.current?.contains(focused)) return;
    const items = list.current?.querySelectorAll<HTMLElement>(".gp-proposal") ?? [];
    // The next proposal has moved to the index of the removed one; an empty list gets the focus itself.
    (items[Math.min(lastDecision.index, items.length - 1)] ?? list.current)?.focus();
  });
  return (
    <section ref={list} className="gp-proposals" aria-labelledby={id} tabIndex={-1}>
      <h2 className="gp-title" id={id}>
        {texts.proposals}
      </h2>
      <p className="gp-hint" role="status">
        {openProposals.length === 0 ? texts.noProposals : fill(texts.waiting, { count: openProposals.length })}
      </p>
      {openProposals.map(({ proposal, source }, index) => (
        <ProposalView
          key={`${proposal.kind} ${proposal.id}`}
          {...{ proposal, source, labels }}
          onDecided={() => {
            decision.current = { id: proposal.id, index };
          }}
        />
      ))}
    </section>
  );
}

export interface ProposalViewProps {
  proposal: AnyProposal;
  /** The store, workspace, flow store or agent of the proposal. */
  source: ProposalSource;
  labels?: Partial<ProposalLabels> | undefined;
  /** Called when the user approves or rejects the proposal. */
  onDecided?: (() => void) | undefined;
}

/** What the user has chosen for a diff. Its parts are the hunks of a file's diff, else the changes of a patch or a node. */
interface Choice {
  /**
   * The keys of the parts that are left out: the index of a hunk, the path of a change as JSON. An approval names changes by
   * their paths too, so several changes at one path are left out together.
   */
  leftOut: ReadonlySet<unknown>;
  /** Values of the user's own, by the index of a part. */
  edits: ReadonlyMap<number, Json>;
  /** The whole text of a file, if the user edits it. */
  text?: string | undefined;
}

/** The user's choice for each diff. It outlives the component, so that a user may look at something else in between. */
const choices = new WeakMap<AnyProposal["diff"], Choice>();

/**
 * One proposal: its changes in words, the exact values on demand, and two buttons. A user can leave parts out and edit values
 * before approving; the choice belongs to the diff, so a proposal with a new diff begins with all parts. A stale proposal can be
 * proposed again or rejected; a settled one has no buttons.
 */
export function ProposalView({ proposal, source: given, labels, onDecided }: ProposalViewProps) {
  // The host passes any source; methods that only some have are called if they are there.
  const source: Source = given;
  const texts = { ...englishProposalLabels, ...labels };
  const id = useId();
  const { kind, diff, status, target } = proposal;
  // Renders again after a change of `choices`.
  const [, renderAgain] = useState<Choice>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  // Choices for another diff do not apply: its parts are different.
  const choice: Choice = choices.get(diff) ?? { leftOut: new Set(), edits: new Map() };
  const setChoice = (next: Choice) => {
    choices.set(diff, next);
    renderAgain(next);
  };
  // The changes of a patch or a node; empty for a file and a call.
  const parts = useMemo(
    () =>
      proposal.kind === "call" ? [] : describeProposal(proposal, source.confirmed?.(proposal.target), texts.changes),
    [proposal, source, texts.changes],
  );
  // The key of each part, as in `choice.leftOut`.
  const keys = kind === "file" ? diff.map(({ index }) => index) : parts.map(({ path }) => JSON.stringify(path));
  const partCount = keys.length;
  // With the parameters of a callback of `filter`.
  const isChosen = (_: unknown, index: number) => !choice.leftOut.has(keys[index]);
  const chosenCount = keys.filter(isChosen).length;
  const isPending = status === "pending";
  // A change of the whole document cannot be approved in part.
  const replacesAll = parts.some(({ path }) => path.length === 0);

  const toggle = (key: unknown) => {
    const leftOut = new Set(choice.leftOut);
    if (!leftOut.delete(key)) leftOut.add(key);
    setChoice({ ...choice, leftOut });
  };
  const edit = (index: number, value: Json | undefined) => {
    const edits = new Map(choice.edits);
    if (value === undefined) edits.delete(index);
    else edits.set(index, value);
    setChoice({ ...choice, edits });
  };
  // Runs a decision of the user. `detail`, a member of the click event, counts the clicks that follow each other quickly.
  async function decide({ detail }: { detail: number }, run: () => unknown) {
    // The second click of a double click may meet the next proposal. And the proposal may have changed since it was rendered:
    // what is approved is what the user has seen.
    if (detail > 1 || isBusy || !source.proposals().includes(proposal)) return;
    setBusy(true);
    setProblem("");
    onDecided?.();
    try {
      setProblem(errorMessageOf(await run()));
    } catch (cause) {
      setProblem(cause instanceof Error ? cause.message : String(cause));
    }
    setBusy(false);
  }
  // A call has no parts to choose from. The user's own text of a file replaces all hunks.
  const isNothingChosen = chosenCount === 0 && partCount > 0 && choice.text === undefined;
  const titleLabel = kind === "file" ? fileTitle(proposal.action) : kind;
  const isEdited = choice.edits.size > 0 || choice.text !== undefined;
  const approveLabel = isEdited
    ? texts.approveOwn
    : fill(chosenCount === partCount ? texts.approve : texts.approvePart, { count: chosenCount, all: partCount });

  return (
    <article className="gp-proposal" data-kind={kind} data-status={status} aria-labelledby={id} tabIndex={-1}>
      <header className="gp-proposal-head">
        <h3 className="gp-block-title" id={id}>
          <MarkedText text={fill(texts[titleLabel], { target })} labels={texts} />
        </h3>
        <span className="gp-badge" data-value={status}>
          {texts[status]}
        </span>
      </header>
      {status === "stale" && <p className="gp-note">{texts.staleNote}</p>}
      {kind === "file" ? (
        <FileParts {...{ proposal, source, choice, texts, toggle, setChoice }} isOpen={isPending} />
      ) : kind === "call" ? (
        <CallParts {...{ proposal, texts }} />
      ) : (
        <>
          {kind === "patch" && <Notes warnings={proposal.warnings} texts={texts} />}
          <ol className="gp-changes">
            {parts.map((part, index) => (
              <Change
                key={[index, keys[index]].join()}
                {...{ part, texts }}
                edit={choice.edits.get(index)}
                isChosen={isChosen(part, index)}
                isOpen={isPending && !replacesAll}
                onToggle={() => toggle(keys[index])}
                onEdit={(value) => edit(index, value)}
              />
            ))}
          </ol>
        </>
      )}
      <Problem>{problem}</Problem>
      {isOpen(proposal) && (
        <footer className="gp-actions">
          <Button
            look="primary"
            data-decision={isPending ? "approve" : "again"}
            aria-busy={isBusy || undefined}
            disabled={isPending && isNothingChosen}
            onClick={(event) =>
              decide(event, () =>
                isPending
                  ? source.approve(proposal.id, approvalOf(kind, parts, keys, isChosen, choice))
                  : proposeAgain(proposal, source),
              )
            }
          >
            {isPending ? approveLabel : texts.again}
          </Button>
          <Button
            look="danger"
            data-decision="refuse"
            onClick={(event) => decide(event, () => source.refuse(proposal.id))}
          >
            {texts.refuse}
          </Button>
        </footer>
      )}
      {proposal.reason && <p className="gp-hint">{wordFor(texts.reasons, proposal.reason)}</p>}
    </article>
  );
}

/** The options of the source's `approve` for a choice; an empty object approves all. */
function approvalOf(
  kind: AnyProposal["kind"],
  parts: readonly Part[],
  keys: readonly unknown[],
  isChosen: (part: unknown, index: number) => boolean,
  { leftOut, edits, text }: Choice,
): object {
  if (kind === "file") {
    if (text !== undefined) return { edits: text };
    return leftOut.size === 0 ? {} : { hunks: keys.filter(isChosen) };
  }
  const paths = parts.filter(isChosen).map(({ path }) => path);
  // Pairs of a path and the user's value for it.
  const chosenEdits = [...edits]
    .filter(([index, value]) => isChosen(value, index))
    .map(([index, value]) => [parts[index]?.path, value]);
  if (kind === "patch")
    return { ...(leftOut.size > 0 && { paths }), ...(chosenEdits.length > 0 && { edits: chosenEdits }) };
  // A change of a node has a path of one step, the name of the field. As the key of an object the path becomes that name.
  const fields = paths.map(([field]) => field);
  return {
    ...(leftOut.size > 0 && { fields }),
    ...(chosenEdits.length > 0 && { edits: Object.fromEntries(chosenEdits) }),
  };
}

/**
 * Makes the same proposal for the current state, and refuses the stale one. Returns the answer to the new call; if that is an
 * error, the stale proposal stays. The style `visual` makes a node's update a proposal, whatever its type requires.
 */
async function proposeAgain(proposal: AnyProposal, source: Source): Promise<unknown> {
  // The target of a node is `taskId/nodeId`.
  const [taskId, nodeId] = proposal.target.split("/");
  const answer =
    proposal.kind === "node"
      ? source.callTool?.("updateNode", { taskId, nodeId, newData: proposal.proposed, approvalStyle: "visual" })
      : await source.propose?.(proposal.proposed);
  if (!errorMessageOf(answer)) await source.refuse(proposal.id);
  return answer;
}

/**
 * The complete arguments of a call, and its result (`effective`) once it was executed. The effect of an own tool is unknown, so a
 * user can judge by its arguments only.
 */
function CallParts({ proposal, texts }: { proposal: CallProposal; texts: ProposalLabels }) {
  const { proposed, effective } = proposal;
  const args = Object.entries(proposed.args);
  return (
    <>
      {args.length === 0 ? (
        <p className="gp-hint">{texts.noArguments}</p>
      ) : (
        <dl className="gp-arguments">
          {args.map(([name, value]) => (
            <div key={name} className="gp-side">
              <dt className="gp-side-name">
                <MarkedText text={name} labels={texts} />
              </dt>
              <dd className="gp-code">
                <MarkedText text={show(value)} labels={texts} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {effective !== undefined && (
        <details className="gp-details">
          <summary>{texts.result}</summary>
          <div className="gp-side gp-code">
            <MarkedText text={show(effective)} labels={texts} />
          </div>
        </details>
      )}
    </>
  );
}

interface ChangeProps {
  part: Part;
  texts: ProposalLabels;
  /** The user's own value; `undefined` if the proposed one is to be approved. */
  edit: Json | undefined;
  /** The change is to be approved. */
  isChosen: boolean;
  /** The user can leave the change out and edit its value. */
  isOpen: boolean;
  onToggle(): void;
  /** Called with the user's own value; with `undefined` to use the proposed one again. */
  onEdit(value: Json | undefined): void;
}

/** A change of a patch or a node: its sentence with a checkbox, and on demand its path and both values. */
function Change({ part, texts, edit, isChosen, isOpen, onToggle, onEdit }: ChangeProps) {
  const { text, kind, before, after, path, isBeside } = part;
  const words = <MarkedText text={text} labels={texts} />;
  return (
    <li className="gp-change" data-kind={kind} data-chosen={!isOpen || isChosen}>
      <div className="gp-change-head">
        {isOpen ? (
          <label className="gp-choice">
            <input className="gp-check" type="checkbox" checked={isChosen} onChange={onToggle} />
            <span className="gp-sentence">{words}</span>
          </label>
        ) : (
          <span className="gp-sentence">{words}</span>
        )}
        {isBeside && <span className="gp-badge">{texts.beside}</span>}
      </div>
      <details className="gp-details">
        <summary>{texts.details}</summary>
        <p className="gp-path">
          <code>{path.join(".") || "."}</code>
        </p>
        <Sides {...{ before, texts }} after={edit === undefined ? after : edit} />
        {isOpen && after !== undefined && <ValueEditor {...{ text, texts, edit, onEdit }} value={after} />}
      </details>
    </li>
  );
}

/** A value as a user reads it in full: a text without quotes, anything else as JSON. */
const show = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** The values before and after a change, with their differences marked. A value that is `undefined` is absent on its side. */
function Sides({ before, after, texts }: { before: Json | undefined; after: Json | undefined; texts: ProposalLabels }) {
  const beforeText = before === undefined ? "" : show(before);
  const afterText = after === undefined ? "" : show(after);
  const [removedRanges, addedRanges] = difference(beforeText, afterText);
  return (
    <>
      {before !== undefined && (
        <div className="gp-side" data-kind="removed">
          <span className="gp-side-name">{texts.before}</span>
          <del className="gp-code">
            <MarkedText text={beforeText} words={removedRanges} labels={texts} />
          </del>
        </div>
      )}
      {after !== undefined && (
        <div className="gp-side" data-kind="added">
          <span className="gp-side-name">{texts.after}</span>
          <ins className="gp-code">
            <MarkedText text={afterText} words={addedRanges} labels={texts} />
          </ins>
        </div>
      )}
    </>
  );
}

interface EditorProps {
  /** The sentence of the change, which names it. */
  text: string;
  texts: ProposalLabels;
  /** The proposed value. */
  value: Json;
  /** As in {@link ChangeProps}. */
  edit: Json | undefined;
  onEdit(value: Json | undefined): void;
}

/**
 * A button that opens a control for the user's own value, and the control. For a proposed text the user types text, for any other
 * value JSON. While the text is not JSON, the last valid value stays in effect.
 */
function ValueEditor({ text, texts, value, edit, onEdit }: EditorProps) {
  const id = useId();
  // The text in the control. While it is `undefined`, the control shows `edit`; without `edit` it is closed.
  const [typedText, setTypedText] = useState<string>();
  const [isBad, setBad] = useState(false);
  if (typedText === undefined && edit === undefined) {
    return <Button onClick={() => setTypedText(show(value))}>{texts.edit}</Button>;
  }
  function onChange(next: string) {
    setTypedText(next);
    try {
      const parsed: Json = typeof value === "string" ? next : JSON.parse(next);
      onEdit(parsed);
      setBad(false);
    } catch {
      setBad(true);
    }
  }
  return (
    <div className="gp-field">
      <textarea
        className="gp-input"
        aria-label={fill(texts.editOf, { label: text })}
        aria-invalid={isBad || undefined}
        aria-describedby={isBad ? id : undefined}
        value={typedText ?? show(edit ?? null)}
        onChange={({ target }) => onChange(target.value)}
      />
      <Problem id={id}>{isBad ? texts.notJson : ""}</Problem>
      <Button
        onClick={() => {
          setTypedText(undefined);
          setBad(false);
          onEdit(undefined);
        }}
      >
        {texts.undoEdit}
      </Button>
    </div>
  );
}

/** A warning or a fix, as far as it is shown. */
interface Note {
  message: string;
}

interface NotesProps {
  warnings: readonly Note[] | undefined;
  /** Differences between the text that a call names and the text of the file that it would change. */
  fixes?: readonly Note[] | undefined;
  texts: ProposalLabels;
}

/** Notes for the user above the changes. */
function Notes({ warnings = [], fixes = [], texts }: NotesProps) {
  const notes = [
    ...warnings.map(({ message }) => message),
    ...fixes.map(({ message }) => fill(texts.fix, { message })),
  ];
  return notes.map((text) => (
    <p key={text} className="gp-note">
      <MarkedText text={text} labels={texts} />
    </p>
  ));
}

interface FilePartsProps {
  proposal: Extract<Proposal, { kind: "file" }>;
  source: Source;
  choice: Choice;
  texts: ProposalLabels;
  /** The user can leave hunks out and edit the text. */
  isOpen: boolean;
  /** Leaves a hunk out, or takes it in again. */
  toggle(index: number): void;
  setChoice(choice: Choice): void;
}

/** A file of a patch; or the only file of a proposal, without a path, since the title of the proposal has it. */
type ShownFile = Partial<FileEffect> & Pick<FileEffect, "diff">;

/** The label for what a proposal does to a file. */
const fileTitle = (action: FileEffect["action"] | undefined) =>
  action === "created" ? "fileCreated" : action === "deleted" ? "fileDeleted" : "file";

/**
 * The notes and the diff of a proposal for files, with checkboxes if there are several hunks. The text of a single file can be
 * edited as a whole: the editor then replaces the diff, and its text is approved in place of the hunks.
 */
function FileParts({ proposal, source, choice, texts, isOpen, toggle, setChoice }: FilePartsProps) {
  const { diff, warnings, fixes, action, files } = proposal;
  const { text } = choice;
  // With one hunk there is nothing to choose from, so it has no checkbox.
  const chosenHunks =
    isOpen && diff.length > 1
      ? new Set(diff.map(({ index }) => index).filter((index) => !choice.leftOut.has(index)))
      : undefined;
  const shownFiles: readonly ShownFile[] = files ?? [{ diff }];
  const isEditable = isOpen && source.preview && action !== "deleted" && !files;
  return (
    <>
      <Notes {...{ warnings, fixes, texts }} />
      {text === undefined &&
        shownFiles.map(({ path = "", from, action, diff: hunks }) => (
          <section key={path}>
            {/* As a note, in which the invisible characters of a path are marked too. */}
            {files && (
              <Notes
                warnings={[{ message: fill(texts[fileTitle(action)], { target: from ? `${from} → ${path}` : path }) }]}
                texts={texts}
              />
            )}
            <DiffView hunks={hunks} count={diff.length} labels={texts} chosen={chosenHunks} onToggle={toggle} />
          </section>
        ))}
      {text !== undefined && (
        <textarea
          className="gp-input"
          data-code=""
          rows={12}
          spellCheck={false}
          aria-label={fill(texts.editOf, { label: proposal.target })}
          value={text}
          onChange={({ target }) => setChoice({ ...choice, text: target.value })}
        />
      )}
      {isEditable && (
        <Button
          onClick={async () => {
            // The text that the proposal would give the file; `undefined` closes the editor.
            const nextText =
              text === undefined ? ((await source.preview?.(proposal.proposed))?.after ?? "") : undefined;
            setChoice({ ...choice, text: nextText });
          }}
        >
          {text === undefined ? texts.edit : texts.undoEdit}
        </Button>
      )}
    </>
  );
}
