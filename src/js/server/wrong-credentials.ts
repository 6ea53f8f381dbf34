/** `WrongCredentials`: slows the answers to credentials that were wrong, by the address that they came from, and tells of them. */
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";

/** Milliseconds after the first failure of an address until its failures are forgotten. */
const SPAN = 60_000;
/** Failures that are answered at once. */
const FREE = 10;
/** Milliseconds that each further one adds to the wait. */
const STEP = 100;
const LONGEST = 5_000;
/** Addresses that are remembered. The one that has been silent for longest is forgotten first. */
const MOST_ADDRESSES = 10_000;
/** Answers that wait. */
const MOST_WAITING = 1_000;

interface Failures {
  count: number;
  since: number;
}

/** The address of the other side, where the platform's own request tells it, as Node's does. */
function addressOf(incoming: unknown): string {
  const { socket }: { socket?: unknown } = isObject(incoming) ? incoming : {};
  const { remoteAddress }: { remoteAddress?: unknown } = isObject(socket) ? socket : {};
  return isText(remoteAddress) ? remoteAddress : "an unknown address";
}

/** Only answers to wrong credentials wait. So nobody who has the right ones is kept out by somebody at the same address. */
export class WrongCredentials {
  readonly #failures = new Map<string, Failures>();
  #waiting = 0;

  constructor(private readonly report: (error: Error, room: string) => void) {}

  /** Counts a failure, and waits before it is answered. */
  async hold(incoming: unknown, room: string): Promise<void> {
    const address = addressOf(incoming);
    const count = this.#countOf(address);
    // At 10, 100, 1,000: however many come, few lines are written.
    if (count >= FREE && Number.isInteger(Math.log10(count)))
      this.report(new GenuiPatchError("UNAUTHORIZED", `${count} wrong credentials from ${address} in a minute.`), room);
    if (count <= FREE || this.#waiting >= MOST_WAITING) return;
    this.#waiting += 1;
    await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST, (count - FREE) * STEP)));
    this.#waiting -= 1;
  }

  #countOf(address: string): number {
    const now = performance.now();
    const known = this.#failures.get(address);
    const failures = known !== undefined && now - known.since < SPAN ? known : { count: 0, since: now };
    failures.count += 1;
    // Last in order, so that the first is the one that has been silent for longest.
    this.#failures.delete(address);
    this.#failures.set(address, failures);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
    return failures.count;
  }
}
