/** `Bucket` and `Buckets`: how many messages or requests may come in a second, as a token bucket. */

/** A full bucket holds the tokens of this many seconds, so that a burst of as many messages may come at once. */
const BURST_SECONDS = 2;
/** When this many users have a bucket, buckets that are full again are deleted. */
const MOST_USERS = 10_000;

export class Bucket {
  /** Below 0 if messages were admitted that have to wait for their tokens. */
  #tokens: number;
  /** When `#tokens` was last filled up, in the time of `performance.now()`. */
  #refillTime = performance.now();

  constructor(private readonly perSecond: number) {
    this.#tokens = perSecond * BURST_SECONDS;
  }

  get isFull(): boolean {
    this.#refill();
    return this.#tokens >= this.perSecond * BURST_SECONDS;
  }

  /** Takes a token in any case. Returns the milliseconds that its message must wait; 0 if a token was there. */
  take(): number {
    this.#refill();
    this.#tokens -= 1;
    return Math.max(0, (-this.#tokens / this.perSecond) * 1_000);
  }

  /** Takes a token if one is there. Returns false if not. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #refill(): void {
    const now = performance.now();
    const newTokens = ((now - this.#refillTime) / 1_000) * this.perSecond;
    this.#tokens = Math.min(this.perSecond * BURST_SECONDS, this.#tokens + newTokens);
    this.#refillTime = now;
  }
}

/** A bucket for each user. */
export class Buckets {
  /** By the id of the user. A missing bucket counts as full. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly perSecond: number) {}

  /** Takes a token of a user if one is there. Returns false if not. */
  tryTake(user: string): boolean {
    let bucket = this.#buckets.get(user);
    if (bucket === undefined) {
      if (this.#buckets.size >= MOST_USERS) {
        for (const [id, other] of this.#buckets) if (other.isFull) this.#buckets.delete(id);
      }
      bucket = new Bucket(this.perSecond);
      this.#buckets.set(user, bucket);
    }
    return bucket.tryTake();
  }
}
