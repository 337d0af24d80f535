// The commands of runs as entries of the table of commands, each loaded on use.
import type { CommandClass, Commands } from './command-class.ts';
import type { KindName, PlainWord } from './plain-runs.ts';

const common = ['items', 'list', 'pause', 'resume', 'status', 'watch'] as const;

type Loaded<Word extends string> = () => Promise<Readonly<Record<Word, CommandClass>>>;

const toEntries = <Word extends string>(path: string, words: readonly Word[], load: Loaded<Word>): Commands =>
  Object.fromEntries(words.map(word => [`${path} ${word}`, async () => (await load())[word]]));

/** The commands that every kind has. */
export const runEntries = (path: string, load: Loaded<(typeof common)[number]>): Commands =>
  toEntries(path, common, load);

/** All commands of a kind that has none of its own, `recordproof admin <kind>`. `words`: which of start, cancel and retry. */
export function plainRunEntries<Kind extends KindName>(kind: Kind, words: readonly PlainWord<Kind>[]): Commands {
  const path = `admin ${kind}`;
  const load = async () => (await import('./plain-runs.ts')).plainCommands(path, kind);
  return toEntries(path, [...common, ...words], load);
}
