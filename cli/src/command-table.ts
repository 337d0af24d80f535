// The table of commands by id (their words joined by colons), built from the list of topics. A command's file is imported
// only when the command runs, or when help or completion needs all commands.
import type { CommandClass, Topic } from './platform/topic.ts';
import * as topicList from './topics.ts';

const list: readonly Topic[] = Object.values(topicList);

function collect<T>(pick: (topic: Topic) => Readonly<Record<string, T>> | undefined): ReadonlyMap<string, T> {
  const all = list.flatMap(topic => Object.entries(pick(topic) ?? {}));
  const ids = all.map(([words, value]) => [words.replaceAll(' ', ':'), value] as const);
  const collected = new Map(ids.sort(([a], [b]) => (a < b ? -1 : 1)));
  if (collected.size < all.length) throw new Error('two topics have a command or topic of the same name');
  return collected;
}

const loaders = collect(({ commands }) => commands);

export const commandIds: readonly string[] = [...loaders.keys()];

/** First words that several commands share → their help text. */
export const topics: ReadonlyMap<string, string> = new Map([
  ['admin', 'For administrators'],
  ...collect(topic => topic.topics),
]);

export const aliases: ReadonlyMap<string, string> = collect(topic => topic.aliases);

export async function loadCommand(id: string): Promise<CommandClass> {
  const load = loaders.get(id);
  if (!load) throw new Error(`no command ${id}`);
  const found = await load();
  found.id = id;
  return found;
}

export const loadAllCommands = (): Promise<CommandClass[]> => Promise.all(commandIds.map(loadCommand));
