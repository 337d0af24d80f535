// `keys`: the keys that sign proofs and the master keys that wrap file keys, managed on the server's machine.

import { countServersWithoutSigningKey } from '../compose/announce-keys.ts';
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
import { NotFoundError } from '../platform/installation.ts';
import type { Input } from './declared/local.ts';
import { openLocal, openToChange } from './local.ts';
import { addMasterKey, listMasterKeys, retireMasterKey, toMasterKeyLine, useMasterKey } from './master-keys.ts';
import { type Answer, answer, CommandRejected, toJson } from './outcome.ts';

type SigningKeys = { readonly db: Db; readonly config: Config; readonly keys: LocalSigningKeys };

type Options = { readonly json: boolean; readonly version?: string | undefined; readonly 'despite-grace'?: boolean };
type Act = (signing: SigningKeys, options: Options) => Promise<Answer>;

const actions = {
  trusted: async (signing, { version }) => {
    const trusted = toIssuerKey(await getKey(signing, version));
    return { json: trusted, text: toJson(trusted) };
  },
  list: listAll,
  'add-version': addMasterKey,
  use: useMasterKey,
  retire: retireMasterKey,
  'rotate-signing': rotateSigning,
} satisfies Readonly<Record<string, Act>>;

const readingActions: ReadonlySet<string> = new Set(['list', 'trusted']);

export async function keys(action: keyof typeof actions, { values, configArgs }: Input): Promise<number> {
  await using local = await (readingActions.has(action) ? openLocal : openToChange)(configArgs);
  const { db } = local.database;
  const folder = local.config.keysFolder;
  const signing = {
    db,
    config: local.config,
    keys: openLocalSigningKeys({ db, folder, clock: systemClock }),
  };
  return answer(values.json, await actions[action](signing, values));
}

/**
 * Effective at once on SQLite. On a shared database the first call publishes the key file, and the same call activates
 * it once every running server has loaded it: a server without the file could not sign.
 */
export async function rotateSigning({ db, config, keys }: SigningKeys): Promise<Answer> {
  if (config.db.kind === 'postgres') {
    const next = await keys.publish();
    const { servers, without } = await countServersWithoutSigningKey(db, next);
    const file = `proof-signing-${next.version}.pem`;
    if (without > 0)
      return {
        json: { ...next, status: 'NEW', servers, without },
        text: `signing key version ${next.version} is published and signs nothing yet: ${without} of ${servers} running servers have not loaded it. Copy keys/${file} to each, wait some seconds, then run this again.\n`,
      };
  }
  const key = await keys.addVersion();
  return { json: toView(key), text: `from now on proofs are signed with\n${toLine(key)}` };
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
  if (key === null) throw new NotFoundError('there is no signing key yet; the first start of the server makes it.');
  return key;
}

async function getKey(signing: SigningKeys, version: string | undefined): Promise<ProofKeyRow> {
  const active = await getActiveKey(signing);
  if (version === undefined) return active;
  const key = /^[1-9]\d{0,8}$/.test(version) ? await findKey(signing.db, active.key_id, Number(version)) : null;
  if (key === null) throw new CommandRejected(`there is no signing key version "${version}"; "keys list" shows them.`);
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
