// Explanations of errors by which PostgreSQL denies access, as one sentence: address, user, database, and the SQL that
// fixes it. Never the password.
import type { DatabaseOptions } from './database-options.ts';
import { DatabaseUnavailable } from './open-db.ts';

/** The resolved address, including PG… variables and defaults. */
type DatabaseAddress = { readonly at: string; readonly user: string; readonly database: string };

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const fix = (statement: string): string => `as its administrator: ${statement};`;

const byCode: Readonly<Record<string, (address: DatabaseAddress, message: string) => string>> = {
  '28P01': ({ at, user }) =>
    `PostgreSQL at ${at} rejects the password of ${quote(user)}; correct DATABASE_URL, or ${fix(`ALTER ROLE ${quote(user)} PASSWORD '…'`)}`,
  '28000': ({ at, user }, message) =>
    `PostgreSQL at ${at} rejects the user ${quote(user)} (${message}); ${fix(`CREATE ROLE ${quote(user)} LOGIN PASSWORD '…'`)}`,
  '3D000': ({ at, user, database }) =>
    `PostgreSQL at ${at} has no database ${quote(database)}; ${fix(`CREATE DATABASE ${quote(database)} OWNER ${quote(user)}`)}`,
  '42501': ({ at, user, database }, message) =>
    `PostgreSQL at ${at} does not permit ${quote(user)} to create tables in ${quote(database)} (${message}); ${fix(`ALTER DATABASE ${quote(database)} OWNER TO ${quote(user)}`)}`,
  '0A000': ({ at }, message) =>
    `PostgreSQL at ${at} lacks an extension that the server needs (${message}); install its contrib package, which contains pg_trgm.`,
  '25006': ({ at }) => `PostgreSQL at ${at} is read-only; set DATABASE_URL to the primary server.`,
  '53300': ({ at }) =>
    `PostgreSQL at ${at} has no free connections; raise its max_connections, or lower RECORDPROOF_DATABASE_POOL_SIZE.`,
};

const unreachable = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|ENOENT|EACCES|57P0|08)/;

/** Null if the error is no denial. */
export async function toPostgresRejection(
  options: DatabaseOptions & { kind: 'postgres' },
  error: unknown,
): Promise<DatabaseUnavailable | null> {
  if (!(error instanceof Error)) return null;
  const { code = '' } = error as { code?: string };
  const address = await readAddress(options);
  const explain = byCode[code];
  if (explain) return new DatabaseUnavailable(explain(address, error.message), { cause: error });
  if (!unreachable.test(code) && !/timeout|terminated/i.test(error.message)) return null;
  const reason = code || error.message;
  return new DatabaseUnavailable(
    `the database does not answer at ${address.at} (${reason}); start PostgreSQL there, or correct DATABASE_URL.`,
    { cause: error },
  );
}

async function readAddress({ url }: DatabaseOptions & { kind: 'postgres' }): Promise<DatabaseAddress> {
  const { default: pg } = await import('pg');
  const { host, port, user = '', database = '' } = new pg.Client({ connectionString: url.reveal() });
  return { at: `${host}:${port}`, user, database };
}
