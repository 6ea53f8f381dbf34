/** Misuse of the package by the page, or an internal failure. What an agent or a server sent never throws. */
export class GenuiPatchError extends Error {
  override readonly name = "GenuiPatchError";
  /** `INVALID_ARGUMENT`, `DISPOSED`, `INTERNAL`, or the code of the rule that was broken. */
  readonly code: string;
  /** UTF-16 offset in the text at fault, where there is one. */
  readonly offset?: number;
  /** The place in the value at fault, where there is one. */
  readonly path?: string;

  constructor(code: string, message: string, where: { offset?: number; path?: string } = {}) {
    super(message);
    this.code = code;
    if (where.offset !== undefined) this.offset = where.offset;
    if (where.path !== undefined) this.path = where.path;
  }
}
