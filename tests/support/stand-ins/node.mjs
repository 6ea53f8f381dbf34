/** Thrown by stand-ins of features that pages lack: a test that uses one counts as skipped. */
export class NotHere extends Error {}

export const notHere = (name) => () => {
  throw new NotHere(`${name} is not in pages`);
};
