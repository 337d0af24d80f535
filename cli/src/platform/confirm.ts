// Confirmation prompt.
import type { CommandContext } from './command-context.ts';
import { Fixable } from './fixable.ts';

/** Continues only when the answer is yes; otherwise fails with the given text. */
export async function confirm(context: CommandContext, question: string, cancelledText: string): Promise<void> {
  const answer = await context.prompter.ask(`${question} (yes/no)`, 'confirm with --yes');
  if (answer.trim().toLowerCase() !== 'yes') throw new Fixable('refused', cancelledText);
}
