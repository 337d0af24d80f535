// What ties a database to the servers that may use it: all of them must hold the same keys. And, for the embedded
// database, that only one server runs on a data folder at a time.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Migration } from './db/migrate.ts';
import type { Db, Time } from './db/tables.ts';

declare module './db/tables.ts' {
  interface Tables {
    installation: { id: number; key_fingerprint: string; created_at: Time };
  }
}

export const installationMigrations: readonly Migration[] = [
  {
    name: 'V1.0.0 installation',
    statements: t => [
      `create table installation (id ${t.integer} primary key check (id = 1), key_fingerprint text not null, created_at ${t.integer} not null) ${t.strict}`,
    ],
  },
];

/** The server must not start here; the message is one sentence that says why and what to do. */
export class StartRefused extends Error {}

/** The first server leaves its mark; later ones must carry the same keys. */
export async function checkInstallation(db: Db, fingerprint: string, keysFolder: string, now: Time): Promise<void> {
  await db
    .insertInto('installation')
    .values({ id: 1, key_fingerprint: fingerprint, created_at: now })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const row = await db.selectFrom('installation').select('key_fingerprint').executeTakeFirstOrThrow();
  if (row.key_fingerprint === fingerprint) return;
  throw new StartRefused(
    `the keys in ${keysFolder} are not the ones this database was set up with; copy the keys folder of the first server.`,
  );
}

/** Holds the data folder for this process until it ends, however it ends. */
export async function holdFolder(folder: string): Promise<Disposable> {
  const { default: Database } = await import('better-sqlite3');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = new Database(join(folder, 'server.lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    if ((cause as { code?: string }).code !== 'SQLITE_BUSY') throw cause;
    throw new StartRefused(`another server is running on ${folder}; stop it, or choose another folder with --data.`);
  }
  return { [Symbol.dispose]: () => void lock.close() };
}
