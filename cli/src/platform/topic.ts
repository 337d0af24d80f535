// Type of a topic: a group of commands.
import type { Command } from '@oclif/core/command';

export type CommandClass = Command.Class;

/** All commands, and the other names of topics. */
export type AllCommands = {
  readonly commands: readonly CommandClass[];
  readonly aliases: ReadonlyMap<string, string>;
};

/** A topic of the program: its commands by the words of the command line, each imported when it runs. */
export type Topic = {
  /** First words that several commands share → their help text. */
  readonly topics?: Readonly<Record<string, string>>;
  /** Alias of a first word → that word. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, () => Promise<CommandClass>>>;
};

export const topic = (definition: Topic): Topic => definition;
