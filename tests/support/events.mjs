/** The events with adjacent texts and deltas joined, so that results do not depend on how a text was split. */
export function joined(events) {
  const all = [];
  for (const event of events) {
    const last = all.at(-1);
    const same = (...keys) => keys.every((key) => last?.[key] === event[key]);
    if ((event.type === "text" || event.type === "reasoning") && same("type")) last.text += event.text;
    else if (event.type === "json-tool-delta" && same("type", "toolId", "index", "field"))
      Object.assign(last, { delta: last.delta + event.delta, length: event.length });
    else all.push({ ...event });
  }
  return all;
}

/** The text of a message, rebuilt from the events of its stream. A block that is only reported is already part of the text. */
export const wholeText = (events) =>
  events
    .filter((event) => event.issues?.[0]?.code !== "NOT_A_CALL")
    .map((event) => event.raw ?? event.text ?? "")
    .join("");
