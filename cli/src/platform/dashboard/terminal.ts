// Facts about the terminal that are needed before Ink is loaded.
import type { CommandContext } from '../command-context.ts';

/** Where a screen can be drawn and keys can be read; lines everywhere else. */
const isScreen = (): boolean =>
  process.stdout.isTTY === true && process.stdin.isTTY === true && process.env.TERM !== 'dumb';

/**
 * Whether a screen can be shown; from then on no other code reads keys. Called before a module that draws is loaded:
 * otherwise React runs its development checks at every step, and keeps their results in memory.
 */
export function claimScreen({ prompter }: Pick<CommandContext, 'prompter'>): boolean {
  if (!isScreen()) return false;
  prompter.release();
  process.env.NODE_ENV ??= 'production';
  return true;
}
