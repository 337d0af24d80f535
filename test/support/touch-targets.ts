// Touch targets of the app: controls smaller than 44 by 44 pixels.

/** Runs in a page. A checkbox or radio button counts with its label or its cell. */
export function findSmallTargets(): string[] {
  const found: string[] = [];
  const targets = document.querySelectorAll<HTMLElement>(
    'button, input:not([type=hidden], [type=file]), select, textarea, summary, nav a, .tabs a, .actions a, .folders a',
  );
  for (const target of targets) {
    if (!target.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const isBox = target.matches('[type=checkbox], [type=radio]');
    const shown = (isBox && target.closest('label, .pick')) || target;
    const { width, height, right, bottom } = shown.getBoundingClientRect();
    if (right <= 0 || bottom <= 0 || (width >= 43 && height >= 43)) continue; // the border of a row is its 44th
    const name = target.getAttribute('aria-label') ?? target.textContent;
    found.push(`${target.tagName} ${target.className} "${name}" ${Math.round(width)}x${Math.round(height)}`);
  }
  return found;
}
