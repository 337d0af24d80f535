// THE list of commands. To add one: a file under commands/, a line here. A command's file is read only when it is
// called, or when help and completion speak of all of them.
import type { CommandClass } from './command.ts';

/** Words of the command, joined by colons → its file. */
export const commandTable: Readonly<Record<string, () => Promise<{ readonly default: CommandClass }>>> = {
  completion: () => import('./commands/completion.ts'),
  'config:get': () => import('./commands/config/get.ts'),
  'config:list': () => import('./commands/config/list.ts'),
  'config:path': () => import('./commands/config/path.ts'),
  'config:set': () => import('./commands/config/set.ts'),
  'config:unset': () => import('./commands/config/unset.ts'),
  login: () => import('./commands/login.ts'),
  logout: () => import('./commands/logout.ts'),
  'password:reset': () => import('./commands/password/reset.ts'),
  'profiles:add': () => import('./commands/profiles/add.ts'),
  'profiles:list': () => import('./commands/profiles/list.ts'),
  'profiles:remove': () => import('./commands/profiles/remove.ts'),
  'profiles:use': () => import('./commands/profiles/use.ts'),
  register: () => import('./commands/register.ts'),
  setup: () => import('./commands/setup.ts'),
  whoami: () => import('./commands/whoami.ts'),
};

/** First words that several commands share. */
export const topics: Readonly<Record<string, { readonly description: string }>> = {
  config: { description: 'Settings of a profile: server, time limit' },
  password: { description: 'Your password' },
  profiles: { description: 'Several servers or accounts side by side' },
};

export const commandIds: readonly string[] = Object.keys(commandTable);

export async function loadCommand(id: string): Promise<CommandClass> {
  const load = commandTable[id];
  if (!load) throw new Error(`no command ${id}`);
  const { default: found } = await load();
  found.id = id;
  return found;
}

export const loadAllCommands = (): Promise<CommandClass[]> => Promise.all(commandIds.map(loadCommand));
