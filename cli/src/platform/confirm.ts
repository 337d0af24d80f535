// Confirmation prompt, and the flags of commands that ask.
import { boolean, string } from '@oclif/core/flags';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';

export const yesFlag = boolean({ char: 'y', summary: 'Do not ask.' });
export const reasonFlag = string({ helpValue: '<text>', summary: 'Why; it goes to the audit log.' });

export const toReason = ({ reason }: { readonly reason?: string | undefined }): { reason?: string } =>
  reason === undefined ? {} : { reason };

/** Continues only when the answer is yes; otherwise fails with the given text. */
export async function confirm(context: CommandContext, question: string, cancelledText: string): Promise<void> {
  const answer = await context.prompter.ask(`${question} (yes/no)`, 'confirm with --yes');
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('refused', cancelledText);
}
