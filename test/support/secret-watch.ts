// Search for secrets in the output of a journey's test server: no password, token, key or signature may occur in its
// log, in its audit rows or in the errors of its jobs. Bounded, so that it is cheap.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { toAuditLogRow } from '../../server/src/features/audit/packed-row.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';

const mostCharacters = 4 * 1024 * 1024;
const mostRows = 2000;

/** The shape of a secret: a session token, a bearer token, a signature of an address. */
const shapes: readonly (readonly [what: string, shape: RegExp])[] = [
  ['a session token', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{20,}/],
  ['a bearer', /\bBearer [\w.~+/-]{16,}/],
  ['a signature', /[?&](?:X-Amz-Signature|signature|sig)=[\w-]{32,}/i],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
];

export type SecretWatch = {
  readonly log: Logger;
  /** Output other than the log. */
  write(text: string): void;
  /** Throws where one of the secrets, or text of the shape of one, was written. */
  assertKept(stores: { readonly db: Db; readonly keysFolder: string }, secrets: readonly string[]): Promise<void>;
};

export function openSecretWatch(): SecretWatch {
  const lines: string[] = [];
  let held = 0;
  const write = (line: string): void => {
    if (held >= mostCharacters) return;
    held += line.length;
    lines.push(line);
  };
  return {
    log: pino({ level: 'info', base: null }, { write }),
    write,
    assertKept: async ({ db, keysFolder }, secrets) => {
      const written = [...lines, ...(await listWritten(db))];
      const known = [...secrets, ...(await listKeys(keysFolder))].filter(secret => secret.length >= 12);
      const leaks = written.flatMap(text => findLeaks(text, known).map(what => `${what} in: ${text.slice(0, 300)}`));
      if (leaks.length > 0) throw new Error(`what has to be kept secret was written:\n${leaks.slice(0, 5).join('\n')}`);
    },
  };
}

const findLeaks = (text: string, secrets: readonly string[]): string[] => [
  ...shapes.filter(([, shape]) => shape.test(text)).map(([what]) => what),
  ...secrets.filter(secret => text.includes(secret)).map(secret => `a secret of ${secret.length} characters`),
];

/** The newest rows; none where the test has removed the database. */
async function listWritten(db: Db): Promise<string[]> {
  try {
    const audit = await db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(mostRows).execute();
    const jobs = db.selectFrom('job').select('last_error').where('last_error', 'is not', null).limit(mostRows);
    return [...audit.map(toAuditLogRow), ...(await jobs.execute())].map(row => Object.values(row).join(' '));
  } catch {
    return [];
  }
}

/** The database's name, without user and password; its long path would look like a key. */
const publicFile = 'installation.json';

/** The long words in the key files. */
async function listKeys(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const secretFiles = entries.filter(entry => entry.isFile() && entry.name !== publicFile);
  const files = secretFiles.map(entry => readFile(join(folder, entry.name), 'utf8'));
  return (await Promise.all(files)).flatMap(content => content.match(/[A-Za-z0-9+/_-]{40,}={0,2}/g) ?? []);
}
