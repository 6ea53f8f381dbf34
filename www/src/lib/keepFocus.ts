/**
 * Keeps the focus: if the focused element is removed or disabled, the focus moves to the element in its place, else to the
 * nearest one after or before it. A component that knows a better element sets the focus earlier.
 */
const focusable =
  "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]:not([tabindex='-1'])";

/** The element that has the focus, and where it stands: what holds it, and at which place, from the nearest on. */
interface Place {
  element: Element;
  around: { holder: Element; index: number }[];
}

let last: Place | undefined;

function remember({ target }: FocusEvent): void {
  if (!(target instanceof Element)) return;
  const around: Place["around"] = [];
  for (let at = target, holder = at.parentElement; holder !== null; at = holder, holder = at.parentElement)
    around.push({ holder, index: [...holder.children].indexOf(at) });
  last = { element: target, around };
}

function restore(): void {
  if (last === undefined || !isLost(last.element)) return;
  for (const { holder, index } of last.around) {
    if (!holder.isConnected || holder === document.body) continue;
    const parts = [...holder.children];
    const found = first(parts.slice(index)) ?? first(parts.slice(0, index).reverse());
    const next = found ?? (holder.matches(focusable) ? holder : undefined);
    if (!(next instanceof HTMLElement)) continue;
    next.focus({ preventScroll: true });
    return;
  }
}

const isLost = (element: Element) =>
  (document.activeElement === null || document.activeElement === document.body) &&
  (!element.isConnected || element.matches(":disabled") || !isShown(element));

const isShown = (element: Element) => element.getClientRects().length > 0;

/** The first of some elements, or in one of them, that can take the focus. */
function first(elements: readonly Element[]): Element | undefined {
  for (const element of elements) {
    const inside = [element, ...element.querySelectorAll(focusable)];
    const found = inside.find((one) => one.matches(focusable) && isShown(one));
    if (found !== undefined) return found;
  }
  return undefined;
}

export function keepFocus(): void {
  addEventListener("focusin", remember);
  // A press beside everything takes the focus away by intention; one on what has it already gives it no new one.
  addEventListener("pointerdown", ({ target }) => {
    if (!last?.element.contains(target as Element)) last = undefined;
  });
  new MutationObserver(restore).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["disabled", "hidden"],
  });
}
