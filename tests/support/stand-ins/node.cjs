/** Node, as far as pages can stand in for it: files of the repository are read, whatever else is called is not here. */
const { notHere } = require("./node.mjs");

function ask(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.send();
  if (request.status !== 200) throw new Error(`${address}: ${request.status}`);
  return request.responseText;
}

/** Where a name is looked up that is not among the exports. */
const others = new Proxy({}, { get: (_, name) => (typeof name === "string" ? notHere(name) : undefined) });

module.exports = Object.assign(Object.create(others), {
  readFileSync: ask,
  readdirSync: (address) => JSON.parse(ask(address)),
  existsSync: () => false,
  mkdtempSync: (name) => name,
  rmSync() {},
  tmpdir: () => "/tmp",
  join: (...parts) => parts.join("/"),
  sep: "/",
  fileURLToPath: String,
  createRequire: () => (path) => JSON.parse(ask(`/node_modules/${path}`)),
});
