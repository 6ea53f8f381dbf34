/** The demo's own tools, beside those of pages, files and nodes: an address book, and the time. */
import { type AgentResult, agentTool, agentTools, type CallProposal, type CustomCall } from "genui-patch";
import { useSyncExternalStore } from "react";
import { contacts } from "../data/contacts";
import { log } from "../log/log";

const MOST_FOUND = 10;
const text = { type: "string", minLength: 1, maxLength: 100 } as const;

const search_contacts = agentTool({
  description: "Finds people in the user's address book: those whose name, city or e-mail address contains a text.",
  schema: { type: "object", properties: { query: text }, required: ["query"], additionalProperties: false },
  readOnly: true,
  execute({ query }) {
    const wanted = query.toLowerCase();
    const isFound = (value: string) => value.toLowerCase().includes(wanted);
    const found = contacts.get().filter((contact) => Object.values(contact).some(isFound));
    return { contacts: found.slice(0, MOST_FOUND), total: found.length };
  },
});

const add_contact = agentTool({
  description: "Adds a person to the user's address book. The user has to approve each call.",
  schema: {
    type: "object",
    properties: { name: text, city: text, email: { ...text, pattern: "^[^@ ]+@[^@ ]+$" } },
    required: ["name", "city", "email"],
    additionalProperties: false,
  },
  approve: true,
  execute({ name, city, email }) {
    if (contacts.get().some((known) => known.email === email)) throw new Error(`${email} is in the address book.`);
    contacts.set([...contacts.get(), { name, city, email }]);
    return { total: contacts.get().length };
  },
});

const current_time = agentTool({
  description:
    "The date and time of the user's clock. time_zone is an IANA name such as Asia/Shanghai; default: the user's.",
  schema: { type: "object", properties: { time_zone: text }, additionalProperties: false },
  readOnly: true,
  execute({ time_zone: timeZone }) {
    const now = new Date();
    const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone });
    return { utc: now.toISOString(), local: local.format(now), time_zone: local.resolvedOptions().timeZone };
  },
});

export const ownTools = { search_contacts, add_contact, current_time };

const agent = agentTools({ tools: ownTools });

export const isOwn = (tool: string): tool is keyof typeof ownTools => Object.hasOwn(ownTools, tool);

export function callOwn({ id, tool, args: sent }: CustomCall): Promise<AgentResult> {
  const { tool: _, ...args } = sent;
  return agent.execute({ id, tool, args });
}

/** The proposals with their decisions, for `ActivityList`. */
export const ownSource = { proposals: agent.proposals, subscribe: agent.subscribe };

/** The calls that wait for the user, and those that were decided on. */
export const useOwnProposals = (): readonly CallProposal[] => useSyncExternalStore(agent.subscribe, agent.proposals);

export async function approveOwn({ id, target }: CallProposal): Promise<void> {
  const { status, result } = await agent.approve(id);
  log("chat", "approve", target, { tone: status === "success" ? "good" : "bad", detail: result });
}

export function refuseOwn({ id, target }: CallProposal): void {
  agent.refuse(id);
  log("chat", "refuse", target, { tone: "warn" });
}

/** The user's decisions since the last question, for the model. */
export const ownDecisions = (): string => agent.decisions();
