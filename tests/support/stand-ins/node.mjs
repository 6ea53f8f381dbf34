/** Said by what pages do not have: a test that comes across it counts as skipped. */
export class NotHere extends Error {}

export const notHere = (name) => () => {
  throw new NotHere(`${name} is not in pages`);
};
