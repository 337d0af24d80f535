// `completion`: prints the completion script for a shell.
import type { Completion } from '@recordproof/shared/completion/position.ts';
import { completionFor, findShell } from '@recordproof/shared/completion/shells.ts';
import { answer, UsageError } from './outcome.ts';

export async function completion(
  [word, ...more]: readonly string[],
  readCompletion: () => Completion,
): Promise<number> {
  if (word === 'values') return (await import('./completion-values.ts')).listValues(more);
  const shell = findShell(word);
  const rest = more.filter(arg => arg !== '--json');
  if (shell === undefined || rest.length > 0)
    throw new UsageError('the shell is missing: completion bash, zsh or fish.');
  const script = completionFor[shell](readCompletion());
  return answer(more.includes('--json'), { json: { shell, script }, text: script });
}
