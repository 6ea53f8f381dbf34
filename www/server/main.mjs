/**
 * `npm run server`: the backend. The environment sets it: PORT (0: any), HOST, DATA_DIR, NATS_URL, TOKEN, HOSTS and ORIGINS
 * (names and addresses by which it is reached, separated by commas), PAGE (the folder of the built page), DOCUMENTS (a file of
 * documents to begin with). The first line of its output is a JSON object with its addresses and the token.
 */
import { settings, start } from "./start.mjs";

try {
  const server = await start(settings(process.env));
  console.log(JSON.stringify(server.addresses));
  // Both may come, by a terminal and by the process that started this one.
  let isEnding = false;
  const end = () => {
    if (!isEnding) void server.close().finally(() => process.exit(0));
    isEnding = true;
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, end);
} catch (error) {
  console.error(`error: ${error.message}${error.code === "EADDRINUSE" ? ": set PORT (0: any)" : ""}`);
  process.exit(1);
}
