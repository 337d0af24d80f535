// The commands and topics by id: their words joined by colons.
import type { CommandClass } from './platform/command-class.ts';
import * as table from './topics.ts';

const byId = <T>(byWords: Readonly<Record<string, T>>): ReadonlyMap<string, T> => {
  const entries = Object.entries(byWords).map(([words, value]) => [words.replaceAll(' ', ':'), value] as const);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
};

const loaders = byId(table.commands);

export const commandIds: readonly string[] = [...loaders.keys()];

export const topics = byId(table.topics);

export const aliases: ReadonlyMap<string, string> = new Map(Object.entries(table.aliases));

export async function loadCommand(id: string): Promise<CommandClass> {
  const load = loaders.get(id);
  if (!load) throw new Error(`no command ${id}`);
  const found = await load();
  found.id = id;
  return found;
}

export const loadAllCommands = (): Promise<CommandClass[]> => Promise.all(commandIds.map(loadCommand));
