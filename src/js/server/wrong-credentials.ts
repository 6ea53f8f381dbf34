/** `WrongCredentials`: delays the answers to wrong credentials, by the address that they came from, and reports them. */
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";

/** Milliseconds after the first failure of an address until its failures are forgotten. */
const SPAN = 60_000;
/** Failures of an address that are answered at once. */
const FREE_FAILURES = 10;
/** Milliseconds that each further failure adds to the delay. */
const DELAY_STEP = 100;
/** Milliseconds of the longest delay. */
const LONGEST_DELAY = 5_000;
/** Addresses that are remembered. The one that has been silent for longest is forgotten first. */
const MOST_ADDRESSES = 10_000;
/** Answers that are delayed at the same time. Further ones are sent at once, so that the delays do not fill the memory. */
const MOST_WAITING = 1_000;

/** The failures of an address. */
interface Failures {
  count: number;
  /** When the first one was, in the time of `performance.now()`. */
  start: number;
}

/** The address that a request came from, as Node's request has it. On other platforms all senders count as one address. */
function addressOf(incoming: unknown): string {
  const { socket }: { socket?: unknown } = isObject(incoming) ? incoming : {};
  const { remoteAddress }: { remoteAddress?: unknown } = isObject(socket) ? socket : {};
  return isText(remoteAddress) ? remoteAddress : "an unknown address";
}

/** Only answers to wrong credentials are delayed. So nobody with the right ones is kept out by somebody at the same address. */
export class WrongCredentials {
  /** By address. The one that has been silent for longest comes first. */
  readonly #failures = new Map<string, Failures>();
  /** The number of answers that are delayed now. */
  #delayedCount = 0;

  constructor(private readonly report: (error: Error, room: string) => void) {}

  /** Counts a failure, and waits as long as its answer is to be delayed. `incoming`: the platform's own request. */
  async delay(incoming: unknown, room: string): Promise<void> {
    const address = addressOf(incoming);
    const count = this.#add(address);
    // Reported at 10, 100, 1,000 and so on: however many come, the application gets few errors.
    const isPowerOfTen = Number.isInteger(Math.log10(count));
    if (count >= FREE_FAILURES && isPowerOfTen)
      this.report(new GenuiPatchError("UNAUTHORIZED", `${count} wrong credentials from ${address} in a minute.`), room);
    if (count <= FREE_FAILURES || this.#delayedCount >= MOST_WAITING) return;
    this.#delayedCount += 1;
    await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_DELAY, (count - FREE_FAILURES) * DELAY_STEP)));
    this.#delayedCount -= 1;
  }

  /** Counts a failure of an address. Returns the number of its failures within the span. */
  #add(address: string): number {
    const now = performance.now();
    const earlier = this.#failures.get(address);
    const failures = earlier !== undefined && now - earlier.start < SPAN ? earlier : { count: 0, start: now };
    failures.count += 1;
    // Moves the address to the end of the map.
    this.#failures.delete(address);
    this.#failures.set(address, failures);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
    return failures.count;
  }
}
