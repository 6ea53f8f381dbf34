/** Reads the answer of a model while it arrives. */
import type { Chunk, Message, NativeCall } from "./endpoint";

/** Its pieces: texts as they are, native calls as chunks. Meanwhile the message is put together. */
export async function* readAnswer(chunks: AsyncIterable<Chunk>, message: Message): AsyncGenerator<string | Chunk> {
  const calls = new Map<number | string, NativeCall>();
  for await (const chunk of chunks) {
    const { content, tool_calls } = chunk.choices?.[0]?.delta ?? {};
    if (content) {
      message.content += content;
      yield content;
    }
    for (const { index, id, function: part } of tool_calls ?? []) {
      const key = index ?? id ?? 0;
      const known = calls.get(key);
      const call = known ?? { id: id ?? `call-${key}`, type: "function", function: { name: "", arguments: "" } };
      calls.set(key, call);
      call.function.name += part?.name ?? "";
      call.function.arguments += part?.arguments ?? "";
    }
    if (calls.size > 0) {
      message.tool_calls = [...calls.values()];
      yield chunk;
    }
  }
}
