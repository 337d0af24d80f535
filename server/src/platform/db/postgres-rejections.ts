// Explanations of errors by which PostgreSQL denies access, as one sentence: address, user, database, and the SQL that
// fixes it. Never the password.
import type { DatabaseOptions } from './database-options.ts';
import { DatabaseUnavailable } from './open-db.ts';

/** The resolved address, including PG… variables and defaults. */
type DatabaseAddress = { readonly at: string; readonly user: string; readonly database: string };

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const mend = (statement: string): string => `as its administrator: ${statement};`;

const byCode: Readonly<Record<string, (address: DatabaseAddress, message: string) => string>> = {
  '28P01': ({ at, user }) =>
    `PostgreSQL at ${at} refuses the password of ${quote(user)}; mend DATABASE_URL, or ${mend(`ALTER ROLE ${quote(user)} PASSWORD '…'`)}`,
  '28000': ({ at, user }, message) =>
    `PostgreSQL at ${at} does not let ${quote(user)} in (${message}); ${mend(`CREATE ROLE ${quote(user)} LOGIN PASSWORD '…'`)}`,
  '3D000': ({ at, user, database }) =>
    `PostgreSQL at ${at} has no database ${quote(database)}; ${mend(`CREATE DATABASE ${quote(database)} OWNER ${quote(user)}`)}`,
  '42501': ({ at, user, database }, message) =>
    `PostgreSQL at ${at} does not let ${quote(user)} make tables in ${quote(database)} (${message}); ${mend(`ALTER DATABASE ${quote(database)} OWNER TO ${quote(user)}`)}`,
  '0A000': ({ at }, message) =>
    `PostgreSQL at ${at} lacks what the server needs (${message}); install its contrib package, which has pg_trgm.`,
  '25006': ({ at }) => `PostgreSQL at ${at} only lets read; name the primary server in DATABASE_URL.`,
  '53300': ({ at }) =>
    `PostgreSQL at ${at} has no connection left; raise its max_connections, or lower RECORDPROOF_DATABASE_POOL_SIZE.`,
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
    `the database does not answer at ${address.at} (${reason}); start PostgreSQL there, or mend DATABASE_URL.`,
    { cause: error },
  );
}

async function readAddress({ url }: DatabaseOptions & { kind: 'postgres' }): Promise<DatabaseAddress> {
  const { default: pg } = await import('pg');
  const { host, port, user = '', database = '' } = new pg.Client({ connectionString: url.reveal() });
  return { at: `${host}:${port}`, user, database };
}
