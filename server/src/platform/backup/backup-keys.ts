// Keys derived from the backup passphrase: they seal pieces, manifests and the installation's keys, name pieces, and
// authenticate manifests.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { z } from 'zod';

/** 128 MiB and about half a second per guess. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 160 * 2 ** 20 };
const saltBytes = 16;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyIdCharacters = 16;

export type BackupKeys = {
  readonly salt: string;
  /** Seals the keys of the installation. */
  readonly sealing: KeyObject;
  /** Seals the content of a manifest. */
  readonly contents: KeyObject;
  /** Authenticates a manifest. */
  readonly macKey: KeyObject;
  /** Seals pieces. */
  readonly pieces: KeyObject;
  /** Names pieces, so that a name reveals nothing about the bytes. */
  readonly naming: KeyObject;
  /** Hex. Id of these keys, which reveals nothing about them; `pool` in manifests. */
  readonly keyId: string;
};

export const sealedBytes = z.strictObject({ nonce: z.base64(), sealed: z.base64() });
export type SealedBytes = z.infer<typeof sealedBytes>;

export const keyIdText = z.string().regex(/^[0-9a-f]{16}$/);
export const saltText = z.base64().length(24);

export const newSalt = (): string => randomBytes(saltBytes).toString('base64');

/** The same passphrase and salt give the same keys. */
export async function deriveBackupKeys(passphrase: string, salt: string): Promise<BackupKeys> {
  const secret = await stretch(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'));
  const expand = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `recordproof backup: ${use}`, keyBytes));
  const derive = (use: string) => createSecretKey(expand(use));
  return {
    salt,
    sealing: derive('keys'),
    contents: derive('contents'),
    macKey: derive('manifest'),
    pieces: derive('pieces'),
    naming: derive('piece names'),
    keyId: expand('pool').toString('hex').slice(0, keyIdCharacters),
  };
}

/**
 * Keys of one or several passphrases. Each derivation takes half a second and is shared by backups with the same salt.
 */
export class BackupKeyring {
  readonly #passphrases: readonly [string, ...string[]];
  readonly #keys = new Map<string, Promise<BackupKeys>>();

  constructor(...passphrases: [string, ...string[]]) {
    this.#passphrases = passphrases;
  }

  get size(): number {
    return this.#passphrases.length;
  }

  /** Keys of the first passphrase, or of the `nth`. */
  keysFor(salt: string, nth = 0): Promise<BackupKeys> {
    const id = `${nth} ${salt}`;
    const keys = this.#keys.get(id) ?? deriveBackupKeys(this.#passphrases[nth] ?? this.#passphrases[0], salt);
    this.#keys.set(id, keys);
    return keys;
  }
}

/** 32 bytes. */
export const namePiece = ({ naming }: BackupKeys, { sha256, size }: { sha256: string; size: number }): Buffer =>
  createHmac('sha256', naming).update(`${sha256} ${size}`).digest();

const stretch = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase, salt, keyBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

export function seal(key: KeyObject, bytes: Uint8Array): SealedBytes {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  return { nonce: nonce.toString('base64'), sealed: sealed.toString('base64') };
}

/** Null if key or bytes are not those of the sealing. */
export function unseal(key: KeyObject, { nonce, sealed }: SealedBytes): Buffer | null {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64'), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}

/** Lowercase hex. */
export const computeMac = ({ macKey }: BackupKeys, text: string): string =>
  createHmac('sha256', macKey).update(text).digest('hex');

export function verifyMac(keys: BackupKeys, text: string, mac: string): boolean {
  const expected = Buffer.from(computeMac(keys, text));
  const received = Buffer.from(mac);
  return received.length === expected.length && timingSafeEqual(received, expected);
}
