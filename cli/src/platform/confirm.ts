// Confirmation prompt.
import type { CommandContext } from './command-context.ts';
import { Fixable } from './fixable.ts';

/** Continues only when the answer is yes; `undone` says what was not done otherwise. */
export async function confirm(context: CommandContext, question: string, undone: string): Promise<void> {
  const answer = await context.prompter.ask(`${question} (yes/no)`, 'say it with --yes');
  if (answer.trim().toLowerCase() !== 'yes') throw new Fixable('refused', undone);
}
