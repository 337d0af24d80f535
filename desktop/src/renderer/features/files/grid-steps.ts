// Keyboard navigation of the grid: the target row of each key.
import { rowHeight } from './use-window.ts';

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
