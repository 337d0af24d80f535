// An error that the user can fix: what is wrong, what to try, and the exit code. Everything else that is thrown is a bug.
// Neither text may hold a password, a code or a token.
import type { Ending } from './exit-codes.ts';

type CommandErrorDetails = { readonly try?: string; readonly cause?: unknown };

export class CommandError extends Error {
  readonly ending: Ending;
  readonly tryThis: string | undefined;

  constructor(ending: Ending, message: string, details: CommandErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'CommandError';
    this.ending = ending;
    this.tryThis = details.try;
  }
}
