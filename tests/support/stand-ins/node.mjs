/** Node, as far as pages can stand in for it: files of the repository are read, whatever else is asked for is not here. */

/** A test that comes across it counts as skipped. */
export class NotHere extends Error {}

export const notHere = (name) => () => {
  throw new NotHere(`${name} is not in pages`);
};

function ask(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  request.send();
  if (request.status !== 200) throw new Error(`${address}: ${request.status}`);
  return request.responseText;
}

// node:fs
export const readFileSync = (address) => ask(address);
export const readdirSync = (address) => JSON.parse(ask(address));
export const existsSync = () => false;
export const mkdtempSync = (name) => name;
export const rmSync = () => {};
// node:fs/promises
export const mkdtemp = notHere("mkdtemp");
export const rm = notHere("rm");
export const readFile = notHere("readFile");
export const writeFile = notHere("writeFile");
export const mkdir = notHere("mkdir");
export const [readdir, readlink, realpath] = ["readdir", "readlink", "realpath"].map(notHere);
export const [rename, unlink] = ["rename", "unlink"].map(notHere);
// node:child_process, node:os
export const spawnSync = notHere("spawnSync");
export const tmpdir = () => "/tmp";
// node:path, node:url, node:module
export const join = (...parts) => parts.join("/");
export const dirname = notHere("dirname");
export const relative = notHere("relative");
export const resolve = notHere("resolve");
export const sep = "/";
export const fileURLToPath = (address) => String(address);
export const pathToFileURL = notHere("pathToFileURL");
export const createRequire = () => (path) => JSON.parse(ask(`/node_modules/${path}`));
// esbuild
export const build = notHere("esbuild");
// node:util
export const inspect = notHere("inspect");
