/** Browsers over WebDriver, with the part of Playwright's API that the tests of all engines need. */

/** The time limit of a page in milliseconds: the random tests take long in engines that compile late. */
const PATIENCE = 300_000;

/** The capabilities that every driver must have. */
export const wanted = { unhandledPromptBehavior: "accept", timeouts: { script: PATIENCE, pageLoad: PATIENCE } };

/** Values that JSON cannot represent are written as objects. */
const encode = `(value) => JSON.stringify(value, (key, at) => (at === undefined ? { "$undefined": 0 } : at))`;
const decode = (value) => {
  if (Array.isArray(value)) return value.map(decode);
  if (value === null || typeof value !== "object") return value;
  if ("$undefined" in value) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, at]) => [key, decode(at)]));
};

export class Browser {
  /** Runs commands one after another: all of them apply to the tab that was selected last. */
  #driver;
  #queue = Promise.resolve();
  #first;

  constructor(driver) {
    this.#driver = driver;
  }

  async newPage() {
    // A browser without any tab exits, so the first tab stays open.
    this.#first ??= await this.#driver.send("GetWindowHandle");
    return this.alone(async (send) => {
      await send("SwitchToWindow", { handle: this.#first, name: this.#first });
      const { handle } = await send("NewWindow", { type: "tab" });
      return new Page(this, handle);
    });
  }

  alone(work) {
    const done = this.#queue.then(() => work(this.#driver.send));
    this.#queue = done.catch(() => {});
    return done;
  }

  close() {
    return this.#driver.close();
  }
}

class Page {
  #browser;
  #handle;
  #runs = 0;

  constructor(browser, handle) {
    this.#browser = browser;
    this.#handle = handle;
  }

  send(name, parameters) {
    return this.#browser.alone(async (send) => {
      await send("SwitchToWindow", { handle: this.#handle, name: this.#handle });
      return send(name, parameters);
    });
  }

  /** WebDriver does not report a page's errors, so the page is queried for them. */
  on() {}

  async goto(url) {
    await this.send("Navigate", { url });
  }

  async reload() {
    await this.send("Refresh");
  }

  async close() {
    await this.send("CloseWindow");
  }

  /** Runs a script in the driver's context: it can access the page, and the page's strict policy does not apply to it. */
  script(script, ...args) {
    return this.send("ExecuteScript", { script, args });
  }

  title() {
    return this.script("return document.title");
  }

  /** Runs a function in the page and awaits its promise. */
  async evaluate(work, argument) {
    this.#runs += 1;
    const place = `__run${this.#runs}`;
    const code = `{
      const say = ${encode};
      (async () => (${work})(${JSON.stringify(argument)}))().then(
        (value) => { globalThis.${place} = say({ value }); },
        (error) => { globalThis.${place} = say({ error: \`\${error?.name}: \${error?.message}\\n\${error?.stack}\` }); },
      );
    }`;
    await this.script("window.eval(arguments[0])", code);
    const end = Date.now() + PATIENCE;
    for (let wait = 1; Date.now() < end; wait = Math.min(wait * 2, 50)) {
      const text = await this.script(`return window.${place} ?? null`);
      if (text !== null) {
        const { value, error } = decode(JSON.parse(text));
        if (error) throw new Error(error);
        return value;
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    throw new Error(`waited too long for ${work}`);
  }

  async waitForFunction(work, argument, { timeout = 60_000 } = {}) {
    const end = Date.now() + timeout;
    while (!(await this.script(`return Boolean((${work})(arguments[0]))`, argument ?? null))) {
      if (Date.now() > end) throw new Error(`waited too long for ${work}, with ${JSON.stringify(argument)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Presses keys one after another: characters, or WebDriver's code points for other keys. */
  async press(...keys) {
    const actions = keys.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.send("PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** Sets the size of a page. */
  async resize(width, height) {
    const [outer, inner] = await this.script(
      "return [[window.outerWidth, window.outerHeight], [window.innerWidth, window.innerHeight]]",
    );
    const size = { width: width + outer[0] - inner[0], height: height + outer[1] - inner[1] };
    await this.send("SetWindowRect", { x: 0, y: 0, ...size });
  }

  async screenshot() {
    return Buffer.from(await this.send("TakeScreenshot", { full: false }), "base64");
  }
}
