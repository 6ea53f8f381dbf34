/** `Bucket`: how many messages may come in a second. Twice as many may come at once. */
export class Bucket {
  #credit: number;
  #at = performance.now();

  constructor(private readonly perSecond: number) {
    this.#credit = perSecond * 2;
  }

  get isFull(): boolean {
    this.#earn();
    return this.#credit >= this.perSecond * 2;
  }

  /** Milliseconds to wait until one more is allowed; 0 if it is. */
  take(): number {
    this.#earn();
    this.#credit -= 1;
    return Math.max(0, (-this.#credit / this.perSecond) * 1_000);
  }

  /** Takes one if it is allowed now. */
  tryTake(): boolean {
    this.#earn();
    if (this.#credit < 1) return false;
    this.#credit -= 1;
    return true;
  }

  #earn(): void {
    const now = performance.now();
    this.#credit = Math.min(this.perSecond * 2, this.#credit + ((now - this.#at) / 1_000) * this.perSecond);
    this.#at = now;
  }
}

/** A bucket for each user; those that are full again are forgotten. */
export class Buckets {
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly perSecond: number) {}

  tryTake(user: string): boolean {
    let bucket = this.#buckets.get(user);
    if (bucket === undefined) {
      if (this.#buckets.size >= MOST_USERS) {
        for (const [id, known] of this.#buckets) if (known.isFull) this.#buckets.delete(id);
      }
      bucket = new Bucket(this.perSecond);
      this.#buckets.set(user, bucket);
    }
    return bucket.tryTake();
  }
}

const MOST_USERS = 10_000;
