// Types of the commands as oclif runs them.
import type { Command } from '@oclif/core/command';

export type CommandClass = Command.Class;

/** Commands by their words on the command line, each imported when it runs. */
export type Commands = Readonly<Record<string, () => Promise<CommandClass>>>;

/** All commands, and the aliases of first words. */
export type AllCommands = {
  readonly commands: readonly CommandClass[];
  readonly aliases: ReadonlyMap<string, string>;
};
