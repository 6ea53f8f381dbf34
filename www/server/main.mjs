/** `npm run server`: the backend, as docs/server.md describes it. Each used address of the page is followed by the next one. */
import { settings, start } from "./server.mjs";

try {
  const server = await start(settings(process.env), (page) => console.log(JSON.stringify({ page })));
  console.log(JSON.stringify(server.addresses));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close().then(() => process.exit(0)));
} catch (error) {
  console.error(`error: ${error.message}${error.code === "EADDRINUSE" ? ": set PORT (0: any)" : ""}`);
  process.exit(1);
}
