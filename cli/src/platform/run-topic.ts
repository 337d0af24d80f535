// Topics of runs: the commands that every kind has, each loaded on use.
import type { PlainKind } from './plain-runs.ts';
import { type CommandClass, type Topic, topic } from './topic.ts';

const common = ['items', 'list', 'pause', 'resume', 'status', 'watch'] as const;

type Loaded<Word extends string> = () => Promise<Readonly<Record<Word, CommandClass>>>;

const toEntries = <Word extends string>(path: string, words: readonly Word[], load: Loaded<Word>): Topic['commands'] =>
  Object.fromEntries(words.map(word => [`${path} ${word}`, async () => (await load())[word]]));

/** The commands of every kind, as entries of a topic. */
export const runEntries = (path: string, load: Loaded<(typeof common)[number]>): Topic['commands'] =>
  toEntries(path, common, load);

/** The whole topic of a kind without commands of its own: `recordproof admin <kind>`; `text` is its help text. */
export function runTopic(kind: PlainKind, text: string): Topic {
  const path = `admin ${kind}`;
  const load = async () => (await import('./plain-runs.ts')).plainCommands(path, kind);
  return topic({ topics: { [path]: text }, commands: toEntries(path, [...common, 'retry'], load) });
}
