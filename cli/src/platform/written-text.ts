// Longer texts: from the command line, from a pipe, or typed as an answer.
import { string } from '@oclif/core/flags';
import type { z } from 'zod';
import type { CommandContext } from './command-context.ts';
import { getField, parseField } from './fields.ts';
import { Fixable } from './fixable.ts';

/** All that is piped in, without its last line break. */
async function readPipe(maxLetters: number): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.length > maxLetters + 2) throw new Fixable('usage', `the text may have ${maxLetters} letters`);
  }
  return text.replace(/\r?\n$/, '');
}

/** What somebody writes is called so in every command. */
export const textFlag = (summary: string) => string({ char: 'm', aliases: ['message'], helpValue: '<text>', summary });

type TextField = {
  readonly name: string;
  readonly flag: string;
  readonly schema: z.ZodType<string>;
  readonly maxLetters: number;
};

/** What was given, `-` meaning a pipe; without it the person is asked for a line. */
export async function getText(context: CommandContext, given: string | undefined, field: TextField): Promise<string> {
  return given === '-'
    ? parseField(field.name, field.schema, await readPipe(field.maxLetters))
    : getField(context, given, field);
}
