// Whether AES works, and whether the processor helps with it.
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

/** Linux names the processor's abilities; elsewhere every machine of these kinds that is still sold has it. */
export const likelyHasAesNi = async (): Promise<boolean> =>
  process.platform === 'linux' ? readProcessorFlags() : isCommonProcessor();

const isCommonProcessor = (): boolean => process.arch === 'x64' || process.arch === 'arm64';

const readProcessorFlags = (): Promise<boolean> => readFile('/proc/cpuinfo', 'utf8').then(namesAes, isCommonProcessor);

/** `flags` on x86, `Features` on ARM. */
export const namesAes = (cpuinfo: string): boolean => /^(flags|Features)\s*:.*\baes\b/m.test(cpuinfo);
