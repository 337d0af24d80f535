// The keys of the server, from the command line of the machine it runs on: those that sign proofs, what auditors need to
// trust them and a new one when the old one shall sign no more; and the master keys that wrap the keys of files.
import type { Config } from '../config/config.ts';
import {
  findKey,
  type LocalSigningKeys,
  listKeys,
  openLocalSigningKeys,
  type ProofKeyRow,
  toIssuerKey,
} from '../features/proofs/index.ts';
import { systemClock, toIso } from '../platform/clock.ts';
import type { Database } from '../platform/db/open-db.ts';
import type { Db } from '../platform/db/tables.ts';
import { NothingThere } from '../platform/installation.ts';
import { UsageError } from './exit.ts';
import { openLocal, parseLocalArgs } from './local.ts';
import { addMasterKey, listMasterKeys, retireMasterKey, useMasterKey, type Wanted } from './master-keys.ts';

type SigningKeys = {
  readonly db: Db;
  readonly database: Database;
  readonly config: Config;
  readonly keys: LocalSigningKeys;
};

const actions: Readonly<Record<string, (signing: SigningKeys, wanted: Wanted) => Promise<string>>> = {
  trusted: async (signing, { version }) => toTrustedKeyFile(await getKey(signing, version)),
  list: async signing => {
    await getActiveKey(signing);
    return (await listKeys(signing.db)).map(toLine).join('') + (await listMasterKeys(signing));
  },
  'add-version': addMasterKey,
  use: useMasterKey,
  retire: retireMasterKey,
  'rotate-signing': async ({ keys }) => `from now on proofs are signed with\n${toLine(await keys.addVersion())}`,
};

export async function keys([action, ...args]: readonly string[]): Promise<number> {
  const act = actions[action ?? ''];
  if (!act) throw new UsageError('say what to do: keys list, trusted, rotate-signing, add-version, use or retire.');
  const { values, configArgs } = parseLocalArgs(
    args,
    ['trusted', 'use', 'retire'].includes(action ?? '') ? ['version'] : [],
    action === 'retire' ? ['before-grace'] : [],
  );
  const { version, 'before-grace': beforeGrace } = values as { version?: string; 'before-grace'?: boolean };
  await using local = await openLocal(configArgs);
  const { db } = local.database;
  const folder = local.config.keysFolder;
  const signing = {
    db,
    database: local.database,
    config: local.config,
    keys: openLocalSigningKeys({ db, folder, clock: systemClock }),
  };
  process.stdout.write(await act(signing, { version, beforeGrace }));
  return 0;
}

async function getActiveKey({ keys }: SigningKeys): Promise<ProofKeyRow> {
  const key = await keys.find();
  if (key === null) throw new NothingThere('there is no signing key yet; the first start of the server makes it.');
  return key;
}

async function getKey(signing: SigningKeys, version: string | undefined): Promise<ProofKeyRow> {
  const active = await getActiveKey(signing);
  if (version === undefined) return active;
  const key = /^[1-9]\d{0,8}$/.test(version) ? await findKey(signing.db, active.key_id, Number(version)) : null;
  if (key === null) throw new UsageError(`there is no signing key version "${version}"; "keys list" shows them.`);
  return key;
}

/** The trusted key file of docs/spec: what a verifier takes with --trusted-key. */
const toTrustedKeyFile = (key: ProofKeyRow): string => `${JSON.stringify(toIssuerKey(key), null, 2)}\n`;

const toLine = (key: ProofKeyRow): string => {
  const until = key.retired_at === null ? '' : ` until ${toIso(key.retired_at)}`;
  return `${key.key_id}\tversion ${key.key_version}\t${key.status}\t${toIso(key.created_at)}${until}\t${key.fingerprint}\n`;
};
