// Position of the window, stored between starts. A position outside of all screens is ignored.
import type { Rectangle } from 'electron';
import { z } from 'zod';

export const windowStateShape = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().min(360), height: z.int().min(400) }).nullable(),
  isMaximized: z.boolean(),
});
export type WindowState = z.infer<typeof windowStateShape>;

export const firstWindowState: WindowState = { bounds: null, isMaximized: false };
const usual = { width: 1180, height: 780 };
/** Part of the title bar that must be on a screen, so that the window can be moved. */
const grip = { width: 100, height: 32 };

function isReachable(bounds: Rectangle, screens: readonly Rectangle[]): boolean {
  return screens.some(
    screen =>
      bounds.x + bounds.width - grip.width >= screen.x &&
      bounds.x + grip.width <= screen.x + screen.width &&
      bounds.y >= screen.y &&
      bounds.y + grip.height <= screen.y + screen.height,
  );
}

export const toBounds = ({ bounds }: WindowState, screens: readonly Rectangle[]): Partial<Rectangle> =>
  bounds && isReachable(bounds, screens) ? bounds : usual;
