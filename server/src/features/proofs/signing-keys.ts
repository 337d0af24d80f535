// Provider local-ed25519, contract 1: the keys that sign proofs. Private halves lie in files that only their owner may
// read, one per version, and never leave them; public halves stand in the database for ever, so that a retired key can
// still be asked for. Refuses a file that others can read, that is damaged, or that is not the key of its version.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import type { Clock } from '../../platform/clock.ts';
import { KeyFileRefused } from '../../platform/crypto/server-keys.ts';
import { localEd25519 } from '../../platform/crypto/suite-catalogue.ts';
import type { Db } from '../../platform/db/tables.ts';
import { createFile, errnoOf } from '../../platform/durable-files.ts';
import { recordSigningKeys } from './ledger-entries.ts';
import { findActiveKey, insertKey, listKeys, type ProofKeyRow, retireKey } from './queries.ts';

const ownerOnly = 0o600;
const largestFile = 4096;

export type LocalSigningKeys = {
  /** The key that signs now; null before the first one was made. Throws KeyFileRefused. */
  find(): Promise<ProofKeyRow | null>;
  /** The key that signs now; made at the first call on a new installation. Throws KeyFileRefused. */
  current(): Promise<ProofKeyRow>;
  sign(key: ProofKeyRow, message: Uint8Array): Promise<Uint8Array>;
  /** A new key signs from now on, on all servers that have its file; the old one stays known. */
  addVersion(): Promise<ProofKeyRow>;
};

type SigningKeyOptions = { readonly db: Db; readonly folder: string; readonly clock: Clock };

export function openLocalSigningKeys({ db, folder, clock }: SigningKeyOptions): LocalSigningKeys {
  const opened = new Map<string, KeyObject>();
  const pathOf = (version: number): string => join(folder, `proof-signing-${version}.pem`);

  /** The private half, proven to belong to the public one. */
  const openKey = async (key: ProofKeyRow): Promise<KeyObject> => {
    const known = opened.get(key.fingerprint);
    if (known !== undefined) return known;
    const path = pathOf(key.key_version);
    const privateKey = await readPrivateKey(path);
    if (toSpkiText(privateKey) !== key.public_spki)
      throw new KeyFileRefused(`${path} is not the signing key of version ${key.key_version}; restore the right one.`);
    opened.set(key.fingerprint, privateKey);
    return privateKey;
  };

  const make = async (version: number, keyId?: string) => {
    await createPrivateKeyFile(pathOf(version));
    const spki = toSpkiText(await readPrivateKey(pathOf(version)));
    const fingerprint = digestOf(Buffer.from(spki, 'base64'));
    return {
      key_id: keyId ?? `rp-${fingerprint.slice('sha256:'.length).slice(0, 16)}`,
      key_version: version,
      provider: localEd25519.id,
      provider_contract: localEd25519.contract,
      public_spki: spki,
      fingerprint,
      status: 'ACTIVE' as const,
      created_at: clock.now(),
      retired_at: null,
    };
  };

  const first = async (): Promise<ProofKeyRow> => {
    const key = await make(1);
    await db.transaction().execute(tx => insertKey(tx, key));
    const active = await findActiveKey(db);
    if (active === null) throw new Error('the first signing key was not written');
    return active;
  };

  const opensKey = async (key: ProofKeyRow): Promise<ProofKeyRow> => {
    await openKey(key);
    return key;
  };

  return {
    find: async () => {
      const key = await findActiveKey(db);
      return key && opensKey(key);
    },
    current: async () => opensKey((await findActiveKey(db)) ?? (await first())),
    sign: async (key, message) => sign(null, message, await openKey(key)),
    addVersion: async () => {
      const old = (await findActiveKey(db)) ?? (await first());
      const version = Math.max(...(await listKeys(db)).map(key => key.key_version)) + 1;
      const key = await make(version, old.key_id);
      await db.transaction().execute(async tx => {
        if (!(await retireKey(tx, old, clock.now())))
          throw new Error('the signing key was changed by somebody else meanwhile');
        await insertKey(tx, key);
        await recordSigningKeys(tx, clock);
      });
      const active = await findActiveKey(db);
      if (active?.key_version !== version) throw new Error('the new signing key was not written');
      return active;
    },
  };
}

const toSpkiText = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');

/** A file that is there stays as it is: it is what an earlier start, or another server, has made. */
async function createPrivateKeyFile(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  await createFile(path, Buffer.from(pem), ownerOnly).catch(error => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
}

async function readPrivateKey(path: string): Promise<KeyObject> {
  await using file = await open(path, 'r').catch(cause => {
    throw new KeyFileRefused(`the signing key file ${path} cannot be read; restore it from a backup.`, { cause });
  });
  const { mode, size } = await file.stat();
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new KeyFileRefused(`the signing key file ${path} can be read by others; run: chmod 600 ${path}`);
  const damaged = () => new KeyFileRefused(`the signing key file ${path} is damaged; restore it from a backup.`);
  if (size > largestFile) throw damaged();
  let key: KeyObject;
  try {
    key = createPrivateKey(await file.readFile('utf8'));
  } catch {
    throw damaged();
  }
  if (key.asymmetricKeyType !== 'ed25519') throw damaged();
  return key;
}
