/** The components, with typed stores, all sources, and components of the app's own. */
import type { AgentTools, FlowStore, Hunk, PageDocument, PatchStore, SurfaceStream, Workspace } from "genui-patch";
import { describeChanges, describeProposal, revealHidden } from "genui-patch";
import { useField } from "genui-patch/react";
import {
  type ActivityListProps,
  chinese,
  type DiffViewProps,
  type FieldComponentProps,
  type Labels,
  type PageViewProps,
  type ProposalListProps,
  type SurfaceViewProps,
} from "genui-patch/react/ui";
import type { PatchStore as SlimStore } from "genui-patch/slim";

declare const plain: PatchStore;
declare const typed: PatchStore<Record<string, PageDocument>>;
declare const own: PatchStore<{ counter: { state: { params: { n: number } } } }>;
declare const slim: SlimStore;
declare const files: Workspace;
declare const flow: FlowStore;
declare const agent: AgentTools;
declare const surfaces: SurfaceStream;
declare const hunks: Hunk[];
declare const Stars: (props: FieldComponentProps) => null;

export const pages: PageViewProps[] = [
  { store: plain, name: "a" },
  { store: typed, name: "a", labels: chinese, components: { fields: { stars: Stars } } },
  { store: own, name: "counter", labels: { choose: "…" }, onAction: ({ result }) => result.kind },
  { store: slim, name: "a", onFiles: async (chosen) => chosen.map(({ name }) => name) },
];
export const lists: ProposalListProps[] = [
  { sources: [plain, typed, own, slim, files, flow, agent], labels: { approve: "OK" } },
];
export const others: [DiffViewProps, ActivityListProps, SurfaceViewProps] = [
  { hunks },
  { agent, sources: [files] },
  { surfaces, id: "main", onAction: (event) => event },
];

export function useFields(): (string | boolean)[] {
  const { text, error, commit } = useField(typed, "a", "form", "price", { optimistic: true });
  return [text, error, commit()];
}

export const texts: Labels = { ...chinese, patch: "{target}" };
// @ts-expect-error: a text that no component has.
export const wrong: Partial<Labels> = { nothing: "" };

export const sentences: string[] = describeChanges([{ kind: "remove", path: ["a"] }], plain.confirmed("a")).map(
  ({ text }) => text,
);
export const parts = plain.proposals().flatMap((proposal) => describeProposal(proposal));
export const pieces: (string | { mark: string })[] = revealHidden("a", true);
