/** Logs of rooms in Postgres, for several servers: `postgresStorage(new Pool({ connectionString }))`, of the package `pg`. */
import { staleAppend } from "genui-patch/server";

const TABLES = `select pg_advisory_xact_lock(hashtext('genui_patch')); -- Two servers must not create a table at once.
  create table if not exists genui_log (room text, number bigint, previous text, hash text, text text, primary key (room, number));
  create table if not exists genui_snapshot (room text primary key, number bigint, hash text, text text, digest text);
  create table if not exists genui_part (room text, number bigint, id text, text text, primary key (room, id));
  create table if not exists genui_head (room text primary key, number bigint, hash text)`;
const APPEND = `with entries as (insert into genui_log select $1::text, * from unnest($3::bigint[], $4::text[], $5::text[], $6::text[])
    where $2 = greatest((select max(number) from genui_log where room = $1), (select number from genui_snapshot where room = $1), 0)
  returning *) insert into genui_head select room, number, hash from entries order by number desc limit 1
  on conflict (room) do update set number = excluded.number, hash = excluded.hash returning number`;
const SNAPSHOT = `with made as (insert into genui_snapshot as old values ($1, $2, $3, $4, $5) on conflict (room) do update
    set number = $2, hash = $3, text = $4, digest = $5 where old.number <= $2 returning room), parts as (delete from genui_part
    where room in (select room from made) and number < $2) delete from genui_log where room in (select room from made) and number <= $6`;
const CUT = `with entries as (delete from genui_log where room = $1 and number > $2), parts as (delete from genui_part where room = $1
  and number > $2), head as (delete from genui_head where room = $1) delete from genui_snapshot where room = $1 and number > $2`;
const PART = "insert into genui_part values ($1, $2, $3, $4)";
const NEXT = "select * from genui_log where room = $1 and number > $2 order by number limit 100";

export function postgresStorage(pool) {
  let [watched, known, tables, timer] = [new Map(), new Map()];
  pool.on("error", () => {}); // The pool replaces a connection that breaks.
  async function query(text, ...values) {
    tables ??= pool.query(TABLES);
    await tables.catch(() => (tables = undefined));
    return (await pool.query(text, values)).rows.map((row) => ({ ...row, number: Number(row.number) }));
  }
  async function look() {
    const heads = await query("select * from genui_head where room = any($1)", [...watched.keys()]).catch(() => []);
    for (const { room, hash } of heads) if (known.get(room) !== hash) watched.get(room)?.(known.set(room, hash));
    timer = watched.size > 0 ? setTimeout(look, 100) : undefined; // One look for all rooms.
  }
  const find = async (from, ...key) => (await query(`select * from ${from} room = $1`, ...key))[0];
  return {
    async *read(room, after) {
      for (let all = [{ number: after }]; all.length > 0; yield* all) all = await query(NEXT, room, all.at(-1).number);
    },
    async append(room, expected, entries) {
      const columns = ["number", "previous", "hash", "text"].map((name) => entries.map((entry) => entry[name]));
      const made = await query(APPEND, room, expected, ...columns).catch((cause) => cause);
      if (made.length === 0 || made.code === "23505") throw staleAppend(room, expected); // 23505: another one was first
      if (made instanceof Error) throw made;
      known.set(room, entries.at(-1).hash);
    },
    writePart: (room, { number, id }, text) => query(PART, room, number, id, text),
    readPart: async (room, { id }) => (await find("genui_part where id = $2 and", room, id))?.text,
    snapshot: (room, made, forget) => query(SNAPSHOT, room, made.number, made.hash, made.text, made.digest, forget),
    latest: (room) => find("genui_snapshot where", room),
    head: (room) => find("genui_head where", room),
    cut: (room, after) => query(CUT, room, after),
    remove: (room) => query(CUT, room, -1),
    watch(room, tell) {
      watched.set(room, tell);
      if (timer === undefined) timer = setTimeout(look, 100);
      return () => watched.delete(room);
    },
  };
}
