// How a command is written: what it reads, what it does, how its result looks. `run` computes and returns plain data;
// with --json that data is the output, otherwise `text` makes the lines for stdout and `note` a word for the person.

import type { Interfaces } from '@oclif/core';
import { Command } from '@oclif/core/command';
import { type Ending, exitCodes } from './exit-codes.ts';
import { globalFlags } from './global-flags.ts';
import { say, writeData, writeJson } from './output.ts';
import { openProgram, type Program } from './program.ts';
import type { GlobalValues } from './settings.ts';

type Flags = Interfaces.FlagInput;
type Args = Interfaces.ArgInput;

export type CommandInput<F extends Flags, A extends Args> = {
  readonly flags: Interfaces.InferredFlags<F>;
  readonly args: Interfaces.InferredArgs<A>;
  readonly program: Program;
};

type Definition<F extends Flags, A extends Args, Result> = {
  readonly summary: string;
  /** Said below the summary in the command's own help. */
  readonly description?: string;
  readonly examples: readonly { readonly command: string; readonly description: string }[];
  readonly flags?: F;
  readonly args?: A;
  /** Its output has no end, and `run` writes it; the result only says how the command ended. */
  readonly writesAsItGoes?: true;
  run(input: CommandInput<F, A>): Promise<Result>;
  text?(result: Result, flags: Interfaces.InferredFlags<F>): string;
  note?(result: Result): string;
  /** For commands that do many things, of which some may have failed: how the program ends. */
  ending?(result: Result): Ending;
};

const usageOf = (args: Args = {}): string[] =>
  Object.entries(args).map(([name, { required, multiple }]) => {
    const usage = required ? `<${name}>` : `[${name}]`;
    return multiple ? `${usage}...` : usage;
  });

export type CommandClass = Command.Class;

export function command<Result, F extends Flags = Record<never, never>, A extends Args = Record<never, never>>(
  definition: Definition<F, A, Result>,
): CommandClass {
  return class extends Command {
    static override summary = definition.summary;
    static override description = definition.description;
    static override examples = definition.examples.map(example => ({
      ...example,
      command: `<%= config.bin %> ${example.command}`,
    }));
    static override usage = ['<%= command.id %>', ...usageOf(definition.args), '[flags]'].join(' ');
    static override baseFlags = globalFlags;
    static override flags: Flags = definition.flags ?? {};
    static override args: Args = definition.args ?? {};

    override async run(): Promise<void> {
      const { flags, args } = await this.parse(this.ctor);
      using program = openProgram(flags as GlobalValues);
      const result = await definition.run({ flags, args, program } as unknown as CommandInput<F, A>);
      process.exitCode = exitCodes[definition.ending?.(result) ?? 'ok'].code;
      if (definition.writesAsItGoes) return;
      if (flags.json) return writeJson(result);
      const text = definition.text?.(result, flags as Interfaces.InferredFlags<F>);
      if (text) writeData(text);
      const note = definition.note?.(result);
      if (note) say(note);
    }

    /** oclif would print and pick an exit code here; both are done once, for everything, in run.ts. */
    protected override async catch(error: Error): Promise<never> {
      throw error;
    }
  } as unknown as CommandClass;
}
