// The completion script, for a shell that is named.
import { toCompletion } from '@recordproof/shared/completion/from-help.ts';
import { completionFor, findShell } from '@recordproof/shared/completion/shells.ts';
import { exitCodes, UsageError } from './exit.ts';
import { listHelps } from './help.ts';

export async function completion([word, ...more]: readonly string[]): Promise<number> {
  const shell = findShell(word);
  if (shell === undefined || more.length > 0)
    throw new UsageError('say for which shell: completion bash, zsh or fish.');
  process.stdout.write(completionFor[shell](toCompletion('recordproof-server', listHelps())));
  return exitCodes.ok;
}
