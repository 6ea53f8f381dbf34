/** Logs of rooms in Redis or Valkey, for several servers: `redisStorage(await createClient({ url }).connect())` of `redis`. */
import { staleAppend } from "genui-patch/server";

/** A script runs alone. If the answer was lost and the client asks again, the entries are there: they are not stale. */
const APPEND = `if redis.call("ZSCORE", KEYS[1], ARGV[#ARGV]) then return 1 end
  local last = redis.call("ZRANGE", KEYS[1], -1, -1, "WITHSCORES")[2] or redis.call("HGET", KEYS[2], "number") or 0
  if tonumber(last) ~= tonumber(ARGV[2]) then return 0 end
  for i = 3, #ARGV do redis.call("ZADD", KEYS[1], last + i - 2, ARGV[i]) end
  return 1 + redis.call("PUBLISH", "genui-patch", ARGV[1])`;
const SNAPSHOT = `if tonumber(redis.call("HGET", KEYS[2], "number") or 0) > tonumber(ARGV[1]) then return end -- a slow one
  redis.call("HSET", KEYS[2], "number", ARGV[1], "hash", ARGV[2], "text", ARGV[3], "digest", ARGV[4])
  redis.call("ZREMRANGEBYSCORE", KEYS[1], 0, ARGV[5])
  for _, part in ipairs(redis.call("HKEYS", KEYS[3])) do
    if tonumber(part:match("%d+")) < tonumber(ARGV[1]) then redis.call("HDEL", KEYS[3], part) end end`;
const CUT = `redis.call("ZREMRANGEBYSCORE", KEYS[1], "(" .. ARGV[1], "+inf")
  if tonumber(redis.call("HGET", KEYS[2], "number") or 0) > tonumber(ARGV[1]) then redis.call("DEL", KEYS[2], KEYS[3]) end`;
const RANGE = { BY: "SCORE", LIMIT: { offset: 0, count: 100 } };
/** The braces keep the keys of a room on one node of a cluster. */
const keysOf = (room) => ["log", "snapshot", "parts"].map((kind) => `genui-patch:{${room}}:${kind}`);

export function redisStorage(client) {
  let [watched, subscriber] = [new Map()];
  client.on("error", () => {}); // The client connects again by itself.
  const run = (script, room, ...args) => client.eval(script, { keys: keysOf(room), arguments: args.map(String) });
  const tellAll = () => watched.forEach((tell) => void tell());
  async function subscribe() {
    subscriber = client.duplicate().on("error", () => {});
    subscriber.on("ready", tellAll); // It may have been away for a while.
    await subscriber.connect();
    await subscriber.subscribe("genui-patch", (room) => watched.get(room)?.()).then(tellAll);
  }
  return {
    async *read(room, after) {
      for (let entries = [{ number: after }]; entries.length > 0; yield* entries) {
        const found = await client.zRangeWithScores(keysOf(room)[0], `(${entries.at(-1).number}`, "+inf", RANGE);
        entries = found.map(({ score, value }) => {
          const [previous, hash, ...text] = value.split(" ");
          return { number: score, previous, hash, text: text.join(" ") };
        });
      }
    },
    async append(room, expected, entries) {
      const texts = entries.map(({ previous, hash, text }) => `${previous} ${hash} ${text}`);
      if (!(await run(APPEND, room, room, expected, ...texts))) throw staleAppend(room, expected);
    },
    writePart: (room, { number, id }, text) => client.hSet(keysOf(room)[2], `${number} ${id}`, text),
    readPart: async (room, { number, id }) => (await client.hGet(keysOf(room)[2], `${number} ${id}`)) ?? undefined,
    snapshot: (room, { number, hash, text, digest }, forget) => run(SNAPSHOT, room, number, hash, text, digest, forget),
    latest: (room) => client.hGetAll(keysOf(room)[1]).then((kept) => kept.digest && { ...kept, number: +kept.number }),
    cut: (room, after) => run(CUT, room, after),
    remove: (room) => client.del(keysOf(room)),
    watch(room, tell) {
      watched.set(room, tell);
      if (subscriber === undefined) subscribe().catch(() => {});
      return () => watched.delete(room);
    },
    close: async () => subscriber?.destroy(),
  };
}
