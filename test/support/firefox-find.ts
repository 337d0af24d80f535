// Functions that run in a page of Firefox: elements by label or selector, whether a user could press one now, a drag.

/** `text`: what the element contains; `label`: the start of a label, or the whole of it. */
export type Described =
  | { readonly css: string; readonly text?: string; readonly within?: string | undefined }
  | { readonly label: string; readonly within?: string | undefined };

/** Runs in the page; the description is JSON. */
export function findDescribed(given: string): Element[] {
  const wanted = JSON.parse(given) as { css?: string; text?: string; label?: string; within?: string };
  const roots = wanted.within === undefined ? [document] : [...document.querySelectorAll(wanted.within)];
  const clean = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();
  const all = roots.flatMap(root => [...root.querySelectorAll<HTMLElement>(wanted.css ?? 'input, select, textarea')]);
  const { text, label } = wanted;
  if (label !== undefined) {
    const labelsOf = (one: HTMLElement) => [
      clean(one.getAttribute('aria-label')),
      ...[...((one as HTMLInputElement).labels ?? [])].map(({ textContent }) => clean(textContent)),
    ];
    const exact = all.filter(one => labelsOf(one).includes(label));
    return exact.length > 0 ? exact : all.filter(one => labelsOf(one).some(named => named.startsWith(label)));
  }
  return text === undefined ? all : all.filter(one => clean(one.textContent).includes(text));
}

/** Runs in the page: scrolls there, and tells whether a press would reach the element. */
export async function isReady(element: Element): Promise<boolean> {
  if (!element.isConnected || (element as HTMLButtonElement).disabled) return false;
  const label = element.matches('input') ? element.closest('label') : null;
  const shown = label ?? element;
  shown.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const measure = () => element.getBoundingClientRect();
  const before = measure();
  await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const { left, top, width, height } = measure();
  if (width === 0 || height === 0 || left !== before.left || top !== before.top) return false;
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return shown.contains(hit);
}

/** Runs in the page. */
export function hasFocus(element: Element): boolean {
  return element === document.activeElement;
}

/** Runs in the page. */
export function isBeforeFocus(element: Element): boolean {
  const at = document.activeElement;
  if (at === null || at === document.body) return false;
  return (at.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
}

/** Runs in the page. */
export function focusOn(element: HTMLElement): void {
  element.focus();
}

/** Runs in the page: what is dragged writes its data itself. Fails where the target does not accept it. */
export function dragOnto(from: Element, to: Element): void {
  const dataTransfer = new DataTransfer();
  const send = (type: string, target: Element) =>
    target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer }));
  send('dragstart', from);
  send('dragenter', to);
  if (send('dragover', to)) throw new Error('nothing may be dropped there');
  send('drop', to);
  send('dragend', from);
}
