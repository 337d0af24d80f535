// The definition of a command: arguments, flags, work, output. `run` computes and returns plain data; with --json that data
// is the output, otherwise `text` makes the lines for stdout and `note` a message for stderr.

import type { Interfaces } from '@oclif/core';
import { Command } from '@oclif/core/command';
import { inAnyCase } from './any-case.ts';
import type { CommandClass } from './command-class.ts';
import { type CommandContext, openContext } from './command-context.ts';
import { type Ending, exitCodes } from './exit-codes.ts';
import { globalFlags } from './global-flags.ts';
import { writeData, writeJson, writeMessage } from './output.ts';
import type { GlobalValues } from './settings.ts';
import { type Fitting, roomOf } from './table.ts';

type Flags = Interfaces.FlagInput;
type Args = Interfaces.ArgInput;

type CommandInput<F extends Flags, A extends Args> = {
  readonly flags: Interfaces.InferredFlags<F>;
  readonly args: Interfaces.InferredArgs<A>;
  readonly context: CommandContext;
};

type Definition<F extends Flags, A extends Args, Result> = {
  readonly summary: string;
  /** Shown below the summary in the command's own help. */
  readonly description?: string;
  readonly examples: readonly { readonly command: string; readonly description: string }[];
  readonly flags?: F;
  readonly args?: A;
  /** `run` writes an endless output itself; the result only sets the exit code. */
  readonly writesAsItGoes?: true;
  /** Its result alone says what the functions below are given: a table may take more. */
  run(input: CommandInput<F, A>): Promise<Result>;
  text?(result: NoInfer<Result>, flags: Interfaces.InferredFlags<F>): string | Fitting;
  note?(result: NoInfer<Result>): string;
  /** The exit of commands that process several items, of which some may have failed. */
  ending?(result: NoInfer<Result>): Ending;
};

/** The options of the oclif configuration, with all commands for help and completion. */
export type Installed = Interfaces.Options & { readonly allCommands: CommandContext['allCommands'] };

const usageOf = (args: Args = {}): string[] =>
  Object.entries(args).map(([name, { required, multiple }]) => {
    const usage = required ? `<${name}>` : `[${name}]`;
    return multiple ? `${usage}...` : usage;
  });

/** Standard input is content, never a missing argument. */
const withoutStdin = (args: Args): Args =>
  Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, { ...arg, ignoreStdin: true }]));

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
    static override args: Args = withoutStdin(definition.args ?? {});

    override async run(): Promise<void> {
      const { flags, args } = await this.parse(this.ctor, inAnyCase(this.argv, this.ctor.flags));
      using context = openContext(flags as GlobalValues, (this.config.options as Installed).allCommands);
      const read = { flags: flags as Interfaces.InferredFlags<F>, args: args as Interfaces.InferredArgs<A> };
      const result = await definition.run({ ...read, context });
      process.exitCode = exitCodes[definition.ending?.(result) ?? 'ok'].code;
      if (definition.writesAsItGoes) return;
      if (flags.json) return writeJson(result);
      const text = definition.text?.(result, read.flags);
      const lines = typeof text === 'function' ? text(roomOf(flags.wide === true)) : text;
      if (lines) writeData(lines);
      const note = definition.note?.(result);
      if (note) writeMessage(note);
    }

    /** oclif would print and set an exit code here; run.ts does both for all errors. */
    protected override async catch(error: Error): Promise<never> {
      throw error;
    }
  };
}
