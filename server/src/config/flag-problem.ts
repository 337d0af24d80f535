// Error message for wrong flags of a command line, in one sentence.
import { hintAt } from '@recordproof/shared/settings/nearest.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';

/** The command line names an unknown flag, or gives one a value that it cannot have. */
export class FlagError extends ConfigError {}

/** `error`: what `parseArgs` of Node threw; `known`: the names of the flags that it was given. */
export function toFlagProblem(error: unknown, known: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.split(/\. |\n/)[0]?.replace(/\.$/, '') ?? '';
  const typed = /^Unknown option '(--[^' ]+)/.exec(reason)?.[1];
  const flags = known.map(flag => `--${flag}`);
  return `${reason}.${typed === undefined ? '' : hintAt(typed, flags, '--')}`;
}
