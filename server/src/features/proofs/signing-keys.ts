// Provider local-ed25519, contract 1: the signing keys of proofs. Private keys are in files readable only by their
// owner, one per version; public keys stay in the database permanently, so that signatures of a retired key can be
// verified. A file that others can read, that is damaged, or that is not the key of its version is rejected.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import type { Clock } from '../../platform/clock.ts';
import { KeyFileError } from '../../platform/crypto/server-keys.ts';
import { localEd25519 } from '../../platform/crypto/suite-catalogue.ts';
import type { Db } from '../../platform/db/tables.ts';
import { createFile, errnoOf } from '../../platform/durable-files.ts';
import { recordSigningKeys } from './ledger-entries.ts';
import { findActiveKey, insertKey, listKeys, type ProofKeyRow, retireKey } from './queries.ts';

const ownerOnly = 0o600;
const largestFile = 4096;

export type LocalSigningKeys = {
  /** The active key; null before the first one was created. Throws KeyFileError. */
  find(): Promise<ProofKeyRow | null>;
  /** The active key; created on first use in a new installation. Throws KeyFileError. */
  current(): Promise<ProofKeyRow>;
  sign(key: ProofKeyRow, message: Uint8Array): Promise<Uint8Array>;
  /** Creates the key file of the next version, not yet used for signing. Returns the same one until it is used. */
  publish(): Promise<SigningKeyFile>;
  /** Activates the new key on all servers that have its file; the old one stays known. */
  addVersion(): Promise<ProofKeyRow>;
};

export type SigningKeyFile = { readonly version: number; readonly fingerprint: string };

type SigningKeyOptions = { readonly db: Db; readonly folder: string; readonly clock: Clock };

export function openLocalSigningKeys({ db, folder, clock }: SigningKeyOptions): LocalSigningKeys {
  const opened = new Map<string, KeyObject>();
  const pathOf = (version: number): string => join(folder, `proof-signing-${version}.pem`);

  /** The private key, verified against the public one. */
  const openKey = async (key: ProofKeyRow): Promise<KeyObject> => {
    const cached = opened.get(key.fingerprint);
    if (cached !== undefined) return cached;
    const path = pathOf(key.key_version);
    const privateKey = await readPrivateKey(path);
    if (toSpkiText(privateKey) !== key.public_spki)
      throw new KeyFileError(`${path} is not the signing key of version ${key.key_version}; restore the right one.`);
    opened.set(key.fingerprint, privateKey);
    return privateKey;
  };

  const make = async (version: number, keyId?: string) => {
    await createPrivateKeyFile(pathOf(version));
    const { spki, fingerprint } = await readPublicHalf(pathOf(version));
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

  const findNextVersion = async (): Promise<number> =>
    Math.max(0, ...(await listKeys(db)).map(key => key.key_version)) + 1;

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
    publish: async () => {
      const version = await findNextVersion();
      await createPrivateKeyFile(pathOf(version));
      return { version, fingerprint: (await readPublicHalf(pathOf(version))).fingerprint };
    },
    addVersion: async () => {
      const old = (await findActiveKey(db)) ?? (await first());
      const version = await findNextVersion();
      const key = await make(version, old.key_id);
      await db.transaction().execute(async tx => {
        if (!(await retireKey(tx, old, clock.now())))
          throw new Error(
            `signing key version ${old.key_version} was changed by another process; run the command again`,
          );
        await insertKey(tx, key);
        await recordSigningKeys(tx, clock);
      });
      const active = await findActiveKey(db);
      if (active?.key_version !== version)
        throw new Error(`signing key version ${version} was not written; run the command again`);
      return active;
    },
  };
}

const toSpkiText = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');

async function readPublicHalf(path: string): Promise<{ readonly spki: string; readonly fingerprint: string }> {
  const spki = toSpkiText(await readPrivateKey(path));
  return { spki, fingerprint: digestOf(Buffer.from(spki, 'base64')) };
}

/** Of a folder; unusable files are left out. */
export async function listSigningKeyFiles(folder: string): Promise<SigningKeyFile[]> {
  const names = (await readdir(folder)).flatMap(name => /^proof-signing-(\d+)\.pem$/.exec(name) ?? []);
  const versions = names.filter(text => /^\d+$/.test(text)).map(Number);
  const read = async (version: number): Promise<SigningKeyFile[]> => {
    const { fingerprint } = await readPublicHalf(join(folder, `proof-signing-${version}.pem`));
    return [{ version, fingerprint }];
  };
  return (await Promise.all(versions.map(version => read(version).catch(() => [])))).flat();
}

/** An existing file is kept: an earlier start, or another server, has created it. */
async function createPrivateKeyFile(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  await createFile(path, Buffer.from(pem), ownerOnly).catch(error => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
}

async function readPrivateKey(path: string): Promise<KeyObject> {
  await using file = await open(path, 'r').catch(cause => {
    throw new KeyFileError(`the signing key file ${path} cannot be read; restore it from a backup.`, { cause });
  });
  const { mode, size } = await file.stat();
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new KeyFileError(`the signing key file ${path} can be read by others; run: chmod 600 ${path}`);
  const damaged = () => new KeyFileError(`the signing key file ${path} is damaged; restore it from a backup.`);
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
