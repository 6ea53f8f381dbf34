/**
 * `EventOrder`: whether the events of a run are in the order that AG-UI demands ("Lifecycle", "Streaming" and "Subagents" of the
 * specification 1.1), as `chunks/transform` and `verify` of `@ag-ui/client` check it; and whether each event has its members. The
 * client rejects the whole stream at the first problem. `AgUiThread` reports it and reads on, so the checks continue after it.
 */
import { isObject, isText } from "../core/kinds.js";

type Event = { readonly [key: string]: unknown };

/** A problem with an event. */
interface OrderProblem {
  message: string;
  /** The event must have no effect: it belongs to no run, to a call that is not open, or to another agent's activity. */
  isRefused: boolean;
}

/**
 * All events of AG-UI 1.1, each as `TYPE member member?`; a member with a `?` may be absent. Members that are not listed are
 * checked elsewhere: those of patches and activities by the thread, roles, outcomes and versions by {@link valueProblem}.
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
    // Every event may have these four.
    .map(([type = "", ...members]) => [type, [...members, "timestamp?", "rawEvent?", "metadata?", "subagentRunId?"]]),
);

/** Events of the run as a whole, not of one agent. They end the streams of chunks in all lanes: see {@link OpenChunks}. */
const OF_WHOLE_RUN = /^(RUN_.*|MESSAGES_SNAPSHOT)$/;

const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

/** The members that are not texts: the words for an error ("must be …"), and the check. */
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
  // Any value, null too.
  snapshot: ["there", () => true],
  event: ["there", () => true],
  value: ["there", () => true],
  // Any value except null.
  result: ["there", (value) => value !== null],
  rawEvent: ["there", (value) => value !== null],
};

/** Events of a stream that is opened and closed, such as a message or a call. */
const STREAMED =
  /^(TEXT_MESSAGE|TOOL_CALL|REASONING_MESSAGE|REASONING|STEP)_(START|STARTED|CONTENT|ARGS|END|FINISHED)$/;
/** A chunk is short for the start of a stream, or for its next content. The next other event of its agent implies the end. */
const CHUNK = /^(TEXT_MESSAGE|TOOL_CALL|REASONING_MESSAGE)_CHUNK$/;
/** Events that do not end the stream of chunks in their lane: see {@link OpenChunks}. */
const KEEPS_CHUNKS_OPEN = /^(RAW|ACTIVITY_.*|REASONING_ENCRYPTED_VALUE|SUBAGENT_STARTED)$/;

/** The words for the kinds of streams in errors. */
const NAMES: { readonly [kind: string]: string } = {
  TEXT_MESSAGE: "text message",
  TOOL_CALL: "tool call",
  REASONING_MESSAGE: "reasoning message",
  REASONING: "span of reasoning",
  STEP: "step",
  SUBAGENT: "subagent",
};
/** The roles of text messages. */
const ROLES = ["developer", "system", "assistant", "user"];
/** The newest version whose text is implemented here. */
const VERSION = [1, 1] as const;

const textOf = (value: unknown) => (isText(value) ? value : undefined);
/** The id of the stream that an event of this kind belongs to; that of a step is its name. */
const idOf = (kind: string, { toolCallId, stepName, messageId }: Event) =>
  textOf(kind === "TOOL_CALL" ? toolCallId : kind === "STEP" ? stepName : messageId);
/** The words for an agent in errors. `owner`: the `subagentRunId`; `undefined` is the parent agent. */
const agentName = (owner: string | undefined) => (owner === undefined ? "the parent agent" : `the subagent "${owner}"`);

/**
 * The open stream that a lane assembles from chunks. A lane has the events of one agent: of a subagent, or of the parent agent.
 */
interface OpenChunks {
  kind: string;
  id: string;
  /** Its first chunk, whose members later chunks may repeat. */
  firstChunk: Event;
}

