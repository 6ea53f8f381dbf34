/** `openedOnUse`: a storage that is opened at its first use. */
export interface OpenedOnUse<Storage> {
  /** The storage. If it could not be opened, the next call tries again. */
  (): Promise<Storage>;
  /** Closes the storage by calling `end`, if it was opened. The next use opens it again. */
  close(end: (storage: Storage) => Promise<void>): Promise<void>;
}

export function openedOnUse<Storage>(open: () => Promise<Storage>): OpenedOnUse<Storage> {
  /** Undefined before the first use, after `close`, and after an attempt that failed. */
  let opened: Promise<Storage> | undefined;
  const get = (): Promise<Storage> => {
    opened ??= open().catch((cause: unknown) => {
      opened = undefined;
      throw cause;
    });
    return opened;
  };
  const close = async (end: (storage: Storage) => Promise<void>) => {
    const storage = await opened;
    if (storage !== undefined) await end(storage);
    opened = undefined;
  };
  return Object.assign(get, { close });
}
