// A secret from a setting or a file: the file is read again when it changes, rejected if it is world-readable, and
// never shown.
import { readFile, stat } from 'node:fs/promises';
import { KeyProviderError } from './envelope.ts';

/** Source of a secret: a setting, or a file that may be replaced at any time. */
export type SecretSource =
  | { readonly kind: 'value'; readonly reveal: () => string }
  | { readonly kind: 'file'; readonly path: string };

const longestFile = 16 * 1024;

/** `what` names it in messages, such as "token". */
export function openSecret(source: SecretSource, what: string): () => Promise<string> {
  if (source.kind === 'value') return async () => source.reveal();
  const { path } = source;
  let cached: { readonly stamp: string; readonly secret: string } | undefined;
  const unreadable = (why: string, cause?: unknown) =>
    new KeyProviderError('CONFIGURATION', `the ${what} file ${path} ${why}`, cause);
  return async () => {
    const { ino, size, mtimeNs, mode } = await stat(path, { bigint: true }).catch(error => {
      throw unreadable('cannot be read', error);
    });
    const stamp = `${ino} ${size} ${mtimeNs}`;
    if (cached?.stamp === stamp) return cached.secret;
    if (process.platform !== 'win32' && (mode & 0o007n) !== 0n) throw unreadable('can be read by all users');
    if (size > longestFile) throw unreadable(`is too long for a ${what}`);
    const secret = (await readFile(path, 'utf8')).trim();
    if (!/^[\x21-\x7e]{1,8192}$/.test(secret)) throw unreadable(`holds no ${what}`);
    cached = { stamp, secret };
    return secret;
  };
}
