/**
 * The order of events that AG-UI demands of a run: "Lifecycle", "Streaming" and "Subagents" of the specification 1.1, as
 * `chunks/transform` and `verify` of `@ag-ui/client` check it. The client rejects the whole stream at the first event that breaks
 * the order. A thread reports the problem and reads on, so the checks continue after it.
 */
import { isObject, isText } from "../core/kinds.js";

type Event = { readonly [key: string]: unknown };

/** A problem with an event. */
interface OrderProblem {
  message: string;
  /** The event must have no effect: it belongs to no run, or to a call that is not open. */
  isRefused: boolean;
}

/**
 * All events of AG-UI 1.1, with their members; one with a `?` may be absent. Deltas, patches, outcomes and the contents of
 * activities are checked elsewhere.
 */
const EVENTS = new Map(
  [
    "TEXT_MESSAGE_START messageId name?, TEXT_MESSAGE_CONTENT messageId delta, TEXT_MESSAGE_END messageId",
    "TEXT_MESSAGE_CHUNK messageId? name? delta?, TOOL_CALL_START toolCallId toolCallName parentMessageId?",
    "TOOL_CALL_ARGS toolCallId delta, TOOL_CALL_END toolCallId",
    "TOOL_CALL_CHUNK toolCallId? toolCallName? parentMessageId? delta?",
    "TOOL_CALL_RESULT messageId toolCallId content, STATE_SNAPSHOT snapshot, STATE_DELTA, MESSAGES_SNAPSHOT messages",
    "ACTIVITY_SNAPSHOT replace?, ACTIVITY_DELTA activityType, RAW event source?, CUSTOM name value",
    "RUN_STARTED threadId runId parentRunId? input?, RUN_FINISHED threadId runId result? usage?",
    "RUN_ERROR message code? usage?, STEP_STARTED stepName, STEP_FINISHED stepName",
    "REASONING_START messageId, REASONING_END messageId, REASONING_MESSAGE_START messageId",
    "REASONING_MESSAGE_CONTENT messageId delta, REASONING_MESSAGE_END messageId, REASONING_MESSAGE_CHUNK messageId? delta?",
    "REASONING_ENCRYPTED_VALUE subtype entityId encryptedValue encryptedValueType?",
    "SUBAGENT_STARTED subagentRunId name description? parentSubagentRunId? parentToolCallId? parentMessageId?",
    "SUBAGENT_FINISHED subagentRunId result?, SUBAGENT_ERROR subagentRunId message code?",
  ]
    .join(", ")
    .split(", ")
    .map((row) => row.split(" "))
    .map(([type = "", ...members]) => [type, [...members, "timestamp?", "rawEvent?", "metadata?", "subagentRunId?"]]),
);

/** Events of the run as a whole: `subagentRunId` is an unknown member there, and may have any value but null. */
const HAS_NO_SENDER = /^(RUN_.*|MESSAGES_SNAPSHOT)$/;

const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

/** The kinds of members that are not texts: the words for an error, and the check. */
const MEMBERS: { readonly [member: string]: readonly [string, (value: unknown) => boolean] } = {
  content: ["a text or a list", (value) => isText(value) || Array.isArray(value)],
  messages: ["a list", Array.isArray],
  usage: ["a list", Array.isArray],
  replace: ["true or false", (value) => typeof value === "boolean"],
  timestamp: ["a number", (value) => typeof value === "number"],
  metadata: ["an object", isObject],
  input: ["an object", isObject],
  responseSchema: ["an object", isObject],
  interruptIds: ["a list of texts", areTexts],
  pendingToolCallIds: ["a list of texts", areTexts],
  snapshot: ["there", () => true],
  event: ["there", () => true],
  value: ["there", () => true],
  result: ["there", (value) => value !== null],
  rawEvent: ["there", (value) => value !== null],
};

/** Events of a stream that is opened and closed, such as a message or a call. */
const STREAMED =
  /^(TEXT_MESSAGE|TOOL_CALL|REASONING_MESSAGE|REASONING|STEP)_(START|STARTED|CONTENT|ARGS|END|FINISHED)$/;
