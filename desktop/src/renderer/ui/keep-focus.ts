// Focus for people who use the keyboard: when the focused element is removed or disabled, the focus waits for it, or moves to
// the element that takes its position.
type Step = { readonly container: Element; readonly at: number };

const stops =
  ':is(a[href], summary, iframe, :is(button, input, select, textarea):enabled, [tabindex="0"]):not([tabindex="-1"], [hidden])';
/** Boundaries of the parts of a page. */
const ends = 'main, nav, dialog';

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** The ancestors of an element up to the part of the page, with its position in each. */
function ancestorsOf(from: Element): Step[] {
  const steps: Step[] = [];
  for (let one = from; one.parentElement && !one.matches(ends); one = one.parentElement)
    steps.push({ container: one.parentElement, at: [...one.parentElement.children].indexOf(one) });
  return steps;
}

function firstStopIn(element: Element | undefined): HTMLElement | null {
  if (!element) return null;
  return element.matches(stops) ? (element as HTMLElement) : element.querySelector<HTMLElement>(stops);
}

/** The element at the position of a removed one, else one near it. */
function nearestStop(steps: readonly Step[]): HTMLElement | null {
  for (const { container, at } of steps.filter(({ container }) => container.isConnected)) {
    const isEnd = container.matches(ends);
    const there = firstStopIn(container.children[Math.min(at, container.children.length - 1)]);
    if (there) return there;
    if (isEnd && container instanceof HTMLElement && container.tabIndex === -1) return container;
    const around = firstStopIn(container);
    if (around) return around;
  }
  return null;
}

export function keepFocus(page: HTMLElement): void {
  let last: HTMLElement | null = null;
  let steps: readonly Step[] = [];
  page.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    steps = ancestorsOf(target);
  });
  // Only for the keyboard: on a phone a focus would open the on-screen keyboard.
  let usesKeyboard = false;
  const note = ({ type }: Event) => {
    usesKeyboard = type === 'keydown';
  };
  for (const type of ['keydown', 'pointerdown']) addEventListener(type, note, { capture: true });
  const restore = () => {
    if (!usesKeyboard || last === null || !isLost()) return;
    if (!last.isConnected) nearestStop(steps)?.focus();
    else if (!last.matches(':disabled')) last.focus();
  };
  new MutationObserver(restore).observe(page, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
}
