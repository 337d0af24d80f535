// Visible rows of a long list: only those are in the page, and a few around them; and the row that each key leads to.
import { type RefObject, useLayoutEffect, useState } from 'react';

export const rowHeight = 44;
const around = 10;

type Window = { readonly first: number; readonly last: number };

export function useWindow(viewport: RefObject<HTMLElement | null>, total: number): Window {
  const [window, setWindow] = useState<Window>({ first: 0, last: 30 });
  useLayoutEffect(() => {
    const { current } = viewport;
    if (!current) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const first = Math.max(0, Math.floor(current.scrollTop / rowHeight) - around);
      const last = Math.ceil((current.scrollTop + current.clientHeight) / rowHeight) + around;
      setWindow(before => (before.first === first && before.last === last ? before : { first, last }));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    current.addEventListener('scroll', soon, { passive: true });
    const sizes = new ResizeObserver(soon);
    sizes.observe(current);
    return () => {
      cancelAnimationFrame(frame);
      current.removeEventListener('scroll', soon);
      sizes.disconnect();
    };
  }, [viewport]);
  return { first: Math.min(window.first, Math.max(0, total - 1)), last: Math.min(window.last, total - 1) };
}

export function stepOf(key: string, at: number, total: number, height: number): number | undefined {
  const aScreen = Math.max(1, Math.floor(height / rowHeight) - 1);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + aScreen,
    PageUp: at - aScreen,
    Home: 0,
    End: total - 1,
  };
  return steps[key];
}

export function reveal(viewport: HTMLElement | null, index: number): void {
  if (!viewport) return;
  const top = index * rowHeight;
  if (top < viewport.scrollTop) viewport.scrollTop = top;
  const below = top + rowHeight - viewport.clientHeight;
  if (below > viewport.scrollTop) viewport.scrollTop = below;
}