const CHUNK = /^(TEXT_MESSAGE|TOOL_CALL|REASONING_MESSAGE)_CHUNK$/;
/** Events that do not end the stream of chunks in their lane: see {@link OpenChunks}. */
const KEEPS_CHUNKS_OPEN = /^(RAW|ACTIVITY_.*|REASONING_ENCRYPTED_VALUE|SUBAGENT_STARTED)$/;
const CLOSES_ALL = /^(RUN_.*|MESSAGES_SNAPSHOT)$/;

const NAMES: { readonly [kind: string]: string } = {
  TEXT_MESSAGE: "text message",
  TOOL_CALL: "tool call",
  REASONING_MESSAGE: "reasoning message",
  REASONING: "span of reasoning",
  STEP: "step",
  SUBAGENT: "subagent",
};
const ROLES = ["developer", "system", "assistant", "user"];
/** The newest version whose text is implemented here. */
const VERSION = [1, 1] as const;

const textOf = (value: unknown) => (isText(value) ? value : undefined);
const idOf = (kind: string, { toolCallId, stepName, messageId }: Event) =>
  textOf(kind === "TOOL_CALL" ? toolCallId : kind === "STEP" ? stepName : messageId);
const byWhom = (owner: string | undefined) => (owner === undefined ? "the parent agent" : `the subagent "${owner}"`);

/** The open stream that a lane assembles from chunks. A lane has the events of one agent: of a subagent, or of the parent agent. */
interface OpenChunks {
  kind: string;
  id: string;
  /** Its first chunk, whose members later chunks may repeat. */
  first: Event;
}

/** Checks the events of a conversation's runs, one after the other. */
export class EventOrder {
  #phase: "before" | "running" | "finished" | "failed" = "before";
  /** The open streams by kind, each with its id. A step has the name of its owner before its own. */
  readonly #open = new Map<string, Set<string>>();
  /** The owners of messages, calls, activities and reasoning; `undefined` is the parent agent. */
  readonly #owners = new Map<string, string | undefined>();
  readonly #closedSubagents = new Set<string>();
  /** By `subagentRunId`; `undefined` is the parent agent. */
  readonly #lanes = new Map<string | undefined, OpenChunks>();

