// Secrets of this installation, one file each in the data folder, created at the first start. A file that others can
// read or that is damaged stops the start: a new key would silently end every session.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from '../make-folder.ts';

const keyBytes = 64;

/** An unusable key file; the message says what to do. */
export class KeyFileError extends Error {}

export type ServerKeys = {
  /** Signs session tokens. */
  readonly token: KeyObject;
  /**
   * Keys the digests of short secrets (e-mail codes, setup code), so that a copy of the database does not reveal them.
   */
  readonly pepper: KeyObject;
  /** Signs the URLs of direct transfers to the embedded store. */
  readonly transfer: KeyObject;
  /** Ed25519; signs the checkpoints of the embedded ledger and identifies it. */
  readonly ledger: KeyObject;
  /** Distinguishes installations without revealing the keys. */
  readonly fingerprint: string;
};

/** Atomic; never replaces a file that another process has created. */
function createKeyFile(path: string, content: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
  syncFolder(dirname(path));
}

type KeyForm<K> = {
  make(): string;
  /** Null if it is no key of this form. */
  parse(text: string): K | null;
};

const secretForm: KeyForm<Buffer> = {
  make: () => `${randomBytes(keyBytes).toString('base64url')}\n`,
  parse: text => {
    const key = Buffer.from(text.trim(), 'base64url');
    return key.length === keyBytes ? key : null;
  },
};

const signingForm: KeyForm<KeyObject> = {
  make: () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  parse: text => {
    try {
      const key = createPrivateKey(text);
      return key.asymmetricKeyType === 'ed25519' ? key : null;
    } catch {
      return null;
    }
  },
};

function readKeyFile<K>(path: string, form: KeyForm<K>): K {
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new KeyFileError(`the key file ${path} can be read by others; run: chmod 600 ${path}`);
  }
  const key = form.parse(readFileSync(path, 'utf8'));
  if (key === null) throw new KeyFileError(`the key file ${path} is damaged; restore it from a backup.`);
  return key;
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

function openKey<K>(folder: string, name: string, form: KeyForm<K>, create: boolean): K {
  const path = join(folder, name);
  try {
    return readKeyFile(path, form);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (!create) {
      throw new KeyFileError(
        `the key file ${path} is missing; restore it from a backup, or copy the keys folder of another server of this database.`,
      );
    }
    createKeyFile(path, form.make());
    return readKeyFile(path, form);
  }
}

/** `create`: whether to create missing files. False once a server has used the database. */
export function openServerKeys(folder: string, { create }: { readonly create: boolean }): ServerKeys {
  if (create) makeFolder(folder);
  const token = openKey(folder, 'token.key', secretForm, create);
  const pepper = openKey(folder, 'pepper.key', secretForm, create);
  const transfer = openKey(folder, 'transfer.key', secretForm, create);
  const ledger = openKey(folder, 'ledger.key', signingForm, create);
  const fingerprint = createHash('sha256')
    .update('server keys\n')
    .update(token)
    .update(pepper)
    .update(transfer)
    .update(createPublicKey(ledger).export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 32);
  return {
    token: createSecretKey(token),
    pepper: createSecretKey(pepper),
    transfer: createSecretKey(transfer),
    ledger,
    fingerprint,
  };
}