/** Checks the events of a conversation's runs, one after the other. */
export class EventOrder {
  /** Where the conversation is: before its first run, in a run, or after one. */
  #phase: "before" | "running" | "finished" | "failed" = "before";
  /**
   * The ids of the open streams, by kind (see {@link NAMES}): of messages, calls, reasoning, steps, and subagents that run. The
   * id of a step here is `"OWNER NAME"`, of the parent agent `" NAME"`.
   */
  readonly #openStreams = new Map<string, Set<string>>();
  /**
   * The agents (by `subagentRunId`; `undefined` is the parent agent) that own a message, call, activity or reasoning. The key is
   * its kind and id: `TOOL_CALL c1`, `TEXT_MESSAGE m1` (all messages, also results of tools), `REASONING r1` (spans and messages
   * of reasoning, which have ids in common), `activity m2`.
   */
  readonly #owners = new Map<string, string | undefined>();
  /** The subagents of this run that have ended. */
  readonly #closedSubagents = new Set<string>();
  /** The open stream of chunks of each agent, by `subagentRunId`; `undefined` is the parent agent. */
  readonly #lanes = new Map<string | undefined, OpenChunks>();

  /** Reads an event. Returns its first problem, if it has one. */
  read(event: Event): OrderProblem | undefined {
    const { type } = event;
    const members = isText(type) ? EVENTS.get(type) : undefined;
    if (!isText(type) || members === undefined)
      return { message: `AG-UI 1.1 has no event "${String(type)}": it is passed over.`, isRefused: false };
    const phaseProblem = this.#updatePhase(type);
    if (phaseProblem?.isRefused) return phaseProblem;
    const problems = [phaseProblem?.message, memberProblem(type, members, event) ?? valueProblem(type, event)];
    let isRefused = false;
    for (const each of this.#expand(type, event, problems)) {
      const problem = this.#verify(each);
      problems.push(problem);
      if (problem === undefined) continue;
      const isPartOfCall = isText(each.type) && /^TOOL_CALL_(ARGS|END)$/.test(each.type);
      const isPartOfClosedCall = isPartOfCall && !this.#isOpen("TOOL_CALL", each.toolCallId);
      isRefused ||= type === "ACTIVITY_DELTA" || isPartOfClosedCall;
    }
    if (type === "RUN_FINISHED") this.#phase = "finished";
    if (type === "RUN_ERROR") this.#phase = "failed";
    const message = problems.find((each) => each !== undefined);
    return message === undefined ? undefined : { message, isRefused };
  }

