// Runs one suite on the database engines of its project. Each test opens databases of its own, which are closed and
// removed after it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Migration } from '@recordproof/server/platform/db/migrate.ts';
import type { Database, Engine } from '@recordproof/server/platform/db/open-db.ts';
import { afterAll, afterEach, describe } from 'vitest';
import { openTestDatabase, type TestDatabaseAddress } from './database-address.ts';
import { engines } from './engines.ts';
import { newDatabaseWith, newFileWith } from './migrated-databases.ts';
import { stopPostgres } from './postgres.ts';

export type TestDatabase = Database & {
  readonly address: TestDatabaseAddress;
  /** Another handle on the same data, as a second server would have it. */
  openAgain(): Promise<Database>;
};

/** Opens a new, empty database and migrates it to the given schema. */
export type OpenDatabase = (migrations?: readonly Migration[]) => Promise<TestDatabase>;

export function eachDatabase(suite: (engine: Engine, open: OpenDatabase) => void): void {
  const cleanUps: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  afterAll(stopPostgres);
  for (const engine of engines) {
    describe(engine, () => {
      suite(engine, async (migrations = []) => {
        const { address, remove } = await newAddress(engine, migrations);
        cleanUps.push(remove);
        const openAgain = async () => {
          const database = await openTestDatabase(address);
          cleanUps.push(() => database.close());
          return database;
        };
        const database = await openAgain();
        return { ...database, address, openAgain };
      });
    });
  }
}

async function newAddress(
  engine: Engine,
  migrations: readonly Migration[],
): Promise<{ address: TestDatabaseAddress; remove: () => Promise<void> | void }> {
  if (engine === 'postgres') {
    const { url, drop } = await newDatabaseWith(migrations);
    return { address: { kind: engine, at: url }, remove: drop };
  }
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-db-'));
  const path = join(folder, 'test.db');
  await newFileWith(migrations, path);
  return { address: { kind: engine, at: path }, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
