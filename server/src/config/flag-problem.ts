// Error message for invalid command line flags, in one sentence.
import { hintAt } from '@recordproof/shared/settings/nearest.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';

/** An unknown flag, or one with an invalid value. */
export class FlagError extends ConfigError {}

/** `error`: as thrown by Node's `parseArgs`; `flagNames`: the names of the flags it was given. */
export function toFlagProblem(error: unknown, flagNames: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.split(/\. |\n/)[0]?.replace(/\.$/, '') ?? '';
  const typed = /^Unknown option '(--[^' ]+)/.exec(reason)?.[1];
  const flags = flagNames.map(flag => `--${flag}`);
  return `${reason}.${typed === undefined ? '' : hintAt(typed, flags, '--')}`;
}