  /** Updates the phase before an event. Returns a problem if the event is outside of a run. `RUN_STARTED` resets everything. */
  #updatePhase(type: string): OrderProblem | undefined {
    const phase = this.#phase;
    if (type === "RUN_STARTED") {
      this.#phase = "running";
      for (const each of [this.#openStreams, this.#owners, this.#closedSubagents, this.#lanes]) each.clear();
      if (phase !== "running") return undefined;
      return { message: "A run starts while another has not ended.", isRefused: false };
    }
    // An error may come outside of a run: instead of its start, or after its end.
    if (phase === "running" || (type === "RUN_ERROR" && phase !== "failed")) return undefined;
    const when = { before: "before the first RUN_STARTED", finished: "after RUN_FINISHED", failed: "after RUN_ERROR" };
    return { message: `${type} came ${when[phase]}: it has no effect.`, isRefused: true };
  }

  /**
   * The events to verify for an event. A chunk is replaced by the events of its stream. Before any other event come the ends of
   * the streams of chunks that it closes. Problems of chunks are added to `problems`.
   */
  #expand(type: string, event: Event, problems: (string | undefined)[]): Event[] {
    const owner = textOf(event.subagentRunId);
    const [, kind] = CHUNK.exec(type) ?? [];
    if (kind !== undefined) return this.#expandChunk(kind, event, owner, problems);
    if (OF_WHOLE_RUN.test(type)) return [...[...this.#lanes.keys()].flatMap((lane) => this.#closeLane(lane)), event];
    // An event of a subagent without its id belongs to no lane.
    const keepsLaneOpen = KEEPS_CHUNKS_OPEN.test(type) || (/^SUBAGENT_/.test(type) && owner === undefined);
    return keepsLaneOpen ? [event] : [...this.#closeLane(owner), event];
  }

  /** Removes the open stream of a lane. Returns its end; no event if none was open. */
  #closeLane(lane: string | undefined): Event[] {
    const openStream = this.#lanes.get(lane);
    this.#lanes.delete(lane);
    return openStream === undefined ? [] : [streamEvent(openStream, "END")];
  }

  /**
   * The events that replace a chunk; `owner` is its `subagentRunId`. In its lane, the chunk continues the open stream if it has
   * the kind and the id of this stream, or no id. Otherwise it closes the open stream and starts one, for which it needs an id.
   */
  #expandChunk(kind: string, event: Event, owner: string | undefined, problems: (string | undefined)[]): Event[] {
    const id = idOf(kind, event);
    const name = NAMES[kind];
    const lanesOfKind = [...this.#lanes].filter(([, open]) => open.kind === kind);
    const laneOfId = id === undefined ? undefined : lanesOfKind.find(([, open]) => open.id === id);
    // The lane in which the chunk's stream is open, else that of its owner.
    let lane = owner;
    if (laneOfId !== undefined) {
      [lane] = laneOfId;
      if (owner !== undefined && owner !== lane) {
        problems.push(`A chunk of ${agentName(owner)} continues the ${name} "${id}" of ${agentName(lane)}.`);
        return this.#closeLane(lane);
      }
    } else if (id === undefined && owner === undefined && this.#lanes.get(undefined)?.kind !== kind) {
      // The chunk names neither a stream nor an agent, and cannot continue the parent agent's: it belongs to the only other one.
      if (lanesOfKind.length > 1) {
        problems.push(`Nothing says to which ${name} this chunk belongs: ${lanesOfKind.length} are open.`);
        return lanesOfKind.flatMap(([each]) => this.#closeLane(each));
      }
      lane = lanesOfKind[0]?.[0];
    }
    const openStream = this.#lanes.get(lane);
    if (openStream?.kind === kind && (id === undefined || id === openStream.id)) {
      const fixedMembers =
        { TEXT_MESSAGE: ["role", "name"], TOOL_CALL: ["toolCallName", "parentMessageId"] }[kind] ?? [];
      const changedMember = fixedMembers.find(
        (member) => event[member] !== undefined && event[member] !== openStream.firstChunk[member],
      );
      if (changedMember === undefined) return [streamEvent(openStream, "CONTENT", owner)];
      problems.push(
        `The "${changedMember}" of a chunk differs from that of the first chunk of the ${name} "${openStream.id}".`,
      );
      return this.#closeLane(lane);
    }
    const ends = this.#closeLane(lane);
    const lacksTool = kind === "TOOL_CALL" && !isText(event.toolCallName);
    if (id === undefined || lacksTool) {
      problems.push(`The first chunk of a ${name} has no ${id === undefined ? "id" : "toolCallName"}.`);
      return ends;
    }
    const role = event.role ?? "assistant";
    const stream = { kind, id, firstChunk: { ...event, ...(kind === "TEXT_MESSAGE" && { role }) } };
    this.#lanes.set(lane, stream);
    return [...ends, streamEvent(stream, "START")];
  }

  #isOpen(kind: string, id: unknown): boolean {
    return isText(id) && this.#openStreams.get(kind)?.has(id) === true;
  }

  /** The ids of the open streams of a kind, to be changed. */
  #openIds(kind: string): Set<string> {
    const ids = this.#openStreams.get(kind) ?? new Set();
    this.#openStreams.set(kind, ids);
    return ids;
  }

  /**
   * Records what an event opens, closes and owns. Returns its problem at this point of the run, with its stream or its agent;
   * `undefined` if none exists.
   */
  #verify(event: Event): string | undefined {
    const { type, messageId, subagentRunId, parentSubagentRunId } = event;
    const owner = textOf(subagentRunId);
    if (!isText(type)) return undefined;
    const [, kind = "", part = ""] = STREAMED.exec(type) ?? [];
    if (kind !== "") return this.#verifyStreamed(type, kind, part, event, owner);
    switch (type) {
      case "ACTIVITY_SNAPSHOT":
        // With `replace: false` an activity that is there stays, and so does its owner.
        if (event.replace !== false || !this.#owners.has(`activity ${messageId}`))
          this.#owners.set(`activity ${messageId}`, owner);
        return undefined;
      case "ACTIVITY_DELTA":
        return this.#ownerProblem(`activity ${messageId}`, `activity "${messageId}"`, owner);
      case "TOOL_CALL_RESULT":
        this.#owners.set(`TEXT_MESSAGE ${messageId}`, owner);
        return undefined;
      case "REASONING_ENCRYPTED_VALUE":
        return this.#verifyEncrypted(event, owner);
      case "SUBAGENT_STARTED": {
        if (owner === undefined) return undefined;
        const activeIds = this.#openIds("SUBAGENT");
        if (activeIds.has(owner) || this.#closedSubagents.has(owner))
          return `The subagent "${owner}" starts a second time.`;
        activeIds.add(owner);
        const parent = textOf(parentSubagentRunId);
        // `activeIds` already has the subagent, which cannot be its own parent.
        const isKnown =
          parent === undefined || (parent !== owner && activeIds.has(parent)) || this.#closedSubagents.has(parent);
        return isKnown ? undefined : `The parent of a subagent, "${parent}", has not started.`;
      }
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR":
        if (owner === undefined) return undefined;
        this.#closedSubagents.add(owner);
        return this.#openIds("SUBAGENT").delete(owner)
          ? undefined
          : `The subagent "${owner}" ends, but was not started.`;
      case "MESSAGES_SNAPSHOT":
        return this.#recordOwners(event.messages, "replace known");
      case "RUN_STARTED":
        return this.#recordOwners(isObject(event.input) ? event.input.messages : undefined, "keep known");
      case "RUN_FINISHED": {
        // The id of a step of the parent agent begins with a blank.
        const names = [...this.#openStreams].flatMap(([kind, ids]) =>
          [...ids].map((id) => `${NAMES[kind]} "${id.trim()}"`),
        );
        return names.length === 0 ? undefined : `The run ends, but is open: ${names.join(", ")}.`;
      }
      default:
        return undefined;
    }
  }

  /**
   * The problem of an event that starts, continues or ends a stream. A start needs a stream that is not open, all others an open
   * one. A subagent in the event must be the owner of the stream, and at the start of a call also the owner of its message.
   */
  #verifyStreamed(
    type: string,
    kind: string,
    part: string,
    event: Event,
    owner: string | undefined,
  ): string | undefined {
    const id = idOf(kind, event);
    if (id === undefined) return undefined;
    const name = `${NAMES[kind]} "${id}"`;
    const openIds = this.#openIds(kind);
    // The id in `#openStreams`, and the key in `#owners`.
    const openId = kind === "STEP" ? `${owner ?? ""} ${id}` : id;
    const key = `${kind === "REASONING_MESSAGE" ? "REASONING" : kind} ${id}`;
    if (!part.startsWith("START")) {
      if (!openIds.has(openId)) return `${type} came, but the ${name} is not open.`;
      const problem = kind === "STEP" ? undefined : this.#ownerProblem(key, name, owner);
      if (problem === undefined && /END|FINISHED/.test(part)) openIds.delete(openId);
      return problem;
    }
    if (openIds.has(openId)) return `The ${name} starts a second time before its end.`;
    openIds.add(openId);
    // The id of a step has its owner.
    if (kind === "STEP") return undefined;
    const messageId = kind === "TOOL_CALL" ? textOf(event.parentMessageId) : undefined;
    // No owner has the key "".
    const messageKey = messageId === undefined ? "" : `TEXT_MESSAGE ${messageId}`;
    const problem =
      this.#ownerProblem(key, name, owner) ?? this.#ownerProblem(messageKey, `message "${messageId}"`, owner);
    if (problem !== undefined) return problem;
    const messageOwner = this.#owners.get(messageKey);
    if (this.#owners.has(key)) {
      // The owner is known, e.g. from MESSAGES_SNAPSHOT. A call that names no agent must name a message of the same owner.
      const contradicts = owner === undefined && this.#owners.has(messageKey) && messageOwner !== this.#owners.get(key);
      return contradicts ? `The ${name} belongs to another agent than its message.` : undefined;
    }
    // A call that names no agent has the owner of its message.
    this.#owners.set(key, owner ?? messageOwner);
    return undefined;
  }

  /** The problem of an encrypted value, which belongs to a call or to a message, also one of reasoning. */
  #verifyEncrypted({ entityId, subtype }: Event, owner: string | undefined): string | undefined {
    const kinds = subtype === "tool-call" ? ["TOOL_CALL"] : ["TEXT_MESSAGE", "REASONING"];
    const kind = kinds.find((each) => this.#owners.has(`${each} ${entityId}`));
    return kind && this.#ownerProblem(`${kind} ${entityId}`, `message or call "${entityId}"`, owner);
  }

  /**
   * The problem of an event that names another agent than the owner of its message, call or activity. `key` is a key of
   * `#owners`, `name` the words for an error.
   */
  #ownerProblem(key: string, name: string, owner: string | undefined): string | undefined {
    if (owner === undefined || !this.#owners.has(key)) return undefined;
    const knownOwner = this.#owners.get(key);
    if (knownOwner === owner) return undefined;
    return `An event of ${agentName(owner)} belongs to the ${name} of ${agentName(knownOwner)}.`;
  }

  /** Records the owners of messages and of their calls. Returns the first problem of the messages. */
  #recordOwners(messages: unknown, mode: "replace known" | "keep known"): string | undefined {
    let problem: string | undefined;
    const record = (key: string, owner: string | undefined) => {
      if (mode === "replace known" || !this.#owners.has(key)) this.#owners.set(key, owner);
    };
    for (const message of Array.isArray(messages) ? messages : []) {
      if (!isObject(message) || !isText(message.id)) continue;
      const { id, role, subagentRunId, toolCalls } = message;
      if (subagentRunId === null) problem ??= `The "subagentRunId" of the message "${id}" is null: leave it out.`;
      const owner = textOf(subagentRunId);
      record(`${role === "reasoning" ? "REASONING" : role === "activity" ? "activity" : "TEXT_MESSAGE"} ${id}`, owner);
      for (const call of Array.isArray(toolCalls) ? toolCalls : [])
        if (isObject(call) && isText(call.id)) record(`TOOL_CALL ${call.id}`, owner);
    }
    return problem;
  }
}

/** An event of a stream of chunks, as if it had been sent without chunks. `owner`: the agent that the event names. */
function streamEvent(
  { kind, id, firstChunk }: OpenChunks,
  part: "START" | "CONTENT" | "END",
  owner = firstChunk.subagentRunId,
): Event {
  const type = `${kind}_${part === "CONTENT" && kind === "TOOL_CALL" ? "ARGS" : part}`;
  const ids =
    kind === "TOOL_CALL" ? { toolCallId: id, parentMessageId: firstChunk.parentMessageId } : { messageId: id };
  return { type, ...ids, subagentRunId: owner };
}

/** The object; an empty one for any other value. */
const toEvent = (value: unknown): Event => (isObject(value) ? value : {});
/** The members of an interrupt that may be absent; the thread checks the others. */
const INTERRUPT = "message? toolCallId? responseSchema? expiresAt? subagentRunId? metadata?".split(" ");

/**
 * The problem of the first member that is missing or of the wrong kind; `undefined` if none exists. `name`: the type of the
 * event, or the words for an object in it. `members` are written as in {@link EVENTS}.
 */
function memberProblem(name: string, members: readonly string[], event: Event): string | undefined {
  for (const each of members) {
    const member = each.replace("?", "");
    const isOptional = each !== member;
    const value = event[member];
    const [expected, isValid] = MEMBERS[member] ?? ["a text", isText];
    if (value === undefined ? isOptional : isValid(value)) continue;
    // Events of the whole run have no `subagentRunId`: one of a wrong kind is ignored, except null.
    if (value !== null && member === "subagentRunId" && OF_WHOLE_RUN.test(name)) continue;
    if (value === null && isOptional) return `The "${member}" of ${name} is null: leave it out.`;
    return `The "${member}" of ${name} must be ${expected}.`;
  }
  return undefined;
}

/** The problem of a value that must be one of several, or that is nested in a member; `undefined` if none exists. */
function valueProblem(type: string, event: Event): string | undefined {
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
      const { type: outcomeType } = toEvent(outcome);
      if (outcomeType !== "success" && outcomeType !== "suspended")
        return "The outcome of a subagent must be success or suspended.";
      return memberProblem("a subagent's outcome", ["interruptIds?"], toEvent(outcome));
    }
    case "RUN_FINISHED": {
      if (outcome === null) return `The "outcome" of ${type} is null: leave it out.`;
      const { interrupts, type: outcomeType } = toEvent(outcome);
      if (outcomeType === "success")
        return memberProblem("a successful outcome", ["pendingToolCallIds?"], toEvent(outcome));
      const list = outcomeType === "interrupt" && Array.isArray(interrupts) ? interrupts : [];
      return list
        .map((interrupt) => memberProblem("an interrupt", INTERRUPT, toEvent(interrupt)))
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
