import type { Command } from '@oclif/core/command';

export type CommandClass = Command.Class;

/** What a command line may begin with. */
export type AllCommands = {
  readonly commands: readonly CommandClass[];
  readonly aliases: ReadonlyMap<string, string>;
};

/** One subject of the program: its commands under the words that a person types, each file read when it is called. */
export type Topic = {
  /** First words that several commands share → what is said of them. */
  readonly topics?: Readonly<Record<string, string>>;
  /** Another first word → the one that it stands for. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, () => Promise<{ readonly default: CommandClass }>>>;
};

export const topic = (definition: Topic): Topic => definition;

/** For a file with many commands: the loader of one of them. */
export const commandsOf =
  <Commands extends Readonly<Record<string, CommandClass>>>(load: () => Promise<Commands>) =>
  <Name extends keyof Commands>(name: Name) =>
  async (): Promise<{ readonly default: Commands[Name] }> => ({ default: (await load())[name] });
