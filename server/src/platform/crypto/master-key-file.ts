// The file of master keys: its format, and how it is read. Rejects a file that is damaged or that others can read.
import { createHash, randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { KeyProviderError } from './envelope.ts';
import { masterKeyBytes } from './local-wrap.ts';

const largestFile = 1024 * 1024;

const storedKey = z.strictObject({
  version: z.string().regex(/^[1-9]\d{0,8}$/),
  createdAt: z.iso.datetime(),
  key: z.base64().length(44),
  check: z.string().regex(/^[0-9a-f]{16}$/),
  /** If it was published first and activated later. */
  activatedAt: z.iso.datetime().optional(),
});
const keyFile = z.strictObject({
  format: z.literal('recordproof-master-keys'),
  formatVersion: z.literal(1),
  activeVersion: z.string(),
  keys: z.array(storedKey).min(1),
});
export type KeyFile = z.infer<typeof keyFile>;

/** The file is missing, damaged, or accessible to others; the message says what to do. */
export class MasterKeyFileError extends KeyProviderError {
  constructor(message: string, cause?: unknown) {
    super('CONFIGURATION', message, cause);
  }
}

/** Detects a damaged file before a wrong key wraps anything. */
const toCheck = (version: string, key: Buffer): string =>
  createHash('sha256').update(`recordproof-master-key ${version} `).update(key).digest('hex').slice(0, 16);

export function newStoredKey(version: string, now: Date): KeyFile['keys'][number] {
  const key = randomBytes(masterKeyBytes);
  return { version, createdAt: now.toISOString(), key: key.toString('base64'), check: toCheck(version, key) };
}

export const toFileBytes = (content: KeyFile): Buffer => Buffer.from(`${JSON.stringify(content, null, 2)}\n`, 'utf8');

export async function readKeyFile(path: string): Promise<KeyFile> {
  const damaged = (why: string) =>
    new MasterKeyFileError(`the key file ${path} is damaged (${why}); restore it from a backup`);
  await using file = await open(path, 'r').catch(error => {
    throw new MasterKeyFileError(`the key file ${path} cannot be read`, error);
  });
  const { mode, size } = await file.stat();
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new MasterKeyFileError(
      `the key file ${path} can be used by others (mode ${(mode & 0o777).toString(8)}); run: chmod 600 ${path}`,
    );
  }
  if (size > largestFile) throw damaged(`it exceeds ${largestFile} bytes`);
  const text = await file.readFile('utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw damaged('it is not JSON');
  }
  const parsed = keyFile.safeParse(json);
  if (!parsed.success) throw damaged(`field ${parsed.error.issues[0]?.path.join('.') || 'list'} is not as expected`);
  const versions = parsed.data.keys.map(key => key.version);
  const twice = versions.find((version, index) => versions.indexOf(version) !== index);
  if (twice !== undefined) throw damaged(`version ${twice} occurs twice`);
  const { activeVersion } = parsed.data;
  if (!versions.includes(activeVersion)) throw damaged(`the active version ${activeVersion} has no key`);
  const wrong = parsed.data.keys.find(
    ({ version, key, check }) => toCheck(version, Buffer.from(key, 'base64')) !== check,
  );
  if (wrong !== undefined) throw damaged(`the key of version ${wrong.version} does not match its check value`);
  return parsed.data;
}
