// What the list of topics is made into: every command by its id, which is its words joined by colons. A command's file is
// read only when it is called, or when help and completion speak of all of them.
import type { CommandClass, Topic } from './platform/topic.ts';
import * as topicList from './topics.ts';

const list: readonly Topic[] = Object.values(topicList);

function gather<T>(pick: (topic: Topic) => Readonly<Record<string, T>> | undefined): ReadonlyMap<string, T> {
  const all = list.flatMap(topic => Object.entries(pick(topic) ?? {}));
  const ids = all.map(([words, value]) => [words.replaceAll(' ', ':'), value] as const);
  const gathered = new Map(ids.sort(([a], [b]) => (a < b ? -1 : 1)));
  if (gathered.size < all.length) throw new Error('two topics claim the same words');
  return gathered;
}

const loaders = gather(({ commands }) => commands);

export const commandIds: readonly string[] = [...loaders.keys()];

/** First words that several commands share → what is said of them. */
export const topics: ReadonlyMap<string, string> = new Map([
  ['admin', 'For administrators'],
  ...gather(topic => topic.topics),
]);

export const aliases: ReadonlyMap<string, string> = gather(topic => topic.aliases);

export async function loadCommand(id: string): Promise<CommandClass> {
  const load = loaders.get(id);
  if (!load) throw new Error(`no command ${id}`);
  const loaded = await load();
  const found = 'default' in loaded ? loaded.default : loaded;
  found.id = id;
  return found;
}

export const loadAllCommands = (): Promise<CommandClass[]> => Promise.all(commandIds.map(loadCommand));
