/** An agent's own tools: their arguments are typed by their schemas. Compiled, never run. */
import {
  type AgentResult,
  type AgentTool,
  agentTool,
  agentTools,
  type CallProposal,
  PatchStore,
  runAgent,
  ToolBlockStream,
} from "genui-patch";

/** The type of a schema of Zod 4, Valibot or ArkType. */
interface Standard<Input, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: Output; readonly issues?: undefined };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}
declare const mailSchema: Standard<
  { to: string; copies?: number | undefined; urgent?: boolean | undefined },
  { to: string; urgent: boolean }
>;
declare const noteSchema: Standard<{ text: string }>;

const store = new PatchStore();

const search = agentTool({
  description: "Searches.",
  schema: {
    type: "object",
    properties: {
      query: { type: "string" },
      limit: { type: "integer" },
      kind: { enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string" } },
      where: { type: "object", properties: { city: { type: ["string", "null"] } }, required: ["city"] },
    },
    required: ["query", "where"],
  },
  execute(args, { signal }) {
    args.query satisfies string;
    args.limit satisfies number | undefined;
    args.kind satisfies "a" | "b" | undefined;
    args.tags satisfies string[] | undefined;
    args.where.city satisfies string | null;
    signal satisfies AbortSignal;
    // @ts-expect-error
    args.query satisfies number;
    // @ts-expect-error
    args.limit satisfies number;
    return args.query;
  },
  approve: ({ target, args }) => target === "search" && args.query === "x",
});

const agent = agentTools({
  store,
  author: { kind: "agent", id: "writer" },
  tools: {
    search,
    mail: {
      description: "Sends a mail.",
      schema: mailSchema,
      async execute({ to, copies, urgent }) {
        to satisfies string;
        copies satisfies number | undefined;
        urgent satisfies boolean | undefined;
        // @ts-expect-error
        to satisfies number;
      },
      approve: true,
      timeout: 5_000,
    },
    note: {
      description: "Keeps a note.",
      schema: noteSchema,
      jsonSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      execute: ({ text }) => text.length,
      readOnly: true,
    },
    any: { description: "Takes anything.", schema: { type: "object" }, execute: (args: object) => Object.keys(args) },
  },
  approve: async ({ tool, target, args, changes, before, author }) => {
    changes.map(({ kind, path }) => [kind, path.length]);
    if (tool === "delete_file" && before !== null) return { deny: `Not ${target}` };
    return author.kind === "agent" && Object.keys(args).length > 2 ? "ask" : false;
  },
});

agent.blocks[0]?.name satisfies string | undefined;
new ToolBlockStream({ tools: agent.blocks });
agent.definitions("openai-responses")[0]?.parameters.type satisfies "object" | undefined;
agent.definitions("ag-ui")[0]?.parameters satisfies object | undefined;
agent.definitions("text") satisfies never[];
agent.definitions("ai-sdk").search?.execute({});
agent.proposals() satisfies readonly CallProposal[];
agent.approve("id") satisfies Promise<AgentResult>;
agent.turn((group) => group.length) satisfies number;
agent.turn(async () => runAgent({ agent, messages: [], send: async () => new Response() }));

// @ts-expect-error
agentTools({ tools: { broken: { description: "No function.", schema: {} } } });
// @ts-expect-error
agentTools({ store, author: { kind: "robot" } });
// @ts-expect-error
agentTools({ store, approve: () => "yes" });

export const typed: AgentTool = { description: "d", schema: { type: "object" }, execute: (args) => args };
export const annotated = agentTools({
  tools: {
    sum: { description: "Adds.", schema: { type: "object" }, execute: ({ a, b }: { a: number; b: number }) => a + b },
  },
});
