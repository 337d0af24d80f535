// AES self-test, and detection of hardware support.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';

export function sealAndOpen(): boolean {
  const key = createSecretKey(randomBytes(32));
  const nonce = randomBytes(12);
  const plain = randomBytes(64);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(cipher.getAuthTag());
  return Buffer.concat([decipher.update(sealed), decipher.final()]).equals(plain);
}

/** Linux reports CPU features; on other systems, all current machines of these architectures have it. */
export const likelyHasAesNi = async (): Promise<boolean> =>
  process.platform === 'linux' ? readProcessorFlags() : isCommonProcessor();

const isCommonProcessor = (): boolean => process.arch === 'x64' || process.arch === 'arm64';

const readProcessorFlags = (): Promise<boolean> => readFile('/proc/cpuinfo', 'utf8').then(namesAes, isCommonProcessor);

/** `flags` on x86, `Features` on ARM. */
export const namesAes = (cpuinfo: string): boolean => /^(flags|Features)\s*:.*\baes\b/m.test(cpuinfo);
