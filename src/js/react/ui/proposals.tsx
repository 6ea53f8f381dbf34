"use client";
/** `ProposalView` and `ProposalList`: what waits for a user's approval. */
import { type ComponentProps, useEffect, useId, useMemo, useRef, useState } from "react";
import type { CallProposal } from "../../agent/types.js";
import { describeProposal, type ProposalPart as Part } from "../../approval/describe.js";
import { difference } from "../../approval/reveal.js";
import type { FileEffect, Proposal } from "../../approval/types.js";
import { isObject } from "../../core/kinds.js";
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
  propose?(call: unknown): unknown;
  callTool?(tool: string, args: object): unknown;
  confirmed?(name: string): DeepReadonly<Json> | undefined;
  preview?(call: unknown): Promise<{ after: string | null }>;
}

/** The message of an answer that is an error. */
function faultIn(answer: unknown): string {
  const { error } = isObject(answer) ? answer : {};
  return isObject(error) ? String(error.message) : "";
}

const Button = ({ look, ...rest }: ComponentProps<"button"> & { look?: string }) => (
  <button type="button" className="gp-button" data-style={look} {...rest} />
);

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

const isOpen = ({ status }: AnyProposal): boolean => status === "pending" || status === "stale";

/** The proposals that wait, of all sources. After a decision the focus goes to the next one. */
export function ProposalList({ sources, labels }: ProposalListProps) {
  const texts = { ...englishProposalLabels, ...labels };
  const id = useId();
  const list = useRef<HTMLElement>(null);
  const decided = useRef<{ id: string; index: number } | undefined>(undefined);
  useProposals(...sources);
  const shown = sources.flatMap((source) =>
    source
      .proposals()
      .filter(isOpen)
      .map((proposal) => ({ proposal, source })),
  );
  useEffect(() => {
    const { current: last } = decided;
    if (last === undefined || shown.some(({ proposal }) => proposal.id === last.id)) return;
    decided.current = undefined;
    const { activeElement } = document;
    // A user who has moved the focus elsewhere in the meantime keeps it there.
    if (activeElement !== document.body && !list.current?.contains(activeElement)) return;
    const items = list.current?.querySelectorAll<HTMLElement>(".gp-proposal") ?? [];
    (items[Math.min(last.index, items.length - 1)] ?? list.current)?.focus();
  });
  return (
    <section ref={list} className="gp-proposals" aria-labelledby={id} tabIndex={-1}>
      <h2 className="gp-title" id={id}>
        {texts.proposals}
      </h2>
      <p className="gp-hint" role="status">
        {shown.length === 0 ? texts.noProposals : fill(texts.waiting, { count: shown.length })}
      </p>
      {shown.map(({ proposal, source }, index) => (
        <ProposalView
          key={`${proposal.kind} ${proposal.id}`}
          {...{ proposal, source, labels }}
          onDecided={() => {
            decided.current = { id: proposal.id, index };
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

/** The choices that the user has made for a diff. */
interface Choice {
  diff: AnyProposal["diff"];
  /** Indexes of parts that are left out. */
  without: ReadonlySet<number>;
  /** Values of the user's own, by the index of a part. */
  edits: ReadonlyMap<number, Json>;
  /** The whole text of a file. */
  text?: string | undefined;
}

/** The choices of users by diff: they outlive the component, so that a user may look at something else in between. */
const keptChoices = new WeakMap<AnyProposal["diff"], Choice>();

/** One proposal: what a user reads of it, the exact changes on demand, and the decision about all or a part of it. */
export function ProposalView({ proposal, source: given, labels, onDecided }: ProposalViewProps) {
  const source: Source = given;
  const texts = { ...englishProposalLabels, ...labels };
  const id = useId();
  const { kind, diff, status, target } = proposal;
  const [, setChanged] = useState<Choice>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  // Choices for another diff do not apply: its parts are different.
  const choice: Choice = keptChoices.get(diff) ?? { diff, without: new Set(), edits: new Map() };
  const setChosen = (next: Choice) => {
    keptChoices.set(diff, next);
    setChanged(next);
  };
  const parts = useMemo(
    () =>
      proposal.kind === "call" ? [] : describeProposal(proposal, source.confirmed?.(proposal.target), texts.changes),
    [proposal, source, texts.changes],
  );
  const count = kind === "file" ? diff.length : parts.length;
  const chosenCount = count - choice.without.size;
  const isPending = status === "pending";
  const isWhole = parts.some(({ path }) => path.length === 0);

  const toggle = (index: number) => {
    const without = new Set(choice.without);
    if (!without.delete(index)) without.add(index);
    setChosen({ ...choice, without });
  };
  const edit = (index: number, value: Json | undefined) => {
    const edits = new Map(choice.edits);
    if (value === undefined) edits.delete(index);
    else edits.set(index, value);
    setChosen({ ...choice, edits });
  };
  async function decide({ detail }: { detail: number }, run: () => unknown) {
    // The second click of a double click may meet the next proposal. And the proposal may have changed since it was rendered:
    // what is approved is what the user has seen.
    if (detail > 1 || isBusy || source.proposals().find((own) => own.id === proposal.id) !== proposal) return;
    setBusy(true);
    setProblem("");
    onDecided?.();
    try {
      setProblem(faultIn(await run()));
    } catch (cause) {
      setProblem(cause instanceof Error ? cause.message : String(cause));
    }
    setBusy(false);
  }
  const title = kind === "file" ? fileTitle(proposal.action) : kind;
  const isEdited = choice.edits.size > 0 || choice.text !== undefined;

  return (
    <article className="gp-proposal" data-kind={kind} data-status={status} aria-labelledby={id} tabIndex={-1}>
      <header className="gp-proposal-head">
        <h3 className="gp-block-title" id={id}>
          <MarkedText text={fill(texts[title], { target })} labels={texts} />
        </h3>
        <span className="gp-badge" data-value={status}>
          {texts[status]}
        </span>
      </header>
      {status === "stale" && <p className="gp-note">{texts.staleNote}</p>}
      {kind === "file" ? (
        <FileParts {...{ proposal, source, choice, texts, toggle, setChosen }} isOpen={isPending} />
      ) : kind === "call" ? (
        <CallParts {...{ proposal, texts }} />
      ) : (
        <>
          {kind === "patch" && <Notes warnings={proposal.warnings} texts={texts} />}
          <ol className="gp-changes">
            {parts.map((part, index) => (
              <Change
                key={JSON.stringify(part.path)}
                {...{ part, texts }}
                edited={choice.edits.get(index)}
                isChosen={!choice.without.has(index)}
                isOpen={isPending && !isWhole}
                onToggle={() => toggle(index)}
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
            disabled={isPending && chosenCount === 0 && count > 0 && choice.text === undefined}
            onClick={(event) =>
              decide(event, () =>
                isPending
                  ? source.approve(proposal.id, approvalOf(proposal, parts, choice))
                  : proposeAgain(proposal, source),
              )
            }
          >
            {!isPending
              ? texts.again
              : isEdited
                ? texts.approveOwn
                : fill(chosenCount === count ? texts.approve : texts.approvePart, { count: chosenCount, all: count })}
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
function approvalOf({ kind, diff }: AnyProposal, parts: readonly Part[], { without, edits, text }: Choice): object {
  const isChosen = (_: unknown, index: number) => !without.has(index);
  if (kind === "file") {
    if (text !== undefined) return { edits: text };
    return without.size === 0 ? {} : { hunks: diff.filter(isChosen).map(({ index }) => index) };
  }
  const paths = parts.filter(isChosen).map(({ path }) => path);
  const own = [...edits].filter(([index]) => !without.has(index)).map(([index, value]) => [parts[index]?.path, value]);
  if (kind === "patch") return { ...(without.size > 0 && { paths }), ...(own.length > 0 && { edits: own }) };
  const fields = paths.map(([field]) => field);
  return { ...(without.size > 0 && { fields }), ...(own.length > 0 && { edits: Object.fromEntries(own) }) };
}

/** Makes the same proposal for the current state, and refuses the stale one. */
async function proposeAgain(proposal: AnyProposal, source: Source): Promise<unknown> {
  const [taskId, nodeId] = proposal.target.split("/");
  const made =
    proposal.kind === "node"
      ? source.callTool?.("updateNode", { taskId, nodeId, newData: proposal.proposed, approvalStyle: "visual" })
      : await source.propose?.(proposal.proposed);
  if (!faultIn(made)) await source.refuse(proposal.id);
  return made;
}

/** The complete arguments of a call. The effect of an own tool is unknown, so a user can judge by its arguments only. */
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
  edited: Json | undefined;
  isChosen: boolean;
  isOpen: boolean;
  onToggle(): void;
  onEdit(value: Json | undefined): void;
}

function Change({ part, texts, edited, isChosen, isOpen, onToggle, onEdit }: ChangeProps) {
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
        <Sides {...{ before, texts }} after={edited === undefined ? after : edited} />
        {isOpen && after !== undefined && <ValueEditor {...{ text, texts, edited, onEdit }} value={after} />}
      </details>
    </li>
  );
}

const show = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Both values in full, with their differences marked. */
function Sides({ before, after, texts }: { before: Json | undefined; after: Json | undefined; texts: ProposalLabels }) {
  const old = before === undefined ? "" : show(before);
  const now = after === undefined ? "" : show(after);
  const [removed, added] = difference(old, now);
  return (
    <>
      {before !== undefined && (
        <div className="gp-side" data-kind="removed">
          <span className="gp-side-name">{texts.before}</span>
          <del className="gp-code">
            <MarkedText text={old} words={removed} labels={texts} />
          </del>
        </div>
      )}
      {after !== undefined && (
        <div className="gp-side" data-kind="added">
          <span className="gp-side-name">{texts.after}</span>
          <ins className="gp-code">
            <MarkedText text={now} words={added} labels={texts} />
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
  value: Json;
  edited: Json | undefined;
  onEdit(value: Json | undefined): void;
}

/** The user's own value: a text stays a text, everything else is JSON. */
function ValueEditor({ text, texts, value, edited, onEdit }: EditorProps) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const [isBad, setBad] = useState(false);
  if (typed === undefined && edited === undefined) {
    return <Button onClick={() => setTyped(show(value))}>{texts.edit}</Button>;
  }
  function onChange(next: string) {
    setTyped(next);
    try {
      const made: Json = typeof value === "string" ? next : JSON.parse(next);
      onEdit(made);
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
        value={typed ?? show(edited ?? null)}
        onChange={({ target }) => onChange(target.value)}
      />
      <Problem id={id}>{isBad ? texts.notJson : ""}</Problem>
      <Button
        onClick={() => {
          setTyped(undefined);
          setBad(false);
          onEdit(undefined);
        }}
      >
        {texts.undoEdit}
      </Button>
    </div>
  );
}

interface Note {
  message: string;
}

interface NotesProps {
  warnings: readonly Note[] | undefined;
  fixes?: readonly Note[] | undefined;
  texts: ProposalLabels;
}

/** Notes for the user beside the changes: warnings, and differences between the call and the text that it would change. */
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
  isOpen: boolean;
  toggle(index: number): void;
  setChosen(choice: Choice): void;
}

/** A file of a patch, or the only file of a proposal, which its title names. */
type ShownFile = Partial<FileEffect> & Pick<FileEffect, "diff">;

/** The label of what happens to a file. */
const fileTitle = (action: FileEffect["action"] | undefined) =>
  action === "created" ? "fileCreated" : action === "deleted" ? "fileDeleted" : "file";

function FileParts({ proposal, source, choice, texts, isOpen, toggle, setChosen }: FilePartsProps) {
  const { diff, warnings, fixes, action, files } = proposal;
  const { text } = choice;
  const chosen =
    isOpen && diff.length > 1
      ? new Set(diff.map(({ index }) => index).filter((index) => !choice.without.has(index)))
      : undefined;
  const shown: readonly ShownFile[] = files ?? [{ diff }];
  return (
    <>
      <Notes {...{ warnings, fixes, texts }} />
      {text === undefined &&
        shown.map(({ path = "", from, action, diff: hunks }) => (
          <section key={path}>
            {files && (
              <Notes
                warnings={[{ message: fill(texts[fileTitle(action)], { target: from ? `${from} → ${path}` : path }) }]}
                texts={texts}
              />
            )}
            <DiffView hunks={hunks} count={diff.length} labels={texts} chosen={chosen} onToggle={toggle} />
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
          onChange={({ target }) => setChosen({ ...choice, text: target.value })}
        />
      )}
      {isOpen && source.preview && action !== "deleted" && !files && (
        <Button
          onClick={async () => {
            const own = text === undefined ? ((await source.preview?.(proposal.proposed))?.after ?? "") : undefined;
            setChosen({ ...choice, text: own });
          }}
        >
          {text === undefined ? texts.edit : texts.undoEdit}
        </Button>
      )}
    </>
  );
}
