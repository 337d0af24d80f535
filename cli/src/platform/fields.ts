// Values checked against the contract: from a flag, or typed at a prompt.
import type { z } from 'zod';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { tint, writeMessage } from './output.ts';

const invalid = (name: string, error: z.ZodError): CommandError =>
  new CommandError('usage', `${name}: ${error.issues[0]?.message ?? 'is not valid'}`);

/** The value if it fits the contract, else an error that says what is wrong. The value is not repeated. */
export function parseField<T>(name: string, schema: z.ZodType<T>, value: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(name, parsed.error);
}

export const triesAtTerminal = 3;

/** Asks again after an invalid answer, a few times. */
export async function askUntilValid<T>(name: string, schema: z.ZodType<T>, ask: () => Promise<string>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const parsed = schema.safeParse(await ask());
    if (parsed.success) return parsed.data;
    const problem = invalid(name, parsed.error);
    if (tries === triesAtTerminal) throw problem;
    writeMessage(tint('yellow', problem.message));
  }
}

/** The value of the flag, or else the answer to a prompt; checked before anything is sent. */
export async function getField<T>(
  context: CommandContext,
  flag: string | undefined,
  field: { name: string; flag: string; schema: z.ZodType<T> },
): Promise<T> {
  if (flag !== undefined) return parseField(field.name, field.schema, flag.trim());
  const ask = async () => (await context.prompter.ask(field.name, `give it with ${field.flag}`)).trim();
  return askUntilValid(field.name, field.schema, ask);
}
