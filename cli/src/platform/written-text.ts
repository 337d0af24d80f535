// Text input: from the command line, from a pipe, or typed at a prompt.
import { string } from '@oclif/core/flags';
import type { z } from 'zod';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { getField, parseField } from './fields.ts';

/** Standard input without its last line break. */
async function readPipe(maxLetters: number): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > maxLetters + 2)
      throw new CommandError('usage', `the text on standard input has more than ${maxLetters} characters: shorten it`);
  }
  return text.replace(/\r?\n$/, '');
}

/** The flag for a text, under the same name in every command. */
export const textFlag = (summary: string) => string({ char: 'm', aliases: ['message'], helpValue: '<text>', summary });

type TextField = {
  readonly name: string;
  readonly flag: string;
  readonly schema: z.ZodType<string>;
  readonly maxLetters: number;
};

/** The given text, where `-` means standard input; without it a prompt asks for one line. */
export async function getText(context: CommandContext, input: string | undefined, field: TextField): Promise<string> {
  return input === '-'
    ? parseField(field.name, field.schema, await readPipe(field.maxLetters))
    : getField(context, input, field);
}
