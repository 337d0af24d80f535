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
import type { Db } from '../platform/db/tables.ts';
import { NothingThere } from '../platform/installation.ts';
import { type Answer, answer, toJson } from './answer.ts';
import { UsageError } from './exit.ts';
import { openLocal, parseLocalArgs } from './local.ts';
import { addMasterKey, listMasterKeys, retireMasterKey, toMasterKeyLine, useMasterKey } from './master-keys.ts';

type SigningKeys = { readonly db: Db; readonly config: Config; readonly keys: LocalSigningKeys };

type Options = { readonly version?: string; readonly 'despite-grace'?: boolean };
type Act = (signing: SigningKeys, options: Options) => Promise<Answer>;

/** The flags of each action besides the common ones. */
const flagsOf = (action: string | undefined) => ({
  texts: ['trusted', 'use', 'retire'].includes(action ?? '') ? (['version'] as const) : [],
  switches: action === 'retire' ? (['despite-grace'] as const) : [],
});

const actions: Readonly<Record<string, Act>> = {
  trusted: async (signing, { version }) => {
    const trusted = toIssuerKey(await getKey(signing, version));
    return { json: trusted, text: toJson(trusted) };
  },
  list: listAll,
  'add-version': addMasterKey,
  use: useMasterKey,
  retire: retireMasterKey,
  'rotate-signing': async ({ keys }) => {
    const key = await keys.addVersion();
    return { json: toView(key), text: `from now on proofs are signed with\n${toLine(key)}` };
  },
};

export async function keys([action, ...args]: readonly string[]): Promise<number> {
  const act = actions[action ?? ''];
  if (!act) throw new UsageError('say what to do: keys list, trusted, rotate-signing, add-version, use or retire.');
  const { texts, switches } = flagsOf(action);
  const { values, configArgs } = parseLocalArgs<'version', 'despite-grace'>(args, texts, switches);
  await using local = await openLocal(configArgs);
  const { db } = local.database;
  const folder = local.config.keysFolder;
  const signing = {
    db,
    config: local.config,
    keys: openLocalSigningKeys({ db, folder, clock: systemClock }),
  };
  answer(values.json, await act(signing, values));
  return 0;
}

async function listAll(signing: SigningKeys): Promise<Answer> {
  await getActiveKey(signing);
  const [signingKeys, masterKeys] = [await listKeys(signing.db), await listMasterKeys(signing)];
  return {
    json: { signingKeys: signingKeys.map(toView), masterKeys: masterKeys.map(({ check: _check, ...key }) => key) },
    text: signingKeys.map(toLine).join('') + masterKeys.map(toMasterKeyLine).join(''),
  };
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

const toView = (key: ProofKeyRow) => ({
  keyId: key.key_id,
  version: key.key_version,
  status: key.status,
  createdAt: toIso(key.created_at),
  retiredAt: key.retired_at === null ? null : toIso(key.retired_at),
  fingerprint: key.fingerprint,
});

function toLine(key: ProofKeyRow): string {
  const { keyId, version, status, createdAt, retiredAt, fingerprint } = toView(key);
  const until = retiredAt === null ? '' : ` until ${retiredAt}`;
  return `${keyId}\tversion ${version}\t${status}\t${createdAt}${until}\t${fingerprint}\n`;
}
