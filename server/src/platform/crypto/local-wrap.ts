// One data key under one master key: the wrapped form of provider `local`, contract 1
// (docs/spec/content-encryption.md, section 7).
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { assertDataKey, KeyProviderError } from './envelope.ts';

export const localAlgorithm = 'AES-256-GCM';
export const masterKeyBytes = 32;

const dataKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const wrappedBytes = nonceBytes + dataKeyBytes + tagBytes;
const options = { authTagLength: tagBytes };

export function wrapLocally(master: KeyObject, dataKey: KeyObject, binding: Uint8Array): Buffer {
  const plain = dataKey.export();
  assertDataKey(plain);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', master, nonce, options).setAAD(binding);
  const wrapped = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  plain.fill(0);
  return wrapped;
}

export function unwrapLocally(master: KeyObject, wrapped: Uint8Array, binding: Uint8Array): KeyObject {
  if (wrapped.length !== wrappedBytes) {
    throw new KeyProviderError('INVALID_CIPHERTEXT', 'this key was not wrapped by the local provider');
  }
  const decipher = createDecipheriv('aes-256-gcm', master, wrapped.subarray(0, nonceBytes), options);
  decipher.setAAD(binding).setAuthTag(wrapped.subarray(-tagBytes));
  const plain = decipher.update(wrapped.subarray(nonceBytes, -tagBytes));
  try {
    decipher.final();
    return createSecretKey(plain);
  } catch (error) {
    throw new KeyProviderError('INVALID_CIPHERTEXT', 'the wrapped key was altered or belongs elsewhere', error);
  } finally {
    plain.fill(0);
  }
}
