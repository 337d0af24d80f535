// What the passphrase of a backup opens: one key seals the keys of the installation, another vouches for the manifest.
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

/** 128 MiB and about half a second for each guess. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 160 * 2 ** 20 };
const saltBytes = 16;
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export type BackupKeys = { readonly salt: string; readonly sealing: KeyObject; readonly vouching: KeyObject };

export const sealedBytes = z.strictObject({ nonce: z.base64(), sealed: z.base64() });
type SealedBytes = z.infer<typeof sealedBytes>;

export const saltText = z.base64().length(24);

export const newSalt = (): string => randomBytes(saltBytes).toString('base64');

/** The same passphrase and salt give the same keys. */
export async function deriveBackupKeys(passphrase: string, salt: string): Promise<BackupKeys> {
  const secret = await stretch(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'));
  const derive = (use: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `recordproof backup: ${use}`, keyBytes)));
  return { salt, sealing: derive('keys'), vouching: derive('manifest') };
}

const stretch = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase, salt, keyBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });

export function seal({ sealing }: BackupKeys, bytes: Uint8Array): SealedBytes {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  return { nonce: nonce.toString('base64'), sealed: sealed.toString('base64') };
}

/** Null where these are not the keys, or not the bytes, that it was sealed with. */
export function unseal({ sealing }: BackupKeys, { nonce, sealed }: SealedBytes): Buffer | null {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealing, Buffer.from(nonce, 'base64'), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}

/** Lowercase hex. */
export const vouchFor = ({ vouching }: BackupKeys, text: string): string =>
  createHmac('sha256', vouching).update(text).digest('hex');

export function isVouchedFor(keys: BackupKeys, text: string, mac: string): boolean {
  const expected = Buffer.from(vouchFor(keys, text));
  const given = Buffer.from(mac);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
