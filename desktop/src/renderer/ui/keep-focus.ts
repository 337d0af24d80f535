// Whoever goes by keys is not thrown back to the beginning of the page when what had the focus goes away: an entry that is
// removed, a button that is at work. The focus waits for the button, and else goes to what has come to that place.

type Step = { readonly container: Element; readonly at: number };

const stops =
  ':is(a[href], summary, iframe, :is(button, input, select, textarea):enabled, [tabindex="0"]):not([tabindex="-1"], [hidden])';
/** Beyond them is another part of the page. */
const ends = 'main, nav, dialog';

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** The way up from an element to the part of the page that it is in, with the place in each container. */
function wayUp(from: Element): Step[] {
  const steps: Step[] = [];
  for (let one = from; one.parentElement && !one.matches(ends); one = one.parentElement)
    steps.push({ container: one.parentElement, at: [...one.parentElement.children].indexOf(one) });
  return steps;
}

function firstStopIn(element: Element | undefined): HTMLElement | null {
  if (!element) return null;
  return element.matches(stops) ? (element as HTMLElement) : element.querySelector<HTMLElement>(stops);
}

/** What is now in the place of what is gone, else what is around it. */
function nearestStop(way: readonly Step[]): HTMLElement | null {
  for (const { container, at } of way.filter(({ container }) => container.isConnected)) {
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
  let way: readonly Step[] = [];
  page.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    way = wayUp(target);
  });
  // Who points has lost nothing; on a telephone a focus would bring up the keyboard.
  let goesByKeys = false;
  const note = ({ type }: Event) => {
    goesByKeys = type === 'keydown';
  };
  for (const type of ['keydown', 'pointerdown']) addEventListener(type, note, { capture: true });
  const look = () => {
    if (!goesByKeys || last === null || !isLost()) return;
    if (!last.isConnected) nearestStop(way)?.focus();
    else if (!last.matches(':disabled')) last.focus();
  };
  new MutationObserver(look).observe(page, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
}
