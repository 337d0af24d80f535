// THE list of commands. To add one: a file under commands/, a line here. A command's file is read only when it is
// called, or when help and completion speak of all of them.
import type { CommandClass } from './command.ts';

/** Words of the command, joined by colons → its file. */
export const commandTable: Readonly<Record<string, () => Promise<{ readonly default: CommandClass }>>> = {
  'admin:attestation:status': () => import('./commands/admin/attestation/status.ts'),
  'admin:attestation:trigger': () => import('./commands/admin/attestation/trigger.ts'),
  completion: () => import('./commands/completion.ts'),
  'config:get': () => import('./commands/config/get.ts'),
  'config:list': () => import('./commands/config/list.ts'),
  'config:path': () => import('./commands/config/path.ts'),
  'config:set': () => import('./commands/config/set.ts'),
  'config:unset': () => import('./commands/config/unset.ts'),
  download: () => import('./commands/download.ts'),
  'events:tail': () => import('./commands/events/tail.ts'),
  'files:info': () => import('./commands/files/info.ts'),
  'files:list': () => import('./commands/files/list.ts'),
  'files:quota': () => import('./commands/files/quota.ts'),
  'files:rm': () => import('./commands/files/rm.ts'),
  'files:search': () => import('./commands/files/search.ts'),
  'files:stats': () => import('./commands/files/stats.ts'),
  'files:versions': () => import('./commands/files/versions.ts'),
  'ledger:checkpoint': () => import('./commands/ledger/checkpoint.ts'),
  'ledger:verify': () => import('./commands/ledger/verify.ts'),
  'ledger:watch': () => import('./commands/ledger/watch.ts'),
  login: () => import('./commands/login.ts'),
  logout: () => import('./commands/logout.ts'),
  'password:reset': () => import('./commands/password/reset.ts'),
  'profiles:add': () => import('./commands/profiles/add.ts'),
  'profiles:list': () => import('./commands/profiles/list.ts'),
  'profiles:remove': () => import('./commands/profiles/remove.ts'),
  'profiles:use': () => import('./commands/profiles/use.ts'),
  'proofs:export': () => import('./commands/proofs/export.ts'),
  'proofs:revoke': () => import('./commands/proofs/revoke.ts'),
  'proofs:status': () => import('./commands/proofs/status.ts'),
  prove: () => import('./commands/prove.ts'),
  register: () => import('./commands/register.ts'),
  setup: () => import('./commands/setup.ts'),
  'share:create': () => import('./commands/share/create.ts'),
  'share:get': () => import('./commands/share/get.ts'),
  'share:info': () => import('./commands/share/info.ts'),
  'share:list': () => import('./commands/share/list.ts'),
  'share:logs': () => import('./commands/share/logs.ts'),
  'share:revoke': () => import('./commands/share/revoke.ts'),
  'share:save': () => import('./commands/share/save.ts'),
  'share:update': () => import('./commands/share/update.ts'),
  upload: () => import('./commands/upload.ts'),
  'uploads:cancel': () => import('./commands/uploads/cancel.ts'),
  'uploads:list': () => import('./commands/uploads/list.ts'),
  'uploads:pause': () => import('./commands/uploads/pause.ts'),
  'uploads:resume': () => import('./commands/uploads/resume.ts'),
  verify: () => import('./commands/verify.ts'),
  whoami: () => import('./commands/whoami.ts'),
};

/** First words that several commands share. */
export const topics: Readonly<Record<string, { readonly description: string }>> = {
  admin: { description: 'For administrators' },
  'admin:attestation': { description: 'Batches of files on their way to the chain' },
  config: { description: 'Settings of a profile: server, time limit' },
  events: { description: 'What happens to your account, as it happens' },
  files: { description: 'Your files: list, search, versions, delete' },
  ledger: { description: 'The public ledger of the server: look at it, verify it, watch it' },
  password: { description: 'Your password' },
  profiles: { description: 'Several servers or accounts side by side' },
  proofs: { description: 'Proofs of your files: archives, status, revocation' },
  share: { description: 'Files shared by link: yours for others, and those of others' },
  uploads: { description: 'Uploads that are not finished' },
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
