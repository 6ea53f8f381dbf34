/** Logs of rooms in Postgres, for several servers: `postgresStorage(new Pool({ connectionString }))`, of the package `pg`. */
import { staleAppend } from "genui-patch/server";

const TABLES = `select pg_advisory_xact_lock(hashtext('genui_patch')); -- Two servers must not create a table at once.
  create table if not exists genui_log (room text, number bigint, previous text, hash text, text text, primary key (room, number));
  create table if not exists genui_snapshot (room text primary key, number bigint, hash text, text text, digest text);
  create table if not exists genui_head (room text primary key, number bigint, hash text)`;
/** One statement: all of it or nothing. Of two appends after the same entry, the primary key refuses the second. */
const APPEND = `with entries as (insert into genui_log select $1::text, * from unnest($3::bigint[], $4::text[], $5::text[], $6::text[])
    where $2 = greatest((select max(number) from genui_log where room = $1),
      (select number from genui_snapshot where room = $1), 0) returning *)
  insert into genui_head select room, number, hash from entries order by number desc limit 1
  on conflict (room) do update set number = excluded.number, hash = excluded.hash returning number`;
const SNAPSHOT = `with made as (insert into genui_snapshot as old values ($1, $2, $3, $4, $5) on conflict (room) do update
    set number = $2, hash = $3, text = $4, digest = $5 where old.number <= $2 returning room)
  delete from genui_log where room in (select room from made) and number <= $6`;
const CUT = `with entries as (delete from genui_log where room = $1 and number > $2), snapshot as
  (delete from genui_snapshot where room = $1 and number > $2) delete from genui_head where room = $1`;
const NEXT = "select * from genui_log where room = $1 and number > $2 order by number limit 100";

export function postgresStorage(pool) {
  const [watched, known] = [new Map(), new Map()];
  let [tables, timer] = [];
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
  const rowOf = (table) => async (room) => (await query(`select * from ${table} where room = $1`, room))[0];
  return {
    async *read(room, after) {
      for (let part = [{ number: after }]; part.length > 0; yield* part)
        part = await query(NEXT, room, part.at(-1).number);
    },
    async append(room, expected, entries) {
      const columns = ["number", "previous", "hash", "text"].map((name) => entries.map((entry) => entry[name]));
      const made = await query(APPEND, room, expected, ...columns).catch((cause) => cause);
      if (made.length === 0 || made.code === "23505") throw staleAppend(room, expected); // 23505: unique_violation
      if (made instanceof Error) throw made;
      known.set(room, entries.at(-1).hash);
    },
    snapshot: (room, made, forget) => query(SNAPSHOT, room, made.number, made.hash, made.text, made.digest, forget),
    latest: rowOf("genui_snapshot"),
    head: rowOf("genui_head"),
    cut: (room, after) => query(CUT, room, after),
    remove: (room) => query(CUT, room, 0),
    watch(room, tell) {
      watched.set(room, tell);
      if (timer === undefined) timer = setTimeout(look, 100);
      return () => watched.delete(room);
    },
  };
}
