import { Fixable } from './fixable.ts';
import type { Program } from './program.ts';

/** Goes on only when the person answers yes; `undone` says what has not happened otherwise. */
export async function confirm(program: Program, question: string, undone: string): Promise<void> {
  const answer = await program.prompter.ask(`${question} (yes/no)`, 'say it with --yes');
  if (answer.trim().toLowerCase() !== 'yes') throw new Fixable('refused', undone);
}
