// `completion values`: the values that a shell offers for a flag, one per line: value, tab, description. On any error
// the list is empty, because a shell cannot show errors while it completes.

import { join } from 'node:path';
import { roles } from '@recordproof/shared/api/auth.ts';
import { value } from '@recordproof/shared/command-line/command.ts';
import { listTenants } from '../features/accounts/index.ts';
import { listKeys } from '../features/proofs/index.ts';
import { openFolderTarget } from '../platform/backup/backup-target.ts';
import { masterKeyFile, openLocalKeys } from '../platform/crypto/local-keys.ts';
import { findDeadJobs } from '../platform/jobs/dead-jobs.ts';
import { parseLocalArgs, type ValueKind } from './declared/local.ts';
import { openLocal } from './local.ts';
import { parts } from './move/plan-move.ts';
import { exitCodes } from './outcome.ts';

type Choice = readonly [value: string, meaning?: string];

type Local = Awaited<ReturnType<typeof openLocal>>;

/** Terminals do not show longer lists. */
const mostListed = 100;

const fixed = (...values: readonly Choice[]) => values;

const kinds: Readonly<Record<ValueKind, readonly Choice[] | ((local: Local) => Promise<readonly Choice[]>)>> = {
  profiles: fixed(['server', 'for production'], ['laptop', 'to try it out']),
  'log-levels': ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map(level => [level]),
  roles: roles.map(role => [role]),
  parts: parts.map(part => [part]),
  backups: [],
  tenants: async ({ database }) => (await listTenants(database.db)).map(({ name }) => [name]),
  usernames: async ({ database }) => {
    const names = database.db.selectFrom('account').select(['username', 'email']).orderBy('username');
    return (await names.limit(mostListed).execute()).map(({ username, email }) => [username, email]);
  },
  'dead-jobs': async ({ database }) => {
    const { rows } = await findDeadJobs(database.db, { owner: 'installation' }, { page: 1, size: mostListed });
    return rows.map(({ id, kind }) => [String(id), kind]);
  },
  'key-versions': listKeyVersions,
};

async function listKeyVersions({ database, config }: Local): Promise<Choice[]> {
  const signing = (await listKeys(database.db)).map(key => [String(key.key_version), 'signing key'] as const);
  const path = join(config.keysFolder, masterKeyFile);
  const master = await openLocalKeys({ path, createIfMissing: false })
    .then(keys => keys.listVersions())
    .catch(() => []);
  return [...signing, ...master.map(({ version }) => [version, 'master key'] as const)];
}

/** Backups in a folder only: a bucket is too slow for completion. */
async function listBackups(from: string): Promise<Choice[]> {
  if (from.includes('://')) return [];
  await using target = openFolderTarget(from);
  return (await target.listManifests()).map(name => [name]);
}

const isKind = (word: string | undefined): word is ValueKind => word !== undefined && Object.hasOwn(kinds, word);

async function find([kind, ...args]: readonly string[]): Promise<readonly Choice[]> {
  if (!isKind(kind)) return [];
  const { values, configArgs } = parseLocalArgs(args, { from: value('DIR', '') });
  if (kind === 'backups') return values.from === undefined ? [] : listBackups(values.from);
  const source = kinds[kind];
  if (typeof source !== 'function') return source;
  await using local = await openLocal(configArgs);
  return await source(local); // await: the database closes on return
}

export async function listValues(args: readonly string[]): Promise<number> {
  const found = await find(args).catch((): readonly Choice[] => []);
  process.stdout.write(found.map(([value, meaning = '']) => `${value}\t${meaning}\n`).join(''));
  return exitCodes.ok;
}
