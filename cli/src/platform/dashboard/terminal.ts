// Facts about the terminal that are needed before Ink is loaded.
import type { CommandContext } from '../command-context.ts';

/** Where a screen can be drawn and keys can be read; everywhere else lines do. */
const isScreen = (): boolean =>
  process.stdout.isTTY === true && process.stdin.isTTY === true && process.env.TERM !== 'dumb';

/**
 * Whether a screen can be shown; nobody else reads keys from then on. Called before a module that draws is loaded: otherwise
 * React checks itself at every step, and remembers it all.
 */
export function claimScreen({ prompter }: Pick<CommandContext, 'prompter'>): boolean {
  if (!isScreen()) return false;
  prompter.release();
  process.env.NODE_ENV ??= 'production';
  return true;
}
