import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { t } from "../words/words";

export interface JsonFault {
  /** Where in the text, from 0. */
  at: number;
  message: string;
}

interface Props {
  label: string;
  /** The id of the element that describes the editor. */
  description: string;
  value: string;
  onChange(text: string): void;
  /** Ctrl+Enter. */
  onSubmit(): void;
  /** The error message for text that is not JSON. */
  faultOf(text: string): JsonFault | undefined;
}

/**
 * An editor for JSON: CodeMirror in a shadow root, which adopts its styles as the page's security policy allows. Of the
 * page's own styles only the variables apply in it. Tab moves the focus.
 */
export function JsonEditor({ label, description, value, onChange, onSubmit, faultOf }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const now = useRef({ value, onChange, onSubmit, faultOf });
  useEffect(() => {
    now.current = { value, onChange, onSubmit, faultOf };
  });

  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const submit = () => {
      now.current.onSubmit();
      return true;
    };
    const made = new EditorView({
      doc: now.current.value,
      parent: root,
      root,
      extensions: [
        keymap.of([{ key: "Mod-Enter", run: submit }, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({
          "aria-label": label,
          "aria-keyshortcuts": "Control+Enter",
          autocapitalize: "off",
          spellcheck: "false",
          tabindex: "0",
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) now.current.onChange(state.doc.toString());
        }),
        linter(({ state }) => faultsOf(state, now.current.faultOf), { delay: 250 }),
        EditorState.phrases.of(phrases()),
        basics,
      ],
    });
    view.current = made;
    return () => made.destroy();
  }, [label]);

  useEffect(() => {
    const { current } = view;
    if (current === undefined) return;
    const { doc } = current.state;
    if (doc.toString() !== value) current.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value]);

  // Ids do not reach out of a shadow root, so the description is copied as text.
  useEffect(() => {
    view.current?.contentDOM.setAttribute("aria-description", description);
  }, [description]);

  return (
    <>
      {/* A label of HTML leads to no shadow root. Keys reach the editor by Tab, and its name says the same. */}
      <span className="label" aria-hidden="true" onClick={() => view.current?.focus()}>
        {label}
      </span>
      <div className="json-editor" ref={host} />
    </>
  );
}

function faultsOf(state: EditorState, faultOf: Props["faultOf"]): Diagnostic[] {
  const fault = faultOf(state.doc.toString());
  if (fault === undefined) return [];
  const from = Math.min(fault.at, state.doc.length);
  return [{ from, to: Math.min(from + 1, state.doc.length), severity: "error", message: fault.message }];
}

/** The texts of CodeMirror itself. */
const phrases = () => ({
  Diagnostics: t("Diagnostics"),
  "No diagnostics": t("No diagnostics"),
  close: t("Close"),
  "Control character": t("Control character"),
  "Selection deleted": t("Selection deleted"),
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--json-key)" },
  { tag: tags.string, color: "var(--json-string)" },
  { tag: tags.number, color: "var(--json-number)" },
  { tag: [tags.bool, tags.null], color: "var(--json-word)" },
]);

const theme = EditorView.theme({
  "&": {
    border: "1px solid var(--edge)",
    borderRadius: "var(--radius-small)",
    backgroundColor: "var(--sunken)",
    color: "var(--ink)",
    fontSize: "12.5px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { maxHeight: "26em", fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { minHeight: "10.5em", padding: "6px 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    borderRight: "1px solid var(--line)",
    borderRadius: "var(--radius-small) 0 0 var(--radius-small)",
    backgroundColor: "var(--sunken)",
    color: "var(--muted)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-soft)" },
  ".cm-tooltip, .cm-panels": {
    border: "1px solid var(--edge)",
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    fontFamily: "var(--sans)",
    fontSize: "13px",
  },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--bad-soft)", color: "var(--ink)" },
  ".cm-panel.cm-panel-lint button": { color: "var(--ink)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
});

const basics: Extension = [
  json(),
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  bracketMatching(),
  indentOnInput(),
  syntaxHighlighting(colours),
  EditorView.lineWrapping,
  theme,
];