  /** Reads an event. Returns its first problem, if it has one. */
  read(event: Event): OrderProblem | undefined {
    const { type } = event;
    const members = isText(type) ? EVENTS.get(type) : undefined;
    if (!isText(type) || members === undefined)
      return { message: `AG-UI 1.1 has no event "${String(type)}": it is passed over.`, isRefused: false };
    const outside = this.#enter(type);
    if (outside?.isRefused) return outside;
    const problems = [outside?.message, misfit(type, members, event) ?? malformation(type, event)];
    let isRefused = false;
    for (const each of this.#expand(type, event, problems)) {
      const problem = this.#verify(each);
      problems.push(problem);
      const ofCall = problem !== undefined && isText(each.type) && /^TOOL_CALL_(ARGS|END)$/.test(each.type);
      isRefused ||=
        (ofCall && !this.#isOpen("TOOL_CALL", each.toolCallId)) || (type === "ACTIVITY_DELTA" && problem !== undefined);
    }
    if (type === "RUN_FINISHED") this.#phase = "finished";
    if (type === "RUN_ERROR") this.#phase = "failed";
    const message = problems.find((each) => each !== undefined);
    return message === undefined ? undefined : { message, isRefused };
  }

  /** Follows the phase of the run. A problem if the event is outside of a run; `RUN_STARTED` resets everything. */
  #enter(type: string): OrderProblem | undefined {
    const phase = this.#phase;
    if (type === "RUN_STARTED") {
      this.#phase = "running";
      for (const each of [this.#open, this.#owners, this.#closedSubagents, this.#lanes]) each.clear();
      if (phase !== "running") return undefined;
      return { message: "A run starts while another has not ended.", isRefused: false };
    }
    if (phase === "running" || (type === "RUN_ERROR" && phase !== "failed")) return undefined;
    const place = { before: "before the first RUN_STARTED", finished: "after RUN_FINISHED", failed: "after RUN_ERROR" };
    return { message: `${type} came ${place[phase]}: it has no effect.`, isRefused: true };
  }

  /** The events to verify: an event after the ends of the streams that it closes, or in place of a chunk the events of its stream. */
  #expand(type: string, event: Event, problems: (string | undefined)[]): Event[] {
    const owner = textOf(event.subagentRunId);
    const [, kind] = CHUNK.exec(type) ?? [];
    if (kind !== undefined) return this.#chunk(kind, event, owner, problems);
    if (CLOSES_ALL.test(type)) return [...[...this.#lanes.keys()].flatMap((lane) => this.#closeLane(lane)), event];
    const isOther = KEEPS_CHUNKS_OPEN.test(type) || (/^SUBAGENT_/.test(type) && owner === undefined);
    return isOther ? [event] : [...this.#closeLane(owner), event];
  }

  /** The end of the stream that is open in a lane, if any. */
  #closeLane(lane: string | undefined): Event[] {
    const open = this.#lanes.get(lane);
    this.#lanes.delete(lane);
    return open === undefined ? [] : [streamed(open, "END")];
  }

  #chunk(kind: string, event: Event, owner: string | undefined, problems: (string | undefined)[]): Event[] {
    const id = idOf(kind, event);
    const name = NAMES[kind];
    const ofKind = [...this.#lanes].filter(([, open]) => open.kind === kind);
    const holder = id === undefined ? undefined : ofKind.find(([, open]) => open.id === id);
    let lane = owner;
    if (holder !== undefined) {
      [lane] = holder;
      if (owner !== undefined && owner !== lane) {
        problems.push(`A chunk of ${byWhom(owner)} continues the ${name} "${id}" of ${byWhom(lane)}.`);
        return this.#closeLane(lane);
      }
    } else if (id === undefined && owner === undefined && this.#lanes.get(undefined)?.kind !== kind) {
      if (ofKind.length > 1) {
        problems.push(`Nothing says to which ${name} this chunk belongs: ${ofKind.length} are open.`);
        return ofKind.flatMap(([other]) => this.#closeLane(other));
      }
      lane = ofKind[0]?.[0];
    }
    const open = this.#lanes.get(lane);
    if (open?.kind === kind && (id === undefined || id === open.id)) {
      const members = { TEXT_MESSAGE: ["role", "name"], TOOL_CALL: ["toolCallName", "parentMessageId"] }[kind] ?? [];
      const other = members.find((member) => event[member] !== undefined && event[member] !== open.first[member]);
      if (other === undefined) return [streamed(open, "CONTENT", owner)];
      problems.push(`The "${other}" of a chunk differs from that of the first chunk of the ${name} "${open.id}".`);
      return this.#closeLane(lane);
    }
    const closed = this.#closeLane(lane);
    const missing = id === undefined ? "id" : kind === "TOOL_CALL" && !isText(event.toolCallName) ? "toolCallName" : "";
    if (id === undefined || missing !== "") {
      problems.push(`The first chunk of a ${name} has no ${missing}.`);
      return closed;
    }
    const role = event.role ?? "assistant";
    const next = { kind, id, first: { ...event, ...(kind === "TEXT_MESSAGE" && { role }) } };
    this.#lanes.set(lane, next);
    return [...closed, streamed(next, "START")];
  }

  #isOpen(kind: string, id: unknown): boolean {
    return isText(id) && this.#open.get(kind)?.has(id) === true;
  }

  #ids(kind: string): Set<string> {
    const ids = this.#open.get(kind) ?? new Set();
    this.#open.set(kind, ids);
    return ids;
  }

  /** The problem of an event at this point of the run: of its stream, or of its agent. */
  #verify(event: Event): string | undefined {
    const { type, messageId, subagentRunId, parentSubagentRunId } = event;
    const owner = textOf(subagentRunId);
    if (!isText(type)) return undefined;
    const [, kind = "", part = ""] = STREAMED.exec(type) ?? [];
    if (kind !== "") return this.#verifyStreamed(type, kind, part, event, owner);
    switch (type) {
      case "ACTIVITY_SNAPSHOT":
        if (event.replace !== false || !this.#owners.has(`activity ${messageId}`))
          this.#owners.set(`activity ${messageId}`, owner);
        return undefined;
      case "ACTIVITY_DELTA":
        return this.#foreign(`activity ${messageId}`, `activity "${messageId}"`, owner);
      case "TOOL_CALL_RESULT":
        this.#owners.set(`TEXT_MESSAGE ${messageId}`, owner);
        return undefined;
      case "REASONING_ENCRYPTED_VALUE":
        return this.#verifyEncrypted(event, owner);
      case "SUBAGENT_STARTED": {
        if (owner === undefined) return undefined;
        const active = this.#ids("SUBAGENT");
        if (active.has(owner) || this.#closedSubagents.has(owner))
          return `The subagent "${owner}" starts a second time.`;
        active.add(owner);
        const parent = textOf(parentSubagentRunId);
        const isKnown =
          parent === undefined || (parent !== owner && active.has(parent)) || this.#closedSubagents.has(parent);
        return isKnown ? undefined : `The parent of a subagent, "${parent}", has not started.`;
      }
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR":
        if (owner === undefined) return undefined;
        this.#closedSubagents.add(owner);
        return this.#ids("SUBAGENT").delete(owner) ? undefined : `The subagent "${owner}" ends, but was not started.`;
      case "MESSAGES_SNAPSHOT":
        return this.#learn(event.messages, true);
      case "RUN_STARTED":
        return this.#learn(isObject(event.input) ? event.input.messages : undefined, false);
      case "RUN_FINISHED": {
        const left = [...this.#open].flatMap(([kind, ids]) => [...ids].map((id) => `${NAMES[kind]} "${id.trim()}"`));
        return left.length === 0 ? undefined : `The run ends, but is open: ${left.join(", ")}.`;
      }
      default:
        return undefined;
    }
  }

  #verifyStreamed(
    type: string,
    kind: string,
    part: string,
    event: Event,
    owner: string | undefined,
  ): string | undefined {
    const own = idOf(kind, event);
    if (own === undefined) return undefined;
    const name = `${NAMES[kind]} "${own}"`;
    const ids = this.#ids(kind);
    const id = kind === "STEP" ? `${owner ?? ""} ${own}` : own;
    const place = `${kind === "REASONING_MESSAGE" ? "REASONING" : kind} ${own}`;
    if (!part.startsWith("START")) {
      if (!ids.has(id)) return `${type} came, but the ${name} is not open.`;
      const foreign = kind === "STEP" ? undefined : this.#foreign(place, name, owner);
      if (foreign === undefined && /END|FINISHED/.test(part)) ids.delete(id);
      return foreign;
    }
    if (ids.has(id)) return `The ${name} starts a second time before its end.`;
    ids.add(id);
    if (kind === "STEP") return undefined;
    const parent = kind === "TOOL_CALL" && isText(event.parentMessageId) ? `TEXT_MESSAGE ${event.parentMessageId}` : "";
    const foreign =
      this.#foreign(place, name, owner) ?? this.#foreign(parent, `message "${event.parentMessageId}"`, owner);
    if (foreign !== undefined) return foreign;
    const inherited = this.#owners.get(parent);
    if (this.#owners.has(place)) {
      const isMoved = owner === undefined && this.#owners.has(parent) && inherited !== this.#owners.get(place);
      return isMoved ? `The ${name} belongs to another agent than its message.` : undefined;
    }
    this.#owners.set(place, owner ?? inherited);
    return undefined;
  }

  #verifyEncrypted({ entityId, subtype }: Event, owner: string | undefined): string | undefined {
    const places = { "tool-call": ["TOOL_CALL"], message: ["TEXT_MESSAGE", "REASONING"] }[String(subtype)] ?? [
      "REASONING",
    ];
    const kind = places.find((each) => this.#owners.has(`${each} ${entityId}`));
    return this.#foreign(`${kind} ${entityId}`, `message or call "${entityId}"`, owner);
  }

  /** The problem of an event that names another agent than the owner of its message, call or activity. */
  #foreign(place: string, name: string, owner: string | undefined): string | undefined {
    if (owner === undefined || !this.#owners.has(place)) return undefined;
    const own = this.#owners.get(place);
    return own === owner ? undefined : `An event of ${byWhom(owner)} belongs to the ${name} of ${byWhom(own)}.`;
  }

  /** Records the owners of messages and their calls. `isNewest`: they replace known owners. */
  #learn(messages: unknown, isNewest: boolean): string | undefined {
    let problem: string | undefined;
    const own = (place: string, owner: string | undefined) => {
      if (isNewest || !this.#owners.has(place)) this.#owners.set(place, owner);
    };
    for (const message of Array.isArray(messages) ? messages : []) {
      if (!isObject(message) || !isText(message.id)) continue;
      const { id, role, subagentRunId, toolCalls } = message;
      if (subagentRunId === null) problem ??= `The "subagentRunId" of the message "${id}" is null: leave it out.`;
      const owner = textOf(subagentRunId);
      own(`${role === "reasoning" ? "REASONING" : role === "activity" ? "activity" : "TEXT_MESSAGE"} ${id}`, owner);
      for (const call of Array.isArray(toolCalls) ? toolCalls : [])
        if (isObject(call) && isText(call.id)) own(`TOOL_CALL ${call.id}`, owner);
    }
    return problem;
  }
}

/** An event of the stream of chunks, as if it had been sent without chunks. */
function streamed(
  { kind, id, first }: OpenChunks,
  part: "START" | "CONTENT" | "END",
  owner = first.subagentRunId,
): Event {
  const type = `${kind}_${part === "CONTENT" && kind === "TOOL_CALL" ? "ARGS" : part}`;
  const ids = kind === "TOOL_CALL" ? { toolCallId: id, parentMessageId: first.parentMessageId } : { messageId: id };
  return { type, ...ids, subagentRunId: owner };
}

const toEvent = (value: unknown): Event => (isObject(value) ? value : {});
/** The members of an interrupt that may be absent; the thread checks the others. */
const INTERRUPT = "message? toolCallId? responseSchema? expiresAt? subagentRunId? metadata?".split(" ");

/** The problem of the first member that is missing or of the wrong kind. */
function misfit(name: string, members: readonly string[], event: Event): string | undefined {
  for (const each of members) {
    const member = each.replace("?", "");
    const isOptional = each !== member;
    const value = event[member];
    const [what, fits] = MEMBERS[member] ?? ["a text", isText];
    if (value === undefined ? isOptional : fits(value)) continue;
    if (value !== null && member === "subagentRunId" && HAS_NO_SENDER.test(name)) continue;
    if (value === null && isOptional) return `The "${member}" of ${name} is null: leave it out.`;
    return `The "${member}" of ${name} must be ${what}.`;
  }
  return undefined;
}

/** The problem of a value that must be one of several, or that is nested in a member. */
function malformation(type: string, event: Event): string | undefined {
  const { role, outcome, protocolVersion, subtype } = event;
  switch (type) {
    case "TEXT_MESSAGE_START":
    case "TEXT_MESSAGE_CHUNK":
      return role === undefined || ROLES.includes(String(role)) ? undefined : `No text message has the role "${role}".`;
    case "REASONING_MESSAGE_START":
      return role === "reasoning" ? undefined : 'The role of a reasoning message must be "reasoning".';
    case "TOOL_CALL_RESULT":
      return role === undefined || role === "tool" ? undefined : 'The role of a result must be "tool".';
    case "REASONING_ENCRYPTED_VALUE":
      return subtype === "message" || subtype === "tool-call"
        ? undefined
        : `No encrypted value has the subtype "${subtype}".`;
    case "SUBAGENT_FINISHED": {
      if (outcome === undefined) return undefined;
      if (outcome === null) return `The "outcome" of ${type} is null: leave it out.`;
      const { type: how } = toEvent(outcome);
      if (how !== "success" && how !== "suspended") return "The outcome of a subagent must be success or suspended.";
      return misfit("a subagent's outcome", ["interruptIds?"], toEvent(outcome));
    }
    case "RUN_FINISHED": {
      if (outcome === null) return `The "outcome" of ${type} is null: leave it out.`;
      const { interrupts, type: how } = toEvent(outcome);
      if (how === "success") return misfit("a successful outcome", ["pendingToolCallIds?"], toEvent(outcome));
      const each = how === "interrupt" && Array.isArray(interrupts) ? interrupts : [];
      return each
        .map((one) => misfit("an interrupt", INTERRUPT, toEvent(one)))
        .find((problem) => problem !== undefined);
    }
    case "RUN_STARTED": {
      if (protocolVersion === undefined) return undefined;
      const [, major, minor] = /^(\d+)\.(\d+)$/.exec(String(protocolVersion)) ?? [];
      if (major === undefined) return `The protocolVersion "${protocolVersion}" is not understood: read as 1.1.`;
      const isNewer = Number(major) > VERSION[0] || (Number(major) === VERSION[0] && Number(minor) > VERSION[1]);
      return isNewer ? `The agent speaks AG-UI ${protocolVersion}, which is newer than 1.1.` : undefined;
    }
    default:
      return undefined;
  }
}
