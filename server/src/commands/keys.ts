// The keys that sign proofs, from the command line of the machine the server runs on: what auditors need to trust them,
// and a new one when the old one shall sign no more.
import {
  findKey,
  type LocalSigningKeys,
  listKeys,
  openLocalSigningKeys,
  type ProofKeyRow,
  toIssuerKey,
} from '../features/proofs/index.ts';
import { systemClock, toIso } from '../platform/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import { UsageError } from './exit.ts';
import { openLocal, parseLocalArgs } from './local.ts';

type Ground = { readonly db: Db; readonly keys: LocalSigningKeys };

const actions: Readonly<Record<string, (ground: Ground, version: string | undefined) => Promise<string>>> = {
  trusted: async (ground, version) => toTrustedKeyFile(await getKey(ground, version)),
  list: async ({ db, keys }) => {
    await keys.current();
    return (await listKeys(db)).map(toLine).join('');
  },
  'rotate-signing': async ({ keys }) => `from now on proofs are signed with\n${toLine(await keys.addVersion())}`,
};

export async function keys([action, ...args]: readonly string[]): Promise<number> {
  const act = actions[action ?? ''];
  if (!act) throw new UsageError('say what to do: keys trusted, keys list, or keys rotate-signing.');
  const { values, configArgs } = parseLocalArgs(args, action === 'trusted' ? ['version'] : [], []);
  await using local = await openLocal(configArgs);
  const { db } = local.database;
  const folder = local.config.keysFolder;
  const ground = { db, keys: openLocalSigningKeys({ db, folder, now: () => systemClock.now() }) };
  process.stdout.write(await act(ground, (values as { version?: string }).version));
  return 0;
}

async function getKey({ db, keys }: Ground, version: string | undefined): Promise<ProofKeyRow> {
  const active = await keys.current();
  if (version === undefined) return active;
  const key = /^[1-9]\d{0,8}$/.test(version) ? await findKey(db, active.key_id, Number(version)) : null;
  if (key === null) throw new UsageError(`there is no signing key version "${version}"; "keys list" shows them.`);
  return key;
}

/** The trusted key file of docs/spec: what a verifier takes with --trusted-key. */
const toTrustedKeyFile = (key: ProofKeyRow): string => `${JSON.stringify(toIssuerKey(key), null, 2)}\n`;

const toLine = (key: ProofKeyRow): string => {
  const until = key.retired_at === null ? '' : ` until ${toIso(key.retired_at)}`;
  return `${key.key_id}\tversion ${key.key_version}\t${key.status}\t${toIso(key.created_at)}${until}\t${key.fingerprint}\n`;
};
